package bundle_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/memory"
)

// load makes the graph of bundles.
func load(t *testing.T, bundles ...*bundle.Bundle) *memory.Graph {
	t.Helper()
	s, err := bundle.Schema(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC), bundles...)
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for _, rows := range bundle.Nodes(bundles...) {
		require.NoError(t, b.Nodes(rows.Name, rows.Columns, rows.Each))
	}
	for _, rows := range bundle.Relationships(bundles...) {
		require.NoError(t, b.Relationships(rows.Name, rows.Columns, rows.Each))
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// pairs tells the pairs of a relationship type.
func pairs(s *schema.Schema, name string) []string {
	r, ok := s.Relationship(name)
	if !ok {
		return nil
	}
	var out []string
	for _, p := range r.Pairs {
		out = append(out, p.From.Name+" → "+p.To.Name)
	}
	return out
}

func shop(t *testing.T) *bundle.Bundle {
	t.Helper()
	b, err := bundle.ReadDir("testdata/shop", bundle.Options{})
	require.NoError(t, err)
	return b
}

func TestDefinition(t *testing.T) {
	g := load(t, shop(t))
	s := g.Schema()
	require.True(t, strings.HasPrefix(s.Revision("abc"), "2026-11-21T09:30:00Z#"))

	product, ok := s.Label("product")
	require.True(t, ok)
	require.Equal(t, "name", product.Display.Name)
	require.Equal(t, []string{"list_product", "get_product", "list_product_ids"}, product.RecordTools())
	require.Equal(t, "record", product.Records.Document.Name)
	require.Equal(t, "Garden tools that can be bought.", product.Records.Description)
	types := map[string]schema.Type{}
	for _, p := range product.Properties {
		types[p.Name] = p.Type
	}
	require.Equal(t, map[string]schema.Type{
		"sku": schema.String, "name": schema.String, "price": schema.Float, "stock": schema.Int64, "state": schema.Enum, "released": schema.Date,
		"category_ids": schema.JSON, "supplier_code": schema.String, "goes_with": schema.JSON, "tags": schema.JSON, "rating": schema.Float,
		"page": schema.String, "dimensions": schema.JSON, "record": schema.JSON,
	}, types)
	for _, p := range product.Default {
		require.NotEqual(t, "record", p.Name)
	}
	property := func(name string) *schema.Property {
		p, ok := product.Property(name)
		require.True(t, ok, name)
		return p
	}
	require.True(t, property("price").Index)
	require.False(t, property("price").Nullable)
	require.True(t, property("stock").Nullable)
	require.True(t, property("rating").NotFilterable, "it is derived")
	require.True(t, property("tags").NotFilterable)
	require.True(t, property("name").Search)
	require.False(t, property("page").Search)
	require.Equal(t, []string{"draft", "live", "retired"}, property("state").EnumNames())

	require.Equal(t, []string{"product → category"}, pairs(s, "CATEGORY"))
	require.Equal(t, []string{"product → supplier"}, pairs(s, "SUPPLIER_CODE"))
	require.Equal(t, []string{"product → product"}, pairs(s, "GOES_WITH"))
	require.Equal(t, []string{"category → category"}, pairs(s, "PARENT"))
	require.Equal(t, []string{"supplier → product"}, pairs(s, "BEST_SELLER"))
	require.Equal(t, []string{"product → product_tags"}, pairs(s, "PRODUCT_TAGS"))
	category, _ := s.Label("category")
	parent, _ := category.Property("parent_id")
	require.Equal(t, "PARENT", s.Reference(category, parent).Type.Name, "the property is the foreign key")

	filters := map[string]string{}
	for _, f := range product.Records.Filters {
		filters[f.Name] = f.Pair.Type.Name + " " + f.Property.Name
	}
	require.Equal(t, map[string]string{"category_ids": "CATEGORY id", "tags": "PRODUCT_TAGS value"}, filters)
}

func TestRowsOfAGraph(t *testing.T) {
	g := load(t, shop(t))
	s := g.Schema()
	product, _ := s.Label("product")
	tags, _ := s.Label("product_tags")
	require.Equal(t, 3, g.NodeCount(product))
	require.Equal(t, 2, g.NodeCount(tags), "ash and steel")
	record, _ := product.Property("record")
	row, ok := g.Find(product, []graph.Value{graph.String("SP-1")})
	require.True(t, ok)
	require.JSONEq(t, `{"sku":"SP-1","name":"Spade","price":29,"state":"live","category_ids":["digging"],"supplier_code":"oak","tags":["steel"]}`, g.Value(product, row, record).Text())
	for name, want := range map[string]int{"CATEGORY": 4, "SUPPLIER_CODE": 2, "GOES_WITH": 2, "PARENT": 2, "BEST_SELLER": 1, "PRODUCT_TAGS": 3} {
		r, _ := s.Relationship(name)
		require.Equal(t, want, g.RelCount(r.Pairs[0]), name)
	}
}

// typeOf is the schema of a type with properties in JSON, and more members.
func typeOf(name, properties, more string) string {
	return `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "` + name + `", "type": "object", "x-id-field": "id", "required": ["id"],
		"properties": {"id": {"type": "string"}` + properties + `}` + more + `}`
}

// Every form of a property, and what becomes of it.
func TestTypesOfProperties(t *testing.T) {
	const defs = `, "$defs": {"money": {"type": "number"}, "state": {"enum": ["on", "off"]}, "list": {"type": "array", "items": {"$ref": "#/$defs/state"}}}`
	for form, want := range map[string]struct {
		typ      schema.Type
		array    bool
		nullable bool
	}{
		`{"type": "string"}`:                                                  {typ: schema.String},
		`{"type": "string", "format": "date"}`:                                {typ: schema.Date},
		`{"type": "string", "format": "date-time"}`:                           {typ: schema.DateTime},
		`{"type": "string", "format": "uuid"}`:                                {typ: schema.UUID},
		`{"type": "string", "format": "email"}`:                               {typ: schema.String},
		`{"type": "integer"}`:                                                 {typ: schema.Int64},
		`{"type": "number"}`:                                                  {typ: schema.Float},
		`{"type": "boolean"}`:                                                 {typ: schema.Bool},
		`{"type": ["string"]}`:                                                {typ: schema.String},
		`{"type": ["integer", "null"]}`:                                       {typ: schema.Int64, nullable: true},
		`{"type": ["null", "boolean"]}`:                                       {typ: schema.Bool, nullable: true},
		`{"type": ["integer", "string"]}`:                                     {typ: schema.JSON, nullable: true},
		`{"type": "null"}`:                                                    {typ: schema.JSON, nullable: true},
		`{"type": "object"}`:                                                  {typ: schema.JSON, nullable: true},
		`{}`:                                                                  {typ: schema.JSON, nullable: true},
		`true`:                                                                {typ: schema.JSON, nullable: true},
		`{"format": "date"}`:                                                  {typ: schema.JSON, nullable: true},
		`{"enum": ["b", "a"]}`:                                                {typ: schema.Enum},
		`{"type": "string", "enum": ["b", "a"]}`:                              {typ: schema.Enum},
		`{"type": ["string", "null"], "enum": ["b", null]}`:                   {typ: schema.Enum, nullable: true},
		`{"enum": ["b", 1]}`:                                                  {typ: schema.JSON, nullable: true},
		`{"type": "integer", "enum": [1, 2]}`:                                 {typ: schema.Int64},
		`{"type": "string", "enum": ["", "a"]}`:                               {typ: schema.String},
		`{"const": "a"}`:                                                      {typ: schema.Enum},
		`{"const": 3}`:                                                        {typ: schema.Int64},
		`{"$ref": "#/$defs/money"}`:                                           {typ: schema.Float},
		`{"$ref": "#/$defs/state"}`:                                           {typ: schema.Enum},
		`{"$ref": "#/$defs/list"}`:                                            {typ: schema.Enum, array: true},
		`{"anyOf": [{"$ref": "#/$defs/money"}, {"type": "null"}]}`:            {typ: schema.Float, nullable: true},
		`{"oneOf": [{"type": "null"}, {"type": "string"}]}`:                   {typ: schema.String, nullable: true},
		`{"anyOf": [{"type": "integer"}, {"type": "string"}]}`:                {typ: schema.JSON, nullable: true},
		`{"type": "array", "items": {"type": "string"}}`:                      {typ: schema.String, array: true},
		`{"type": "array", "items": {"type": "integer"}}`:                     {typ: schema.Int64, array: true},
		`{"type": ["array", "null"], "items": {"type": "string"}}`:            {typ: schema.String, array: true, nullable: true},
		`{"type": "array"}`:                                                   {typ: schema.JSON, nullable: true},
		`{"type": "array", "items": {"type": ["string", "null"]}}`:            {typ: schema.JSON, nullable: true},
		`{"type": "array", "items": {"$ref": "#/properties/x"}}`:              {typ: schema.JSON, nullable: true},
		`{"type": "array", "prefixItems": [{}], "items": {"type": "string"}}`: {typ: schema.JSON, nullable: true},
	} {
		b, err := bundle.Read(small(map[string]string{
			"schemas/thing.schema.json": typeOf("thing", `, "x": `+form, defs),
			"entities/things.yaml":      "- {id: a}\n",
		}), bundle.Options{})
		require.NoError(t, err, form)
		thing, _ := b.Type("thing")
		x, _ := thing.Property("x")
		require.Equal(t, want.typ.String(), x.Type.String(), form)
		require.Equal(t, want.array, x.Array, form)
		require.Equal(t, want.nullable, x.Nullable, form)
		load(t, b)
	}
}

func TestNamesThatClash(t *testing.T) {
	long := strings.Repeat("long", 15) // 60 letters
	a, err := bundle.Read(folder(map[string]string{
		"manifest.yaml": "format: trellis.bundle.v1\nname: first\n",
		"schemas/node_item.schema.json": typeOf("node_item", `,
			"record": {"type": "string"}, "Record_": {"type": "string"},
			"parent": {"type": "string", "x-ref": "node_item"}, "parent_id": {"type": "string", "x-ref": "node_item"},
			"nextId": {"type": "string", "x-ref": "node_item"}, "_id": {"type": "string", "x-ref": "node_item"},
			"node_item_tags": {"type": "array", "items": {"type": "string"}, "x-ref": "node_item", "x-index": true},
			"tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
			"`+long+`": {"type": "array", "items": {"type": "integer"}, "x-index": true}`, ""),
		"schemas/node_item_tags.schema.json": typeOf("node_item_tags", "", ""),
		"entities/node_items.yaml":           "- {id: a, record: r, parent: a, parent_id: b, nextId: b, _id: a, node_item_tags: [b, a, b], tags: [x, x, y], " + long + ": [3, 3]}\n- {id: b}\n",
		"entities/node_item_tagses.yaml":     "[]\n",
	}), bundle.Options{})
	require.NoError(t, err)
	b, err := bundle.Read(folder(map[string]string{
		"manifest.yaml":             "format: trellis.bundle.v1\nname: second\n",
		"schemas/other.schema.json": typeOf("other", `, "parent": {"type": "string", "x-ref": "other"}`, ""),
		"entities/others.yaml":      "- {id: a, parent: a}\n",
	}), bundle.Options{})
	require.NoError(t, err)

	g := load(t, a, b)
	s := g.Schema()
	item, _ := s.Label("node_item")
	require.Equal(t, "record__", item.Records.Document.Name, "properties differ in more than case")
	require.Equal(t, []string{"node_item → node_item", "other → other"}, pairs(s, "PARENT"), "pairs of several bundles")
	require.Equal(t, []string{"node_item → node_item"}, pairs(s, "PARENT_ID"))
	require.Equal(t, []string{"node_item → node_item"}, pairs(s, "NEXT"))
	require.Equal(t, []string{"node_item → node_item"}, pairs(s, "_ID"))
	require.Equal(t, []string{"node_item → node_item"}, pairs(s, "NODE_ITEM_TAGS"), "a reference")
	require.Equal(t, []string{"node_item → node_item_tags_value"}, pairs(s, "NODE_ITEM_TAGS_VALUE"), "values")
	refs, _ := s.Relationship("NODE_ITEM_TAGS")
	require.Equal(t, 2, g.RelCount(refs.Pairs[0]), "each once")
	require.Len(t, item.Records.Filters, 3)

	_, err = bundle.Definition(time.Time{}, a, b, a)
	require.ErrorContains(t, err, `the entity type "node_item" is in the bundle "first" and in the bundle "first"`)

	// A label of values, made again by another bundle, as which nothing is renamed.
	c, err := bundle.Read(folder(map[string]string{
		"manifest.yaml": "format: trellis.bundle.v1\nname: third\n",
		"schemas/node_item_tags_value.schema.json": typeOf("node_item_tags_value", "", ""),
		"entities/node_item_tags_values.yaml":      "[]\n",
	}), bundle.Options{})
	require.NoError(t, err)
	for _, list := range [][]*bundle.Bundle{{a, c}, {c, a}} {
		_, err = bundle.Definition(time.Time{}, list...)
		require.ErrorContains(t, err, `the label "node_item_tags_value" of the values of node_item.tags of the bundle "first" is an entity type of the bundle "third"`)
	}
	require.Contains(t, a.Labels(), bundle.Label{Name: "node_item_tags_value", Type: a.Types()[0], Property: "tags"})
}

func TestPart(t *testing.T) {
	b := shop(t)
	whole, err := bundle.Definition(time.Time{}, b)
	require.NoError(t, err)
	part, err := bundle.Part(time.Time{}, func(t *bundle.Type) bool { return t.Name == "product" }, b)
	require.NoError(t, err)
	s, err := schema.New(part)
	require.NoError(t, err)
	var labels []string
	for l := range s.Labels() {
		labels = append(labels, l.Name)
	}
	require.Equal(t, []string{"product", "product_tags"}, labels)
	require.Equal(t, []string{"product → product_tags"}, pairs(s, "PRODUCT_TAGS"))
	require.Equal(t, []string{"product → product"}, pairs(s, "GOES_WITH"))
	require.Empty(t, pairs(s, "CATEGORY"))
	product, _ := s.Label("product")
	for _, f := range product.Records.Filters {
		require.NotEqual(t, "category_ids", f.Name)
	}
	_, ok := product.Property("category_ids")
	require.False(t, ok, "what refers to the rest is not there")
	record, _ := product.Property("record")
	require.Contains(t, record.Without, "category_ids")
	require.Equal(t, schema.MaskMembers, record.Masked)
	all, err := bundle.Part(time.Time{}, func(*bundle.Type) bool { return true }, b)
	require.NoError(t, err)
	require.NotEmpty(t, whole.Description)
	require.Empty(t, all.Description, "it is of the whole")
	all.Description = whole.Description
	require.Equal(t, whole, all)
}

// Ids and values of lists are texts like any others.
func TestHostileKeys(t *testing.T) {
	texts := []string{"", " ", "a ", "A", "a", "ä", "a\u0308", "'", `"`, "%", "_", "*", "null", "1", "01", "a\nb", strings.Repeat("x", 5000), "😀", "\u202e", "\x01"}
	entities, err := json.Marshal([]any{
		map[string]any{"id": "a b'\"\\%_ü😀", "tags": texts, "days": []string{"2026-01-01", "2026-01-01"}, "none": nil, "next": "- x"},
		map[string]any{"id": "- x", "tags": []string{}, "none": []string{"b"}},
		map[string]any{"id": "null"},
	})
	require.NoError(t, err)
	b, err := bundle.ReadFiles([]bundle.File{
		{Path: "manifest.yaml", Data: []byte(smallManifest)},
		{Path: "schemas/thing.schema.json", Data: []byte(typeOf("thing", `, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
			"days": {"type": "array", "items": {"type": "string", "format": "date"}, "x-index": true}, "next": {"type": "string", "x-ref": "thing"},
			"none": {"type": ["array", "null"], "items": {"type": "string"}, "x-index": true}`, ""))},
		{Path: "entities/things.yaml", Data: entities},
	}, bundle.Options{})
	require.NoError(t, err)
	g := load(t, b)
	tags, _ := g.Schema().Label("thing_tags")
	days, _ := g.Schema().Label("thing_days")
	require.Equal(t, len(texts), g.NodeCount(tags))
	require.Equal(t, 1, g.NodeCount(days))
	thing, _ := g.Schema().Label("thing")
	none, _ := thing.Property("none")
	row, ok := g.Find(thing, []graph.Value{graph.String("a b'\"\\%_ü😀")})
	require.True(t, ok)
	require.True(t, g.Value(thing, row, none).IsNull(), "null is no empty list")
	next, _ := g.Schema().Relationship("NEXT")
	require.Equal(t, 1, g.RelCount(next.Pairs[0]))
}

// What a list of an enum holds is told with its filter, since the label of its
// values has a text for its key.
func TestFilterOfAListOfAnEnum(t *testing.T) {
	b, err := bundle.Read(folder(map[string]string{
		"manifest.yaml":            "format: trellis.bundle.v1\nname: first\n",
		"schemas/book.schema.json": typeOf("book", `, "tags": {"type": "array", "items": {"enum": ["b", "a"]}, "x-index": true}`, ""),
		"entities/books.yaml":      "- {id: emma, tags: [a]}\n",
	}), bundle.Options{})
	require.NoError(t, err)
	s, err := bundle.Schema(time.Time{}, b)
	require.NoError(t, err)
	book, _ := s.Label("book")
	f := book.Records.Filters[0]
	require.Equal(t, schema.String, f.Property.Type)
	require.Equal(t, schema.Enum, f.Compared.Type)
	require.Equal(t, []string{"b", "a"}, f.Compared.EnumNames())
}
