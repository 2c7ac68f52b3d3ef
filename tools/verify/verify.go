package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/tools"
)

// Options say what is asked. The zero value is fine.
type Options struct {
	// Calls is how many calls are made; 1,000 by default.
	Calls int
	// Seed chooses the calls.
	Seed uint64
	// Limits are those of the calls.
	Limits graph.Limits
	// Scope is on whose behalf calls are made; a schema with policies needs one.
	Scope *graph.Scope
	// Progress is told after each call how many were made.
	Progress func(calls int)
}

// A Report tells what was asked.
type Report struct {
	// Calls were made; Found of them had rows, and Pages more were read.
	// LeftOut were refused by a store as UNSUPPORTED or TOO_COSTLY, not answered
	// in time, or cut by its budget, which leaves a part of the store's own: that
	// is no difference.
	Calls   int `json:"calls"`
	Found   int `json:"found"`
	Pages   int `json:"pages"`
	LeftOut int `json:"left_out"`
	// Difference is the first that was found, made small; nil for none.
	Difference *Difference `json:"difference,omitempty"`
}

// A Difference is a call that two stores answer differently.
type Difference struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// One and Other are the documents, without what was executed.
	One   json.RawMessage `json:"one"`
	Other json.RawMessage `json:"other"`
}

// Stores asks both stores random calls of a graph until an answer differs, and
// then makes that call smaller as long as its answers do. The error is that of
// ctx, or of a store that cannot be reached. The stores stay open.
func Stores(ctx context.Context, g *memory.Graph, one, other store.Store, opts Options) (*Report, error) {
	if opts.Calls == 0 {
		opts.Calls = 1000
	}
	if opts.Scope != nil {
		ctx = graph.WithScope(ctx, opts.Scope)
	}
	v := &verifier{ctx: ctx, report: &Report{}}
	// One key for both, so that a cursor of one is one of the other, and the same
	// every time, so that documents are. It keeps nothing secret.
	keys, err := compile.NewCursorKeys([]byte("verify, the same for both"))
	if err != nil {
		return nil, err
	}
	for i, st := range []store.Store{one, other} {
		e := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Limits: opts.Limits, Cursors: keys, MaskKey: []byte("verify, the same for both"),
			Statements: engine.HideStatements, Log: slog.New(slog.DiscardHandler)})
		v.sides[i] = tools.New(e, tools.Options{})
	}
	m := newMaker(g, rand.New(rand.NewPCG(opts.Seed, 1)))
	for v.report.Calls < opts.Calls {
		tool, args, ok := m.call()
		if !ok {
			return v.report, errors.New("the graph has no nodes to ask about")
		}
		v.report.Calls++
		d, err := v.pages(tool, args)
		if err != nil {
			return v.report, err
		}
		if d != nil {
			v.report.Difference, err = v.shrink(tool, d, args)
			return v.report, err
		}
		if opts.Progress != nil {
			opts.Progress(v.report.Calls)
		}
	}
	return v.report, nil
}

type verifier struct {
	ctx    context.Context
	sides  [2]*tools.Tools
	report *Report
}

// mostPages is how many pages of an answer are compared.
const mostPages = 4

// pages compares a call and the pages that follow it, and counts.
func (v *verifier) pages(tool string, args object) (*Difference, error) {
	for page := 0; page < mostPages; page++ {
		d, next, err := v.compare(tool, args)
		switch {
		case err != nil || d != nil:
			return d, err
		case next.leftOut:
			v.report.LeftOut++
			return nil, nil
		case page > 0:
			v.report.Pages++
		case next.returned > 0:
			v.report.Found++
		}
		if next.cursor == "" {
			return nil, nil
		}
		args = args.with("cursor", next.cursor)
	}
	return nil, nil
}

// What follows a call that was answered alike.
type following struct {
	leftOut  bool
	returned int
	cursor   string
}

// compare makes one call of both stores.
func (v *verifier) compare(tool string, args object) (*Difference, following, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return nil, following{}, err
	}
	var documents [2]map[string]any
	for i, side := range v.sides {
		doc, err := side.Call(v.ctx, tool, text)
		switch {
		case v.ctx.Err() != nil:
			return nil, following{}, v.ctx.Err()
		case errors.Is(err, graph.Unavailable):
			return nil, following{}, fmt.Errorf("%s store: %w", [2]string{"one", "the other"}[i], withCause(err))
		case errors.Is(err, graph.Unsupported), errors.Is(err, graph.TooCostly), errors.Is(err, graph.Timeout):
			return nil, following{leftOut: true}, nil
		}
		if documents[i], err = said(doc); err != nil {
			return nil, following{}, err
		}
	}
	for _, doc := range documents {
		if doc["truncated_by"] == string(graph.TruncatedBudget) {
			return nil, following{leftOut: true}, nil
		}
	}
	if !same(documents[0], documents[1], tool == graph.ToolAggregate) {
		d := &Difference{Tool: tool, Arguments: text}
		d.One, _ = json.Marshal(documents[0]) // they were decoded from JSON
		d.Other, _ = json.Marshal(documents[1])
		return d, following{}, nil
	}
	cursor, _ := documents[0]["next_cursor"].(string)
	returned, _ := documents[0]["returned"].(json.Number)
	n, _ := returned.Int64()
	return nil, following{returned: int(n), cursor: cursor}, nil
}

// withCause adds what the store's database had to say.
func withCause(err error) error {
	var e *graph.Error
	if errors.As(err, &e) && e.Cause != nil {
		return fmt.Errorf("%w: %w", err, e.Cause)
	}
	return err
}
