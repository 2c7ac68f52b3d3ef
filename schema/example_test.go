package schema_test

import (
	"fmt"

	"github.com/trellisgraph/trellis/schema"
)

func ExampleParse() {
	s, err := schema.Parse("shop.yaml", []byte(`
format: trellis.schema.v1
revised: 2026-03-01T09:30:00Z
nodes:
  customer:
    key: id
    properties: {id: int64, name: {type: string, search: true}}
  order:
    key: id
    properties: {id: int64, placed: datetime}
relationships:
  PLACED: {from: customer, to: order, foreign_key: {side: to, column: customer_id}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, _ := s.Relationship("PLACED")
	pair := placed.Pairs[0]
	fmt.Println(pair.Table, pair.FromColumns, pair.ToColumns)
	// Output: order [customer_id] [id]
}

// All mistakes are reported at once, each at its place.
func ExampleParse_mistakes() {
	_, err := schema.Parse("shop.yaml", []byte(`
format: trellis.schema.v1
nodes:
  customer:
    key: ident
    propertys: {id: int64}
    properties: {id: integer}
relationships:
  PLACED: {from: costumer, to: customer}
`))
	fmt.Println(err)
	// Output:
	// shop.yaml:5:10: the key "ident" is no property
	// shop.yaml:6:5: there is no field "propertys" here; did you mean "properties"?
	// shop.yaml:7:22: expected "int32", "int64", "float", "bool", "string", "enum", "date", "datetime", "uuid", "decimal", "json", got the text "integer"; did you mean "int64"?
	// shop.yaml:9:18: there is no label "costumer"; did you mean "customer"?
}

func ExampleNew() {
	s, err := schema.New(schema.Definition{
		Nodes: []schema.NodeDefinition{{
			Label: "person",
			Key:   []string{"id"},
			Properties: []schema.PropertyDefinition{
				{Name: "id", Type: schema.Int64},
				{Name: "name", Type: schema.String, Column: "full_name"},
			},
		}},
		Relationships: []schema.RelationshipDefinition{{
			Type:  "KNOWS",
			Pairs: []schema.PairDefinition{{From: "person", To: "person"}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			fmt.Println(p.From.Name, t.Name, p.To.Name, "in", p.Table, p.FromColumns, p.ToColumns)
		}
	}
	// Output: person KNOWS person in KNOWS [from_id] [to_id]
}

func ExampleSuggest() {
	labels := []string{"gl_issue", "gl_project", "gl_user"}
	fmt.Println(schema.Suggest("Issues", labels))
	fmt.Println(schema.Suggest("gl_projcet", labels))
	fmt.Println(schema.Suggest("invoice", labels))
	// Output:
	// [gl_issue]
	// [gl_project]
	// []
}
