package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A role that may not read one of the tables is told so before the first call, by the
// table's name, and so is one that may not read a column.
func TestTablesThatMayNotBeRead(t *testing.T) {
	s, ok := servers(t)["PostgreSQL"]
	if !ok {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	db := s.open(t, 1)
	run := func(text string) {
		_, err := db.ExecContext(context.Background(), text)
		require.NoError(t, err, text)
	}
	role := fmt.Sprintf("trellis_unreadable_%d", os.Getpid())
	for _, text := range []string{
		"CREATE SCHEMA own_shut", "CREATE TABLE own_open (id INTEGER PRIMARY KEY)", "CREATE TABLE own_closed (id INTEGER PRIMARY KEY)",
		"CREATE TABLE own_partly (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER)", "CREATE TABLE own_shut.t (id INTEGER PRIMARY KEY)",
		"CREATE ROLE " + role + " LOGIN PASSWORD 'x'", "GRANT SELECT ON own_open, own_shut.t TO " + role, "GRANT SELECT (id, a) ON own_partly TO " + role,
	} {
		run(text)
	}
	t.Cleanup(func() {
		run("DROP OWNED BY " + role)
		run("DROP ROLE " + role)
		run("DROP TABLE own_open, own_closed, own_partly, own_shut.t")
		run("DROP SCHEMA own_shut")
	})
	sch, err := schema.Parse("shut.yaml", []byte(`
format: trellis.schema.v1
nodes:
  open: {table: own_open, key: id, properties: {id: int32}}
  closed: {table: own_closed, key: id, properties: {id: int32}}
  partly: {table: own_partly, key: id, properties: {id: int32, a: int32, b: int32}}
  shut: {table: {schema: own_shut, name: t}, key: id, properties: {id: int32}}
relationships: {}
`))
	require.NoError(t, err)
	u, err := url.Parse(s.dsn)
	require.NoError(t, err)
	u.User = url.UserPassword(role, "x")
	user, err := sql.Open(s.driver, u.String())
	require.NoError(t, err)
	defer user.Close()
	missing := func() (out []string) {
		found, err := store.CheckConnection(context.Background(), user, compile.Postgres(), sch)
		require.NoError(t, err)
		for _, f := range found {
			if f.Kind == store.Missing {
				out = append(out, f.Message)
			}
		}
		return out
	}
	require.Equal(t, []string{`the user may not read tables that the schema maps: "own_closed", "b" of "own_partly", "own_shut.t"; grant it USAGE on their schemas and SELECT on them`}, missing())
	_, err = store.Checked(context.Background(), user, compile.Postgres(), sch, func(store.Finding) {})
	require.ErrorContains(t, err, `"own_closed"`)
	run("GRANT USAGE ON SCHEMA own_shut TO " + role)
	run("GRANT SELECT ON own_closed, own_partly TO " + role)
	require.Empty(t, missing())
}
