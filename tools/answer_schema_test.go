package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	jsonschema "github.com/xeipuuv/gojsonschema"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

// Answers of all kinds have the form that is published, and it fits nothing
// else.
func TestAnswerSchemas(t *testing.T) {
	g, err := social.New(social.Options{Persons: 60})
	require.NoError(t, err)
	eng := func(o engine.Options) *tools.Tools {
		return tools.New(engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{}), o), tools.Options{})
	}
	everything, short := eng(engine.Options{}), eng(engine.Options{Statements: engine.HideStatements, Limits: graph.Limits{Bytes: 900}})
	var label, relationship string
	for r := range g.Schema().Relationships() {
		if r.Pairs[0].From == r.Pairs[0].To {
			label, relationship = r.Pairs[0].From.Name, r.Name
		}
	}
	require.NotEmpty(t, label)
	related := `"relationships":[{"type":"` + relationship + `"}],"to":{"label":"` + label + `"}`
	for _, c := range []struct{ tool, args string }{
		{"get_graph_schema", `{}`},
		{"get_graph_schema", `{"expand_schema":true}`},
		{"find_nodes", `{"node_label":"` + label + `"}`},
		{"find_nodes", `{"node_label":"` + label + `","ids":[1,999999999]}`},
		{"find_nodes", `{"node_label":"` + label + `","limit":2}`},
		{"traverse_relationships", `{"from":{"label":"` + label + `"},` + related + `}`},
		{"explore_neighbors", `{"start_node":{"label":"` + label + `","node_id":1}}`},
		{"find_paths", `{"from":{"label":"` + label + `","node_id":1},"to":{"label":"` + label + `","node_id":2},"mode":"all","max_hops":3}`},
		{"aggregate_nodes", `{"node_label":"` + label + `","aggregations":[{"function":"count"}]}`},
	} {
		form, err := jsonschema.NewSchema(jsonschema.NewBytesLoader(tools.AnswerSchema(c.tool)))
		require.NoError(t, err, c.tool)
		for _, offered := range []*tools.Tools{everything, short} {
			answer, err := offered.Call(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err, c.args)
			fits, err := form.Validate(jsonschema.NewBytesLoader(answer))
			require.NoError(t, err)
			require.Empty(t, fits.Errors(), "%s", answer)
			fits, err = form.Validate(jsonschema.NewBytesLoader(append([]byte(`{"more":1,`), answer[1:]...)))
			require.NoError(t, err)
			require.False(t, fits.Valid(), "nothing else belongs to an answer")
		}
	}
	require.Nil(t, tools.AnswerSchema("documents_of"))
}
