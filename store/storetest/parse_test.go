package storetest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
)

func TestParse(t *testing.T) {
	cases, err := parse("x.txt", `# Comments stand between blocks.
graph small
limits rows=2 steps=3

call find_nodes
{"node_label":
 "person"}
pages 1
----
person "1"
# and within them
person "2"

plan
----
find person

table find_nodes
{"filters": {"n": VALUE}}
----
{"eq": 1} => 1 2
"a => b"  => nothing
`)
	require.NoError(t, err)
	require.Equal(t, []*testCase{{
		file: "x.txt", line: 5, fixture: "small", limits: graph.Limits{Rows: 2, Steps: 3},
		tool: "find_nodes", args: "{\"node_label\":\n \"person\"}", pages: 1,
		want:     []string{`person "1"`, `person "2"`},
		sections: []section{{name: "plan", first: 15, end: 16, text: []string{"find person"}}},
	}, {
		file: "x.txt", line: 21, fixture: "small", limits: graph.Limits{Rows: 2, Steps: 3},
		tool: "find_nodes", args: `{"filters": {"n": {"eq": 1}}}`, brief: true, want: []string{"1 2"},
	}, {
		file: "x.txt", line: 22, fixture: "small", limits: graph.Limits{Rows: 2, Steps: 3},
		tool: "find_nodes", args: `{"filters": {"n": "a => b"}}`, brief: true, want: []string{"nothing"},
	}}, cases)
}

func TestParseScope(t *testing.T) {
	call := "call find_nodes\n{}\n----\nnothing\n\n"
	cases, err := parse("x.txt", "graph a\n"+call+`scope {"tenant": "t", "claims": {"level": 3}}`+"\n"+call+"graph b\n"+call)
	require.NoError(t, err)
	require.Nil(t, cases[0].scope)
	require.Equal(t, &graph.Scope{Tenant: "t", Claims: map[string]any{"level": json.Number("3")}}, cases[1].scope)
	require.Nil(t, cases[2].scope, "a graph ends the scope")
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"call x\n{}\n----\nnothing\n", `x.txt:1: a graph must be named first`},
		{"graph g\ncall x\n{}\nnothing\n", `x.txt:6: the arguments are not followed by ----`},
		{"graph g\ncall x\n{}\n----\n\n", `the call in line 2 expects nothing; an empty answer is written "nothing"`},
		{"graph g\nplan\n----\nx\n", `"plan" belongs to no call`},
		{"graph g\nfoo bar\n", `x.txt:2: "foo bar" is no directive`},
		{"graph g\nlimits rows=x\n", `x.txt:2: "rows=x" is no limit`},
		{"graph g\nscope tenant\n", `x.txt:2: "tenant" is no scope: `},
		{"graph g\nscope {\"tenants\": \"a\"}\n", `x.txt:2: "{\"tenants\": \"a\"}" is no scope: `},
		{"graph g\nlimits depth=1\n", `there is no limit "depth"`},
		{"graph g\ntable x\n{}\n----\n1 => 1\n", `a table's arguments hold VALUE, and no pages`},
		{"graph g\ntable x\n{VALUE}\n----\n1 = 1\n", `a row is written VALUE => EXPECTED`},
		{"graph g\ntable x\n{VALUE}\n----\n", `the table has no rows`},
		{"graph g\ncall x\n{}\npages 0\n----\n", `"0" is no size of a page`},
	} {
		_, err := parse("x.txt", c.text)
		require.ErrorContains(t, err, c.want)
	}
}

func TestRefusal(t *testing.T) {
	err := graph.Errors{
		{Code: graph.UnknownProperty, Path: "/filters/stat", Message: "no property", DidYouMean: []string{"state"},
			Fix: []graph.Patch{{Op: "move", From: "/filters/stat", Path: "/filters/state"}}},
		{Code: graph.Syntax, Path: "", Message: "unreadable", Hint: "send one JSON object"},
	}
	for _, want := range [][]string{
		{`error SYNTAX ""`, `error UNKNOWN_PROPERTY /filters/stat`},
		{`error SYNTAX "": hint "one JSON"; no_fix; message "unread"`, `error UNKNOWN_PROPERTY /filters/stat: did_you_mean "state"; fix`},
		{`error SYNTAX ""`, `error UNKNOWN_PROPERTY /filters/stat: fix [{"op": "move", "from": "/filters/stat", "path": "/filters/state"}]`},
	} {
		wanted, got := compareRefusal(want, err)
		require.Equal(t, wanted, got)
	}
	for _, want := range [][]string{
		{`error SYNTAX ""`},
		{`error SYNTAX "": fix`, `error UNKNOWN_PROPERTY /filters/stat`},
		{`error SYNTAX ""`, `error UNKNOWN_PROPERTY /filters/stat: did_you_mean "status"`},
		{`error SYNTAX ""`, `error UNKNOWN_PROPERTY /filters/stat: whatever`},
		{`error SYNTAX ""`, `error UNKNOWN_PROPERTY /filters/stat`, `error SYNTAX ""`},
		{`error SYNTAX /x`, `error UNKNOWN_PROPERTY /filters/stat`},
	} {
		wanted, got := compareRefusal(want, err)
		require.NotEqual(t, wanted, got, want)
	}
}

func TestDiff(t *testing.T) {
	require.Equal(t, "\n      a\n    - b\n    + x\n      c\n    + d", diff([]string{"a", "b", "c"}, []string{"a", "x", "c", "d"}))
}
