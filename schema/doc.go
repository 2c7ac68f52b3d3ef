// Package schema is the allow-list of a graph: its labels, relationship types
// and properties, and the tables and columns where a store keeps them.
//
//	s, err := schema.Parse("shop.yaml", []byte(`
//	format: trellis.schema.v1
//	nodes:
//	  customer:
//	    key: id
//	    display: name
//	    properties:
//	      id: int64
//	      name: {type: string, search: true}
//	  order:
//	    key: id
//	    properties: {id: int64, placed: datetime}
//	relationships:
//	  PLACED: {from: customer, to: order, foreign_key: {side: to, column: customer_id}}
//	`))
//	if err != nil {
//		log.Fatal(err) // every mistake with its line and column
//	}
//	placed, _ := s.Relationship("PLACED")
//	fmt.Println(placed.Pairs[0].Table) // order
//
// # Two ways to make one
//
// A schema is built in Go, by New from a Definition, or read from YAML or JSON
// by Parse, ReadFile and ReadDir. Both end in New, so that both are held to the
// same rules. A file is checked in two stages, which report together: against
// the published JSON Schema (JSONSchema, which editors use too), for its form;
// then by New, for its meaning. The error is a Problems.
//
// # One form of mapping
//
// A relationship can be kept in a foreign key on either side, in a join table,
// in a reference whose type column names the label, or in a table shared by
// many types. All of them become a Pair: a table, the columns that must match,
// and the columns that hold the keys of both ends. Who lowers a query to SQL
// or fills a store needs to know no other.
//
// # Immutable
//
// A Schema never changes. A Catalog holds the one in force and swaps it
// atomically; a call keeps the schema that it started with. Hash names a
// schema's whole content, ViewHash what a caller may learn of it, and Revision
// words the latter for an answer.
//
// Suggest and the Suggest methods find what a misspelt name was meant to be.
package schema
