package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

// What stands for null in a CSV field is a text like any other within a key of
// several parts.
func TestPartsOfKeysAreTakenToTheLetter(t *testing.T) {
	s := parse(t, `
format: trellis.schema.v1
nodes: {spot: {key: [area, no], properties: {area: string, no: int32}}}
relationships: {NEXT: {from: spot, to: spot, from_column: [a, b], to_column: [c, d]}}`)
	b := memory.NewBuilder(s)
	for i, area := range []string{`\N`, ""} {
		b.Node("spot", memory.Values{"area": area, "no": i})
		b.Relationship("NEXT", graph.ID("spot", []any{area, i}), graph.ID("spot", []any{area, i}), nil)
	}
	_, err := b.Build()
	require.NoError(t, err)
	_, err = memory.Load(t.Context(), s, files("nodes/spot.csv", "area,no\n\\\\N,0\n", "relationships/NEXT.jsonl",
		`{"from": ["\\\\N", 0], "to": "[\"\\\\\\\\N\",0]"}`+"\n"), memory.Options{})
	require.NoError(t, err)
}
