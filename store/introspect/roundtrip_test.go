package introspect_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/introspect"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
	"github.com/trellisgraph/trellis/tools"
)

// A graph that is loaded, and whose references are declared, is drafted as the
// same graph: the same tables and columns under other names, and with them the
// same nodes, relationships and answers.
func TestRoundTrip(t *testing.T) {
	for name, open := range engines {
		for _, fixture := range storetest.FixtureNames() {
			t.Run(fixture+"/"+name, func(t *testing.T) {
				db := open(t)
				g := storetest.Fixture(t, fixture)
				require.NoError(t, load.Load(t.Context(), db, g, load.Options{}))
				declare(t, db, name, g.Schema())
				draft, err := introspect.Read(t.Context(), db, introspect.Options{})
				require.NoError(t, err)
				s, err := draft.Schema()
				require.NoError(t, err)
				report, err := introspect.Check(t.Context(), db, s, introspect.Options{})
				require.NoError(t, err)
				require.Empty(t, report.Drift)
				report, err = introspect.Check(t.Context(), db, g.Schema(), introspect.Options{})
				require.NoError(t, err)
				require.Empty(t, report.Drift)

				drafted, err := load.Read(t.Context(), db, s, load.ReadOptions{})
				require.NoError(t, err)
				r := &roundTrip{t, g, drafted, asker(db, name, g.Schema()), asker(db, name, s), map[*schema.Label]*schema.Label{}, name == "sqlite"}
				r.compare()
			})
		}
	}
}

// plain reports whether a table holds one label's nodes, or one pair's
// relationships, alone: of a table of several no database tells which is which.
func plain(p *schema.Pair) bool {
	return len(p.Match) == 0 && len(p.From.Match) == 0 && len(p.To.Match) == 0
}

// declare makes foreign keys of the references of a schema.
func declare(t *testing.T, db *sql.DB, engine string, s *schema.Schema) {
	quote := map[string]string{"mariadb": "`", "postgres": `"`, "sqlite": "`"}[engine]
	quoted := func(names ...string) string {
		out := make([]string, len(names))
		for i, n := range names {
			out[i] = quote + strings.ReplaceAll(n, quote, quote+quote) + quote
		}
		return strings.Join(out, ", ")
	}
	for typ := range s.Relationships() {
		for _, p := range typ.Pairs {
			if !plain(p) {
				continue
			}
			if p.Key != nil {
				exec(t, db, fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s)", quoted("one "+p.Table.Name), quoted(p.Table.Name), quoted(p.Key.Column)))
			}
			for _, end := range []struct {
				to      *schema.Label
				columns []string
				own     bool
			}{{p.From, p.FromColumns, p.Holder != nil && !p.HolderIsTo}, {p.To, p.ToColumns, p.HolderIsTo}} {
				if end.own {
					continue
				}
				key := fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s)", quoted(end.columns...), quoted(end.to.Table.Name), quoted(columnsOf(end.to)...))
				if engine == "sqlite" {
					rewrite(t, db, p.Table.Name, key)
				} else {
					exec(t, db, fmt.Sprintf("ALTER TABLE %s ADD %s", quoted(p.Table.Name), key))
				}
			}
		}
	}
}

// rewrite adds a foreign key to a table of SQLite, which cannot alter it: in the
// statement that made the table.
func rewrite(t *testing.T, db *sql.DB, table, key string) {
	db.SetMaxOpenConns(1)
	exec(t, db, "PRAGMA writable_schema = ON")
	var text string
	require.NoError(t, db.QueryRow("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", table).Scan(&text))
	end := strings.LastIndex(text, ")")
	exec(t, db, "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", text[:end]+", "+key+text[end:], table)
	exec(t, db, "PRAGMA writable_schema = RESET")
	db.SetMaxOpenConns(0)
}

func columnsOf(l *schema.Label) (out []string) {
	for _, k := range l.Key {
		out = append(out, k.Column)
	}
	return out
}

func asker(db *sql.DB, name string, s *schema.Schema) *tools.Tools {
	return tools.New(engine.New(schema.NewCatalog(s), store.SQL(db, dialects[name]()), engine.Options{}), tools.Options{})
}

type roundTrip struct {
	t             *testing.T
	loaded, read  *memory.Graph
	before, after *tools.Tools
	labels        map[*schema.Label]*schema.Label
	loose         bool
}

func (r *roundTrip) compare() {
	for l := range r.loaded.Schema().Labels() {
		if len(l.Match) > 0 {
			continue
		}
		for other := range r.read.Schema().Labels() {
			if other.Table == l.Table {
				r.labels[l] = other
			}
		}
		require.NotNil(r.t, r.labels[l], l.Name)
		require.Equal(r.t, columnsOf(l), columnsOf(r.labels[l]))
		r.label(l, r.labels[l])
	}
	for typ := range r.loaded.Schema().Relationships() {
		for _, p := range typ.Pairs {
			if plain(p) {
				r.pair(p)
			}
		}
	}
}

// label compares the ids, and the values of the columns that both show.
func (r *roundTrip) label(a, b *schema.Label) {
	require.Equal(r.t, r.loaded.NodeCount(a), r.read.NodeCount(b), a.Name)
	require.Equal(r.t, ids(r.t, r.before, "find_nodes", `{"node_label": %q, "limit": 30, "properties": []}`, a.Name),
		ids(r.t, r.after, "find_nodes", `{"node_label": %q, "limit": 30, "properties": []}`, b.Name))
	for _, p := range a.Properties {
		i := slices.IndexFunc(b.Properties, func(q *schema.Property) bool { return q.Column == p.Column })
		if i < 0 {
			require.True(r.t, slices.ContainsFunc(r.loaded.Schema().Outgoing(a), func(pair *schema.Pair) bool { return slices.Contains(pair.ToColumns, p.Column) }), "%s.%s", a.Name, p.Name)
			continue
		}
		q := b.Properties[i]
		require.Equal(r.t, p.Nullable, q.Nullable, "%s.%s", a.Name, p.Name)
		// An enum is a text or an integer to the database, and most types are to SQLite.
		if p.Type != schema.Enum && p.Type != schema.UUID && !r.loose {
			require.Equal(r.t, p.Type, q.Type, "%s.%s", a.Name, p.Name)
		}
	}
}

// pair finds the same columns of the same table, and compares the answers from
// one end to the other.
func (r *roundTrip) pair(p *schema.Pair) {
	for typ := range r.read.Schema().Relationships() {
		for _, q := range typ.Pairs {
			same := slices.Equal(p.FromColumns, q.FromColumns) && slices.Equal(p.ToColumns, q.ToColumns)
			turned := slices.Equal(p.FromColumns, q.ToColumns) && slices.Equal(p.ToColumns, q.FromColumns)
			if p.Table != q.Table || !same && !turned {
				continue
			}
			require.Equal(r.t, r.loaded.RelCount(p), r.read.RelCount(q), "%s", p.Type.Name)
			direction := "outgoing"
			if turned {
				direction = "incoming"
			}
			const call = `{"from": {"label": %q}, "relationships": [{"type": %q, "direction": %q}], "to": {"label": %q}, "connections": false}`
			require.Equal(r.t, ids(r.t, r.before, "traverse_relationships", call, p.From.Name, p.Type.Name, "outgoing", p.To.Name),
				ids(r.t, r.after, "traverse_relationships", call, r.labels[p.From].Name, typ.Name, direction, r.labels[p.To].Name), "%s", p.Type.Name)
			return
		}
	}
	require.Fail(r.t, "a relationship is not drafted", "%s from %s to %s", p.Type.Name, p.From.Name, p.To.Name)
}

// ids are those of an answer's nodes.
func ids(t *testing.T, asked *tools.Tools, tool, call string, args ...any) (out []string) {
	t.Helper()
	text, err := asked.Call(t.Context(), tool, fmt.Appendf(nil, call, args...))
	require.NoError(t, err, call, args)
	var a struct{ Nodes []struct{ ID string } }
	require.NoError(t, json.Unmarshal(text, &a))
	for _, n := range a.Nodes {
		out = append(out, n.ID)
	}
	return out
}
