package compile

import (
	"fmt"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// everyReference are queries whose plans have every kind of reference to a
// table.
func everyReference() []graph.Query {
	related := []graph.Related{{Relationships: []graph.Step{{Types: []string{"AUTHORED_ISSUE"}, To: &graph.NodePattern{Label: "gl_issue"}}}}}
	user := graph.NodePattern{Label: "gl_user", Related: related}
	return []graph.Query{
		&graph.FindNodes{NodePattern: user},
		&graph.Traverse{
			From: user, To: graph.NodePattern{Label: "gl_user", Related: related},
			Relationships: []graph.Step{
				{Types: []string{"FOLLOWS"}, MaxHops: 2, To: &graph.NodePattern{Label: "gl_user", Related: related}},
				{Types: []string{"FOLLOWS"}, Direction: graph.Both},
			},
		},
		&graph.Neighbors{Start: graph.ID("gl_user", 1)},
		&graph.Paths{From: graph.ID("gl_user", 1), To: graph.ID("gl_issue", 1)},
		&graph.Aggregate{
			NodePattern: user, Aggregations: []graph.Aggregation{{Function: graph.Count}},
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{{Types: []string{"AUTHORED_ISSUE"}, To: &graph.NodePattern{Label: "gl_issue", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"ISSUE_IN_PROJECT"}}}}}}}}}},
		},
	}
}

// TestT22NoReferenceWithoutGuard takes the guard's seal off every reference of
// plans, one after the other: none may reach a store. The references are found
// by reflection, so that new kinds of them are found, too.
func TestT22NoReferenceWithoutGuard(t *testing.T) {
	path := "../store/storetest/testdata/fixtures/gitlab/schema.yaml"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := schema.Parse(path, text)
	require.NoError(t, err)
	for _, q := range everyReference() {
		plan, err := New(Options{}).Check(s, nil, q)
		require.NoError(t, err)
		_, err = SQL(plan, Postgres())
		require.NoError(t, err)
		seals := map[string]*bool{}
		findSeals(reflect.ValueOf(plan.Root), plan.Tool(), seals)
		for at, sealed := range seals {
			*sealed = false
			_, err := SQL(plan, Postgres())
			require.ErrorIs(t, err, graph.Internal, at)
			*sealed = true
		}
		_, err = SQL(plan, Postgres())
		require.NoError(t, err)
		want := map[string]int{graph.ToolFindNodes: 4, graph.ToolTraverse: 18, graph.ToolNeighbors: 25, graph.ToolPaths: 25, graph.ToolAggregate: 10}
		require.GreaterOrEqual(t, len(seals), want[plan.Tool()], "references of %s", plan.Tool())
	}
}

// findSeals collects the seals of all references below v, by where they are.
func findSeals(v reflect.Value, at string, seals map[string]*bool) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*schema.Property]() && v.Type() != reflect.TypeFor[*schema.Pair]() && v.Type() != reflect.TypeFor[*schema.Label]() {
			findSeals(v.Elem(), at, seals)
		}
	case reflect.Slice:
		for i := range v.Len() {
			findSeals(v.Index(i), fmt.Sprintf("%s.%d", at, i), seals)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[NodeRef]() || v.Type() == reflect.TypeFor[RelRef]() {
			seals[at] = (*bool)(unsafe.Pointer(v.FieldByName("sealed").UnsafeAddr()))
			return
		}
		for i := range v.NumField() {
			findSeals(v.Field(i), at+"."+v.Type().Field(i).Name, seals)
		}
	}
}
