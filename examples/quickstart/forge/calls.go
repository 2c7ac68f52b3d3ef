package forge

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/tools"
)

// A call is what a language model would send.
type call struct{ comment, tool, args string }

var calls = []call{
	{"What is there?", graph.ToolDescribe, `{"expand_nodes": ["gl_issue"]}`},
	{"Open issues about logging in, the newest first.", graph.ToolFindNodes,
		`{"node_label": "gl_issue", "filters": {"state": "opened", "title": {"starts_with": "Login"}},
 "properties": ["title", "created_at"], "order_by": [{"property": "created_at", "direction": "desc"}]}`},
	{"Who works on the open issues that Mira Solberg wrote?", graph.ToolTraverse,
		`{"from": {"label": "gl_user", "filters": {"name": "Mira Solberg"}},
 "relationships": [{"type": "AUTHORED_ISSUE", "to": {"label": "gl_issue", "where": "state == 'opened'"}},
                   {"type": "ISSUE_ASSIGNED_TO"}],
 "to": {"label": "gl_user"}, "properties": {"gl_user": ["name"], "gl_issue": ["title"]}}`},
	{"What surrounds the merge request, nearest first?", graph.ToolNeighbors,
		`{"start_node": {"label": "gl_mr", "node_id": 200}, "max_hops": 2, "limit": 5,
 "properties": {"gl_issue": ["title"], "gl_project": ["name"], "gl_note": ["body"], "gl_user": ["name"]}}`},
	{"What has Ines Adeyemi to do with the lighthouse?", graph.ToolPaths,
		`{"from": {"label": "gl_user", "node_id": 3}, "to": {"label": "gl_project", "node_id": 10}, "mode": "all_shortest",
 "properties": {"gl_user": ["name"], "gl_issue": ["title"], "gl_project": ["name"]}}`},
	{"How many issues has each project had, by quarter?", graph.ToolAggregate,
		`{"node_label": "gl_issue",
 "group_by": [{"relationships": [{"type": "ISSUE_IN_PROJECT", "to": {"label": "gl_project"}}], "property": "name", "as": "project"},
              {"property": "created_at", "truncate": "quarter", "as": "quarter"}],
 "aggregations": [{"function": "count"}, {"function": "count", "as": "still_open", "filters": {"state": "opened"}}]}`},
	{"A mistake is refused with what would mend it, and mended.", graph.ToolFindNodes,
		`{"node_label": "gl_issue", "filters": {"stat": "opened"}, "properties": ["title"]}`},
}

// Ask makes every call on a store of the schema, and shows the calls, the SQL
// that they become, and the answers.
func Ask(ctx context.Context, w io.Writer, s *schema.Schema, st store.Store) error {
	eng := engine.New(schema.NewCatalog(s), st, engine.Options{})
	offered := tools.New(eng, tools.Options{})
	for _, c := range calls {
		fmt.Fprintf(w, "# %s\n\n", c.comment)
		if err := ask(ctx, w, offered, c.tool, []byte(c.args)); err != nil {
			return err
		}
	}
	return nil
}

// ask makes a call and shows its answer. A call that is refused is mended as
// the refusal says, and made once more.
func ask(ctx context.Context, w io.Writer, offered *tools.Tools, tool string, args []byte) error {
	for attempt := 1; ; attempt++ {
		fmt.Fprintf(w, "%s %s\n\n", tool, args)
		answer, err := offered.Call(ctx, tool, args)
		if err == nil {
			return showAnswer(w, answer)
		}
		var mistake *graph.Error
		if attempt > 1 || !errors.As(err, &mistake) || mistake.Fix == nil {
			return err
		}
		showRefusal(w, mistake)
		if args, err = graph.ApplyFix(args, mistake.Fix); err != nil {
			return err
		}
	}
}
