package engine_test

import (
	"context"
	"io"
	"testing"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// BenchmarkRun is what the engine adds to a call, over a store that has its one
// answer ready: compare it with check, which is the part before the store.
func BenchmarkRun(b *testing.B) {
	st := fake(func(_ context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
		return store.Outcome{Returned: 1}, w.Node(&graph.Node{Label: "book", ID: "1"})
	})
	q := books()
	for _, c := range []struct {
		name string
		opts engine.Options
	}{
		{"watched", engine.Options{}},
		{"prompt", engine.Options{Prompt: true}},
		{"rates", engine.Options{Prompt: true, Rates: engine.Rates{PerTenant: engine.Rate{PerSecond: 1e9}, PerPrincipal: engine.Rate{PerSecond: 1e9}}}},
		{"audit", engine.Options{Prompt: true, Audit: audit.NewJSONLines(io.Discard)}},
	} {
		eng := engine.New(schema.NewCatalog(library(b, "book")), st, c.opts)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := eng.Run(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	prompt := engine.New(schema.NewCatalog(library(b, "book")), st, engine.Options{Prompt: true})
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		var doc []byte
		for b.Loop() {
			var err error
			if doc, err = prompt.RunJSON(b.Context(), doc[:0], q); err != nil {
				b.Fatal(err)
			}
		}
	})
	eng := engine.New(schema.NewCatalog(library(b, "book")), st, engine.Options{})
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := eng.Check(b.Context(), q); err != nil {
				b.Fatal(err)
			}
		}
	})
}
