package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// A small library: people write and borrow books. It has every property type,
// a composite key, an enum under one name with two sets of values, a hidden
// property, and a type with several pairs.
func library(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.New(schema.Definition{
		Nodes: []schema.NodeDefinition{
			{
				Label: "person", Description: "Who reads or writes.", Key: []string{"id"},
				Properties: []schema.PropertyDefinition{
					{Name: "id", Type: schema.Int64},
					{Name: "name", Type: schema.String, Search: true},
					{Name: "born", Type: schema.Date},
					{Name: "state", Type: schema.Enum, Values: []schema.EnumValue{{Name: "active"}, {Name: "left"}}},
					{Name: "score", Type: schema.Float},
					{Name: "member", Type: schema.Bool},
					{Name: "secret", Type: schema.String, Hidden: true},
				},
			},
			{
				Label: "book", Description: "What is read.", Key: []string{"id"},
				Properties: []schema.PropertyDefinition{
					{Name: "id", Type: schema.UUID},
					{Name: "title", Type: schema.String, Search: true},
					{Name: "pages", Type: schema.Int32},
					{Name: "price", Type: schema.Decimal, Scale: 2},
					{Name: "state", Type: schema.Enum, Values: []schema.EnumValue{{Name: "in"}, {Name: "lent"}}},
					{Name: "added", Type: schema.DateTime},
					{Name: "notes", Type: schema.JSON},
					{Name: "blurb", Type: schema.String, NoPatterns: true},
					{Name: "scan", Type: schema.String, NotFilterable: true},
				},
			},
			{
				Label: "shelf", Key: []string{"room", "number"},
				Properties: []schema.PropertyDefinition{
					{Name: "room", Type: schema.String},
					{Name: "number", Type: schema.Int32},
				},
			},
		},
		Relationships: []schema.RelationshipDefinition{
			{Type: "WROTE", Pairs: []schema.PairDefinition{{From: "person", To: "book", Properties: []schema.PropertyDefinition{{Name: "year", Type: schema.Int32}}}}},
			{Type: "BORROWED", Pairs: []schema.PairDefinition{{From: "person", To: "book", Properties: []schema.PropertyDefinition{{Name: "since", Type: schema.Date}}}}},
			{Type: "KNOWS", Pairs: []schema.PairDefinition{{From: "person", To: "person"}}},
			{Type: "STANDS_ON", Pairs: []schema.PairDefinition{{From: "book", To: "shelf", FromColumns: []string{"book_id"}, ToColumns: []string{"room", "number"}}}},
			{Type: "LIKES", Pairs: []schema.PairDefinition{{From: "person", To: "book"}, {From: "person", To: "person", Table: schema.Table{Name: "likes_person"}}}},
		},
	})
	require.NoError(t, err)
	return s
}

// libraryTools are the tools of the library with the default limits.
func libraryTools(t testing.TB) *tools.Registry {
	t.Helper()
	return tools.Graph(library(t), graph.Limits{})
}
