package native_test

import (
	"context"
	"fmt"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// twice is a store that answers every plan twice, with values and as JSON, and
// fails where the two differ.
type twice struct{ store.Store }

func (t twice) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	res := graph.Result{Tool: p.Tool()}
	out, err := t.Store.Run(ctx, p, graph.Collector{Result: &res})
	if err != nil {
		return out, err
	}
	doc := graph.NewJSONWriter(nil, p.Tool())
	again, err := t.Store.Run(ctx, p, doc)
	if err != nil {
		return out, err
	}
	res.Summary = graph.Summary{Returned: out.Returned, TruncatedBy: out.TruncatedBy, Warnings: out.Warnings, NextCursor: fmt.Sprint(out.Next)}
	want, err := res.AppendJSON(nil)
	if err != nil {
		return out, err
	}
	got, err := doc.Finish(&graph.Summary{Returned: again.Returned, TruncatedBy: again.TruncatedBy, Warnings: again.Warnings, NextCursor: fmt.Sprint(again.Next)})
	if err != nil {
		return out, err
	}
	if string(want) != string(got) {
		return out, fmt.Errorf("with values the answer is %s, as JSON %s", want, got)
	}
	return out, hand(&res, w)
}

// hand writes a collected answer.
func hand(res *graph.Result, w graph.Writer) error {
	for i := range res.Nodes {
		if err := w.Node(&res.Nodes[i]); err != nil {
			return err
		}
	}
	for i := range res.Relationships {
		if err := w.Relationship(&res.Relationships[i]); err != nil {
			return err
		}
	}
	for i := range res.Paths {
		if err := w.Path(&res.Paths[i]); err != nil {
			return err
		}
	}
	if res.Tool != graph.ToolAggregate {
		return nil
	}
	if err := w.Columns(res.Columns); err != nil {
		return err
	}
	for _, row := range res.Rows {
		if err := w.Row(row); err != nil {
			return err
		}
	}
	return nil
}
