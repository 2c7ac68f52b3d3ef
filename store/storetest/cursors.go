package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// spoiltCursors checks that a cursor serves the call that it came from, as it
// is, and nothing else.
func spoiltCursors(t *testing.T, s *schema.Schema, st store.Store) {
	c := NewCaller(s, st, graph.Limits{})
	call := `{"node_label": "thing", "filters": {"b": true}, "order_by": [{"property": "s"}], "limit": 2%s}`
	cursor := mustAnswer(t, c, graph.ToolFindNodes, fmt.Sprintf(call, "")).NextCursor
	require.NotEmpty(t, cursor)
	with := func(cursor string) string { return `, "cursor": ` + quoteJSON(cursor) }
	require.Equal(t, []string{"8", "2"}, ids(mustAnswer(t, c, graph.ToolFindNodes, fmt.Sprintf(call, with(cursor)))))

	refused := func(c *Caller, tool, args string) {
		t.Helper()
		_, err := c.Call(tool, []byte(args))
		require.ErrorIs(t, err, graph.InvalidCursor, clip(args))
	}
	for i := range len(cursor) {
		for _, other := range []byte("A9") {
			if cursor[i] != other {
				refused(c, graph.ToolFindNodes, fmt.Sprintf(call, with(cursor[:i]+string(other)+cursor[i+1:])))
			}
		}
		refused(c, graph.ToolFindNodes, fmt.Sprintf(call, with(cursor[:i])))
	}
	for _, bad := range []string{cursor + "A", cursor + cursor, " " + cursor, strings.Repeat("A", 10<<10), "null", "\u0430"} {
		refused(c, graph.ToolFindNodes, fmt.Sprintf(call, with(bad)))
	}
	for tool, calls := range map[string][]string{
		graph.ToolFindNodes: {
			`{"node_label": "thing", "filters": {"b": false}, "order_by": [{"property": "s"}], "limit": 2%s}`,
			`{"node_label": "thing", "filters": {"b": true}, "order_by": [{"property": "s", "direction": "desc"}], "limit": 2%s}`,
			`{"node_label": "thing", "filters": {"b": true}, "order_by": [{"property": "name"}], "limit": 2%s}`,
			`{"node_label": "fact", "filters": {"b": true}, "order_by": [{"property": "s"}], "limit": 2%s}`,
			`{"node_label": "thing", "order_by": [{"property": "s"}], "limit": 2%s}`,
		},
		graph.ToolTraverse:  {`{"from": {"label": "thing"}, "relationships": [{"type": "LINKS"}], "to": {"label": "thing"}, "order_by": [{"property": "s"}], "limit": 2%s}`},
		graph.ToolAggregate: {`{"node_label": "thing", "aggregations": [{"function": "count"}], "group_by": [{"property": "s"}], "limit": 2%s}`},
	} {
		for _, args := range calls {
			refused(c, tool, fmt.Sprintf(args, with(cursor)))
		}
	}
	stranger := NewCaller(s, unreached{t}, graph.Limits{})
	refused(stranger, graph.ToolFindNodes, fmt.Sprintf(call, with(cursor)))
}
