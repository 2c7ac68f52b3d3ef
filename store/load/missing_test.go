package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// What the schema maps and a server has not is found before a store is made, with
// what is meant; whatever else is found does not hide it.
func TestMissingOnServers(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {
  user: {table: lt_users, key: id, properties: {id: int64, name: string, age: int64}},
  pet: {table: {schema: lt_zoo, name: pet}, match: {kind: cat}, key: id, properties: {id: int64}},
  seen: {table: lt_seen, key: id, properties: {id: int64, name: string}}},
relationships: {HOME: {from: user, to: pet, foreign_key: home_id}}}`))
	require.NoError(t, err)
	for name, server := range servers(t) {
		t.Run(name, func(t *testing.T) {
			run := func(list ...string) {
				for _, text := range list {
					if server.quote == "`" {
						text = strings.NewReplacer("SCHEMA", "DATABASE", " CASCADE", "").Replace(text)
					}
					server.exec(t, text)
				}
			}
			gone := []string{"DROP VIEW IF EXISTS lt_seen", "DROP TABLE IF EXISTS lt_user", "DROP TABLE IF EXISTS lt_users", "DROP SCHEMA IF EXISTS lt_zoo CASCADE"}
			run(gone...)
			t.Cleanup(func() { run(gone...) })
			missing := func() (out []string) {
				found, err := store.CheckConnection(t.Context(), server.db, dialectOf(name), s)
				require.NoError(t, err)
				for _, f := range found {
					if f.Kind == store.Missing {
						out = append(out, f.Message)
					}
				}
				return out
			}
			run("CREATE TABLE lt_user (id BIGINT PRIMARY KEY)", "CREATE SCHEMA lt_zoo", "CREATE TABLE lt_zoo.pet (id BIGINT PRIMARY KEY)", "CREATE VIEW lt_seen AS SELECT id, 'x' AS nam FROM lt_user")
			require.Equal(t, []string{
				`tables that the schema maps are not there: "lt_users" (did you mean "lt_user"?)`,
				`columns that the schema maps are not there: "kind" of table "lt_zoo.pet", "name" of table "lt_seen" (did you mean "nam"?)`,
			}, missing())
			_, err = store.Checked(t.Context(), server.db, dialectOf(name), s, func(store.Finding) {})
			require.ErrorContains(t, err, `did you mean "lt_user"?`)
			run("DROP VIEW lt_seen", "ALTER TABLE lt_user RENAME TO lt_users", "ALTER TABLE lt_users ADD COLUMN name TEXT", "ALTER TABLE lt_users ADD COLUMN age BIGINT",
				"ALTER TABLE lt_users ADD COLUMN "+server.name("HOME_ID")+" BIGINT", "ALTER TABLE lt_zoo.pet ADD COLUMN kind TEXT", "CREATE VIEW lt_seen AS SELECT id, name FROM lt_users")
			if name == "postgres" { // where names differ if their case does
				require.Equal(t, []string{`columns that the schema maps are not there: "home_id" of table "lt_users" (did you mean "HOME_ID"?)`}, missing())
				run(`ALTER TABLE lt_users RENAME COLUMN "HOME_ID" TO home_id`)
			}
			require.Empty(t, missing())
		})
	}
}
