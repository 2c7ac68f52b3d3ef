package memory_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

func TestStatistics(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`
format: trellis.schema.v1
nodes:
  thing:
    key: id
    properties:
      id: {type: int64}
      color: {type: string, nullable: true}
      size: {type: enum, values: [s, m, l]}
      on: {type: bool}
      at: {type: datetime, nullable: true}
  empty: {key: id, properties: {id: {type: int64}}}
relationships:
  LINKS:
    - {from: thing, to: thing, table: links}
    - {from: thing, to: empty, table: empty_links}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i, v := range []memory.Values{
		{"color": "red", "size": "s", "on": true, "at": "2026-01-01T00:00:00Z"},
		{"color": "red", "size": "l", "on": true, "at": "2026-01-01T00:00:00Z"},
		{"color": "blue", "size": "l", "on": true},
		{"size": "l", "on": true, "at": "2026-01-02T00:00:00Z"},
	} {
		v["id"] = i + 1
		b.Node("thing", v)
	}
	for _, link := range [][2]int64{{1, 2}, {1, 3}, {1, 4}, {2, 3}} {
		b.Relationship("LINKS", graph.NodeID{Label: "thing", ID: graph.Int(link[0])}, graph.NodeID{Label: "thing", ID: graph.Int(link[1])}, nil)
	}
	g, err := b.Build()
	require.NoError(t, err)
	got := g.Statistics()
	require.Equal(t, &compile.Statistics{
		Labels: map[string]compile.LabelStatistics{
			"thing": {Nodes: 4, Properties: map[string]compile.PropertyStatistics{
				"id": {Distinct: 4}, "color": {Distinct: 2, Nulls: 0.25}, "size": {Distinct: 2}, "on": {Distinct: 1}, "at": {Distinct: 2, Nulls: 0.25},
			}},
			"empty": {Properties: map[string]compile.PropertyStatistics{"id": {}}},
		},
		Relationships: map[string]compile.PairStatistics{
			"thing LINKS thing": {Relationships: 4, Out: compile.Degree{Average: 1, Most: 3, Nodes: 2}, In: compile.Degree{Average: 1, Most: 2, Nodes: 3}},
			"thing LINKS empty": {},
		},
	}, got)

	kept, err := json.Marshal(got)
	require.NoError(t, err)
	var back compile.Statistics
	require.NoError(t, json.Unmarshal(kept, &back))
	require.Equal(t, got, &back)
}
