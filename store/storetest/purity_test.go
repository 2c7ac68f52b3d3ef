package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// program returns the text of a plan's main statement, and of its lookups.
func programText(t testing.TB, c *Caller, d *compile.Dialect, tool, args string) string {
	t.Helper()
	plan, err := c.Plan(tool, []byte(args))
	require.NoError(t, err, args)
	p, err := compile.SQL(plan, d)
	require.NoError(t, err, args)
	text := p.Main.Text(plan.Params)
	for _, l := range p.Lookups {
		text += "\n" + l.Statement.Text(plan.Params)
	}
	return text
}

// TestPurity compiles every shape of call with every hostile text: whatever
// the value, the statement's text is the same.
func TestPurity(t *testing.T) {
	s := hostileGraph(t).Schema()
	var none store.Store = unreached{t}
	c := NewCaller(s, none, graph.Limits{Rows: 1000})
	shapes := []struct{ tool, args string }{
		{graph.ToolFindNodes, `{"node_label": "name", "ids": [%[1]s]}`},
		{graph.ToolFindNodes, `{"node_label": "name", "ids": [%[1]s, "x", %[1]s]}`},
		{graph.ToolFindNodes, `{"node_label": "text", "filters": {"s": {"gt": %[1]s, "lte": %[1]s, "ne": %[1]s}}, "order_by": [{"property": "maybe", "direction": "desc"}]}`},
		{graph.ToolTraverse, `{"from": {"label": "name", "ids": [%[1]s], "filters": {"s": {"starts_with": %[1]s}}}, "relationships": [{"type": "SAYS", "filters": {"s": {"in": [%[1]s, "y"]}}}], "to": {"label": "text", "filters": {"maybe": {"not_in": [%[1]s]}}}}`},
		{graph.ToolTraverse, `{"from": {"label": "name"}, "relationships": [{"type": "SAYS", "direction": "both", "min_hops": 2, "max_hops": 3, "filters": {"s": {"contains": %[1]s}}}], "to": {"label": "name", "filters": {"s": %[1]s}}}`},
		{graph.ToolAggregate, `{"node_label": "text", "filters": {"s": %[1]s}, "group_by": [{"property": "maybe"}], "aggregations": [{"function": "count", "filters": {"s": {"ends_with": %[1]s}}}], "having": [{"as": "maybe", "op": "ne", "value": %[1]s}]}`},
	}
	for _, op := range graph.Ops() {
		if op != graph.IsNull && op != graph.In && op != graph.NotIn {
			shapes = append(shapes, struct{ tool, args string }{graph.ToolFindNodes, `{"node_label": "text", "filters": {"s": {"` + string(op) + `": %[1]s}}}`})
		}
	}
	hostile := hostileStrings()
	require.GreaterOrEqual(t, len(hostile), 200)
	for _, d := range compile.Dialects() {
		for _, shape := range shapes {
			want := programText(t, c, d, shape.tool, fmt.Sprintf(shape.args, `"plain"`))
			for _, h := range hostile {
				require.Equal(t, want, programText(t, c, d, shape.tool, fmt.Sprintf(shape.args, quoteJSON(h))), "%s %s %q", d.Name(), shape.args, h)
			}
		}
	}
}

// TestPurityOfNumbers does the same with the values of other types.
func TestPurityOfNumbers(t *testing.T) {
	c := NewCaller(Fixture(t, "types").Schema(), unreached{t}, graph.Limits{})
	for property, values := range map[string][]string{
		"i32": {"0", "-1", "2147483647"}, "i64": {"0", "9223372036854775807", "-9223372036854775808"},
		"f": {"0", "-0.0", "1e-7", "1.7976931348623157e308"}, "dec": {"0", `"-1.50"`, "99999999.99"}, "b": {"true", "false"},
		"e": {`"opened"`, `"locked"`}, "l": {`"high"`, `"mid"`}, "d": {`"0001-01-01"`, `"9999-12-31"`},
		"dt": {`"0001-01-01T00:00:00Z"`, `"2024-02-29T12:00:00.5+14:00"`}, "u": {`"00000000-0000-0000-0000-000000000000"`, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`},
	} {
		for _, d := range compile.Dialects() {
			texts := map[string]bool{}
			for _, v := range values {
				texts[programText(t, c, d, graph.ToolFindNodes, fmt.Sprintf(`{"node_label": "thing", "filters": {%q: {"ne": %s}}}`, property, v))] = true
			}
			require.Len(t, texts, 1, property)
		}
	}
}

// TestPurityOfLists: the length of a list enters the text as a class, of which
// there are few.
func TestPurityOfLists(t *testing.T) {
	t.Parallel()
	c := NewCaller(Fixture(t, "types").Schema(), unreached{t}, graph.Limits{})
	for _, d := range compile.Dialects() {
		for _, shape := range []string{`{"node_label": "thing", "ids": [%s]}`, `{"node_label": "thing", "filters": {"i32": {"in": [%s]}}}`} {
			texts := map[string]bool{}
			for n := 1; n <= 500; n++ {
				texts[programText(t, c, d, graph.ToolFindNodes, fmt.Sprintf(shape, strings.Repeat("7,", n-1)+"7"))] = true
			}
			require.LessOrEqual(t, len(texts), 12, "%s %s", d.Name(), shape)
		}
	}
}
