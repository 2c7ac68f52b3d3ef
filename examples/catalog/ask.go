package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools"
)

// questions are asked in turn.
var questions = []struct{ says, tool, args string }{
	{"Quiet pads for disc brakes that are in stock, the cheapest first", "list_component",
		`{"filters": {"category": "disc-pads", "tags": "quiet", "in_stock": {"gte": 1}}, "sort": "price"}`},
	{"Two by their numbers, and one that was never sold", "get_component",
		`{"ids": ["PAD-H2-ORG", "PAD-H2-XXL"]}`},
	{"What must not be ridden any more: ids, with what one has to know", "list_symptom_ids",
		`{"filters": {"severity": "do-not-ride", "area": {"in": ["disc-calipers", "disc-pads"]}}}`},
	{"Recalls of parts of one maker since 2020", "list_bulletin",
		`{"filters": {"kind": "recall", "brand": "hexley", "issued": {"gte": "2020-01-01"}}, "sort": "-issued"}`},
	{"The lever is soft: what helps, and what it takes", graph.ToolTraverse,
		`{"from": {"label": "symptom", "ids": ["brake-lever-soft"]},
 "relationships": [{"type": "LIKELY_REPAIRS", "to": {"label": "repair"}}, {"type": "NEEDS_TOOLS"}],
 "to": {"label": "tool"}, "properties": {"symptom": ["title"], "repair": ["title", "minutes"], "tool": ["name", "location"]}}`},
	{"What is on the shelves, by what riders use it for", graph.ToolAggregate,
		`{"node_label": "component", "group_by": [{"relationships": [{"type": "COMPONENT_TAGS", "to": {"label": "component_tags"}}], "property": "value", "as": "tag"}],
 "aggregations": [{"function": "count"}, {"function": "avg", "property": "price", "as": "mean_price"}],
 "order_by": [{"as": "count", "direction": "desc"}], "limit": 5}`},
	{"A mistake is refused with what would mend it, and mended", "list_component",
		`{"filters": {"brnd": "nozomi", "category": "chains"}, "limit": 3}`},
}

// ask makes every call, and shows the calls and their answers. A call that is
// refused is mended as the refusal says, and made once more.
func ask(ctx context.Context, w io.Writer, offered *tools.Tools) error {
	for _, q := range questions {
		fmt.Fprintf(w, "\n# %s\n%s %s\n", q.says, q.tool, q.args)
		answer, err := offered.Call(ctx, q.tool, []byte(q.args))
		var refused *graph.Error
		if errors.As(err, &refused) {
			fmt.Fprintf(w, "=> refused: %s\n", refused)
			var args []byte
			if args, err = graph.ApplyFix([]byte(q.args), refused.Fix); err != nil {
				return err
			}
			fmt.Fprintf(w, "%s %s\n", q.tool, args)
			answer, err = offered.Call(ctx, q.tool, args)
		}
		if err != nil {
			return err
		}
		if err := show(w, answer); err != nil {
			return err
		}
	}
	return nil
}

// show prints what an answer holds, a line for each record, node or row.
func show(w io.Writer, answer []byte) error {
	var a struct {
		Items, Entities, Nodes, Rows []json.RawMessage
		NotFound                     []string `json:"not_found"`
		Total                        *int
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	for _, line := range slices.Concat(a.Items, a.Entities, a.Nodes, a.Rows) {
		fmt.Fprintf(w, "=> %s\n", line)
	}
	for _, id := range a.NotFound {
		fmt.Fprintf(w, "   there is no %q\n", id)
	}
	if a.Total != nil {
		fmt.Fprintf(w, "   %d in all\n", *a.Total)
	}
	return nil
}
