package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// library is a small valid definition, made anew for each test.
func library() Definition {
	return Definition{
		Nodes: []NodeDefinition{
			{Label: "author", Key: []string{"id"}, Properties: []PropertyDefinition{{Name: "id", Type: Int64}, {Name: "name", Type: String}}},
			{Label: "book", Key: []string{"id"}, Properties: []PropertyDefinition{{Name: "id", Type: Int64}}},
		},
		Relationships: []RelationshipDefinition{
			{Type: "WROTE", Pairs: []PairDefinition{{From: "author", To: "book"}}},
		},
	}
}

func TestNewFindsWhatOnlyGoCanGetWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *Definition)
		want   string
	}{
		"nothing":            {func(d *Definition) { *d = Definition{} }, "/nodes: the schema has no labels (define one at least)"},
		"a label twice":      {func(d *Definition) { d.Nodes = append(d.Nodes, d.Nodes[0]) }, `/nodes/author: the label "author" is defined twice`},
		"a label unnamed":    {func(d *Definition) { d.Nodes[1].Label = ""; d.Relationships = nil }, `/nodes/: "" is no name for a label (letters, digits and underscores, at most 64, no digit first)` + "\n" + `/nodes//table/name: the table has no name`},
		"no properties":      {func(d *Definition) { d.Nodes[1].Properties = nil }, `/nodes/book/properties: the label "book" has no properties (its key is one at least)` + "\n" + `/nodes/book/key: the key "id" is no property`},
		"no key":             {func(d *Definition) { d.Nodes[1].Key = nil }, `/nodes/book/key: the label "book" has no key (name the property that identifies a node)`},
		"a property twice":   {func(d *Definition) { d.Nodes[0].Properties[1].Name = "id" }, `/nodes/author/properties/id: the property "id" is defined twice`},
		"a type unknown":     {func(d *Definition) { d.Nodes[0].Properties[1].Type = 99 }, `/nodes/author/properties/name/type: the property "name" has no type (one of "int32", "int64", "float", "bool", "string", "enum", "date", "datetime", "uuid", "decimal", "json")`},
		"a scale below zero": {func(d *Definition) { p := &d.Nodes[0].Properties[1]; p.Type, p.Scale = Decimal, -1 }, `/nodes/author/properties/name/scale: a scale is between 0 and 30`},
		"values of two kinds": {func(d *Definition) {
			p := &d.Nodes[0].Properties[1]
			p.Type = Enum
			p.Values = []EnumValue{{Name: "a"}, {"b", true, 1}}
		}, `/nodes/author/properties/name/values/1: the values of "name" are stored as texts and as integers`},
		"numbers twice": {func(d *Definition) {
			p := &d.Nodes[0].Properties[1]
			p.Type = Enum
			p.Values = []EnumValue{{"a", true, 1}, {"b", true, 1}}
		}, `/nodes/author/properties/name/values/1: the number 1 is listed twice`},
		"a mask unknown":      {func(d *Definition) { p := &d.Nodes[0].Properties[1]; p.VisibleIf, p.Mask = "caller.a", "hush" }, `/nodes/author/properties/name/mask: "hush" is no mask; did you mean "hash"?`},
		"hidden on condition": {func(d *Definition) { p := &d.Nodes[0].Properties[1]; p.VisibleIf, p.Hidden = "caller.a", true }, `/nodes/author/properties/name/visible: the property "name" is both never visible and visible on a condition`},
		"a long policy":       {func(d *Definition) { d.Nodes[0].Policy = fmt.Sprintf("%05000d", 1); d.Nodes[1].Policy = public }, `/nodes/author/policy: the expression is longer than 4096 bytes or is not UTF-8`},
		"not UTF-8":           {func(d *Definition) { d.Nodes[0].Description = "\xff" }, `/nodes/author/description: the description has control characters or is not UTF-8`},
		"a column like that":  {func(d *Definition) { d.Nodes[0].Properties[1].Column = "a\x00b" }, `/nodes/author/properties/name/column: the name of the column has control characters or is not UTF-8`},
		"a match twice":       {func(d *Definition) { d.Nodes[0].Match = []Match{{"k", "a"}, {"k", "b"}} }, `/nodes/author/match/k: the column "k" is matched twice`},
		"a table's schema":    {func(d *Definition) { d.Nodes[0].Table.Schema = "crm" }, `/nodes/author/table/name: the table has no name`},
		"a year":              {func(d *Definition) { d.Revised = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, `/revised: the year 10000 is not between 1 and 9999`},
		"a type twice":        {func(d *Definition) { d.Relationships = append(d.Relationships, d.Relationships[0]) }, `/relationships/WROTE: the relationship type "WROTE" is defined twice`},
		"no pairs":            {func(d *Definition) { d.Relationships[0].Pairs = nil }, "/relationships/WROTE/pairs: the relationship type \"WROTE\" has no pairs (say which labels it is `from` and `to`)"},
		"no end and no key": {func(d *Definition) { p := &d.Relationships[0].Pairs[0]; p.To, p.Key = "bok", "since" },
			`/relationships/WROTE/pairs/0/key: the key "since" is no property of the relationship (list it in ` + "`properties`" + `, with its type)` + "\n" +
				`/relationships/WROTE/pairs/0/to: there is no label "bok"; did you mean "book"?`},
		"no end":             {func(d *Definition) { d.Relationships[0].Pairs[0].To = "" }, `/relationships/WROTE/pairs/0/to: the label is missing`},
		"a column unnamed":   {func(d *Definition) { d.Relationships[0].Pairs[0].ToColumns = []string{""} }, `/relationships/WROTE/pairs/0/to_column: the column has no name`},
		"no foreign column":  {func(d *Definition) { d.Relationships[0].Pairs[0].ForeignKey = &ForeignKey{} }, `/relationships/WROTE/pairs/0/foreign_key/column: 0 columns here, and the key of "book" has 1 part (for the key id)`},
		"an empty reference": {func(d *Definition) { p := &d.Relationships[0].Pairs[0]; p.To, p.Polymorphic = "", &Polymorphic{} }, `/relationships/WROTE/pairs/0/to/type_column: the type column has no name` + "\n" + `/relationships/WROTE/pairs/0/to/values: the polymorphic reference has no values`},
		"a reference's column": {func(d *Definition) {
			p := &d.Relationships[0].Pairs[0]
			p.To, p.Polymorphic = "", &Polymorphic{"t", []string{"a\x00"}, []PolymorphicValue{{"A", "book"}, {"B", "author"}}}
		}, `/relationships/WROTE/pairs/0/to/id_column: the name of the column has control characters or is not UTF-8`},
		"a value twice": {func(d *Definition) {
			p := &d.Relationships[0].Pairs[0]
			p.To, p.Polymorphic = "", &Polymorphic{"t", []string{"i"}, []PolymorphicValue{{"A", "book"}, {"A", "author"}}}
		}, `/relationships/WROTE/pairs/0/to/values/A: the value "A" is listed twice`},
	} {
		t.Run(name, func(t *testing.T) {
			d := library()
			c.change(&d)
			s, err := New(d)
			require.Nil(t, s)
			require.EqualError(t, err, c.want)
		})
	}
	_, err := New(library())
	require.NoError(t, err)
}

func TestProblemsHaveTheirPathInTheFile(t *testing.T) {
	_, err := Parse("s.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a/b: {key: id, properties: {id: int64, e: {type: enum, values: {1: x, 7: x}}}}
  c: {key: id, properties: {id: int64}}
relationships:
  ONE: {from: c, to: d}
  TWO: [{from: c, to: d}]
  MANY: {pairs: [{from: c, to: d}]}
  KEY: {from: c, to: c, foreign_key: [x, y]}
`))
	var problems Problems
	require.ErrorAs(t, err, &problems)
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	require.Equal(t, []string{
		"/nodes/a~1b", "/nodes/a~1b/properties/e/values/7",
		"/relationships/ONE/to", "/relationships/TWO/0/to", "/relationships/MANY/pairs/0/to", "/relationships/KEY/foreign_key",
	}, paths)
}

func TestPoliciesAreNoticed(t *testing.T) {
	for name, change := range map[string]func(d *Definition){
		"label":        func(d *Definition) { d.Nodes[0].Policy, d.Nodes[1].Policy = "node.id == 1", public },
		"relationship": func(d *Definition) { d.Relationships[0].Policy = "caller.a" },
		"pair":         func(d *Definition) { d.Relationships[0].Pairs[0].Policy = "caller.a" },
		"visible":      func(d *Definition) { d.Nodes[0].Properties[1].VisibleIf = "caller.a" },
		"relationship's property": func(d *Definition) {
			d.Relationships[0].Pairs[0].Properties = []PropertyDefinition{{Name: "x", Type: Int64, VisibleIf: "caller.a"}}
		},
	} {
		d := library()
		change(&d)
		s, err := New(d)
		require.NoError(t, err, name)
		require.True(t, s.HasPolicies(), name)
	}
	for name, change := range map[string]func(d *Definition){
		"none":   func(d *Definition) {},
		"public": func(d *Definition) { d.Nodes[0].Policy, d.Relationships[0].Policy = public, public },
		"hidden": func(d *Definition) { d.Nodes[0].Properties[1].Hidden = true },
	} {
		d := library()
		change(&d)
		s, err := New(d)
		require.NoError(t, err, name)
		require.False(t, s.HasPolicies(), name)
	}
}

func TestPairsTakeTheirTypesPolicy(t *testing.T) {
	d := library()
	d.Relationships[0].Policy = "caller.a"
	s, err := New(d)
	require.NoError(t, err)
	wrote, _ := s.Relationship("WROTE")
	require.Equal(t, "caller.a", wrote.Pairs[0].Policy)
}

// A schema shares nothing with the definition that made it.
func TestSchemaOutlivesChangesToItsDefinition(t *testing.T) {
	d := library()
	d.Nodes[0].Synonyms, d.Nodes[0].Match = []string{"writer"}, []Match{{"k", "v"}}
	d.Nodes[0].Properties[1].Type, d.Nodes[0].Properties[1].Values = Enum, []EnumValue{{Name: "a"}}
	d.Relationships[0].Pairs[0].ForeignKey = &ForeignKey{Columns: []string{"book_id"}}
	s, err := New(d)
	require.NoError(t, err)
	d.Nodes[0].Synonyms[0], d.Nodes[0].Match[0].Value, d.Nodes[0].Properties[1].Values[0].Name, d.Nodes[0].Key[0] = "-", "-", "-", "-"
	d.Relationships[0].Pairs[0].ForeignKey.Columns[0] = "-"

	author, _ := s.Label("author")
	require.Equal(t, []string{"writer"}, author.Synonyms)
	require.Equal(t, []Match{{"k", "v"}}, author.Match)
	require.Equal(t, []string{"a"}, author.byName["name"].EnumNames())
	wrote, _ := s.Relationship("WROTE")
	require.Equal(t, []string{"book_id"}, wrote.Pairs[0].ToColumns)
}

func TestPropertiesAreFoundByName(t *testing.T) {
	d := library()
	d.Relationships[0].Pairs[0].Properties = []PropertyDefinition{{Name: "year", Type: Int32}}
	s, err := New(d)
	require.NoError(t, err)
	author, ok := s.Label("author")
	require.True(t, ok)
	name, ok := author.Property("name")
	require.True(t, ok)
	require.Equal(t, String, name.Type)
	_, ok = author.Property("Name")
	require.False(t, ok)
	wrote, ok := s.Relationship("WROTE")
	require.True(t, ok)
	year, ok := wrote.Pairs[0].Property("year")
	require.True(t, ok)
	require.Equal(t, "year", year.Column)
	var labels []string
	for l := range s.Labels() {
		labels = append(labels, l.Name)
		break
	}
	require.Equal(t, []string{"author"}, labels)
	_, ok = s.Relationship("wrote")
	require.False(t, ok)
}

func TestTypesKnowWhatTheyAre(t *testing.T) {
	var numeric, integer []string
	for i := Int32; i <= JSON; i++ {
		if i.Numeric() {
			numeric = append(numeric, i.String())
		}
		if i.Integer() {
			integer = append(integer, i.String())
		}
	}
	require.Equal(t, []string{"int32", "int64", "float", "decimal"}, numeric)
	require.Equal(t, []string{"int32", "int64"}, integer)
}

func TestProblemsAreCapped(t *testing.T) {
	d := library()
	for i := range 300 {
		d.Relationships = append(d.Relationships, RelationshipDefinition{Type: fmt.Sprint("T", i), Pairs: []PairDefinition{{From: "author", To: "bok"}}})
	}
	_, err := New(d)
	var problems Problems
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems, maxProblems+1)
	require.Equal(t, `/relationships/T199/pairs/0/to: there is no label "bok"; did you mean "book"?`, problems[maxProblems-1].String())
	require.Equal(t, "/relationships/T200/pairs/0/to: and 100 more mistakes from here on", problems[maxProblems].String())
}

func TestBoundsAreInclusive(t *testing.T) {
	d := library()
	d.Revised = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
	d.Nodes[0].Description = strings.Repeat("ä", MaxDescription)
	d.Nodes[0].Table.Name = strings.Repeat("t", MaxStored)
	d.Nodes[0].Synonyms = []string{strings.Repeat("s", MaxValue)}
	d.Nodes[0].Properties[1] = PropertyDefinition{Name: "n" + strings.Repeat("a", 62), Type: Decimal, Scale: maxScale}
	_, err := New(d)
	require.NoError(t, err)
}
