package tokens

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
)

// Format names the format of a file.
const Format = "trellis.tokens.v1"

const (
	maxFile   = 4 << 20 // bytes
	maxTokens = 10_000
	minToken  = 16   // bytes: as many as nobody guesses
	maxToken  = 4096 // bytes
)

// A known token is one entry of a file.
type known struct {
	hash    [sha256.Size]byte
	scope   *graph.Scope
	expires time.Time // zero for never
}

// An entry is a token as it is written.
type entry struct {
	ID      string    `yaml:"id"`
	Token   string    `yaml:"token"`
	SHA256  string    `yaml:"sha256"`
	Scope   *scope    `yaml:"scope"`
	Expires time.Time `yaml:"expires"`
}

type scope struct {
	Tenant    string         `yaml:"tenant"`
	View      string         `yaml:"view"`
	Principal string         `yaml:"principal"`
	Claims    map[string]any `yaml:"claims"`
}

// parse reads a file. Messages name entries by their number, never by what may
// be a secret: nothing of the file is repeated in them.
func parse(data []byte) ([]known, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d bytes", maxFile)
	}
	var file struct {
		Format string  `yaml:"format"`
		Tokens []entry `yaml:"tokens"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		return nil, errors.New("it is not a file of tokens: YAML or JSON with format and tokens, each of which has token or sha256, scope, and perhaps expires and id")
	}
	switch err := dec.Decode(new(yaml.Node)); {
	case !errors.Is(err, io.EOF):
		return nil, errors.New("something follows the first document")
	case file.Format != Format:
		return nil, errors.New("it does not begin with format: " + Format)
	case len(file.Tokens) > maxTokens:
		return nil, fmt.Errorf("there are %d tokens; at most %d are read", len(file.Tokens), maxTokens)
	}
	var out []known
	var mistakes []error
	at := map[[sha256.Size]byte]int{}
	for i, e := range file.Tokens {
		k, err := e.read()
		if before, twice := at[k.hash]; err == nil && twice {
			err = fmt.Errorf("is that of entry %d again", before)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("entry %d: %w", i+1, err))
			continue
		}
		at[k.hash] = i + 1
		out = append(out, k)
	}
	return out, errors.Join(mistakes...)
}

func (e *entry) read() (k known, err error) {
	switch {
	case (e.Token == "") == (e.SHA256 == ""):
		return k, errors.New("has either token or sha256")
	case e.Scope == nil:
		return k, errors.New("has no scope")
	case e.Token != "" && !wellFormed(e.Token):
		return k, fmt.Errorf("the token is not %d to %d bytes of printable ASCII without spaces", minToken, maxToken)
	}
	k.hash = sha256.Sum256([]byte(e.Token))
	if e.SHA256 != "" {
		hash, err := hex.DecodeString(e.SHA256)
		if err != nil || len(hash) != len(k.hash) {
			return k, fmt.Errorf("sha256 is not %d hexadecimal digits", 2*len(k.hash))
		}
		k.hash = [sha256.Size]byte(hash)
	}
	if e.ID == "" {
		e.ID = hex.EncodeToString(k.hash[:6])
	}
	k.scope = &graph.Scope{Tenant: e.Scope.Tenant, View: e.Scope.View, Principal: e.Scope.Principal, TokenID: e.ID, Claims: e.Scope.Claims}
	k.expires = e.Expires
	return k, claims(e.Scope.Claims)
}

// claims refuses what policies would take for a missing claim.
func claims(v any) error {
	switch v := v.(type) {
	case nil, string, bool, int, int64, uint64, float64:
		return nil
	case map[string]any:
		for _, item := range v {
			if err := claims(item); err != nil {
				return err
			}
		}
		return nil
	case []any:
		for _, item := range v {
			if err := claims(item); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("a claim is a text, a number, true, false, null, or a list or map of these by name; a time needs quotes")
}

// wellFormed reports whether a text can be a token.
func wellFormed(token string) bool {
	if len(token) < minToken || len(token) > maxToken {
		return false
	}
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}
