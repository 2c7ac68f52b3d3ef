package storetest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

const atticSchema = `
format: trellis.schema.v1
nodes:
  chest: {key: id, properties: {id: int64}}
  box: {key: id, properties: {id: int64}}
relationships:
  HOLDS: {from: chest, to: box, table: holds, from_column: chest_id, to_column: box_id}
`

// An attic is a database of a test with an account that may do nothing yet. The
// graph has three of its four tables.
type attic struct {
	databaseAt
	schema            *schema.Schema
	root              *sql.DB
	name, user, grant string // grant ends GRANT statements
}

func newAttic(t *testing.T, d databaseAt) *attic {
	s, err := schema.Parse("attic.yaml", []byte(atticSchema))
	require.NoError(t, err)
	a := &attic{databaseAt: d, schema: s, name: fmt.Sprintf("trellis_attic_%d", os.Getpid()), user: fmt.Sprintf("attic_%d", os.Getpid())}
	server := open(t, d.driver, d.dsn(d.address, "", "", ""))
	exec(t, server, "CREATE DATABASE "+a.name)
	a.root = open(t, d.driver, d.dsn(d.address, "", "", a.name))
	t.Cleanup(func() {
		if d.driver == "pgx" {
			_, _ = a.root.Exec("DROP OWNED BY " + a.user)
		}
		_ = a.root.Close()
		exec(t, server, "DROP DATABASE "+a.name)
		exec(t, server, map[string]string{"pgx": "DROP ROLE ", "mysql": "DROP USER "}[d.driver]+a.user)
	})
	a.grant = " TO " + a.user
	if d.driver == "pgx" {
		exec(t, a.root, "CREATE ROLE "+a.user+" LOGIN PASSWORD 'attic'")
		exec(t, a.root, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	} else {
		exec(t, a.root, "CREATE USER "+a.user+" IDENTIFIED BY 'attic'")
	}
	exec(t, a.root, "CREATE TABLE secret (id BIGINT PRIMARY KEY)")
	for _, table := range []string{"chest", "box", "holds"} {
		exec(t, a.root, "CREATE TABLE "+table+" (id BIGINT PRIMARY KEY, chest_id BIGINT, box_id BIGINT)")
		exec(t, a.root, "GRANT SELECT ON "+table+a.grant)
	}
	return a
}

// findings are those of a new connection of the account.
func (a *attic) findings(t *testing.T, options string) []store.Finding {
	t.Helper()
	db := open(t, a.driver, a.dsn(a.address, a.user, "attic", a.name)+options)
	db.SetMaxOpenConns(1) // which must be enough
	defer db.Close()
	found, err := store.CheckConnection(context.Background(), db, a.dialect, a.schema)
	require.NoError(t, err)
	require.Zero(t, db.Stats().InUse)
	return found
}

func kinds(found []store.Finding) (out []store.FindingKind) {
	for _, f := range found {
		out = append(out, f.Kind)
	}
	slices.Sort(out)
	return out
}

// T47, T48: what a connection may do beyond its work is found, each right for
// itself, and nothing is found of one that may do its work only.
func TestConnectionRights(t *testing.T) {
	type right struct {
		give, take []string
		want       []store.FindingKind
		text       string // in the first message
	}
	rights := map[string][]right{
		"pgx": {
			{[]string{"GRANT SELECT (id) ON secret TO @"}, []string{"REVOKE SELECT (id) ON secret FROM @"}, []store.FindingKind{store.ReadsMore}, "public.secret"},
			{[]string{"GRANT INSERT ON secret TO @"}, []string{"REVOKE INSERT ON secret FROM @"}, []store.FindingKind{store.Writes}, "public.secret"},
			{[]string{"GRANT UPDATE (id) ON box TO @"}, []string{"REVOKE UPDATE (id) ON box FROM @"}, []store.FindingKind{store.Writes}, "public.box"},
			{[]string{"GRANT TRUNCATE ON box TO PUBLIC"}, []string{"REVOKE TRUNCATE ON box FROM PUBLIC"}, []store.FindingKind{store.Writes}, "public.box"},
			{[]string{"ALTER TABLE box OWNER TO @"}, []string{"ALTER TABLE box OWNER TO postgres", "GRANT SELECT ON box TO @"}, []store.FindingKind{store.Writes}, "public.box"},
			{[]string{"GRANT CREATE ON SCHEMA public TO @"}, []string{"REVOKE CREATE ON SCHEMA public FROM @"}, []store.FindingKind{store.Writes}, "schema public"},
			{[]string{"GRANT CREATE ON DATABASE {db} TO @"}, []string{"REVOKE CREATE ON DATABASE {db} FROM @"}, []store.FindingKind{store.Writes}, "database trellis_attic"},
			{[]string{"CREATE SEQUENCE counter", "GRANT USAGE ON SEQUENCE counter TO @"}, []string{"DROP SEQUENCE counter"}, []store.FindingKind{store.Writes}, "public.counter"},
			{[]string{"CREATE FUNCTION f() RETURNS int LANGUAGE SQL SECURITY DEFINER AS 'SELECT 1'"}, []string{"DROP FUNCTION f()"}, []store.FindingKind{store.Writes}, "public.f"},
			{[]string{"ALTER ROLE @ NOINHERIT", "GRANT pg_write_all_data TO @"}, []string{"REVOKE pg_write_all_data FROM @"}, []store.FindingKind{store.ReadsMore, store.Writes}, "public.box"},
			{[]string{"GRANT pg_read_server_files TO @"}, []string{"REVOKE pg_read_server_files FROM @"}, []store.FindingKind{store.Files}, "pg_read_server_files"},
			{[]string{"GRANT EXECUTE ON FUNCTION pg_read_file(text) TO @"}, []string{"REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM @"}, []store.FindingKind{store.Files}, "pg_read_file"},
			{[]string{"ALTER ROLE @ BYPASSRLS CREATEDB"}, []string{"ALTER ROLE @ NOBYPASSRLS NOCREATEDB"}, []store.FindingKind{store.Administers}, "BYPASSRLS, CREATEDB"},
			{[]string{"ALTER ROLE @ SUPERUSER"}, []string{"ALTER ROLE @ NOSUPERUSER"}, []store.FindingKind{store.Administers}, "superuser"},
		},
		"mysql": {
			{[]string{"GRANT SELECT (id) ON secret TO @"}, []string{"REVOKE SELECT (id) ON secret FROM @"}, []store.FindingKind{store.ReadsMore}, "{db}.secret"},
			{[]string{"GRANT SELECT ON {db}.* TO @"}, []string{"REVOKE SELECT ON {db}.* FROM @"}, []store.FindingKind{store.ReadsMore}, "{db}.secret"},
			{[]string{"GRANT SELECT ON *.* TO @"}, []string{"REVOKE SELECT ON *.* FROM @"}, []store.FindingKind{store.ReadsMore}, "every database"},
			{[]string{"GRANT UPDATE (id) ON box TO @"}, []string{"REVOKE UPDATE (id) ON box FROM @"}, []store.FindingKind{store.Writes}, "UPDATE on `{db}`.`box`"},
			{[]string{"GRANT DELETE ON chest TO @"}, []string{"REVOKE DELETE ON chest FROM @"}, []store.FindingKind{store.Writes}, "DELETE on `{db}`.`chest`"},
			{[]string{"GRANT CREATE, DROP ON {db}.* TO @"}, []string{"REVOKE CREATE, DROP ON {db}.* FROM @"}, []store.FindingKind{store.Writes}, "CREATE on `{db}`.*, DROP"},
			{[]string{"GRANT FILE ON *.* TO @"}, []string{"REVOKE FILE ON *.* FROM @"}, []store.FindingKind{store.Files}, "FILE"},
			{[]string{"GRANT PROCESS ON *.* TO @"}, []string{"REVOKE PROCESS ON *.* FROM @"}, []store.FindingKind{store.Administers}, "PROCESS on *.*"},
			{[]string{"GRANT SELECT ON box TO @ WITH GRANT OPTION"}, []string{"REVOKE GRANT OPTION ON box FROM @"}, []store.FindingKind{store.Administers}, "GRANT OPTION"},
			{[]string{"GRANT ALL PRIVILEGES ON *.* TO @"}, []string{"REVOKE ALL PRIVILEGES ON *.* FROM @"}, []store.FindingKind{store.Administers}, "all privileges"},
			{[]string{"CREATE ROLE @_role", "GRANT INSERT ON box TO @_role", "GRANT @_role TO @"}, []string{"DROP ROLE @_role"}, []store.FindingKind{store.Unknown}, "take on the role `@_role`"},
			{[]string{"CREATE ROLE @_role", "GRANT INSERT ON box TO @_role", "GRANT @_role TO @", "SET DEFAULT ROLE @_role FOR @"}, []string{"SET DEFAULT ROLE NONE FOR @", "DROP ROLE @_role"},
				[]store.FindingKind{store.Writes}, "INSERT on `{db}`.`box`"},
		},
	}
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			a := newAttic(t, d)
			require.Empty(t, a.findings(t, ""))
			replace := func(text string) string { return strings.NewReplacer("@", a.user, "{db}", a.name).Replace(text) }
			for _, r := range rights[d.driver] {
				for _, text := range r.give {
					exec(t, a.root, replace(text))
				}
				found := a.findings(t, "")
				require.Equal(t, r.want, kinds(found), "%s: %v", r.give, found)
				require.Contains(t, found[0].Message, replace(r.text), r.give)
				for _, text := range r.take {
					exec(t, a.root, replace(text))
				}
				require.Empty(t, a.findings(t, ""), r.take)
			}
		})
	}
}

// Drivers that take several statements in one text are found, and those who warn
// get a store nevertheless.
func TestConnectionOfManyStatements(t *testing.T) {
	options := map[string]string{"mysql": "?multiStatements=true", "pgx": "&default_query_exec_mode=simple_protocol"}
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			a := newAttic(t, d)
			require.Equal(t, []store.FindingKind{store.ManyStatements}, kinds(a.findings(t, options[d.driver])))
			db := open(t, a.driver, a.dsn(a.address, a.user, "attic", a.name)+options[d.driver])
			_, err := store.Checked(t.Context(), db, d.dialect, a.schema, nil)
			require.ErrorContains(t, err, "several statements in one text")
			var finding store.Finding
			require.ErrorAs(t, err, &finding)
			require.Equal(t, store.ManyStatements, finding.Kind)
			var warned []store.Finding
			st, err := store.Checked(t.Context(), db, d.dialect, a.schema, func(f store.Finding) { warned = append(warned, f) })
			require.NoError(t, err)
			require.NoError(t, st.Close())
			require.Equal(t, []store.FindingKind{store.ManyStatements}, kinds(warned))
		})
	}
}
