package tools_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

// BenchmarkCall is the whole of a call that is like one before: from the bytes of
// its arguments to those of its answer, on the native store. The questions are
// the ten of package social, of a network of 2,000 persons or of the graph
// directory that TRELLIS_SNB names. The parts of a call have benchmarks where
// they are: BenchmarkDecode here, BenchmarkKnownIn of compile, BenchmarkRun of
// graph/engine for what lies around, and BenchmarkStore of store/native.
func BenchmarkCall(b *testing.B) {
	var g *memory.Graph
	var err error
	if dir := os.Getenv("TRELLIS_SNB"); dir != "" {
		g, err = memory.Open(b.Context(), dir, memory.Options{})
	} else {
		g, err = social.New(social.Options{})
	}
	require.NoError(b, err)
	e := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{HideStatements: true}), engine.Options{
		Statements: engine.HideStatements, Limits: graph.Limits{Rows: social.Rows}, Prompt: true,
	})
	offered := tools.New(e, tools.Options{})
	p, err := social.Pick(g)
	require.NoError(b, err)
	for _, q := range p.Questions(g.Schema()) {
		b.Run(q.Name, func(b *testing.B) {
			b.ReportAllocs()
			var doc []byte
			for b.Loop() {
				if doc, err = offered.AppendCall(context.Background(), doc[:0], q.Tool, q.Arguments); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(doc)), "bytes")
		})
	}
}
