package load_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/introspect"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
)

// References of all kinds: to the own table and around, of two columns, on either
// side, over a property's column, of shared tables, to several tables.
const referring = `format: trellis.schema.v1
nodes:
  person: {table: lr_person, key: id, properties: {id: int64, gen: int64}}
  place: {table: lr_place, key: [area, no], properties: {area: string, no: int64, long: string}}
  cat: {table: lr_pet, match: {kind: cat}, key: id, properties: {id: int64, town: int64}}
  dog: {table: lr_pet, match: {kind: dog}, key: id, properties: {id: int64}}
  note: {table: lr_note, key: id, properties: {id: int64}}
relationships:
  BOSS: {from: person, to: person, foreign_key: boss}
  HOME: {from: person, to: place, foreign_key: [area, place_no]}
  MAYOR: {from: place, to: person, foreign_key: mayor}
  TOWN: {from: dog, to: note, foreign_key: town}
  OWNER: {from: cat, to: person, foreign_key: owner}
  WALKER: {from: dog, to: person, foreign_key: owner}
  LIKES: {from: person, to: cat, table: lr_likes}
  KNOWS: {from: person, to: person, table: lr_knows, key: id, properties: {id: int64}}
  WROTE: {from: person, to: note, foreign_key: {side: to, column: author}}
  ABOUT: {from: note, to: {type_column: t, id_column: i, values: {P: person, N: note}}}
`

// referringGraph has people in a ring, whose rows refer to later ones.
func referringGraph(t *testing.T, gen int) *memory.Graph {
	return build(t, referring, func(b *memory.Builder) {
		const n = 1500 // more than one statement inserts
		for i := range n {
			b.Node("person", memory.Values{"id": i, "gen": gen})
			b.Node("place", memory.Values{"area": fmt.Sprint("a", i%7), "no": i})
			b.Relationship("BOSS", graph.ID("person", i), graph.ID("person", (i+1)%n), nil)
			b.Relationship("HOME", graph.ID("person", i), graph.ID("place", []any{fmt.Sprint("a", i%7), i}), nil)
			b.Relationship("MAYOR", graph.ID("place", []any{fmt.Sprint("a", i%7), i}), graph.ID("person", n-1-i), nil)
			b.Relationship("KNOWS", graph.ID("person", i), graph.ID("person", i), memory.Values{"id": i})
		}
		b.Node("cat", memory.Values{"id": 1, "town": 99_999}) // which is no relationship
		b.Node("dog", memory.Values{"id": 2})
		b.Node("note", memory.Values{"id": 1})
		b.Relationship("OWNER", graph.ID("cat", 1), graph.ID("person", 3), nil)
		b.Relationship("WALKER", graph.ID("dog", 2), graph.ID("person", 4), nil)
		b.Relationship("TOWN", graph.ID("dog", 2), graph.ID("note", 1), nil)
		b.Relationship("LIKES", graph.ID("person", 3), graph.ID("cat", 1), nil)
		b.Relationship("WROTE", graph.ID("person", 3), graph.ID("note", 1), nil)
		b.Relationship("ABOUT", graph.ID("note", 1), graph.ID("person", 3), nil)
	})
}

// declared are the foreign keys of the tables lr_….
func declared(t *testing.T, db *sql.DB) (out []string) {
	t.Helper()
	c, err := introspect.ReadCatalog(t.Context(), db, introspect.Options{Tables: []string{"lr_*"}})
	require.NoError(t, err)
	for _, table := range c.Tables {
		for _, fk := range table.Foreign {
			out = append(out, fmt.Sprintf("%s(%s) %s", table.Name.Name, strings.Join(fk.Columns, ","), fk.Table.Name))
		}
	}
	return out
}

// With foreign keys that are enforced: of LIKES the cat's end and of the ones to
// TOWN and ABOUT none can be declared.
var wantDeclared = []string{
	"lr_knows(from_id) lr_person", "lr_knows(to_id) lr_person", "lr_likes(from_id) lr_person", "lr_note(author) lr_person",
	"lr_person(boss) lr_person", "lr_person(area,place_no) lr_place", "lr_pet(owner) lr_person", "lr_place(mayor) lr_person",
}

func TestForeignKeys(t *testing.T) {
	file := func(t *testing.T) server {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "graph.db")+"?_pragma=foreign_keys(1)")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return server{db, "`", func(int) string { return "?" }}
	}
	all := map[string]server{"sqlite": file(t)}
	for name, s := range servers(t) {
		all[name] = s
	}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			drop := func() {
				if name != "sqlite" {
					s.drop(t, referringGraph(t, 0))
				}
			}
			drop()
			t.Cleanup(drop)
			state := func(gen int) {
				t.Helper()
				require.ElementsMatch(t, wantDeclared, declared(t, s.db))
				var n int
				require.NoError(t, s.db.QueryRow(fmt.Sprintf("SELECT COUNT(*) FROM lr_person WHERE gen = %d AND boss IS NOT NULL", gen)).Scan(&n))
				require.Equal(t, 1500, n)
				_, err := s.db.Exec("INSERT INTO lr_likes (from_id, to_id) VALUES (77777, 1)")
				require.Error(t, err, "what is declared is enforced")
			}
			for gen := range 2 {
				require.NoError(t, load.Load(ctx, s.db, referringGraph(t, gen), load.Options{}))
				state(gen)
			}
			for gen := 2; gen < 4; gen++ {
				require.NoError(t, load.Load(ctx, s.db, referringGraph(t, gen), load.Options{Keep: true}))
				state(gen)
			}

			// Rows of another table that would refer to none any more keep what is there.
			s.exec(t, "CREATE TABLE lt_other (id INT, person BIGINT, FOREIGN KEY (person) REFERENCES lr_person (id))")
			t.Cleanup(func() { s.exec(t, "DROP TABLE IF EXISTS lt_other") })
			s.exec(t, "INSERT INTO lr_person (id, gen) VALUES (5000, 3)")
			s.exec(t, "INSERT INTO lt_other VALUES (1, 5000)")
			require.Error(t, load.Load(ctx, s.db, referringGraph(t, 4), load.Options{Keep: true}))
			s.exec(t, "DROP TABLE lt_other")
			s.exec(t, "DELETE FROM lr_person WHERE id = 5000")
			state(3)

			// Nor do rows of another table go with those that are emptied.
			s.exec(t, "CREATE TABLE lt_other (id INT, person BIGINT, FOREIGN KEY (person) REFERENCES lr_person (id) ON DELETE CASCADE)")
			s.exec(t, "INSERT INTO lt_other VALUES (1, 3)")
			err := load.Load(ctx, s.db, referringGraph(t, 4), load.Options{Keep: true})
			if name == "postgres" {
				require.EqualError(t, err, "load: emptying table lr_person would delete or change rows of table lt_other, by a foreign key with ON DELETE")
				state(3)
			} else {
				require.NoError(t, err)
				state(4)
			}
			var n int
			require.NoError(t, s.db.QueryRow("SELECT COUNT(*) FROM lt_other").Scan(&n))
			require.Equal(t, 1, n)
			s.exec(t, "DROP TABLE lt_other")

			require.NoError(t, load.Load(ctx, s.db, referringGraph(t, 5), load.Options{NoForeignKeys: true}))
			require.Empty(t, declared(t, s.db))
		})
	}
}
