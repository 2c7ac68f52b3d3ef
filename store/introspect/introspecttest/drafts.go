package introspecttest

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/introspect"
	"github.com/trellisgraph/trellis/tools"
)

// A Database is a kind of database that is tested.
type Database struct {
	// Name is that of the dialect, and in the names of the files of Drafts.
	Name    string
	Dialect *compile.Dialect
	// Open makes an empty database, has it filled over one handle, and returns a
	// handle to read it, both of which are gone after the test.
	Open func(t *testing.T, fill func(*sql.DB)) *sql.DB
	// Undeclared says that nothing declares that it refers to anything: what is
	// inferred stands for relationships.
	Undeclared bool
	// Schemas are whether tables have schemas, which the statements make: of the
	// shop stock, of what is odd "Odd Schema".
	Schemas bool
}

// Drafts drafts schemas of five databases, which the statements of FOLDER/NAME.ENGINE.sql
// make. They are those of NAME.ENGINE.yaml, twice, have no problems and no drift,
// and answer. With update the files are written anew.
func Drafts(t *testing.T, d Database, folder string, update bool) {
	for _, of := range []string{"shop", "music", "tracker", "odd", "loose"} {
		t.Run(of, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(folder, of+"."+d.Name+".sql"))
			require.NoError(t, err)
			db := d.Open(t, func(db *sql.DB) { run(t, db, string(text)) })
			opts := introspect.Options{}
			if of == "shop" {
				opts.Views = map[string][]string{"good_customers": {"id"}}
				if d.Schemas {
					opts.Schemas = []string{"", "stock"}
				}
			}
			if of == "odd" {
				opts.Views = map[string][]string{"mv": {"id"}}
				if d.Schemas {
					opts.Schemas = []string{"Odd Schema", ""}
				}
			}
			draft, err := introspect.Read(t.Context(), db, opts)
			require.NoError(t, err)
			file := filepath.Join(folder, of+"."+d.Name+".yaml")
			if update {
				require.NoError(t, os.WriteFile(file, draft.YAML(), 0o644))
			}
			golden, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(golden), string(draft.YAML()))
			again, err := introspect.Read(t.Context(), db, opts)
			require.NoError(t, err)
			require.Equal(t, string(golden), string(again.YAML()))

			s, err := draft.Schema()
			require.NoError(t, err)
			same, err := schema.New(draft.Definition)
			require.NoError(t, err)
			require.Equal(t, same.Hash(), s.Hash(), "the file says what the definition does")
			fits(t, db, s)
			d := d
			if d.Undeclared = d.Undeclared || of == "loose"; d.Undeclared {
				s, err = schema.Parse(file, uncommented(draft))
				require.NoError(t, err)
				if of != "loose" {
					fits(t, db, s)
				}
			}
			answers(t, d, db, of, s)
		})
	}
}

func fits(t *testing.T, db *sql.DB, s *schema.Schema) {
	t.Helper()
	report, err := introspect.Check(t.Context(), db, s, introspect.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Drift)
}

// uncommented takes the marks from what is inferred.
func uncommented(d *introspect.Draft) []byte {
	text := strings.ReplaceAll(string(d.YAML()), "relationships: {} #", "relationships: #")
	for _, in := range d.Inferred {
		text = strings.Replace(text, "  # "+in.Type+": {", "  "+in.Type+": {", 1)
	}
	return []byte(text)
}

// run runs statements, each of which ends with a line, over one connection.
func run(t testing.TB, db *sql.DB, text string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	defer conn.Close()
	for statement := range strings.SplitSeq(text, ";\n") {
		for strings.HasPrefix(statement, "-- ") {
			_, statement, _ = strings.Cut(statement, "\n")
		}
		if statement = strings.TrimSpace(statement); statement != "" {
			_, err := conn.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
	}
}

func answers(t *testing.T, d Database, db *sql.DB, of string, s *schema.Schema) {
	asked := asker(d, db, s)
	list := calls[of]
	if d.Undeclared {
		list = undeclaredCalls[of]
	}
	for _, c := range list {
		text, err := asked.Call(t.Context(), c[0], []byte(c[1]))
		require.NoError(t, err, c[1])
		var a struct{ Nodes []struct{ Label, ID string } }
		require.NoError(t, json.Unmarshal(text, &a))
		var got []string
		for _, n := range a.Nodes {
			got = append(got, n.Label+" "+n.ID)
		}
		require.Equal(t, c[2], strings.Join(got, ", "), c[1])
	}
}

func asker(d Database, db *sql.DB, s *schema.Schema) *tools.Tools {
	return tools.New(engine.New(schema.NewCatalog(s), store.SQL(db, d.Dialect), engine.Options{}), tools.Options{})
}
