package storetest_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/store/storetest"
	"github.com/trellisgraph/trellis/tools"
)

// explained returns the engine's own plans of a call's statements.
func explained(t *testing.T, st store.Store, s *schema.Schema, tool, args string) string {
	limits := graph.Limits{Rows: social.Rows}
	query, errs := tools.Graph(s, limits).Decode(tool, []byte(args))
	require.Empty(t, errs)
	plan, err := compile.New(compile.Options{Limits: limits}).Check(s, nil, query)
	require.NoError(t, err)
	e, err := st.Explain(context.Background(), plan)
	require.NoError(t, err)
	require.Len(t, e.Database, len(e.Statements))
	return strings.Join(e.Database, "")
}

// numbered are the engine's own names of parts of a union.
var numbered = regexp.MustCompile(`^\(subquery-\d+\)$`)

// scanned lists what a plan reads from end to end: tables, and results of parts
// of the statement, by their aliases.
func scanned(plan string) []string {
	var out []string
	for line := range strings.Lines(plan) {
		if _, what, ok := strings.Cut(line, "| SCAN "); ok {
			out = append(out, numbered.ReplaceAllString(strings.TrimSpace(what), "(part)"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The ten questions of benchmarks read tables by their indexes. From end to end
// are read lists and parts (e, p, n, w, a, b), all persons where most are near (m), all
// tags of posts where all are counted, and persons by gender, which is not indexed.
func TestSQLitePlansOfTenQuestions(t *testing.T) {
	g, err := social.New(social.Options{Persons: 500})
	require.NoError(t, err)
	p, err := social.Pick(g)
	require.NoError(t, err)
	db := sqliteDatabase(t, g)
	found, err := store.CheckConnection(context.Background(), db, compile.SQLite(), g.Schema())
	require.NoError(t, err)
	require.Empty(t, found)
	st := store.SQL(db, compile.SQLite())
	list := "e VIRTUAL TABLE INDEX 1:"
	want := map[string][]string{
		"q4": {"w"}, "q5": {"CONSTANT ROW", "a", "m", "many near", "n", "near nodes", "p", "person USING COVERING INDEX person firstName index"}, "q6": {list}, "q7": {"(part)", list}, "q8": {"b", "g1r1 USING COVERING INDEX HAS_TAG to_id from_id index"}, "q9": {"a", "b", "g1n1"}, "q10": nil,
	}
	for _, q := range p.Questions(g.Schema()) {
		plan := explained(t, st, g.Schema(), q.Tool, string(q.Arguments))
		require.Equal(t, want[q.Name], scanned(plan), "%s\n%s", q.Name, plan)
		require.Contains(t, plan, "SEARCH ", q.Name)
		require.NotContains(t, plan, "AUTOMATIC", "%s: an index is made for the statement\n%s", q.Name, plan)
	}
}

// A path between near ends takes a statement, and two to read what it shows. Where an end has
// many neighbours, or the path is longer, it is searched for.
func TestSQLiteStatementsOfShortPaths(t *testing.T) {
	s, err := schema.Parse("ways.yaml", []byte(`{format: trellis.schema.v1, nodes: {stop: {key: id, properties: {id: int64, name: string}}}, relationships: {RIDE: {from: stop, to: stop}}}`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	ride := func(from, to int) { b.Relationship("RIDE", graph.ID("stop", from), graph.ID("stop", to), nil) }
	for i := range 80 {
		b.Node("stop", memory.Values{"id": i, "name": "a"})
	}
	for i := range 5 {
		ride(i, i+1)
	}
	for i := range 65 {
		ride(10, 11+i)
	}
	ride(11, 1)
	g, err := b.Build()
	require.NoError(t, err)
	eng := engine.New(schema.NewCatalog(s), eachSQLiteMemory(t, g), engine.Options{})
	for _, c := range []struct{ from, to, most, hops, statements int }{
		{0, 1, 6, 1, 3}, {0, 2, 6, 2, 3}, {0, 3, 6, 3, 3}, // with nodes and relationships
		{0, 5, 6, 5, 0}, {10, 1, 6, 2, 0}, // searched for
		{5, 0, 3, 0, 3}, // none, and whether both ends are there
	} {
		res, err := eng.Run(t.Context(), &graph.Paths{From: graph.ID("stop", c.from), To: graph.ID("stop", c.to), RelationshipTypes: []string{"RIDE"}, Direction: graph.Outgoing,
			MaxHops: c.most})
		require.NoError(t, err)
		asked := 0
		for _, st := range res.Statements {
			asked += st.Executions
		}
		if c.hops > 0 {
			require.Len(t, res.Paths, 1)
			require.Equal(t, c.hops, res.Paths[0].Length)
		}
		if c.statements > 0 {
			require.Equal(t, c.statements, asked, "%+v", c)
		} else {
			require.Greater(t, asked, 4, "%+v", c)
		}
	}
}

// Keys of every type are looked up, though the comparison names a collation,
// and so are instants, though they are ranges.
func TestSQLitePlansOfKeys(t *testing.T) {
	g := storetest.Fixture(t, "types")
	st := eachSQLiteMemory(t, g)
	for label, c := range map[string]struct{ ids, plan string }{
		"thing": {`[1, 2]`, "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)"},
		"tag":   {`["a", "A"]`, "SEARCH n USING INDEX sqlite_autoindex_tag_1 (text=?)"},
		"token": {`["0a000000-0000-4000-8000-000000000001"]`, "SEARCH n USING INDEX sqlite_autoindex_token_1 (id=?)"},
		"slot":  {`[["a", "2"]]`, "SEARCH n USING INDEX sqlite_autoindex_slot_1 (room=? AND n=?)"},
	} {
		plan := explained(t, st, g.Schema(), "find_nodes", `{"node_label": "`+label+`", "ids": `+c.ids+`}`)
		require.Contains(t, plan, c.plan, label)
		require.Empty(t, scanned(plan), plan)
	}
	walk := explained(t, st, g.Schema(), "explore_neighbors", `{"start_node": {"label": "slot", "node_id": "[\"a\",\"2\"]"}, "max_hops": 2}`)
	require.Regexp(t, `SCAN e VIRTUAL TABLE INDEX 1:\n.*SEARCH n USING INDEX sqlite_autoindex_slot_1 \(room=\? AND n=\?\)`, walk, "lists come first")

	s, err := schema.Parse("indexed.yaml", []byte(`{format: trellis.schema.v1, nodes: {event: {key: id, properties: {id: int64, at: {type: datetime, index: true}, name: {type: string, index: true}}}}}`))
	require.NoError(t, err)
	db := open(t, "sqlite", ":memory:")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT, name TEXT)")
	exec(t, db, "CREATE INDEX at ON event (at)")
	exec(t, db, "CREATE INDEX name ON event (name)")
	for filter, want := range map[string]string{
		`{"at": "2026-11-21T09:30:00Z"}`:                                        "INDEX at (at>? AND at<?)",
		`{"at": {"gte": "2026-11-21T09:30:00Z", "lt": "2026-11-22T00:00:00Z"}}`: "INDEX at (at>? AND at<?)",
		`{"at": {"in": ["2026-11-21T09:30:00Z", "2027-01-01T00:00:00Z"]}}`:      "MULTI-INDEX OR",
		`{"name": "ada"}`:                 "INDEX name (name=?)",
		`{"name": {"in": ["ada", "bo"]}}`: "INDEX name (name=?)",
	} {
		require.Contains(t, explained(t, store.SQL(db, compile.SQLite()), s, "find_nodes", `{"node_label": "event", "filters": `+filter+`}`), want, filter)
	}
}
