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
// # References that lead nowhere
//
// A relationship is taken to have both its nodes. Foreign keys that the database
// enforces see to that; of a reference whose type column names the label, and of
// columns without a foreign key, nothing does. A row whose type is none of the
// listed values, or whose id is null, is no relationship. One whose id is no key of
// the label is bad data, and answers differ in how much of it they read: a node that
// is not there is never returned, and neither is a relationship to it; conditions of
// `related`, counts and groups along it go by the column alone, and count it; where
// explore_neighbors or find_paths would return it the call is INVALID_DATA and names
// it. load.Read refuses such rows, all at once; introspect.Read looks for them, and
// says so in the draft. Map a view that leaves them out.
//
//	ABOUT: {from: note, to: {type_column: of_type, id_column: of_id, values: {Issue: issue, Epic: epic}}}
//
// # What is there once
//
// `unique: from` of a pair says that a node starts one such relationship at most,
// `unique: to` that it ends one, `unique: both` either; of the end whose table has
// a foreign key that is known. `unique: true` of a property says that no two nodes
// have the same value. Statements then need not look for what cannot be. Where it
// is not so in a database, a call that would answer with a node twice is
// INVALID_DATA, but counts, sums, totals and groups are of all that was found:
// nodes may be counted twice. A graph in memory that breaks it is refused, and
// introspect.Check tells where a database has no key for it.
//
//	HAS_CREATOR: {from: post, to: person, unique: from}
//	name: {type: string, nullable: false, unique: true}
//
// # Policies
//
// A policy is a CEL expression that says who sees what. That of a label is
// about a node and a caller, that of a relationship type or of one of its pairs
// about a relationship and a caller; `visible` of a property is about the caller
// alone. Whatever is not true denies: also what is unknown because a property is
// null, a claim is missing, or a claim is not of the type that it is compared
// with, and the negation of all that.
//
//	node.tenant == caller.tenant                       a property and a claim
//	node.path in caller.paths || caller.role == "admin"
//	node.state in ["open", "live"] && !node.hidden     literals; true by itself
//	node.path.startsWith(caller.prefix)                also contains, endsWith
//	caller.grants.exists(g, node.path.startsWith(g.path) && g.level >= 20)
//	has(caller.level) && node.level <= caller.level    the claim is there
//	node.closed == null, node.day >= date("2026-11-21")
//	node.outgoing("IN_FOLDER").exists(f, f.owner == caller.principal)
//	node.incoming("MEMBER", "user").exists(u, u.id == caller.principal)
//
// caller.tenant, caller.principal and caller.token_id are the fields of the
// scope, missing if they are empty; every other name is one of its claims. A
// number is an integer if it is whole. An empty claim as a prefix, an ending or
// a part of a text is taken for missing. A claim of a list that has the wrong
// type equals nothing, but then whether a value is not in the list is unknown.
//
// The last two lines walk: they hold if a related node, which the caller sees
// over a relationship which he sees, fulfils the condition, which is about that
// node alone and may walk on. One policy walks three hops at most, and only over
// labels whose own policies do not walk. The label is named where the type leads
// to several. A walk that is negated, by an odd number of `!` around it, goes only
// over labels and pairs without a policy or with `public`: over others, who sees
// less there would be shown more here.
//
// A property that tells ids of other nodes (over a column of a foreign key or a join
// table; one that `refers` to a relationship type, such as a list of ids; the document
// of records) says `exposes_key: true`, or is refused. That is about rows: where
// policies hide some of those nodes, the property holds their ids as any value, to
// be seen and filtered by, while the nodes themselves and the relationships to them
// are not there. Whoever sees no node of the label at all, or no relationship that
// the property stands for, does not see the property either. Only a key is always
// seen, since it is the node's own id.
//
// Policies are read and type-checked when the schema is made, and their
// mistakes reported with line and column. Schema.View gives them a caller's
// claims, and returns the schema that he sees and a condition on each table's
// rows.
//
// # Records
//
// A label with `records` is offered as a list too, by tools of its own that take
// no graph to understand: list_<label>, get_<label>, list_<label>_ids.
//
//	product:
//	  key: id
//	  records:
//	    tools: [list, get, list_ids]       # default: list and get; `records: true` says no more
//	    description: What can be ordered.  # begins the tools' descriptions
//	    summary: [title, price]            # beside the ids of list_product_ids
//	    document: record                   # a json property that is the whole record
//	    filters: {tag: TAGGED, maker: {relationship: MADE_BY, property: name}, size: {relationship: HAS_SIZE, values: [s, m, l]}}
//	  properties:
//	    price: {type: decimal, index: true}   # what has an index is a filter, and sorts
//
// Without a document, a record is an object of the label's default properties.
// One is refused where a property of the label is hidden from anybody, for it
// may hold that too; under policies it says `exposes_key: true`. Whoever does not see
// something that the label's relationships lead to does not see the document either,
// and records are the default properties then. Names of tools
// are at most 64 characters long, and no two are the same. In a View, what the
// caller cannot see is no filter, sorts nothing, and is in no summary.
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
