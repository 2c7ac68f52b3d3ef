package introspect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

// driftCatalog is a database that fits the schema of driftSchema.
func driftCatalog() *Catalog {
	user := tableOfColumns("users", column("id", schema.Int32), column("name", schema.String), column("state", schema.Enum), column("price", schema.Decimal))
	user.Unique = [][]string{{"name"}}
	user.Columns[2].Values, user.Columns[3].Scale = []string{"open", "shut"}, 2
	note := tableOfColumns("notes", column("id", schema.Int64), column("author_id", schema.Int32), column("x_type", schema.String), column("x_id", schema.Int32))
	note.Partly = [][]string{{"author_id"}}
	note.Foreign = []ForeignKey{{Columns: []string{"author_id"}, Table: user.Name, Refers: []string{"id"}}}
	likes := tableOfColumns("likes", column("user_id", schema.Int32), column("note_id", schema.Int64), column("at", schema.Date))
	likes.Primary = []string{"user_id", "note_id"}
	likes.Foreign = []ForeignKey{{Columns: []string{"user_id"}, Table: user.Name, Refers: []string{"id"}}, {Columns: []string{"note_id"}, Table: note.Name, Refers: nil}}
	c := &Catalog{Engine: "postgres", Tables: []*Table{user, note, likes}}
	c.sort()
	return c
}

const driftSchema = `
format: trellis.schema.v1
nodes:
  user:
    table: users
    key: id
    properties:
      id: int64 # wider than the column
      name: {type: string, nullable: false, unique: true}
      state: {type: enum, values: [open, shut]}
      price: {type: decimal, scale: 2}
  note: {table: notes, key: id, properties: {id: int64}}
relationships:
  AUTHOR: {from: note, to: user, foreign_key: author_id, unique: to}
  LIKES: {from: user, to: note, table: likes, from_column: user_id, to_column: note_id, properties: {at: date}}
  ABOUT: {from: note, to: {type_column: x_type, id_column: x_id, values: {User: user, Note: note}}}
`

func TestDrift(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(driftSchema))
	require.NoError(t, err)
	user := func(c *Catalog) *Table { return c.table(schema.Table{Name: "users"}) }
	note := func(c *Catalog) *Table { return c.table(schema.Table{Name: "notes"}) }
	likes := func(c *Catalog) *Table { return c.table(schema.Table{Name: "likes"}) }
	for _, test := range []struct {
		change func(c *Catalog)
		want   []string
	}{
		{func(c *Catalog) {}, nil},
		{func(c *Catalog) { user(c).Name.Name = "user" }, []string{
			"missing_table /nodes/user: the table \"users\" is not there; did you mean \"user\"?",
		}},
		{func(c *Catalog) { user(c).Columns[1].Name = "nam" }, []string{"missing_column /nodes/user/properties/name: the table \"users\" has no column \"name\"; did you mean \"nam\"?"}},
		{func(c *Catalog) { user(c).Columns[1].Nullable = true }, []string{"nullability /nodes/user/properties/name: the column \"name\" may be null, and the property may not"}},
		{func(c *Catalog) { *user(c).Columns[1] = *column("name", schema.Bool) }, []string{"type /nodes/user/properties/name: the column \"name\" is bool, which holds no string"}},
		{func(c *Catalog) { user(c).Columns[3].Scale = 4 }, []string{"type /nodes/user/properties/price: the column \"price\" is decimal, which has another scale than 2"}},
		{func(c *Catalog) { user(c).Columns[2].Values = []string{"open", "shut", "lost"} }, []string{"enum_values /nodes/user/properties/state: the column \"state\" can be \"lost\", which the schema does not list"}},
		{func(c *Catalog) { user(c).Columns[2].Values = []string{"open"} }, []string{"enum_values /nodes/user/properties/state: the column \"state\" can no longer be \"shut\""}},
		{func(c *Catalog) { user(c).Primary = nil }, []string{"key /nodes/user: the label's key is id, of which the table \"users\" may hold the same values twice"}},
		{func(c *Catalog) { user(c).Unique = nil }, []string{"missing_unique /nodes/user/properties/name: no two nodes have the same, and the table \"users\" may hold the same name twice"}},
		{func(c *Catalog) { note(c).Partly = [][]string{{"author_id", "x_id"}} }, []string{"missing_unique /relationships/AUTHOR: a node ends one at most, and the table \"notes\" may hold the same author_id twice"}},
		{func(c *Catalog) { note(c).Foreign = nil }, []string{"missing_foreign_key /relationships/AUTHOR: the columns author_id of \"notes\" have no foreign key to \"users\""}},
		{func(c *Catalog) { likes(c).Foreign = likes(c).Foreign[:1] }, []string{"missing_foreign_key /relationships/LIKES: the columns note_id of \"likes\" have no foreign key to \"notes\""}},
		{func(c *Catalog) { likes(c).Primary = []string{"user_id", "note_id", "at"} }, []string{"key /relationships/LIKES: the pair of ends is user_id, note_id, of which the table \"likes\" may hold the same values twice"}},
		{func(c *Catalog) { *likes(c).Columns[2] = *column("at", schema.DateTime) }, []string{"type /relationships/LIKES/properties/at: the column \"at\" is datetime, which holds no date"}},
		{func(c *Catalog) { note(c).Columns = note(c).Columns[:3] }, []string{"missing_column /relationships/ABOUT: the table \"notes\" has no column \"x_id\"; did you mean \"id\"?"}},
		{func(c *Catalog) { note(c).Columns = append(note(c).Columns, column("new", schema.Bool)) }, nil},
	} {
		c := driftCatalog()
		test.change(c)
		c.sort()
		var got []string
		for _, d := range compare(c, s, nil, false).Drift {
			got = append(got, d.Kind+" "+d.Path+": "+d.Message)
		}
		require.Equal(t, test.want, got)
	}
	c := driftCatalog()
	require.Empty(t, compare(c, s, nil, false).Unkept)
	user(c).Columns[1].Padded, user(c).Columns[1].Declared = true, "character(8)"
	*user(c).Columns[2] = *column("state", schema.String)
	user(c).Columns[2].Others = []schema.Type{schema.Enum}
	report := compare(c, s, nil, false)
	require.Empty(t, report.Drift)
	require.Equal(t, []Drift{
		{UnkeptSpaces, "/nodes/user/properties/name", "users", "name", `the column "name" is character(8), which keeps no spaces at the end of texts, nor longer ones`},
		{UnkeptValues, "/nodes/user/properties/state", "users", "state", `the column "state" takes any text: no type or check keeps it to the values that the schema lists`},
	}, report.Unkept)
	c = driftCatalog()
	note(c).Columns = append(note(c).Columns, column("new", schema.Bool))
	c.Tables = append(c.Tables, tableOfColumns("other"))
	c.sort()
	require.Equal(t, []Unmapped{{"notes", "new"}, {"other", ""}}, compare(c, s, nil, false).Unmapped)
	require.Equal(t, []Unmapped{{"other", ""}}, compare(c, s, []string{"o*"}, false).Unmapped)
	note(c).Foreign = nil
	require.Empty(t, compare(c, s, nil, true).Drift)
}
