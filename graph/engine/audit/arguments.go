package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// Values say how records show the values of a call's arguments. The zero value
// hides them.
type Values struct {
	// Show keeps values readable, texts cut to 1 KiB. Otherwise each value is
	// replaced by a hash: equal values of equal type have equal hashes, so a
	// value that is known can be looked for, and one that is not known cannot
	// be read.
	Show bool
	// Key is the key of the hashes (HMAC-SHA256). Nil means a random one, whose
	// hashes compare within the life of one Arguments only.
	Key []byte
	// Bytes is the size up to which arguments are read, usually that of
	// graph.Limits; zero or less means 64 KiB. Of longer ones the record has
	// size and hash.
	Bytes int
}

const (
	readBytes  = 64 << 10  // Values.Bytes, by default
	textBytes  = 256 << 10 // a record's arguments
	valueBytes = 1 << 10   // a shown value
	nameBytes  = 128       // a member's name
)

// Arguments turn the arguments of calls into what records hold of them. They
// are safe for concurrent use.
type Arguments struct {
	show bool
	key  []byte
	most int
}

// NewArguments returns what shows arguments as v says.
func NewArguments(v Values) *Arguments {
	a := &Arguments{show: v.Show, key: bytes.Clone(v.Key), most: v.Bytes}
	if a.most <= 0 {
		a.most = readBytes
	}
	if len(a.key) == 0 {
		a.key = make([]byte, sha256.Size)
		rand.Read(a.key)
	}
	return a
}

// Known tells the arguments of a call that are no values from those that are.
// The zero value knows none.
type Known struct {
	// Word reports a text that is a name of the schema, or a word of the tools.
	Word func(text string) bool
	// Flag reports a member that is no property: its true or false asks for a way
	// to answer.
	Flag func(member string) bool
}

// Text returns the arguments as one line of canonical JSON: compact, members by
// name, names kept, values hashed as "h:" and 32 hex digits, or shown. What is
// known to be no value is shown in any case. Null stays null.
//
// Arguments that are no JSON document, are too long, or would become so, are
// told by size and hash: {"unreadable":{"bytes":70000,"hash":"h:…"}}. Of
// members with equal names the last one stands. No arguments are "".
func (a *Arguments) Text(raw []byte, known Known) string {
	if len(raw) == 0 {
		return ""
	}
	if len(raw) > a.most {
		return a.unreadable(raw)
	}
	text, ok := graph.CanonicalJSON(string(raw))
	if !ok {
		return a.unreadable(raw)
	}
	w := argumentWriter{Arguments: a, known: known, in: json.NewDecoder(strings.NewReader(text))}
	w.in.UseNumber()
	if !w.value("") {
		return a.unreadable(raw)
	}
	return string(w.out)
}

func (a *Arguments) unreadable(raw []byte) string {
	b := []byte(`{"unreadable":{"bytes":`)
	b = strconv.AppendInt(b, int64(len(raw)), 10)
	b = append(b, `,"hash":"`...)
	b = a.appendHash(b, raw)
	return string(append(b, `"}}`...))
}

// appendHash appends the hash of a value's JSON text.
func (a *Arguments) appendHash(b, text []byte) []byte {
	h := hmac.New(sha256.New, a.key)
	h.Write([]byte("trellis audit\x00"))
	h.Write(text)
	return hex.AppendEncode(append(b, "h:"...), h.Sum(nil)[:16])
}

// An argumentWriter copies one document.
type argumentWriter struct {
	*Arguments
	known Known
	in    *json.Decoder
	out   []byte
}

// value copies the next value, which is that of a member or stands alone, and
// reports whether it fitted.
func (w *argumentWriter) value(member string) bool {
	token, err := w.in.Token()
	if err != nil || len(w.out) > textBytes {
		return false
	}
	switch t := token.(type) {
	case json.Delim:
		w.out = append(w.out, byte(t))
		for i := 0; w.in.More(); i++ {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			of := ""
			if t == '{' {
				name, err := w.in.Token()
				if err != nil {
					return false
				}
				of = name.(string)
				w.out = graph.AppendJSONString(w.out, capped(of, nameBytes))
				w.out = append(w.out, ':')
			}
			if !w.value(of) {
				return false
			}
		}
		w.in.Token() // the closing bracket, which More has seen
		w.out = append(w.out, byte(t)+2)
		return true
	case string:
		if !w.show && (w.known.Word == nil || !w.known.Word(t)) {
			w.hash(graph.AppendJSONString(nil, t))
			return true
		}
		w.out = graph.AppendJSONString(w.out, capped(t, valueBytes))
	case json.Number:
		switch {
		case !w.show:
			w.hash([]byte(t))
		case len(t) > valueBytes: // no number that anything reads
			w.out = graph.AppendJSONString(w.out, capped(string(t), valueBytes))
		default:
			w.out = append(w.out, t...)
		}
	case bool:
		text := strconv.AppendBool(nil, t)
		if !w.show && (w.known.Flag == nil || !w.known.Flag(member)) {
			w.hash(text)
			return true
		}
		w.out = append(w.out, text...)
	default:
		w.out = append(w.out, "null"...)
	}
	return true
}

func (w *argumentWriter) hash(text []byte) {
	w.out = append(w.out, '"')
	w.out = w.appendHash(w.out, text)
	w.out = append(w.out, '"')
}

// capped cuts a text to so many bytes and says how long it was.
func capped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…[" + strconv.Itoa(len(s)) + " bytes]"
}
