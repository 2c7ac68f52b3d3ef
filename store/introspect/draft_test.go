package introspect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

// nothing is a database without rows.
func nothing(question) (answer, error) { return answer{}, nil }

func mustDraft(t *testing.T, c *Catalog, opts Options, ask ask) (*Draft, *schema.Schema) {
	t.Helper()
	d, err := draft(c, opts, ask)
	require.NoError(t, err)
	s, err := d.Schema()
	require.NoError(t, err, string(d.YAML()))
	same, err := schema.New(d.Definition)
	require.NoError(t, err)
	require.Equal(t, same.Hash(), s.Hash(), string(d.YAML()))
	return d, s
}

func tableOfColumns(name string, columns ...*Column) *Table {
	t := &Table{Name: schema.Table{Name: name}, Columns: columns}
	if len(columns) > 0 {
		t.Primary = []string{columns[0].Name}
	}
	return t
}

func column(name string, typ schema.Type) *Column {
	return &Column{Name: name, Type: typ, Declared: typ.String()}
}

// hostile texts would end a line, a comment, a quote or a brace of YAML, or are
// none of its texts.
var hostile = []string{
	"a\nnodes: {}\n# b", "\r\n  x: 1", "\u2028- y", "\u0085z", "# no comment", "a # b", `"; DROP TABLE x; --`, `it's "odd" \n \`, "{a: b}, [c]", "!!binary x", "&a *a",
	"- a", "? a", "a: b", "a:", ": a", "|", ">", "%a", "@a", "`a`", "~", "null", "No", "on", "1", "1e3", "0x1F", "2026-11-21", "<<", "=", " a", "a ", "\ta", "\u202eabc", "\ufeffx", "\x00\x01\x7f", "\xff\xfe", "ä🙂", "",
	strings.Repeat("long ", 1000), strings.Repeat("ü", 64), "$(x) ${y} #{z}", "---", "...", "true.", "a.b-c d",
}

// Whatever a database's comments, values, names, checks and types are, the file
// says what the definition does.
func TestHostileTexts(t *testing.T) {
	var tables []*Table
	for i, text := range hostile {
		of := tableOfColumns(fmt.Sprintf("t%02d", i), column("id", schema.Int64), column("s", schema.String), column("e", schema.Enum), column(text, schema.Int32))
		of.Comment, of.Columns[1].Comment, of.Columns[1].Remark = text, text, text
		of.Columns[2].Values = append([]string{"fine"}, hostile...)[:1]
		if validValues([]string{text}) == "" {
			of.Columns[2].Values = []string{text}
		}
		of.Columns = append(of.Columns, &Column{Name: "photo", Declared: text, Why: text})
		of.Checks = []string{text}
		of.Foreign = []ForeignKey{{Columns: []string{text}, Table: schema.Table{Name: text}, Refers: nil}}
		named := tableOfColumns(text, column("id", schema.Int64), column("t"+fmt.Sprint(i)+"_id", schema.Int64))
		named.Foreign = []ForeignKey{{Columns: []string{named.Columns[1].Name}, Table: of.Name, Refers: []string{"id"}}}
		tables = append(tables, of, named, &Table{Name: schema.Table{Schema: text, Name: text}, Comment: text})
	}
	c := &Catalog{Engine: "test", Tables: tables}
	d, s := mustDraft(t, c, Options{}, nothing)
	for i, text := range hostile {
		l, ok := s.Label(fmt.Sprintf("t%02d", i))
		require.True(t, ok)
		require.Equal(t, description(text), l.Description)
		e, _ := l.Property("e")
		if validValues([]string{text}) == "" {
			require.Equal(t, []string{text}, e.EnumNames())
		}
	}
	// What is a line of a comment stays one.
	for line := range strings.Lines(string(d.YAML())) {
		require.LessOrEqual(t, strings.Count(line, "\n"), 1)
		require.NotContains(t, line, "\r")
	}
	require.Equal(t, string(d.YAML()), string(d.YAML()))
}

// The values of a type column are the database's too.
func TestHostileValues(t *testing.T) {
	thing := tableOfColumns("things", column("id", schema.Int64))
	note := tableOfColumns("notes", column("id", schema.Int64), column("of_type", schema.String), column("of_id", schema.Int64))
	for _, text := range hostile {
		ask := func(q question) (answer, error) {
			if q.target == (schema.Table{}) {
				return answer{values: []string{"Thing", text}}, nil
			}
			return answer{found: 2, asked: 2}, nil
		}
		d, _ := mustDraft(t, &Catalog{Tables: []*Table{thing, note}}, Options{}, ask)
		require.Len(t, d.Inferred, 1)
		s, err := schema.Parse("schema.yaml", []byte(uncommented(d)))
		require.NoError(t, err, uncommented(d))
		rel, ok := s.Relationship("OF")
		require.True(t, ok)
		require.Len(t, rel.Pairs, 1)
	}
}

// uncommented takes the marks from what is inferred.
func uncommented(d *Draft) string {
	all := strings.ReplaceAll(string(d.YAML()), "relationships: {} #", "relationships: #")
	for _, in := range d.Inferred {
		all = strings.Replace(all, "  # "+in.Type+": {", "  "+in.Type+": {", 1)
	}
	return all
}

// Of any catalog the draft is a schema, and the same whatever the order in which
// the database lists its tables.
func TestRandomCatalogs(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := randomCatalog(r)
		ask := func(q question) (answer, error) {
			if q.target == (schema.Table{}) {
				return answer{values: []string{"user", "Item", "A", "users"}}, nil
			}
			return answer{found: 3, asked: 4}, nil
		}
		d, err := draft(c, Options{}, ask)
		if err != nil {
			require.ErrorContains(t, err, "nothing to map", "seed %d", seed)
			continue
		}
		s, err := d.Schema()
		require.NoError(t, err, "seed %d\n%s", seed, d.YAML())
		same, err := schema.New(d.Definition)
		require.NoError(t, err)
		require.Equal(t, same.Hash(), s.Hash())
		// Taking the marks from what is inferred gives a schema, too.
		_, err = schema.Parse("schema.yaml", []byte(uncommented(d)))
		require.NoError(t, err, "seed %d\n%s", seed, uncommented(d))

		r.Shuffle(len(c.Tables), func(i, j int) { c.Tables[i], c.Tables[j] = c.Tables[j], c.Tables[i] })
		again, err := draft(c, Options{}, ask)
		require.NoError(t, err)
		require.Equal(t, string(d.YAML()), string(again.YAML()))
		require.Empty(t, compare(c, s, nil, false).Drift, "seed %d\n%s", seed, d.YAML())
	}
}

func randomCatalog(r *rand.Rand) *Catalog {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	tableNames := []string{"user", "users", "User", "Users", "item", "items", "order lines", "user_items", "UserItem", "a", "A", "n", "from", "123", "é", "gl_item", "types"}
	columnNames := []string{"id", "ID", "Id", "user_id", "userId", "item_id", "owner_id", "parent_id", "from", "to", "from_label", "name", "Name", "na me", "x_type", "x_id", "state", "no", "1st", "type"}
	types := []schema.Type{schema.Int32, schema.Int64, schema.Int64, schema.Int64, schema.String, schema.UUID, schema.Bool, schema.Decimal, schema.Float, 0}
	c := &Catalog{Engine: "postgres"}
	seen := map[schema.Table]bool{}
	for range 1 + r.IntN(8) {
		t := &Table{Name: schema.Table{Schema: pick("", "", "", "crm", "CRM"), Name: pick(tableNames...)}}
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		for _, name := range columnNames {
			if r.IntN(2) == 0 {
				t.Columns = append(t.Columns, &Column{Name: name, Type: types[r.IntN(len(types))], Nullable: r.IntN(3) == 0, Declared: "x", Why: "y", Scale: 2})
			}
		}
		key := func() (out []string) {
			for range 1 + r.IntN(3) {
				if len(t.Columns) > 0 {
					col := t.Columns[r.IntN(len(t.Columns))]
					if !contains(out, col.Name) {
						col.Nullable = false
						out = append(out, col.Name)
					}
				}
			}
			return out
		}
		if r.IntN(5) > 0 {
			t.Primary = key()
		}
		if r.IntN(3) == 0 {
			t.Unique = append(t.Unique, key())
		}
		c.Tables = append(c.Tables, t)
	}
	for _, t := range c.Tables {
		for range r.IntN(4) {
			to := c.Tables[r.IntN(len(c.Tables))]
			fk := ForeignKey{Table: to.Name}
			for _, k := range to.Primary {
				if len(t.Columns) > 0 {
					fk.Columns, fk.Refers = append(fk.Columns, t.Columns[r.IntN(len(t.Columns))].Name), append(fk.Refers, k)
				}
			}
			if len(fk.Columns) > 0 && len(fk.Columns) == len(to.Primary) {
				t.Foreign = append(t.Foreign, fk)
			}
		}
	}
	return c
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
