package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// hostileTexts are texts that some reader of YAML takes for something else, or
// cannot keep.
var hostileTexts = []string{
	"", " ", "  two", "trailing ", "trailing  ", "\ttab", "tab\t", "yes", "No", "on", "OFF", "y", "N", "true", "False", "null", "Null", "~", "nan", ".nan", "inf", ".inf", "-.INF",
	"1", "-1", "0", "007", "08", "0o17", "0x1F", "0b11", "1_000", "1e3", "1E+3", "1.", ".5", "+5", "-0", "12e03", "1:30", "190:20:30", "2026-01-01", "2026-01-01T00:00:00Z", "2026-1-1 10:00:00",
	"-", "--", "---", "...", "- a", "-a", "?", "? a", ":", ": a", "a: b", "a:b", "a :b", "a #b", "#a", "a#b", "&a", "*a", "!a", "!!str a", "%a", "@a", "`a`", "|", ">", "|-", "> a", "'", "''", `"`, `"a"`, `'a'`, `a"b`, `a'b`, `\`, `\n`, `a\b`,
	"[", "]", "{", "}", "[a]", "{a: b}", "a, b", ",", "<<", "=", "a=b", "a\nb", "a\n", "\na", "a\n\nb", "a\n\n", "\n", "\n\n", " a\nb", "a\n b", "a \nb", "a\nb ", "a\n \nb", "a\n\tb", "a\tb\nc", "\ta\nb", "# a\nb", "a\n# b", "- a\n- b", "a:\n  b", "---\na", "a\n---\nb", "...\na", "a\n...\n", "a\r\nb", "a\rb", "\r", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u0080", "\u009f",
	"a\u0085b", "a\u2028b", "a\u2029b\nc", "\ufeff", "\ufeffa\nb", "\u200b", "\u00a0", "a\u00a0", "\u202eabc", "\ufffd", "\ufffe", "\uffff", "\U0001fffe", "\U0010ffff", "ä", "Straße", "日本語", "e\u0301", "😀", "a😀\nb", "𝄞", "ﬁ", "İ", "ſ", "null ", "null\n", "~\n", "true\n\n", strings.Repeat("long ", 100), strings.Repeat("x", 3000), strings.Repeat("a\n", 200),
}

func hostileText(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		pieces := []string{"a", " ", "\n", "\t", ":", "#", "-", "'", `"`, `\`, "0", "é", "\u2028", "😀", ",", "[", "{", "|", "\r", "~", "\x02"}
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	case 1:
		return hostileTexts[r.IntN(len(hostileTexts))] + hostileTexts[r.IntN(len(hostileTexts))]
	}
	return hostileTexts[r.IntN(len(hostileTexts))]
}

var hostileNumbers = []string{"0", "-0", "1", "-1", "1.0", "1.50", "0.1", "1e3", "1E3", "1e+3", "1.5e-7", "9007199254740993", "-9223372036854775808", "18446744073709551615",
	"123456789012345678901234567890", "0.1234567890123456789012345", "1e300", "-1e-300", "0e0", "0.0"}

func hostileValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 5 || depth == 0:
		return hostileText(r)
	case n == 5:
		return json.Number(hostileNumbers[r.IntN(len(hostileNumbers))])
	case n == 6:
		return []any{nil, true, false}[r.IntN(3)]
	case n == 7:
		out := []any{}
		for range r.IntN(4) {
			out = append(out, hostileValue(r, depth-1))
		}
		return out
	}
	out := map[string]any{}
	for range r.IntN(4) {
		name := strings.Map(func(c rune) rune {
			if c < 0x20 || c >= 0x7f && c < 0xa0 {
				return '_'
			}
			return c
		}, hostileText(r))
		out[name[:min(len(name), 300)]] = hostileValue(r, depth-1)
	}
	return out
}

// inYAML writes a value as YAML in one line, with an escape for whatever is no
// letter of ASCII: the way of it has nothing to do with that of bundles.
func inYAML(b *strings.Builder, v any) {
	switch x := v.(type) {
	case string:
		b.WriteByte('"')
		for _, c := range x {
			if c < 0x80 && (c == ' ' || c >= 'a' && c <= 'z') {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(b, `\U%08x`, c)
			}
		}
		b.WriteByte('"')
	case []any:
		b.WriteByte('[')
		for _, item := range x {
			inYAML(b, item)
			b.WriteString(", ")
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for name, item := range x {
			b.WriteString("? ")
			inYAML(b, name)
			b.WriteString(" : ")
			inYAML(b, item)
			b.WriteString(", ")
		}
		b.WriteByte('}')
	default:
		out, _ := json.Marshal(v)
		b.Write(out)
	}
}

// unsigned takes the sign of -0 away, which not every reader keeps.
func unsigned(v any) any {
	switch x := v.(type) {
	case float64:
		if x == 0 {
			return 0.0
		}
	case []any:
		for i := range x {
			x[i] = unsigned(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = unsigned(x[name])
		}
	}
	return v
}

// inJSON is a value as JSON, its numbers as float64.
func inJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	require.NoError(t, err)
	var plain any
	require.NoError(t, json.Unmarshal(out, &plain))
	plain = unsigned(plain)
	out, err = json.Marshal(plain)
	require.NoError(t, err)
	return string(out)
}

// What an entity holds survives its canonical form, whatever it is, and another
// reader of YAML reads the same out of it.
func TestCanonicalFormKeepsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	schema := strings.Replace(typeOf("thing", `, "x": {}, "z": {"properties": {"b": {}, "a": {}}}`, ""), `"id":`, `"text": {"type": "string"}, "id":`, 1)
	for round := range 20 {
		var text strings.Builder
		want := map[string]map[string]any{}
		for i := range 60 {
			e := map[string]any{"id": fmt.Sprintf("e%02d", i), "x": hostileValue(r, 4), "text": hostileText(r), "z": map[string]any{"a": hostileText(r), "b": hostileValue(r, 2), "c": true}}
			if i < len(hostileTexts) && round < 4 {
				e["text"] = hostileTexts[min(round*60+i, len(hostileTexts)-1)]
			}
			want[e["id"].(string)] = e
			text.WriteString("- ")
			inYAML(&text, e)
			text.WriteString("\n")
		}
		b, err := bundle.Read(small(map[string]string{"schemas/thing.schema.json": schema, "entities/things.yaml": text.String()}), bundle.Options{})
		require.NoError(t, err)
		thing, _ := b.Type("thing")
		require.Len(t, thing.Entities, len(want))
		for _, e := range thing.Entities {
			var doc any
			d := json.NewDecoder(bytes.NewReader(e.Document))
			d.UseNumber()
			require.NoError(t, d.Decode(&doc))
			out, err := json.Marshal(want[e.ID])
			require.NoError(t, err)
			again, err := json.Marshal(doc)
			require.NoError(t, err)
			require.Equal(t, string(out), string(again), "numbers with their digits")
		}

		again, err := bundle.Read(folderOf(b), bundle.Options{})
		require.NoError(t, err)
		require.Equal(t, b.Files(), again.Files())
		require.Equal(t, b.Revision(), again.Revision())

		var other []map[string]any
		for _, f := range b.Files() {
			if f.Path == "entities/things.yaml" {
				require.NoError(t, yaml.Unmarshal(f.Data, &other))
				if dir := os.Getenv("TRELLIS_TEST_CANONICAL"); dir != "" { // for readers in other languages
					require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", round)), f.Data, 0o600))
					all, err := json.Marshal(want)
					require.NoError(t, err)
					require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", round)), all, 0o600))
				}
			}
		}
		require.Len(t, other, len(want))
		for _, e := range other {
			require.Equal(t, inJSON(t, want[e["id"].(string)]), inJSON(t, e))
		}
	}
}

// The canonical form is for people, too.
func TestCanonicalForm(t *testing.T) {
	b := shop(t)
	for _, f := range b.Files() {
		if f.Path != "entities/products.yaml" {
			continue
		}
		require.Equal(t, `- sku: SH-1
  name: "Shears: small"
  price: 12.25
  stock: 0
  state: retired
  category_ids:
    - pruning
    - tools
- sku: SP-1
  name: Spade
  price: 29
  state: live
  category_ids:
    - digging
  supplier_code: oak
  tags:
    - steel
- sku: SP-2
  name: Long spade
  price: 34.50
  stock: 12
  state: live
  released: "2025-03-01"
  category_ids:
    - digging
  supplier_code: "007"
  goes_with:
    - SP-1
    - SH-1
  tags:
    - steel
    - ash
  rating: 4.5
  page: |
    # Long spade

    For deep beds.
  dimensions:
    length_cm: 120
    width_cm: 18
`, string(f.Data))
	}
}
