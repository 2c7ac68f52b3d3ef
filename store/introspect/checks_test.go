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

func TestNumbers(t *testing.T) {
	for check, want := range map[string][]string{
		`priority IN (1, 2, 3)`:                                   {"priority", "One of 1, 2, 3.", "1", "2", "3"},
		`(priority = ANY (ARRAY[1, '-2'::integer]))`:              {"priority", "One of 1, -2.", "1", "-2"},
		"(`p` in (1,-2))":                                         {"p", "One of 1, -2.", "1", "-2"},
		`p = 1 OR p = 2 OR p IS NULL`:                             {"p", "One of 1, 2.", "1", "2"},
		`stars BETWEEN 1 AND 5`:                                   {"stars", "From 1 to 5."},
		`((stars >= 1) AND (stars <= 5))`:                         {"stars", "From 1 to 5."},
		`stars <= 5 AND 'x' = 'x'`:                                nil,
		`5 >= stars`:                                              nil,
		`(x IS NULL) OR (x > (0)::numeric)`:                       {"x", "More than 0."},
		`((x > '-0.5'::numeric) AND (x < (1)::double precision))`: {"x", "More than -0.5 and less than 1."},
		`x < 10 AND x >= 2.50`:                                    {"x", "At least 2.50 and less than 10."},
		`"x" <= 7`:                                                {"x", "At most 7."},
	} {
		column, words, listed, ok := numbers(check, false)
		require.Equal(t, want != nil, ok, check)
		if ok {
			require.Equal(t, want, append([]string{column, words}, listed...), check)
		}
	}
	for _, check := range []string{
		``, `x`, `x >`, `x > y`, `x <> 1`, `x > 1 OR x < -1`, `x NOT IN (1)`, `NOT x IN (1)`, `x IN ()`, `x IN (1,)`, `x IN (1, y)`, `x IN (1) AND y > 1`, `x > 1 AND y < 2`, `x > 1 OR y > 1`,
		`x % 2 = 0`, `-x > 1`, `x - 1 > 0`, `x > 5 - 4`, `abs(x) > 1`, `x > 1 IS NOT TRUE`, `x BETWEEN 1 AND 5 AND x <> 3`, `x NOT BETWEEN 1 AND 5`, `x BETWEEN 1 AND y`, `x BETWEEN 1`, `x > 1e5`, `x > 0x10`,
		`x > '2020-01-01'`, `x > 1 AND x < 9 AND x < 8`, `x IS NULL`, `x >= 1 AND (x <= 5 OR x = 9)`, `x > 1. 5`, `x > > 1`, `x = 1 AND x = 2`, `x > --1`,
	} {
		_, words, _, ok := numbers(check, false)
		require.False(t, ok, "%s: %s", check, words)
	}
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
		"ARRAY[", "::text", "(3)", "[]", ",", "CREATE TABLE t (", "CHECK", " check (", "/* ( */", "-- )\n", "\\", "\x00", "\xff", "\u0130", "enum(", "VALUE", "1", "-", ".5", ">", "<=", " AND ", " BETWEEN "}
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
			_, words, _, ok := numbers(text, backslash)
			require.Equal(t, ok, words != "", "%q", text)
		}
		for _, check := range checksOf(text) {
			require.Contains(t, text, check)
		}
		bare(text)
		enumValues("enum(" + text)
	}
}

// ClickHouse escapes in names, which may hold whatever.
func TestNamesInBackticks(t *testing.T) {
	for text, want := range map[string]string{
		"`a\\`b`, c, `d\\\\`":            "a`b|c|d\\",
		"`it's`, `x``y`, `, `, `\\'`":    "it's|x`y|, |'",
		"`select`, `a b`, tuple, `\\n)`": "select|a b|tuple|\n)",
	} {
		table := &Table{}
		for name := range strings.SplitSeq(want, "|") {
			table.Columns = append(table.Columns, &Column{Name: name})
		}
		table.sortedBy(doubled(text), "MergeTree")
		require.Equal(t, want, strings.Join(table.Primary, "|"), "%s: %s", text, table.NoKey)
	}
	require.Equal(t, []string{"`a``b` = 'it\\'s \\`'"}, clickhouseChecks(doubled("CREATE TABLE t (`a\\`b` String, CONSTRAINT c CHECK `a\\`b` = 'it\\'s \\`')")))
}
