package tokens

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

const (
	adas = "adas-token-0123456789"
	bobs = "bobs-token-0123456789"
)

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte("format: trellis.tokens.v1\ntokens:\n"+text), 0o600))
	return path
}

func verify(t *testing.T, f *File, token string) *graph.Scope {
	s, err := f.Verify(t.Context(), token)
	require.NoError(t, err)
	return s
}

func TestVerify(t *testing.T) {
	f, err := Open(write(t, fmt.Sprintf(`
  - {token: %s, id: laptop, scope: {tenant: acme, principal: ada, claims: {role: manager, level: 3, folders: [/a/, {deep: true}]}}}
  - {sha256: %x, scope: {tenant: beta, view: shop}}
  - {token: %s-old, scope: {}, expires: 2020-01-01T00:00:00Z}
  - {token: %s-new, scope: {}, expires: 2999-01-01T00:00:00Z}
`, adas, sha256.Sum256([]byte(bobs)), adas, adas)), nil)
	require.NoError(t, err)
	require.Equal(t, 4, f.Len())
	require.Equal(t, &graph.Scope{Tenant: "acme", Principal: "ada", TokenID: "laptop",
		Claims: map[string]any{"role": "manager", "level": 3, "folders": []any{"/a/", map[string]any{"deep": true}}}}, verify(t, f, adas))
	require.Equal(t, &graph.Scope{Tenant: "beta", View: "shop", TokenID: fmt.Sprintf("%.6x", sha256.Sum256([]byte(bobs)))}, verify(t, f, bobs))
	require.Nil(t, verify(t, f, adas+"-old"), "its time is over")
	require.NotNil(t, verify(t, f, adas+"-new"))
	for _, unknown := range []string{"", adas[:len(adas)-1], adas + " ", strings.ToUpper(adas), fmt.Sprintf("%x", sha256.Sum256([]byte(bobs)))} {
		require.Nil(t, verify(t, f, unknown), unknown)
	}
}

// What is wrong is named by the number of its entry; nothing of a token is told.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"  - {scope: {}}": "entry 1: has either token or sha256",
		"  - {token: " + adas + ", sha256: ab, scope: {}}":                           "entry 1: has either token or sha256",
		"  - {token: " + adas + "}":                                                  "entry 1: has no scope",
		"  - {token: secret, scope: {}}":                                             "entry 1: the token is not 16",
		"  - {token: 'secret token with spaces', scope: {}}":                         "entry 1: the token is not 16",
		"  - {sha256: abc, scope: {}}":                                               "entry 1: sha256 is not 64",
		"  - {token: " + adas + ", scope: {}}\n  - {token: " + adas + ", scope: {}}": "entry 2: is that of entry 1 again",
		"  - {token: " + adas + ", scope: {claims: {when: 2020-01-01}}}":             "entry 1: a claim is",
		"  - {token: " + adas + ", scope: {claims: {a: {1: secret}}}}":               "entry 1: a claim is",
		"  - {token: " + adas + ", scope: {tennant: acme}}":                          "not a file of tokens",
		"  - {token: " + adas + ", token: " + bobs + ", scope: {}}":                  "not a file of tokens",
		"  - " + adas: "not a file of tokens",
		"  - {token: " + adas + ", scope: {}}\n---\n{}":           "something follows",
		"  - {token: " + adas + ", scope: {}}\nformat: other":     "not a file of tokens",
		strings.Repeat("  - {scope: {}}\n", maxTokens+1):          "at most 10000",
		strings.Repeat("# "+strings.Repeat("x", 1000)+"\n", 5000): "larger than",
	} {
		_, err := Open(write(t, text), nil)
		require.ErrorContains(t, err, want)
		for _, secret := range []string{adas, bobs, "secret"} {
			require.NotContains(t, err.Error(), secret)
		}
	}
	_, err := Open(filepath.Join(t.TempDir(), "none"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A file that changes is read again; while it cannot be read its last tokens
// stay, and the log says so once for each state of the file.
func TestReload(t *testing.T) {
	var log bytes.Buffer
	path := write(t, "  - {token: "+adas+", scope: {tenant: acme}}")
	f, err := Open(path, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	change := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte("format: trellis.tokens.v1\ntokens:\n"+text), 0o600))
		f.looked = time.Time{}
	}
	change("  - {token: " + bobs + ", scope: {tenant: beta}}")
	require.Nil(t, verify(t, f, adas))
	require.Equal(t, "beta", verify(t, f, bobs).Tenant)
	change("  - nonsense")
	require.Equal(t, "beta", verify(t, f, bobs).Tenant)
	f.looked = time.Time{}
	require.Equal(t, "beta", verify(t, f, bobs).Tenant)
	require.Equal(t, 1, strings.Count(log.String(), "could not be read again"), log.String())
	require.NoError(t, os.Remove(path))
	f.looked = time.Time{}
	require.Equal(t, "beta", verify(t, f, bobs).Tenant)
	change("")
	require.Nil(t, verify(t, f, bobs), "no tokens: nobody is let in")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("format: trellis.tokens.v1\ntokens: [{token: " + adas + ", scope: {claims: {a: [1, .nan]}}}]"))
	f.Add([]byte("format: trellis.tokens.v1\ntokens: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(data)
		if err != nil {
			return
		}
		for _, k := range list {
			require.NotNil(t, k.scope)
			require.NotEmpty(t, k.scope.TokenID)
		}
	})
}
