package compile

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// describeSchema has types with one and with several pairs, a label without
// relationships, and things that must never be told: columns, tables, a hidden
// property.
func describeSchema(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.New(schema.Definition{
		Revised: time.Date(2026, 11, 21, 1, 2, 3, 0, time.FixedZone("", 3600)),
		Nodes: []schema.NodeDefinition{
			{
				Label: "person", Description: "A member of the network.", Table: schema.Table{Name: "t_person"}, Key: []string{"id"},
				Properties: []schema.PropertyDefinition{
					{Name: "id", Type: schema.Int64},
					{Name: "name", Type: schema.String, Column: "c_name", Required: true, Description: "Given NAME.", Synonyms: []string{"given_name"}},
					{Name: "state", Type: schema.Enum, Values: []schema.EnumValue{{Name: "new"}, {Name: "active"}}},
					{Name: "notes", Type: schema.JSON, NotFilterable: true},
					{Name: "tenant", Type: schema.String, Hidden: true, Description: "Whose it is."},
				},
			},
			{Label: "post", Key: []string{"id"}, Properties: []schema.PropertyDefinition{
				{Name: "id", Type: schema.UUID}, {Name: "content", Type: schema.String, Description: "Der größte Text."},
			}},
			{Label: "comment", Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int32}}},
			{Label: "tag", Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int64}}},
		},
		Relationships: []schema.RelationshipDefinition{
			{Type: "KNOWS", Description: "Who knows whom.", Pairs: []schema.PairDefinition{{
				From: "person", To: "person",
				Properties: []schema.PropertyDefinition{{Name: "since", Type: schema.Date}, {Name: "trust", Type: schema.Decimal, Scale: 2, Hidden: true}},
			}}},
			{Type: "HAS_CREATOR", Pairs: []schema.PairDefinition{
				{From: "post", To: "person", Table: schema.Table{Name: "t_post_creator"}, Properties: []schema.PropertyDefinition{
					{Name: "at", Type: schema.DateTime, Required: true},
					{Name: "ip", Type: schema.String, Required: true, Description: "Where from."},
				}},
				{From: "comment", To: "person", Table: schema.Table{Name: "t_comment_creator"}, Properties: []schema.PropertyDefinition{
					{Name: "at", Type: schema.DateTime, Description: "When.", NotFilterable: true},
					{Name: "client", Type: schema.String},
				}},
			}},
		},
	})
	require.NoError(t, err)
	return s
}

func describeJSON(t testing.TB, s *schema.Schema, q *graph.Describe) (nodes, relationships string) {
	t.Helper()
	d, errs := describe(s, graph.Limits{Rows: 7}, q)
	require.Empty(t, errs)
	require.Equal(t, "knowledge_graph.schema.v1", d.Format)
	require.Regexp(t, `^2026-11-21T00:02:03Z#[0-9a-f]{6,16}$`, d.Revision)
	require.Equal(t, graph.Limits{Rows: 7}.WithDefaults(), d.Limits)
	text, err := json.Marshal(d)
	require.NoError(t, err)
	var parts struct {
		Nodes         json.RawMessage `json:"node_types"`
		Relationships json.RawMessage `json:"relationship_types"`
	}
	require.NoError(t, json.Unmarshal(text, &parts))
	return string(parts.Nodes), string(parts.Relationships)
}

const (
	describedPerson = `{"name":"person","description":"A member of the network.","properties":[` +
		`{"name":"id","type":"int64","nullable":false},` +
		`{"name":"name","type":"string","nullable":false,"description":"Given NAME."},` +
		`{"name":"state","type":"enum","values":["new","active"]},` +
		`{"name":"notes","type":"json","filterable":false}],` +
		`"relationships":{"outgoing":["KNOWS"],"incoming":["HAS_CREATOR","KNOWS"]}}`
	describedTag = `{"name":"tag","properties":[{"name":"id","type":"int64","nullable":false}],"relationships":{}}`

	describedCreator = `{"name":"HAS_CREATOR","pairs":[["post","person"],["comment","person"]],"properties":[` +
		`{"name":"at","type":"datetime","description":"When.","filterable":false},` +
		`{"name":"ip","type":"string","nullable":false,"description":"Where from.","pairs":[["post","person"]]},` +
		`{"name":"client","type":"string","pairs":[["comment","person"]]}]}`
	describedKnows = `{"name":"KNOWS","from":"person","to":"person","description":"Who knows whom.",` +
		`"properties":[{"name":"since","type":"date"}]}`

	namedTypes = `[{"name":"HAS_CREATOR","pairs":[["post","person"],["comment","person"]]},{"name":"KNOWS","from":"person","to":"person"}]`
)

func TestDescribe(t *testing.T) {
	s := describeSchema(t)
	for name, c := range map[string]struct {
		q                    graph.Describe
		nodes, relationships string
	}{
		"minimal": {graph.Describe{}, `[{"name":"comment"},{"name":"person"},{"name":"post"},{"name":"tag"}]`, namedTypes},
		"labels": {graph.Describe{ExpandNodes: []string{"tag", "person", "tag"}},
			`[{"name":"comment"},` + describedPerson + `,{"name":"post"},` + describedTag + `]`, namedTypes},
		"types": {graph.Describe{ExpandRelationshipTypes: []string{"KNOWS"}, Search: "know"},
			`[]`, `[` + describedKnows + `]`},
		"a type of several pairs": {graph.Describe{ExpandRelationshipTypes: []string{"HAS_CREATOR"}, Search: "creator"},
			`[]`, `[` + describedCreator + `]`},
		"search for a label":                      {graph.Describe{Search: "PERS"}, `[{"name":"person"}]`, `[]`},
		"search for a property":                   {graph.Describe{Search: "nam"}, `[{"name":"person"}]`, `[]`},
		"search for a description":                {graph.Describe{Search: "given name."}, `[{"name":"person"}]`, `[]`},
		"search in the description of a type":     {graph.Describe{Search: "who KNOWS"}, `[]`, `[{"name":"KNOWS","from":"person","to":"person"}]`},
		"search for a property of a relationship": {graph.Describe{Search: "client"}, `[]`, `[{"name":"HAS_CREATOR","pairs":[["post","person"],["comment","person"]]}]`},
		"search for a hidden property":            {graph.Describe{Search: "tenant"}, `[]`, `[]`},
		"search in a hidden description":          {graph.Describe{Search: "whose"}, `[]`, `[]`},
		"search for a hidden relationship":        {graph.Describe{Search: "trust"}, `[]`, `[]`},
		"search for a column":                     {graph.Describe{Search: "c_name"}, `[]`, `[]`},
		"search for a table":                      {graph.Describe{Search: "t_person"}, `[]`, `[]`},
		"search for a synonym":                    {graph.Describe{Search: "given_name"}, `[]`, `[]`},
		"search takes a pattern literally":        {graph.Describe{Search: "pers%"}, `[]`, `[]`},
		"ASCII letters fold":                      {graph.Describe{Search: "GRößTE tEXT"}, `[{"name":"post"}]`, `[]`},
		"other letters do not":                    {graph.Describe{Search: "GRÖßTE"}, `[]`, `[]`},
		"a long s is no s":                        {graph.Describe{Search: "perſon"}, `[]`, `[]`},
		"search keeps what is expanded out":       {graph.Describe{Search: "creator", ExpandNodes: []string{"tag"}}, `[]`, `[{"name":"HAS_CREATOR","pairs":[["post","person"],["comment","person"]]}]`},
		"search and expand": {graph.Describe{Search: "network", ExpandNodes: []string{"*"}},
			`[` + describedPerson + `]`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, relationships := describeJSON(t, s, &c.q)
			require.Equal(t, c.nodes, nodes)
			require.Equal(t, c.relationships, relationships)
		})
	}
}

func TestDescribeEverything(t *testing.T) {
	s := describeSchema(t)
	nodes, relationships := describeJSON(t, s, &graph.Describe{Expand: true})
	require.True(t, strings.Contains(nodes, describedPerson) && strings.Contains(nodes, describedTag), nodes)
	require.Equal(t, `[`+describedCreator+`,`+describedKnows+`]`, relationships)
	starred, minimal := describeJSON(t, s, &graph.Describe{ExpandNodes: []string{"*"}})
	require.Equal(t, nodes, starred)
	require.Equal(t, namedTypes, minimal)
	for _, secret := range []string{"t_person", "t_post_creator", "c_name", "tenant", "trust", "given_name", "Whose", "from_id"} {
		require.NotContains(t, nodes+relationships, secret)
	}
}

func TestDescribeReportsUnknownNames(t *testing.T) {
	d, errs := describe(describeSchema(t), graph.Limits{}, &graph.Describe{
		ExpandNodes:             []string{"person", "Person", "xyzzy"},
		ExpandRelationshipTypes: []string{"KNOW", "*"},
	})
	require.Nil(t, d)
	require.Len(t, errs, 4)
	labels, types := []string{"comment", "person", "post", "tag"}, []string{"HAS_CREATOR", "KNOWS"}
	for i, want := range []graph.Error{
		{Code: graph.UnknownLabel, Path: "/expand_nodes/1", Got: "Person", Allowed: labels, DidYouMean: []string{"person"}, Fix: replace("/expand_nodes/1", "person")},
		{Code: graph.UnknownLabel, Path: "/expand_nodes/2", Got: "xyzzy", Allowed: labels, Fix: []graph.Patch{{Op: "remove", Path: "/expand_nodes/2"}}},
		{Code: graph.UnknownRelationship, Path: "/expand_relationship_types/0", Got: "KNOW", Allowed: types, DidYouMean: []string{"KNOWS"}, Fix: replace("/expand_relationship_types/0", "KNOWS")},
		{Code: graph.UnknownRelationship, Path: "/expand_relationship_types/1", Got: "*", Allowed: types, Fix: []graph.Patch{{Op: "remove", Path: "/expand_relationship_types/1"}}},
	} {
		got := *errs[i]
		require.Contains(t, got.Message, `"`+want.Got+`"`)
		want.Message, want.AllowedTotal = got.Message, len(want.Allowed)
		require.Equal(t, want, got)
	}
}
