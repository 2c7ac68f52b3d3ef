package introspect

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneOf(t *testing.T) {
	for check, want := range map[string][]string{
		`state IN ('a', 'b')`:                           {"state", "a", "b"},
		"`state` in ('a','it''s')":                      {"state", "a", "it's"},
		`("State" IN ('a'))`:                            {"State", "a"},
		`[state] in ('a')`:                              {"state", "a"},
		`(state = 'a' OR state='b')`:                    {"state", "a", "b"},
		`state IS NULL OR state = ''`:                   {"state", ""},
		`((state = ANY (ARRAY['a'::text, 'b'::text])))`: {"state", "a", "b"},
		`(((v)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])))`:                   {"v", "a", "b"},
		`(((v IS NULL) OR ((v)::text = ANY (ARRAY[('q'::character varying)::text, ('r'::character(3))::text]))))`: {"v", "q", "r"},
		"(`v` in (_utf8mb4'a',_utf8mb4'b'))": {"v", "a", "b"},
		`state IN ('a' -- one
			, /* two */ 'b')`: {"state", "a", "b"},
		`state IN ('x\')`: {"state", `x\`},
	} {
		column, values, ok := oneOf(check, false)
		require.True(t, ok, check)
		require.Equal(t, want, append([]string{column}, values...), check)
	}
	for _, check := range []string{
		``, `(`, `state`, `state IN ()`, `n IN (1, 2)`, `state NOT IN ('a')`, `NOT state IN ('a')`, `NOT (state IN ('a'))`, `lower(state) IN ('a')`, `state IN ('a') AND n > 1`,
		`state IN ('a') OR other IN ('b')`, `state <> 'a'`, `state >= 'a'`, `state LIKE 'a'`, `state || 'x' = 'a'`, `(state = 'a') = (n = 1)`, `state IN ('a'` + "`", `state IN (other)`,
		`state IN ('a', other)`, `state IN ('a' 'b')`, `'a' IN ('a')`, `state IN ("a")`, `state IS NULL`, `state IN ('a',)`, `state = ANY (ARRAY['a'::text]) IS TRUE`, `state /* IN ('a')`, `state IN ('a') -- OR` + "\n AND n = 1",
		`(state = 'a') IS NOT TRUE`, `state = 'a' OR (state = 'b' AND n = 1)`,
	} {
		_, values, ok := oneOf(check, false)
		require.False(t, ok, "%s: %q", check, values)
	}
	_, values, ok := oneOf(`state IN ('a\'b', 'c\\d', 'e\n')`, true)
	require.True(t, ok)
	require.Equal(t, []string{"a'b", `c\d`, "e\n"}, values)
}

func TestChecksOf(t *testing.T) {
	require.Equal(t, []string{`(a IN ('x  y', ') -- '))`, `(b > (1 + 2))`, "(\n c )"}, checksOf(`CREATE TABLE t (
		a text CHECK (a IN ('x  y', ') -- ')), -- CHECK (no)
		"check (" int, 'CHECK (no)' int, b int check(b > (1 + 2)) /* CHECK (no) */, CONSTRAINT k CHECK (
 c ))`))
	for _, broken := range []string{"", "CHECK (", "CHECK ('", "CHECK (a", "/*"} {
		require.Empty(t, checksOf(broken), broken)
	}
}

func TestEnumValues(t *testing.T) {
	require.Equal(t, []string{"a", "it's", "B,)"}, enumValues(`ENUM('a','it''s','B,)')`))
	require.Equal(t, []string{`a\b`, `'\`}, enumValues(`enum('a\\b','''\\')`))
	require.Equal(t, []string{"\u212a\u0130"}, enumValues("enum('\u212a\u0130')"), "letters whose lower case has another length")
	require.Empty(t, enumValues(`set('a')`))
	require.Equal(t, `((("a""b")::text = ANY (ARRAY['VALUE'::text])))`, domainCheck(`a"b`, `(((VALUE)::text = ANY (ARRAY['VALUE'::text])))`))
}

// Texts of all kinds are read without a panic, and what is found in them is
// there.
func TestChecksOfAnyText(t *testing.T) {
	pieces := []string{"state", " IN ", " in(", "(", ")", "'a'", "'it''s'", "'", "\"b\"", "\"", "`", "[c]", "[", "]", " OR ", "=", " = ANY ",
		"ARRAY[", "::text", "(3)", "[]", ",", "CREATE TABLE t (", "CHECK", " check (", "/* ( */", "-- )\n", "\\", "\x00", "\xff", "\u0130", "enum(", "VALUE"}
	d := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var b strings.Builder
		for range d.IntN(12) {
			b.WriteString(pieces[d.IntN(len(pieces))])
		}
		text := b.String()
		for _, backslash := range []bool{false, true} {
			_, values, ok := oneOf(text, backslash)
			require.Equal(t, ok, len(values) > 0, "%q", text)
		}
		for _, check := range checksOf(text) {
			require.Contains(t, text, check)
		}
		bare(text)
		enumValues("enum(" + text)
	}
}
