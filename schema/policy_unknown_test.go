package schema

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// What is unknown denies, and so does its opposite: claims that are missing, of
// another kind than the policy takes, or half of what it asks for.
func TestWhatIsUnknownDenies(t *testing.T) {
	num := func(s string) any { return json.Number(s) }
	for _, c := range []struct {
		condition string
		claims    []any
		want      string // of the condition
		not       string // of its opposite
	}{
		{`has(caller.a.b)`, []any{"a", "text"}, "never", "never"},
		{`has(caller.a.b)`, []any{"a", []any{}}, "never", "never"},
		{`has(caller.a.b)`, []any{"a", map[string]any{"b": nil}}, "open", "never"},
		{`caller.x in caller.l`, []any{"l", []any{}}, "never", "never"},
		{`caller.x in caller.l`, []any{"l", []any{}, "x", "a"}, "never", "open"},
		{`caller.x in caller.l`, []any{"l", "a", "x", "a"}, "never", "never"},
		{`caller.x in caller.l`, []any{"x", "a"}, "never", "never"},
		{`caller.x in caller.l`, []any{"x", "a", "l", []any{nil, "a"}}, "open", "never"},
		{`caller.x in ["a", caller.y]`, []any{"x", "b"}, "never", "never"},
		{`node.path in caller.l`, []any{"l", "b"}, "never", "never"},
		{`node.path in caller.l`, nil, "never", "never"},
		{`node.path in caller.l`, []any{"l", []any{nil, "b"}}, `path eq "b"`, "never"},
		{`node.path in caller.l`, []any{"l", []any{[]any{}, "b", map[string]any{}}}, `path eq "b"`, "never"},
		{`node.path in [caller.x, "a"]`, nil, `path eq "a"`, "never"},
		{`node.level in caller.l`, []any{"l", []any{"20", 30}}, "level eq 30", "never"},
		{`node.level == caller.n`, []any{"n", "20"}, "never", "never"},
		{`node.open == caller.n`, []any{"n", "true"}, "never", "never"},
		{`node.path == caller.x`, nil, "never", "never"},
		{`caller.l.exists(g, g == 1)`, []any{"l", "text"}, "never", "never"},
		{`caller.l.exists(g, g == 1)`, []any{"l", map[string]any{"a": 1}}, "never", "never"},
		{`caller.l.exists(g, g == 1)`, nil, "never", "never"},
		{`caller.l.exists(g, g == 1)`, []any{"l", []any{}}, "never", "open"},
		{`caller.l.exists(g, g == 1)`, []any{"l", []any{2, "a"}}, "never", "never"},
		{`caller.a == caller.b`, []any{"a", true, "b", true}, "open", "never"},
		{`caller.a == caller.b`, []any{"a", true, "b", false}, "never", "open"},
		{`caller.a != caller.b`, []any{"a", true, "b", false}, "open", "never"},
		{`caller.a == caller.b`, []any{"a", true, "b", "true"}, "never", "never"},
		{`caller.a == caller.b`, []any{"a", "true", "b", true}, "never", "never"},
		{`caller.a == caller.b`, []any{"a", 1, "b", true}, "never", "never"},
		{`caller.a < caller.b`, []any{"a", false, "b", true}, "never", "never"},
		{`caller.a == caller.b`, []any{"a", "x"}, "never", "never"},
		{`caller.a == caller.b`, []any{"b", "x"}, "never", "never"},
		{`caller.a == caller.b`, []any{"a", nil, "b", nil}, "never", "never"},
		{`caller.a.contains(caller.b)`, []any{"a", 17, "b", 7}, "never", "never"},
		{`caller.a.contains(caller.b)`, []any{"a", "a7", "b", 7}, "never", "never"},
		{`caller.a.contains(caller.b)`, []any{"a", "a7", "b", "7"}, "open", "never"},
		{`caller.a.contains(caller.b)`, []any{"a", "a7", "b", ""}, "never", "never"},
		// Whole numbers are exact, and those with a point are doubles.
		{`caller.a == caller.b`, []any{"a", num("9223372036854775809"), "b", num("9223372036854775810")}, "never", "open"},
		{`caller.a < caller.b`, []any{"a", num("9223372036854775809"), "b", num("9223372036854775810")}, "open", "never"},
		{`caller.a == caller.b`, []any{"a", num("0.1"), "b", 0.1}, "open", "never"},
		{`caller.a == caller.b`, []any{"a", num("1.0"), "b", 1}, "open", "never"},
	} {
		require.Equal(t, c.want, guardOf(t, c.condition, claims(c.claims...)), "%s with %v", c.condition, c.claims)
		require.Equal(t, c.not, guardOf(t, "!("+c.condition+")", claims(c.claims...)), "not %s with %v", c.condition, c.claims)
	}
}

// The conditions of one guard are joined where they say the same shorter.
func TestGuardsAreJoined(t *testing.T) {
	for _, c := range []struct{ policy, want string }{
		{`!node.outgoing("IN").exists(f, f.path == "a") && !node.outgoing("IN").exists(f, f.path == "b")`,
			`!{outgoing IN folder: (path in ["a","b"] | path is_null true | path is_null true)}`},
		{`!node.outgoing("IN").exists(f, f.path == "a") && !node.outgoing("LINKED", "folder").exists(f, f.path == "b") && !node.outgoing("IN").exists(f, true)`,
			`(!{outgoing IN folder} & !{outgoing LINKED folder: (path eq "b" | path is_null true)})`},
		{`node.outgoing("IN").exists(f, f.open && f.outgoing("PART_OF").exists(g, g.incoming("OWNS").exists(u, true)))`,
			`{outgoing IN folder: open eq true, outgoing PART_OF folder, incoming OWNS user}`},
		{`caller.none.x == 1 || !(node.open && node.outgoing("IN").exists(f, f.outgoing("PART_OF").exists(g, g.open)))`,
			`(open ne true | !{outgoing IN folder, outgoing PART_OF folder: (open eq true | open is_null true)})`},
		{`node.outgoing("IN").exists(f, f.outgoing("PART_OF").exists(g, g.open) && f.open && f.path == "a")`, `{outgoing IN folder: (open eq true & path eq "a"), outgoing PART_OF folder: open eq true}`},
		{`node.outgoing("IN").exists(f, f.path == "a") || node.outgoing("IN").exists(f, f.path == "b")`, `{outgoing IN folder: path in ["a","b"]}`},
		{`node.outgoing("IN").exists(f, f.path == "a") || node.outgoing("IN").exists(f, true)`, `{outgoing IN folder}`},
		{`node.outgoing("IN").exists(f, f.path == "a") && node.outgoing("IN").exists(f, f.path == "b")`,
			`({outgoing IN folder: path eq "a"} & {outgoing IN folder: path eq "b"})`},
		{`node.outgoing("IN").exists(f, f.path == "a") || node.outgoing("LINKED", "folder").exists(f, f.path == "b")`,
			`({outgoing IN folder: path eq "a"} | {outgoing LINKED folder: path eq "b"})`},
		{`node.path == "b" || node.title == "x" || node.path == "a" || node.title == "x" || node.open`, `(path in ["a","b"] | title eq "x" | open eq true)`},
		{`node.path != "b" && node.title != "x" && node.path != "a" && node.open`, `(path not_in ["a","b"] & title ne "x" & open eq true)`},
		{`node.path == "a" && node.path == "b"`, `(path eq "a" & path eq "b")`},
		{`node.path != "a" || node.path != "b"`, `(path ne "a" | path ne "b")`},
		{`node.open || node.path.startsWith("b") || node.title.startsWith("a") || node.path.startsWith("a")`,
			`(open eq true | path starts_with "a" | path starts_with "b" | title starts_with "a")`},
		{`node.path.startsWith("a") && node.path.startsWith("ab")`, `(path starts_with "a" & path starts_with "ab")`},
		{`node.path.startsWith("a") || node.path.endsWith("ab")`, `(path starts_with "a" | path ends_with "ab")`},
	} {
		require.Equal(t, c.want, guardOf(t, c.policy, claims()), c.policy)
	}
	// Walks of which each way has its own number; they come in any order.
	for range 20 {
		require.Equal(t, `({outgoing IN folder: path in ["a","b"]} | {outgoing LINKED user})`, guardOf(t,
			`node.outgoing("IN").exists(f, f.path == "a") || node.outgoing("LINKED", "user").exists(u, true) || node.outgoing("IN").exists(f, f.path == "b")`, claims()))
	}
}

// Looking through a list costs steps, too.
func TestListsCostSteps(t *testing.T) {
	list := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = i + 1
		}
		return out
	}
	s := policedSchema(t, `caller.a.exists(x, x in caller.b)`)
	_, err := s.View(claims("a", []any{0, 5}, "b", list(1000)))
	require.NoError(t, err)
	none := make([]any, 1000)
	for i := range none {
		none[i] = -1 - i
	}
	_, err = s.View(claims("a", none, "b", list(1000)))
	require.ErrorIs(t, err, graph.Forbidden)

	// A comparison weighs one, and so does a walk; lists by their values, too.
	for _, c := range []struct {
		policy             string
		comparisons, lists int
	}{
		{`node.open && node.path == "a"`, 2, 0},
		{`!(node.path.startsWith("a") || node.title == "b")`, 2, 0},
		{`node.path in ["a", "b", "c"] || node.title in ["d", "e"]`, 2, 5},
		{`node.outgoing("IN").exists(f, f.path in ["a", "b"] && f.open)`, 3, 2},
		{`!node.path.startsWith("a") && node.open`, 2, 0},
		{`node.outgoing("IN").exists(f, f.outgoing("PART_OF").exists(g, g.open))`, 2, 0},
	} {
		s := policedSchema(t, c.policy)
		v, err := s.View(claims())
		require.NoError(t, err)
		doc, _ := v.Schema().Label("doc")
		comparisons, values := weigh(v.Guard(doc))
		require.Equal(t, []int{c.comparisons, c.lists}, []int{comparisons, values}, c.policy)
		require.Equal(t, 1+comparisons+values, v.weight, c.policy)
	}

	ev := &evaluation{most: 1}
	require.False(t, ev.spend(), "as much as may be")
	require.True(t, ev.spend())
	require.True(t, ev.over)
}
