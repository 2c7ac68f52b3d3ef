package introspecttest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/introspect"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
	"github.com/trellisgraph/trellis/tools"
)

// RoundTrip loads graphs and drafts schemas of their tables: the graph's own schema
// has no drift, and the drafted one has the same tables and columns under other
// names, and with them the same nodes, relationships and answers. But relationships
// whose key tells those of the same ends apart are nodes with references to both,
// since the rows of a thing by itself may look like that; and where nothing is
// declared all join tables are.
func RoundTrip(t *testing.T, d Database) {
	for _, fixture := range storetest.FixtureNames() {
		t.Run(fixture, func(t *testing.T) {
			g := storetest.Fixture(t, fixture)
			db := d.Open(t, func(db *sql.DB) { require.NoError(t, load.Load(t.Context(), db, g, load.Options{})) })
			draft, err := introspect.Read(t.Context(), db, introspect.Options{})
			require.NoError(t, err)
			s, err := draft.Schema()
			require.NoError(t, err)
			fits(t, db, s)
			fits(t, db, g.Schema())

			drafted, err := load.Read(t.Context(), db, s, load.ReadOptions{})
			require.NoError(t, err)
			r := &roundTrip{t, d, g, drafted, asker(d, db, g.Schema()), asker(d, db, s), map[*schema.Label]*schema.Label{}, draft.YAML()}
			r.compare()
		})
	}
}

// plain reports whether a table holds one label's nodes, or one pair's
// relationships, alone: of a table of several no database tells which is which.
func plain(p *schema.Pair) bool {
	return len(p.Match) == 0 && len(p.From.Match) == 0 && len(p.To.Match) == 0
}

func columnsOf(l *schema.Label) (out []string) {
	for _, k := range l.Key {
		out = append(out, k.Column)
	}
	return out
}

type roundTrip struct {
	t             *testing.T
	database      Database
	loaded, read  *memory.Graph
	before, after *tools.Tools
	labels        map[*schema.Label]*schema.Label
	draft         []byte
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
		require.NotNil(r.t, r.labels[l], "%s\n%s", l.Name, r.draft)
		require.Equal(r.t, columnsOf(l), columnsOf(r.labels[l]))
		r.label(l, r.labels[l])
	}
	for typ := range r.loaded.Schema().Relationships() {
		for _, p := range typ.Pairs {
			switch {
			case !plain(p):
			case p.Holder == nil && (p.Key != nil || r.database.Undeclared):
				r.thing(p)
			case !r.database.Undeclared:
				r.pair(p)
			}
		}
	}
}

// thing finds the label of a join table.
func (r *roundTrip) thing(p *schema.Pair) {
	for l := range r.read.Schema().Labels() {
		if l.Table == p.Table {
			require.Equal(r.t, r.loaded.RelCount(p), r.read.NodeCount(l), "%s", p.Type.Name)
			require.True(r.t, r.database.Undeclared || len(r.read.Schema().Outgoing(l)) == 2, "%s", p.Type.Name)
			return
		}
	}
	require.Fail(r.t, "a relationship is not drafted", "%s from %s to %s", p.Type.Name, p.From.Name, p.To.Name)
}

// label compares the ids, and the values of the columns that both show.
func (r *roundTrip) label(a, b *schema.Label) {
	require.Equal(r.t, r.loaded.NodeCount(a), r.read.NodeCount(b), a.Name)
	require.Equal(r.t, ids(r.t, r.before, "find_nodes", `{"node_label": %q, "limit": 30, "properties": []}`, a.Name),
		ids(r.t, r.after, "find_nodes", `{"node_label": %q, "limit": 30, "properties": []}`, b.Name))
	var names [2][]string
	for _, p := range a.Properties {
		i := slices.IndexFunc(b.Properties, func(q *schema.Property) bool { return q.Column == p.Column })
		if i < 0 {
			require.True(r.t, slices.ContainsFunc(r.loaded.Schema().Outgoing(a), func(pair *schema.Pair) bool { return slices.Contains(pair.ToColumns, p.Column) }), "%s.%s", a.Name, p.Name)
			continue
		}
		q := b.Properties[i]
		require.Equal(r.t, p.Nullable, q.Nullable, "%s.%s", a.Name, p.Name)
		if !a.IsKey(p) && r.database.Name != "clickhouse" {
			require.Equal(r.t, p.Unique, q.Unique, "%s.%s", a.Name, p.Name)
		}
		require.Equal(r.t, r.drafted(p, a.IsKey(p) && len(a.Key) == 1, q.Type), q.Type, "%s.%s", a.Name, p.Name)
		require.Equal(r.t, p.Scale, q.Scale, "%s.%s", a.Name, p.Name)
		if p.Type == q.Type {
			names[0], names[1] = append(names[0], p.Name), append(names[1], q.Name)
		}
	}
	const call = `{"node_label": %q, "limit": 30, "properties": %s}`
	require.Equal(r.t, values(r.t, r.before, names[0], call, a.Name), values(r.t, r.after, names[1], call, b.Name), a.Name)
}

// drafted is the type as which one is read back. An enum is a text or an integer to
// the database. MariaDB has UUIDs of texts, ClickHouse JSON; there a day of another
// century is an instant. The key by which SQLite finds rows is an integer of any size.
func (r *roundTrip) drafted(p *schema.Property, key bool, read schema.Type) schema.Type {
	name := r.database.Name
	switch {
	case p.Type == schema.Enum && p.Values[0].IsInt:
		return schema.Int32
	case p.Type == schema.Enum, name == "mariadb" && p.Type == schema.UUID, name == "clickhouse" && p.Type == schema.JSON:
		return schema.String
	case name == "sqlite" && p.Type == schema.Int32 && key:
		return schema.Int64
	case name == "clickhouse" && p.Type == schema.Date && read == schema.DateTime:
		return read
	}
	return p.Type
}

// values are those of an answer's nodes, in the order of some names.
func values(t *testing.T, asked *tools.Tools, names []string, call, label string) (out [][]any) {
	t.Helper()
	list, err := json.Marshal(names)
	require.NoError(t, err)
	text, err := asked.Call(t.Context(), "find_nodes", fmt.Appendf(nil, call, label, list))
	require.NoError(t, err, label)
	var a struct {
		Nodes []struct{ Properties map[string]json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(text, &a))
	for _, n := range a.Nodes {
		row := make([]any, len(names))
		for i, name := range names {
			row[i] = string(n.Properties[name])
		}
		out = append(out, row)
	}
	return out
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
			direction, from, to := "outgoing", q.UniqueFrom, q.UniqueTo
			if turned {
				direction, from, to = "incoming", to, from
			}
			require.Equal(r.t, [2]bool{p.UniqueFrom, p.UniqueTo}, [2]bool{from, to}, "%s", p.Type.Name)
			for i, own := range p.Properties {
				if p.Holder != nil {
					break // of a foreign key they are the node's
				}
				require.Equal(r.t, r.drafted(own, false, q.Properties[i].Type), q.Properties[i].Type, "%s.%s", p.Type.Name, own.Name)
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
