package introspect_test

import (
	"database/sql"
	"encoding/json"
	"flag"
	"os"
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

var update = flag.Bool("update", false, "rewrite the schemas in testdata; read what has changed")

// dialects are what the engines speak.
var dialects = map[string]func() *compile.Dialect{"mariadb": compile.MariaDB, "postgres": compile.Postgres, "sqlite": compile.SQLite}

// The drafts of four databases are those in testdata, twice, have no problems
// and no drift, and answer.
func TestDrafts(t *testing.T) {
	for name, open := range engines {
		for _, of := range []string{"shop", "music", "tracker", "odd"} {
			t.Run(of+"/"+name, func(t *testing.T) {
				db := open(t)
				fill(t, db, name, of)
				opts := introspect.Options{}
				if of == "shop" {
					opts.Views = map[string][]string{"good_customers": {"id"}}
					if name == "postgres" {
						opts.Schemas = []string{"public", "stock"}
					}
				}
				if of == "odd" {
					opts.Views = map[string][]string{"mv": {"id"}}
					if name == "postgres" {
						opts.Schemas = []string{"Odd Schema", "public"}
					}
				}
				draft, err := introspect.Read(t.Context(), db, opts)
				require.NoError(t, err)
				file := "testdata/" + of + "." + name + ".yaml"
				if *update {
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
				report, err := introspect.Check(t.Context(), db, s, introspect.Options{})
				require.NoError(t, err)
				require.Empty(t, report.Drift)
				answers(t, db, name, of, s)
			})
		}
	}
}

// fill runs a file of statements.
func fill(t *testing.T, db *sql.DB, engine, of string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + of + "." + engine + ".sql")
	require.NoError(t, err)
	exec(t, db, string(text))
}

// calls have the same answers on every engine, by what was inserted.
var calls = map[string][][3]string{
	"shop": {
		{"find_nodes", `{"node_label": "orders", "filters": {"state": {"in": ["paid", "shipped"]}}, "properties": ["state"], "order_by": [{"property": "state"}]}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"find_nodes", `{"node_label": "orders", "properties": [], "order_by": [{"property": "state", "direction": "desc"}]}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8, orders 6ba7b810-9dad-11d1-80b4-00c04fd430c9"},
		{"find_nodes", `{"node_label": "orders", "properties": [], "where": "state != 'paid'"}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c9"},
		{"find_nodes", `{"node_label": "customers", "properties": [], "filters": {"tier": "new"}}`, "customers 2"},
		{"find_nodes", `{"node_label": "products", "properties": [], "filters": {"price": {"lt": 10}}}`, "products N-1"},
		{"traverse_relationships", `{"from": {"label": "customers", "ids": [1]}, "relationships": [{"type": "CUSTOMER", "direction": "incoming"}], "to": {"label": "orders"}, "connections": false}`, "orders 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"traverse_relationships", `{"from": {"label": "orders"}, "relationships": [{"type": "SHIPPING_ADDRESS"}], "to": {"label": "addresses"}, "connections": false}`, "addresses 2"},
		{"traverse_relationships", `{"from": {"label": "warehouses"}, "relationships": [{"type": "LEVELS", "filters": {"amount": {"gt": 0}}}], "to": {"label": "products"}, "connections": false}`, "products H-1"},
		{"find_nodes", `{"node_label": "order_lines", "properties": [], "related": [{"relationships": [{"type": "PRODUCT", "to": {"label": "products", "ids": ["N-1"]}}]}]}`, `order_lines ["6ba7b810-9dad-11d1-80b4-00c04fd430c8","2"]`},
		{"find_nodes", `{"node_label": "good_customers", "properties": []}`, "good_customers 1"},
	},
	"music": {
		{"traverse_relationships", `{"from": {"label": "playlist"}, "relationships": [{"type": "PLAYLIST_TRACK", "filters": {"from_value": "Ada"}}], "to": {"label": "track"}, "connections": false}`, "track 1"},
		{"traverse_relationships", `{"from": {"label": "employee", "ids": [2]}, "relationships": [{"type": "REPORTS_TO"}], "to": {"label": "employee"}, "connections": false}`, "employee 1"},
		{"traverse_relationships", `{"from": {"label": "copy"}, "relationships": [{"type": "PRESSING"}], "to": {"label": "pressing"}, "connections": false}`, `pressing ["1","2"]`},
		{"find_nodes", `{"node_label": "copy", "properties": [], "filters": {"grade": "mint"}}`, "copy 1"},
		{"find_nodes", `{"node_label": "artist", "properties": [], "related": [{"relationships": [{"type": "ARTIST_GENRE", "filters": {"weight": {"lt": 0.3}}}]}]}`, "artist 1"},
	},
	"tracker": {
		{"traverse_relationships", `{"from": {"label": "notes"}, "relationships": [{"type": "NOTEABLE"}], "to": {"label": "issues"}, "connections": false}`, "issues 1, issues 2"},
		{"traverse_relationships", `{"from": {"label": "notes"}, "relationships": [{"type": "NOTEABLE"}], "to": {"label": "epics"}, "connections": false}`, "epics 1"},
		{"traverse_relationships", `{"from": {"label": "issues"}, "relationships": [{"type": "ASSIGNEE"}], "to": {"label": "users"}, "connections": false}`, `users ["1","2"]`},
		{"traverse_relationships", `{"from": {"label": "users"}, "relationships": [{"type": "SUBSCRIPTIONS"}], "to": {"label": "projects"}, "connections": false}`, "projects 1"},
		{"find_paths", `{"from": {"label": "issues", "node_id": 1}, "to": {"label": "issues", "node_id": 2}, "relationship_types": ["ISSUE_LINKS"]}`, "issues 1, issues 2"},
	},
}

func answers(t *testing.T, db *sql.DB, name, of string, s *schema.Schema) {
	st := store.SQL(db, dialects[name]())
	asked := tools.New(engine.New(schema.NewCatalog(s), st, engine.Options{}), tools.Options{})
	for _, c := range calls[of] {
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
