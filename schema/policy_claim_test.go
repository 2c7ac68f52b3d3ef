package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

type (
	named      string
	yes        bool
	namedMap   map[named]int
	numbered   map[int]string
	structured struct{ Tenant string }
)

// What a claim is worth does not depend on the Go type in which a host wrote it.
func TestClaimsOfEveryGoType(t *testing.T) {
	none := graph.Value{}
	for _, c := range []struct {
		claim any
		want  graph.Value
		ok    bool
	}{
		{nil, graph.Null(), true},
		{"a", graph.String("a"), true}, {named("a"), graph.String("a"), true}, {"", graph.String(""), true},
		{true, graph.Bool(true), true}, {false, graph.Bool(false), true}, {yes(true), graph.Bool(true), true},
		{1, graph.Int(1), true}, {int8(-1), graph.Int(-1), true}, {int64(math.MinInt64), graph.Int(math.MinInt64), true},
		{uint8(1), graph.Int(1), true}, {uint64(math.MaxInt64), graph.Int(math.MaxInt64), true},
		{uint64(math.MaxUint64), graph.Number("18446744073709551615"), true},
		{1.0, graph.Int(1), true}, {float32(1.5), graph.Float(1.5), true}, {-0.5, graph.Float(-0.5), true},
		{float64(1<<53 - 1), graph.Int(1<<53 - 1), true}, {float64(1 << 53), graph.Float(1 << 53), true}, {-float64(1 << 53), graph.Float(-(1 << 53)), true},
		{math.NaN(), none, false}, {math.Inf(1), none, false}, {float32(math.Inf(-1)), none, false},
		{json.Number("1"), graph.Int(1), true}, {json.Number("1.0"), graph.Int(1), true}, {json.Number("1e2"), graph.Int(100), true}, {json.Number("15e-1"), graph.Number("15e-1"), true},
		{json.Number("1.5"), graph.Number("1.5"), true}, {json.Number("9223372036854775808"), graph.Number("9223372036854775808"), true},
		{json.Number("1e308"), graph.Number("1e308"), true}, {json.Number("1E-308"), graph.Number("1E-308"), true},
		{json.Number("1e309"), none, false}, {json.Number("1e-309"), none, false}, {json.Number("1e1000000000"), none, false}, {json.Number("1e99999999999999999999"), none, false},
		{json.Number("-" + strings.Repeat("9", 399)), graph.Number("-" + strings.Repeat("9", 399)), true}, {json.Number("-" + strings.Repeat("9", 400)), none, false},
		{json.Number("one"), none, false}, {json.Number("1/2"), none, false}, {json.Number("0x1"), none, false}, {json.Number(""), none, false}, {json.Number("e5"), none, false},
		{structured{}, none, false}, {[]string{"a"}, none, false}, {map[string]any{}, none, false}, {func() {}, none, false}, {complex(1, 1), none, false}, {(*int)(nil), none, false},
	} {
		got, ok := claimValue(c.claim)
		require.Equal(t, c.ok, ok, "%T %v", c.claim, c.claim)
		if ok {
			require.Equal(t, c.want.Kind(), got.Kind(), "%T %v", c.claim, c.claim)
			require.True(t, c.want.Equal(got), "%T %v is %v", c.claim, c.claim, got)
		}
	}
}

// Lists and maps are told from all else, in whatever Go type.
func TestClaimsThatHoldOthers(t *testing.T) {
	for _, list := range []any{[]any{"a"}, []string{"a"}, []named{"a"}, [1]string{"a"}, []map[string]any{{}}} {
		n, ok := claimLen(list)
		require.True(t, ok, "%T", list)
		require.Equal(t, 1, n)
		require.NotNil(t, claimAt(list, 0))
	}
	for _, other := range []any{nil, "a", named("a"), true, 1, int8(1), 1.0, map[string]any{}, namedMap{}, structured{}, &caller{}, &[]string{"a"}} {
		n, ok := claimLen(other)
		require.False(t, ok, "%T", other)
		require.Zero(t, n)
	}
	for _, m := range []any{&caller{}, map[string]any{}, map[string]string{}, namedMap{}} {
		require.True(t, claimIsMap(m), "%T", m)
	}
	for _, other := range []any{nil, "a", 1, []any{}, numbered{}, structured{}, &map[string]any{}} {
		require.False(t, claimIsMap(other), "%T", other)
	}
	own := &caller{Tenant: "t", Principal: "p", TokenID: "k", Claims: map[string]any{"tenant": "forged", "principal": "forged", "token_id": "forged", "a": 1, "nil": nil}}
	for _, c := range []struct {
		of   any
		name string
		want any
		ok   bool
	}{
		{own, "tenant", "t", true}, {own, "principal", "p", true}, {own, "token_id", "k", true}, {own, "a", 1, true}, {own, "nil", nil, true}, {own, "b", nil, false},
		{&caller{}, "tenant", "", false}, {&caller{}, "principal", "", false}, {&caller{}, "token_id", "", false}, {&caller{}, "a", nil, false},
		{map[string]any{"a": nil}, "a", nil, true}, {map[string]any{"a": nil}, "b", nil, false},
		{namedMap{"a": 1}, "a", 1, true}, {namedMap{"a": 1}, "b", nil, false}, {map[string]string{"a": ""}, "a", "", true},
		{nil, "a", nil, false}, {"a", "a", nil, false}, {numbered{1: "a"}, "1", nil, false}, {[]string{"a"}, "0", nil, false}, {structured{"t"}, "Tenant", nil, false},
	} {
		got, ok := claimField(c.of, c.name)
		require.Equal(t, c.ok, ok, "%T %s", c.of, c.name)
		require.Equal(t, c.want, got, "%T %s", c.of, c.name)
	}
}

// T33: no two callers of whom a policy may think differently have one key, in
// which their views are kept; and what no policy reads is in none.
func TestT33KeysOfCallers(t *testing.T) {
	leaf := &claimTree{}
	tree := &claimTree{names: []string{"a", "b"}, fields: []*claimTree{
		{items: &claimTree{names: []string{"x"}, fields: []*claimTree{leaf}}, names: []string{"x", "y"}, fields: []*claimTree{leaf, leaf}}, leaf,
	}}
	key := func(a, b any) string {
		m := map[string]any{"unread": fmt.Sprint(a)}
		if a != "none" {
			m["a"] = a
		}
		if b != "none" {
			m["b"] = b
		}
		text, ok := appendClaims(nil, (*caller)(&graph.Scope{Claims: m}), tree)
		require.True(t, ok)
		return string(text)
	}
	type m = map[string]any
	values := []any{
		"none", nil, true, false, 0, 1, -1, 11, 1.5, json.Number("1.25"), json.Number("15"), "", "0", "1", "n", "t", "f", "?", "-", "1;", "s1:a", "d3:1.5", "i1;", "1:1", "1.5", "l0", "o", "true",
		m{}, m{"x": ""}, m{"x": 1}, m{"y": 1}, m{"x": "1"}, m{"x": nil}, m{"x": []string{"a"}}, m{"x": m{}}, m{"x": "", "y": ""}, m{"x": "1", "y": "-"}, m{"x": "1-"},
		[]any{}, []any{nil}, []any{1}, []any{"1"}, []any{m{"x": 1}}, []any{m{"x": "1"}}, []any{m{}}, []any{m{}, m{}}, []any{m{"x": "a"}, m{"x": "b"}}, []any{m{"x": "b"}, m{"x": "a"}}, []any{1, 2}, []any{12}, []any{"1", "2"}, []any{"12"},
		structured{},
	}
	seen := map[string]string{}
	for _, a := range values {
		for _, b := range []any{"none", nil, 1, "1", "", true, "-", ";1"} {
			name, k := fmt.Sprintf("%T %v, %T %v", a, a, b, b), key(a, b)
			require.Empty(t, seen[k], "the key of %s: %q", name, k)
			seen[k] = name
		}
	}
	// What is not there and then 1, or -1: with a sign and no letter they would read the same.
	three := &claimTree{names: []string{"a", "b", "c"}, fields: []*claimTree{leaf, leaf, leaf}}
	first, _ := appendClaims(nil, m{"b": 1, "c": -1}, three)
	second, _ := appendClaims(nil, m{"a": -1, "c": 1}, three)
	require.NotEqual(t, string(first), string(second))
	require.Equal(t, key(structured{}, "a"), key(math.NaN(), "a"), "what is no claim")
	require.Equal(t, key(1, "a"), key(1.0, "a"), "equal claims have one key")
	require.Equal(t, key([]any{m{"x": 1, "z": 1}}, "a"), key([]any{m{"x": 1, "z": 2}}, "a"), "what is not read")
	require.Equal(t, key(1, []string{"a"}), key(1, []string{"b", "c"}), "items that are not read")
}

// Claims are read up to a bound, and then refused.
func TestClaimsAreBounded(t *testing.T) {
	items := &claimTree{items: &claimTree{}}
	text := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		claim any
		tree  *claimTree
		ok    bool
	}{
		{make([]string, maxClaimItems), items, true},
		{make([]string, maxClaimItems+1), items, false},
		{make([]string, maxClaimItems+1), &claimTree{}, true}, // nobody reads them
		{[]any{make([]string, maxClaimItems+1)}, &claimTree{items: items}, false},
		{map[string]any{"a": make([]string, maxClaimItems+1)}, &claimTree{names: []string{"a"}, fields: []*claimTree{items}}, false},
		{[]string{text(maxClaimBytes), "a"}, items, false},
		{[]string{text(maxClaimBytes - len("l2") - len("s1048564:")), "a"}, items, true},
		{[]string{text(maxClaimBytes - len("l2") - len("s1048564:") + 1), "a"}, items, false},
	} {
		_, ok := appendClaims(nil, c.claim, c.tree)
		require.Equal(t, c.ok, ok)
	}
}
