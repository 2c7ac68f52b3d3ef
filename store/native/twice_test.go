package native_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// twice is a store that answers every plan twice, with values and as JSON, and
// fails where the two differ. What it finds it answers as records, too.
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
	if _, finds := p.Root.(*compile.Find); finds {
		if err := t.records(ctx, p, res); err != nil {
			return out, err
		}
	}
	return out, hand(&res, w)
}

// records answers a plan in the forms of records, and compares each with what it
// is of an answer with values.
func (t twice) records(ctx context.Context, p *compile.Plan, res graph.Result) error {
	var asked []string
	for _, n := range slices.Backward(res.Nodes) {
		asked = append(asked, n.ID)
	}
	for _, form := range []graph.RecordForm{
		{Kind: graph.RecordItems}, {Kind: graph.RecordItems, Whole: true}, {Kind: graph.RecordIDs}, {Kind: graph.RecordSummaries}, {Kind: graph.RecordsByID, Asked: asked},
	} {
		var doc graph.JSONWriter
		doc.ResetRecords([]byte("before"), &form)
		out, err := t.Store.Run(ctx, p, &doc)
		if err != nil {
			return err
		}
		got, err := doc.Finish(&graph.Summary{Returned: out.Returned, Total: out.Total, TruncatedBy: out.TruncatedBy, Warnings: out.Warnings})
		if err != nil {
			return err
		}
		res.Records = &form
		res.Total = out.Total
		want, err := res.AppendJSON([]byte("before"))
		if err != nil {
			return err
		}
		if string(want) != string(got) {
			return fmt.Errorf("with values the records are %s, as JSON %s", want, got)
		}
	}
	return nil
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
