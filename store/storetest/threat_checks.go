package storetest

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// refused returns a check that all attacks are refused, with their code at
// their place among the mistakes, and that no store is asked.
func refused(attacks ...attack) func(*testing.T, *schema.Schema, store.Store) {
	return func(t *testing.T, s *schema.Schema, _ store.Store) {
		c := NewCaller(s, unreached{t}, graph.Limits{})
		for _, a := range attacks {
			_, err := c.Call(a.tool, []byte(a.args))
			require.Error(t, err, clip(a.args))
			found := false
			for _, e := range Mistakes(err) {
				found = found || e.Code == a.code && e.Path == a.path
			}
			require.True(t, found, "%s\nwant %s %s\ngot %s", clip(a.args), a.code, a.path, clip(err.Error()))
		}
	}
}

func clip(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// answered returns a check that calls have the given answers, written as in
// the rows of a script's tables.
func answered(tool string, answers map[string]string) func(*testing.T, *schema.Schema, store.Store) {
	return func(t *testing.T, s *schema.Schema, st store.Store) {
		c := NewCaller(s, st, graph.Limits{})
		for args, want := range answers {
			require.Equal(t, want, renderBrief(mustAnswer(t, c, tool, args))[0], args)
		}
	}
}

// anyRefusal returns a check that calls of find_nodes are refused, whatever
// the code, without asking a store, and as one of the errors about reading.
func anyRefusal(calls ...string) func(*testing.T, *schema.Schema, store.Store) {
	return func(t *testing.T, s *schema.Schema, _ store.Store) {
		c := NewCaller(s, unreached{t}, graph.Limits{})
		for _, args := range calls {
			_, err := c.Call(graph.ToolFindNodes, []byte(args))
			mistakes := Mistakes(err)
			require.NotEmpty(t, mistakes, "%q", args)
			for _, e := range mistakes {
				require.True(t, e.Code.Refusal(), "%q: %v", args, e)
			}
			require.Contains(t, []graph.Code{graph.Syntax, graph.InvalidString, graph.UnknownField, graph.UnknownProperty}, mistakes[0].Code, "%q", args)
		}
	}
}

// hostileNames puts hostile texts wherever a call names something of the
// schema.
func hostileNames(t *testing.T, s *schema.Schema, _ store.Store) {
	c := NewCaller(s, unreached{t}, graph.Limits{})
	places := []attack{
		{graph.ToolFindNodes, `{"node_label": %s}`, graph.UnknownLabel, "/node_label"},
		{graph.ToolFindNodes, `{"node_label": "gl_issue", "properties": [%s]}`, graph.UnknownProperty, "/properties/0"},
		{graph.ToolFindNodes, `{"node_label": "gl_issue", "order_by": [{"property": %s}]}`, graph.UnknownProperty, "/order_by/0/property"},
		{graph.ToolTraverse, `{"from": {"label": "gl_user"}, "relationships": [{"type": %s}], "to": {"label": "gl_user"}}`, graph.UnknownRelationship, "/relationships/0/type"},
		{graph.ToolTraverse, `{"from": {"label": "gl_user"}, "relationships": [{"type": "FOLLOWS"}], "to": {"label": %s}}`, graph.UnknownLabel, "/to/label"},
		{graph.ToolAggregate, `{"node_label": "gl_issue", "aggregations": [{"function": %s}]}`, graph.InvalidEnum, "/aggregations/0/function"},
		{graph.ToolAggregate, `{"node_label": "gl_issue", "aggregations": [{"function": "count"}], "group_by": [{"property": %s}]}`, graph.UnknownProperty, "/group_by/0/property"},
		{graph.ToolAggregate, `{"node_label": "gl_issue", "aggregations": [{"function": "count"}], "order_by": [{"as": %s}]}`, graph.UnknownProperty, "/order_by/0/as"},
		{graph.ToolDescribe, `{"expand_nodes": [%s]}`, graph.UnknownLabel, "/expand_nodes/0"},
	}
	for _, h := range hostileStrings() {
		if strings.TrimSpace(h) == "" {
			continue
		}
		for _, p := range places {
			_, err := c.Call(p.tool, fmt.Appendf(nil, p.args, quoteJSON(h)))
			mistakes := Mistakes(err)
			require.NotEmpty(t, mistakes, p.args)
			require.Equal(t, [2]string{string(p.code), p.path}, [2]string{string(mistakes[0].Code), mistakes[0].Path}, "%s %q", p.args, h)
		}
		_, err := c.Call(h, []byte(`{}`))
		require.ErrorIs(t, err, graph.UnknownTool)
		_, err = c.Call(graph.ToolFindNodes, fmt.Appendf(nil, `{"node_label": "gl_issue", %s: 1}`, quoteJSON(h)))
		require.ErrorIs(t, err, graph.UnknownField)
		if !isName(h) {
			_, err = c.Call(graph.ToolAggregate, fmt.Appendf(nil, `{"node_label": "gl_issue", "aggregations": [{"function": "count", "as": %s}]}`, quoteJSON(h)))
			require.ErrorIs(t, err, graph.InvalidString, h)
		}
	}
}

// isName reports whether a text may name a column.
func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

func listLengths(t *testing.T, s *schema.Schema, st store.Store) {
	c := NewCaller(s, st, graph.Limits{})
	list := func(n int) string { return strings.TrimSuffix(strings.Repeat("5,", n-1)+"20", ",") }
	answered(graph.ToolFindNodes, map[string]string{
		`{"node_label": "fact", "filters": {"i32": {"in": []}}}`:                      nothing,
		`{"node_label": "fact", "filters": {"i32": {"not_in": []}}}`:                  "1 2 3 4",
		`{"node_label": "fact", "filters": {"i32": {"in": [20]}}}`:                    "2 3",
		`{"node_label": "fact", "filters": {"i32": {"in": [20, 20, 20]}}}`:            "2 3",
		`{"node_label": "fact", "filters": {"i32": {"in": [` + list(500) + `]}}}`:     "2 3",
		`{"node_label": "fact", "filters": {"i32": {"not_in": [` + list(500) + `]}}}`: "1 4",
	})(t, s, st)
	refused(
		find(`{"node_label": "fact", "filters": {"i32": {"in": [`+list(501)+`]}}}`, graph.LimitExceeded, "/filters/i32/in"),
		find(`{"node_label": "fact", "ids": [`+list(501)+`]}`, graph.LimitExceeded, "/ids"),
		find(`{"node_label": "fact", "filters": {"i32": {"in": [`+list(50000)+`]}}}`, graph.TooLarge, ""),
		find(`{"node_label": "fact", "filters": {"i32": {"in": [1, null]}}}`, graph.InvalidType, "/filters/i32/in/1"),
		find(`{"node_label": "fact", "filters": {"i32": {"in": [1, "1"]}}}`, graph.InvalidType, "/filters/i32/in/1"),
		find(`{"node_label": "fact", "filters": {"i32": {"in": [1, true]}}}`, graph.InvalidType, "/filters/i32/in/1"),
	)(t, s, st)

	var all []string
	for i := range 500 {
		all = append(all, strconv.Itoa(i+1))
	}
	r := mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "fact", "ids": [`+strings.Join(all, ",")+`]}`)
	require.Equal(t, []string{"1", "2", "3", "4"}, ids(r))
	require.Len(t, r.Warnings, 496, "each id that is not there is told")
}

// bounded sends what is too deep or too large: refused soon, with little
// memory.
func bounded(t *testing.T, s *schema.Schema, _ store.Store) {
	c := NewCaller(s, unreached{t}, graph.Limits{})
	nested := func(n int) string {
		return `{"node_label": "gl_user", "filters": {"name": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	var keys strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&keys, `,"k%d":1`, i)
	}
	for _, a := range []attack{
		find(nested(31), graph.TooDeep, ""),
		find(objects(33), graph.TooDeep, ""),
		find(nested(10_000), graph.TooDeep, ""),
		find(strings.Repeat("[", 100_000), graph.TooLarge, ""),
		find(nested(100_000), graph.TooLarge, ""),
		find(`{"node_label": "`+strings.Repeat("x", 1<<20)+`"}`, graph.TooLarge, ""),
		find(`{"node_label": "gl_user"`+keys.String()+`}`, graph.TooLarge, ""),
		find(`{"node_label": "gl_user", "limit": `+strings.Repeat("9", 1<<20)+`}`, graph.TooLarge, ""),
		find(`{"node_label": "gl_user"`+strings.Repeat(" ", 64<<10)+`}`, graph.TooLarge, ""),
	} {
		args := []byte(a.args)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.Call(a.tool, args)
		runtime.ReadMemStats(&after)
		require.Less(t, quickest(func() { c.Call(a.tool, args) }), 50*time.Millisecond, clip(a.args))
		mistakes := Mistakes(err)
		require.Len(t, mistakes, 1, clip(a.args))
		require.Equal(t, [2]string{string(a.code), a.path}, [2]string{string(mistakes[0].Code), mistakes[0].Path}, clip(a.args))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), clip(a.args))
	}
	// One less deep is read, and refused for what it says.
	_, err := c.Call(graph.ToolFindNodes, []byte(nested(30)))
	require.ErrorIs(t, err, graph.InvalidType)
}

func overflow(t *testing.T, s *schema.Schema, st store.Store) {
	c := NewCaller(s, st, graph.Limits{})
	_, err := c.Call(graph.ToolAggregate, []byte(`{"node_label": "fact", "where": "i64 > 0", "aggregations": [{"function": "count"}, {"function": "sum", "property": "i64"}]}`))
	mistakes := Mistakes(err)
	require.Len(t, mistakes, 1)
	require.Equal(t, graph.OutOfRange, mistakes[0].Code)
	require.Equal(t, "/aggregations/1", mistakes[0].Path)
}

// threeValues checks for each operator that what fulfils a condition, what
// fulfils its negation and what is null are all there is, each once.
func threeValues(t *testing.T, s *schema.Schema, st store.Store) {
	c := NewCaller(s, st, graph.Limits{})
	all := ids(mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "thing"}`))
	for property, conditions := range map[string][]string{
		"i32": {"i32 == 1", "i32 != 1", "i32 < 1", "i32 <= 1", "i32 > 1", "i32 >= 1", "i32 in [0, 1]", "i32 in []"},
		"i64": {"i64 == 7", "i64 > 9007199254740992", "i64 in [7]"},
		"f":   {"f == 0.1", "f < 0.1", "f >= 0.1"},
		"b":   {"b == true", "b != true"},
		"s":   {"s == 'a'", "s != 'a'", "s < 'a'", "s.contains('a')", "s.startsWith('a')", "s.endsWith(' ')", "s in ['a', 'A']"},
		"e":   {"e == 'opened'", "e != 'opened'", "e in ['closed', 'locked']"},
		"l":   {"l == 'high'", "l in ['low']"},
		"d":   {"d == date('2024-02-29')", "d < date('2024-02-29')"},
		"dt":  {"dt >= timestamp('2024-02-29T12:30:00Z')"},
		"u":   {"u == 'a0000000-0000-4000-8000-000000000004'"},
	} {
		for _, p := range conditions {
			var parts []string
			for _, where := range []string{p, "!(" + p + ")", property + " == null"} {
				parts = append(parts, ids(mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "thing", "where": `+quoteJSON(where)+`}`))...)
			}
			require.ElementsMatch(t, all, parts, p)
		}
	}
}

// quickest is the least time that something took of a few times: what it needs
// by itself, whatever else the machine does.
func quickest(f func()) time.Duration {
	least := time.Hour
	for range 5 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}
