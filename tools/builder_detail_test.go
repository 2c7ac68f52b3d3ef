package tools_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// manyLabels is a schema of n labels, each with properties that all have, that
// some have and that no other has, and of n types.
func manyLabels(t testing.TB, n int) *schema.Schema {
	t.Helper()
	var d schema.Definition
	for i := range n {
		label, next := fmt.Sprintf("entity_%03d", i), fmt.Sprintf("entity_%03d", (i+1)%n)
		d.Nodes = append(d.Nodes, schema.NodeDefinition{Label: label, Key: []string{"id"}, Properties: []schema.PropertyDefinition{
			{Name: "id", Type: schema.Int64},
			{Name: "name", Type: schema.String, Search: true},
			{Name: "created_at", Type: schema.DateTime},
			{Name: fmt.Sprintf("amount_%d", i%40), Type: schema.Decimal, Scale: 2},
			{Name: fmt.Sprintf("flag_%d", i), Type: schema.Bool},
			{Name: fmt.Sprintf("note_%d", i), Type: schema.String},
			{Name: "state", Type: schema.Enum, Values: []schema.EnumValue{{Name: "open"}, {Name: fmt.Sprintf("s%d", i%7)}, {Name: "closed"}}},
		}})
		d.Relationships = append(d.Relationships, schema.RelationshipDefinition{Type: fmt.Sprintf("LINKS_%03d", i), Pairs: []schema.PairDefinition{
			{From: label, To: next, Properties: []schema.PropertyDefinition{{Name: fmt.Sprintf("weight_%d", i%50), Type: schema.Float}}},
		}})
	}
	s, err := schema.New(d)
	require.NoError(t, err)
	return s
}

func sizeOf(r *tools.Registry) (size int) {
	for t := range r.Tools() {
		size += len(t.Name) + len(t.Title) + len(t.Description) + len(t.Parameters)
	}
	return size
}

// The tools of a graph fit what a model can read, however many labels it has.
func TestToolsOfLargeSchemas(t *testing.T) {
	var b strings.Builder
	fmt.Fprintln(&b, "labels  bytes of all tools  of find_nodes  of explore_neighbors")
	for _, n := range []int{1, 5, 20, 50, 100, 200, 500, 1000} {
		r := tools.Graph(manyLabels(t, n), graph.Limits{})
		find, _ := r.Lookup("find_nodes")
		explore, _ := r.Lookup("explore_neighbors")
		require.LessOrEqual(t, sizeOf(r), 64<<10)
		fmt.Fprintf(&b, "%6d  %18d  %13d  %20d\n", n, sizeOf(r), len(find.Parameters), len(explore.Parameters))
		for tool := range r.Tools() {
			_, err := tools.NewValidator(tool)
			require.NoError(t, err)
		}
	}
	const file = "testdata/tool_sizes.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// With less detail the schemas still accept whatever Trellis accepts.
func TestLessDetailAgrees(t *testing.T) {
	limits, seen := graph.Limits{}, map[string]bool{}
	for range 4 {
		j := newJudgeOf(t, limits)
		find, _ := j.registry.Lookup("find_nodes")
		explore, _ := j.registry.Lookup("explore_neighbors")
		both := string(find.Parameters) + string(explore.Parameters)
		require.False(t, seen[both], "less was left out than could be")
		seen[both] = true
		for _, c := range good {
			require.Empty(t, j.published(c.want.Tool(), []byte(c.args)), c.args)
		}
		for _, c := range bad {
			j.agree(t, c.tool, []byte(c.args))
		}
		limits.ToolBytes = sizeOf(j.registry) - 1 // so that the next one has to leave out more
	}
	last := tools.Graph(library(t), graph.Limits{ToolBytes: 1}) // less than there is without any names
	for tool := range last.Tools() {
		require.NotContains(t, string(tool.Parameters), "BORROWED")
		require.NotContains(t, string(tool.Parameters), `"shelf"`)
	}
}
