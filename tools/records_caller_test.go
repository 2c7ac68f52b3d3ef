package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// Two houses sell goods. Each sees its own; recipes are there for acme alone,
// costs for bosses, and tags of the other house for nobody.
const houses = `
format: trellis.schema.v1
nodes:
  good:
    policy: node.house == caller.tenant
    key: id
    display: name
    records: {tools: [list, get, list_ids], summary: [name, cost, mail], filters: {tag: TAGGED, recipe: MADE_BY}}
    properties:
      id: string
      house: {type: string, nullable: false, visible: false}
      name: {type: string, index: true, search: true}
      cost: {type: int32, index: true, visible: caller.role == "boss"}
      recipe_id: {type: string, index: true, exposes_key: true}
      mail: {type: string, index: true, visible: caller.role == "boss", mask: hash}
  tag:
    policy: node.house == caller.tenant
    key: id
    display: name
    properties: {id: string, house: {type: string, visible: false}, name: string}
  recipe:
    policy: caller.tenant == "acme"
    key: id
    records: true
    properties: {id: string, secret: {type: string, index: true}}
relationships:
  TAGGED: {from: good, to: tag}
  MADE_BY: {from: good, to: recipe}
  BEST: {from: good, to: recipe, foreign_key: recipe_id}
`

func housesTools(t testing.TB) *tools.Tools {
	s, err := schema.Parse("houses.yaml", []byte(houses))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for _, house := range []string{"acme", "bolt"} {
		for _, id := range []string{"1", "2", "3"} {
			b.Node("good", memory.Values{"id": house + id, "house": house, "name": "good " + id, "cost": 7, "mail": "m@" + house, "recipe_id": "r"})
			b.Relationship("BEST", graph.ID("good", house+id), graph.ID("recipe", "r"), nil)
			b.Node("tag", memory.Values{"id": house + "-tag" + id, "house": house, "name": "tag of " + house})
			b.Relationship("TAGGED", graph.ID("good", house+id), graph.ID("tag", house+"-tag"+id), nil)
		}
	}
	b.Node("recipe", memory.Values{"id": "r", "secret": "sugar"})
	b.Relationship("MADE_BY", graph.ID("good", "acme1"), graph.ID("recipe", "r"), nil)
	b.Relationship("TAGGED", graph.ID("good", "acme1"), graph.ID("tag", "bolt-tag1"), nil) // bad data
	g, err := b.Build()
	require.NoError(t, err)
	return tools.New(engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), engine.Options{Prompt: true, MaskKey: []byte("sixteen bytes at least, for masks")}), tools.Options{})
}

// Tools of a label that a tenant cannot see do not exist for it: not in the list,
// not in calls, not in what is suggested, in the workflow or in another's filters.
func TestRecordToolsOfOtherTenants(t *testing.T) {
	tt := housesTools(t)
	acme := graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme", Claims: map[string]any{"role": "boss"}})
	bolt := graph.WithScope(t.Context(), &graph.Scope{Tenant: "bolt", Claims: map[string]any{"role": "clerk"}})

	list, err := tt.List(acme)
	require.NoError(t, err)
	require.Len(t, list, 6+3+2)
	list, err = tt.List(bolt)
	require.NoError(t, err)
	require.Len(t, list, 6+3)
	for _, tool := range list {
		text := tool.Name + tool.Description + string(tool.Parameters)
		for _, word := range []string{"recipe", "secret", "cost", "house"} {
			require.NotContains(t, text, word, tool.Name)
		}
		if tool.Name == "list_good" {
			require.NotContains(t, string(tool.Parameters), "mail", "of what is masked nothing is a filter")
		}
	}
	for _, call := range []string{"list_recipe", "get_recipe"} {
		absent, err := tt.Call(bolt, call, []byte(`{}`))
		require.ErrorIs(t, err, graph.UnknownTool)
		made, _ := tt.Call(bolt, strings.Replace(call, "recipe", "recipy", 1), []byte(`{}`))
		require.Equal(t, string(absent), strings.ReplaceAll(string(made), "recipy", "recipe"), "as if it had never been")
	}
	text, err := tt.Workflow(bolt)
	require.NoError(t, err)
	require.NotContains(t, text, "recipe")
	require.Contains(t, text, "MANDATORY")

	for args, at := range map[string]string{
		`{"filters":{"cost":7}}`: "UNKNOWN_PROPERTY /filters/cost", `{"filters":{"recipe":"r"}}`: "UNKNOWN_PROPERTY /filters/recipe",
		`{"filters":{"recipe_id":"r"}}`: "UNKNOWN_PROPERTY /filters/recipe_id", `{"sort":"-recipe_id"}`: "UNKNOWN_PROPERTY /sort",
		`{"filters":{"mail":"m@bolt"}}`: "UNKNOWN_PROPERTY /filters/mail", `{"sort":"cost"}`: "UNKNOWN_PROPERTY /sort", `{"filters":{"house":"acme"}}`: "UNKNOWN_PROPERTY /filters/house",
	} {
		_, err := tt.Result(bolt, "list_good", []byte(args))
		var errs graph.Errors
		require.ErrorAs(t, err, &errs)
		require.Equal(t, at, summary(errs))
		require.NotContains(t, errs[0].Hint, "find_nodes is")
		require.NotContains(t, errs[0].Message, "recipe, ")
	}
	// Nor does a record show the id of a recipe to those for whom there are none.
	doc, err := tt.Call(bolt, "get_good", []byte(`{"id":"bolt1"}`))
	require.NoError(t, err)
	require.Equal(t, `{"id":"bolt1","name":"good 1","mail":`, strings.SplitAfter(string(doc), `"mail":`)[0])
	doc, err = tt.Call(acme, "list_good", []byte(`{"filters":{"recipe_id":"r"},"limit":1}`))
	require.NoError(t, err)
	require.Contains(t, string(doc), `"recipe_id":"r"`)
	require.Contains(t, string(doc), `"total":3`)
}

// T27: a total counts what the caller sees. T30 and T23: what another tenant has
// is answered as what nobody has, byte by byte, with what is said beside.
func TestT27RecordsOfOtherTenants(t *testing.T) {
	tt := housesTools(t)
	acme := graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme", Claims: map[string]any{"role": "clerk"}})
	for _, c := range []struct{ tool, args, want string }{
		{"list_good_ids", `{"limit":1}`, `"total":3`},
		{"list_good", `{"filters":{"tag":"bolt-tag1"}}`, `{"items":[],"total":0,"warnings":[{"code":"NOT_FOUND","path":"/filters/tag","message":"there is no tag \"bolt-tag1\"`},
		{"get_good", `{"id":"bolt1"}`, `null`},
		{"get_good", `{"ids":["bolt1","acme1"]}`, `"not_found":["bolt1"]`},
	} {
		doc, err := tt.Call(acme, c.tool, []byte(c.args))
		require.NoError(t, err)
		require.Contains(t, string(doc), c.want)
		require.NotContains(t, string(doc), "tag of bolt")
		require.NotContains(t, string(doc), "m@acme", "who is no boss sees a mask")
		if strings.Contains(c.args, "bolt1") || strings.Contains(c.args, "bolt-tag1") {
			never, err := tt.Call(acme, c.tool, []byte(strings.NewReplacer("bolt1", "volt1", "bolt-tag1", "volt-tag1").Replace(c.args)))
			require.NoError(t, err)
			require.Equal(t, string(never), strings.NewReplacer("bolt1", "volt1", "bolt-tag1", "volt-tag1").Replace(string(doc)))
		}
	}
	_, err := tt.Call(t.Context(), "list_good", []byte(`{}`))
	require.ErrorIs(t, err, graph.NoScope)
}

// T32: nothing of the arguments says whose call it is.
func TestT32RecordsTakeNoTenant(t *testing.T) {
	tt := housesTools(t)
	acme := graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme"})
	for _, args := range []string{`{"tenant_id":"bolt"}`, `{"organization_id":"bolt"}`, `{"_meta":{"tenant":"bolt"}}`, `{"filters":{"_meta.tenant":"bolt"}}`} {
		for _, tool := range []string{"list_good", "get_good", "list_good_ids"} {
			_, err := tt.Call(acme, tool, []byte(args))
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Contains(t, []graph.Code{graph.UnknownField, graph.UnknownProperty}, errs[0].Code, args)
		}
	}
}
