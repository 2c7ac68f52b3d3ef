// Package bundle reads bundles: a domain as JSON Schema documents and YAML
// records, which becomes a schema and a graph.
//
//	b, err := bundle.ReadDir("shop", bundle.Options{})
//	if err != nil {
//		log.Fatal(err) // every mistake with its file, line and column
//	}
//	product, _ := b.Type("product")
//	fmt.Println(len(product.Entities), b.Revision())
//
// # The files
//
//	manifest.yaml                  format: trellis.bundle.v1, name, title?, description?, entities?
//	schemas/product.schema.json    one for each entity type
//	entities/products.yaml         a list of entities
//
// The name of the file with a type's entities is the type's English plural. The
// manifest names other places, also patterns, as in
// `entities: {product: entities/products/*.yaml}`. A file holds a list of
// entities, or one. A file may as well be JSON.
//
// A file that begins with [ or { and is no YAML is read as JSON, which has surrogate
// pairs. YAML is read strictly: no aliases, anchors or tags, no name twice, and no
// number in a form that JSON does not have, such as 007 or 1_000. What is no
// number, true, false or null is a text, dates and the word yes included.
//
// # Schemas
//
// A schema is of JSON Schema Draft 2020-12. Its keywords are read as the draft
// says, and formats say something to people only, but that a top-level property
// of the format date, date-time or uuid must have it. These keywords are read:
//
//	$schema $id $ref $comment $defs
//	allOf anyOf oneOf not if then else dependentSchemas
//	properties patternProperties additionalProperties propertyNames
//	prefixItems items contains unevaluatedItems unevaluatedProperties
//	type const enum
//	multipleOf maximum exclusiveMaximum minimum exclusiveMinimum
//	maxLength minLength pattern
//	maxItems minItems uniqueItems maxContains minContains
//	maxProperties minProperties required dependentRequired
//	title description default deprecated readOnly writeOnly examples
//	format contentEncoding contentMediaType
//
// Any other is refused. $id is the entity type, and stands, as $schema does, at
// the top alone; $ref refers to a place of the same file (#/$defs/price), never by
// an anchor. Schemas are anyone's: before the library of JSON Schema sees one it
// is held to limits of size, nesting, number of schemas, length of regular
// expressions (which are of RE2), and of how often one value may be looked at.
// Nothing is ever loaded. Options.Limits are the limits; those of the whole bundle
// are raised for one of a million entities.
//
// # Annotations
//
// Of the whole schema:
//
//	x-id-field          the property that identifies an entity: a required string
//	x-tool-expose       tools, of list, get and list_ids; by default list and get
//	x-tool-description  begins the descriptions of the tools
//	x-summary-fields    properties that list_ids tells beside ids
//
// Of a property of the entity itself:
//
//	x-index         tools filter and sort by it
//	x-derived       it follows from others, and is never a filter
//	x-ref           the entity type that it refers to, or each item of a list
//	x-ref-field     the property of that type that it holds; by default its id field
//	x-content-type  what a text is, such as text/markdown: for pages of a host; the
//	                explorer shows every text as a text
//
// # References
//
// Whatever is referred to must exist in the bundle. Types may refer to one
// another in circles; Warnings names them. A type that refers to itself is none.
//
// # Values
//
// An enum of texts makes codes: filters list them, and sorting goes by their order.
// An enum of numbers says what may be written, and tools see numbers. A record is
// answered as JSON in one form: numbers without a type of their own, in objects and
// lists of anything, are 64-bit integers or else the nearest float, so that 1.10 is
// 1.1 and digits beyond a float's are lost there. Texts keep all.
//
// # A graph
//
// Schema makes a schema of one bundle or of several: a label for each entity type,
// whose nodes are records with tools, and a relationship for each reference.
// Nodes and Relationships are the rows that fill a graph of it:
//
//	s, err := bundle.Schema(time.Now(), b)
//	g := memory.NewBuilder(s)
//	for _, rows := range bundle.Nodes(b) {
//		err = g.Nodes(rows.Name, rows.Columns, rows.Each)
//	}
//	for _, rows := range bundle.Relationships(b) {
//		err = g.Relationships(rows.Name, rows.Columns, rows.Each)
//	}
//
// Part makes the schema of some of the types, for who sees no others. A property
// with x-ref to a type that is not among them is not there: nothing shows it,
// filters, sorts, groups or counts by it, and the whole record is shown without it.
// So ids of what is hidden are in no answer, but for those that a text, a nested
// value or a list without x-ref happens to hold: these are values like any others.
//
// # The canonical form
//
// Files are a bundle's files in their one form: entities sorted by id, members in
// the order of the schema. Read of them gives an equal bundle with the same
// Revision and the same bytes.
package bundle
