package compile_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func TestEqualityWithADisplayText(t *testing.T) {
	s, err := schema.Parse("people.yaml", []byte(`
format: trellis.schema.v1
nodes:
  person:
    key: id
    display: name
    properties: {id: int64, name: {type: string, search: true}, born: date}
  city:
    key: id
    display: name
    properties: {id: int64, name: {type: string, search: true, patterns: false}}
relationships:
  KNOWS: {from: person, to: person}
  LIVES_IN: {from: person, to: city}
`))
	require.NoError(t, err)
	eq := func(text string) graph.Filter { return graph.Compare{Property: "name", Value: graph.String(text)} }
	op := func(op graph.Op) graph.Filter {
		return graph.Compare{Property: "name", Op: op, Value: graph.String("Bea")}
	}
	const person = `no "name" is equal to this text, to the letter; contains finds parts of it`
	contains := func(path string) string {
		return `{"code":"EMPTY_MATCH","path":"` + path + `","message":` + quoted(t, person) + `,"fix":[{"op":"replace","path":"` + path + `","value":{"contains":"Ada"}}]}`
	}
	fixless := func(path, message string) string {
		return `{"code":"EMPTY_MATCH","path":"` + path + `","message":` + quoted(t, message) + `}`
	}
	find := func(n graph.NodePattern) graph.Query { return &graph.FindNodes{NodePattern: n} }
	knows := []graph.Step{{Types: []string{"KNOWS"}, To: &graph.NodePattern{Label: "person", Filter: eq("Ada")}}}
	related := func(r graph.Related) graph.Query {
		return find(graph.NodePattern{Label: "person", Related: []graph.Related{r}})
	}
	for name, tc := range map[string]struct {
		query graph.Query
		want  []string
	}{
		"filters":             {find(graph.NodePattern{Label: "person", Filter: eq("Ada")}), []string{contains("/filters/name")}},
		"and":                 {find(graph.NodePattern{Label: "person", Filter: graph.And{graph.And{eq("Ada")}}}), []string{contains("/filters/name")}},
		"eq beside others":    {find(graph.NodePattern{Label: "person", Filter: graph.And{op(graph.Eq), op(graph.Ne)}}), []string{fixless("/filters/name", person)}},
		"no equality":         {find(graph.NodePattern{Label: "person", Filter: op(graph.Gt)}), nil},
		"or":                  {find(graph.NodePattern{Label: "person", Filter: graph.Or{eq("Ada"), eq("Bea")}}), nil},
		"not":                 {find(graph.NodePattern{Label: "person", Filter: graph.Not{Filter: eq("Ada")}}), nil},
		"without patterns":    {find(graph.NodePattern{Label: "city", Filter: eq("Ada")}), []string{fixless("/filters/name", `no "name" is equal to this text, to the letter`)}},
		"where":               {find(graph.NodePattern{Label: "person", Where: "name == 'Ada' && born != null"}), []string{fixless("/where", person)}},
		"where with or":       {find(graph.NodePattern{Label: "person", Where: "name == 'Ada' || born != null"}), nil},
		"related":             {related(graph.Related{Relationships: knows}), []string{contains("/related/0/relationships/0/to/filters/name")}},
		"related, none":       {related(graph.Related{Relationships: knows, None: true}), nil},
		"related, counted":    {related(graph.Related{Relationships: knows, Count: []graph.CountBound{{Op: graph.Eq}}}), nil},
		"inside aggregations": {&graph.Aggregate{NodePattern: graph.NodePattern{Label: "person"}, Aggregations: []graph.Aggregation{{Function: graph.Count, Filter: eq("Ada")}}}, nil},
		"both ends": {&graph.Traverse{
			From:          graph.NodePattern{Label: "person", Where: "name == 'Ada'"},
			Relationships: []graph.Step{{Types: []string{"KNOWS"}}},
			To:            graph.NodePattern{Label: "person", Filter: eq("Ada")},
		}, []string{fixless("/from/where", person), contains("/to/filters/name")}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := compile.New(compile.Options{}).Check(s, nil, tc.query)
			require.NoError(t, err)
			var got []string
			for _, w := range plan.IfEmpty() {
				got = append(got, quoted(t, w))
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func quoted(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
