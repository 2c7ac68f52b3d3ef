package command

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// T47, T48: whatever a statement of the store were, its connection would not
// write, attach another file or change what it may do.
func TestSQLiteConnectionsOnlyRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "graph.db")
	db, err := openSQLite(file, true)
	require.NoError(t, err)
	for _, text := range []string{"CREATE TABLE bird (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO bird VALUES (1, 'emu')"} {
		_, err = db.Exec(text)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	before, err := os.ReadFile(file)
	require.NoError(t, err)

	db, err = openSQLite(file, false)
	require.NoError(t, err)
	defer db.Close()
	for _, text := range []string{
		"INSERT INTO bird VALUES (2, 'cuckoo')", "UPDATE bird SET name = 'dead'", "DELETE FROM bird", "DROP TABLE bird", "CREATE TABLE t (a)",
		"CREATE TEMP TABLE t (a)", "SELECT 1; DELETE FROM bird", "ATTACH '" + filepath.Join(t.TempDir(), "other.db") + "' AS other",
		"PRAGMA query_only = 0", "PRAGMA writable_schema = 1", "PRAGMA journal_mode = OFF", "VACUUM INTO '" + filepath.Join(t.TempDir(), "copy.db") + "'",
		"SELECT load_extension('x')", "SELECT writefile('x', 'y')", "BEGIN IMMEDIATE", "CREATE VIRTUAL TABLE v USING fts5(a)", `SELECT "no such column" FROM bird`,
	} {
		_, err := db.Exec(text)
		require.Error(t, err, text)
	}
	var name string
	require.NoError(t, db.QueryRow("SELECT name FROM bird").Scan(&name))
	require.Equal(t, "emu", name)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestSQLiteFileThatIsNotThereOrNotOne(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.db")
	require.NoError(t, os.WriteFile(text, []byte("this is a text, and it is longer than the head of a database: so it can be told apart from one that is empty"), 0o600))
	missing := filepath.Join(t.TempDir(), "missing.db")
	for file, want := range map[string]string{missing: "there is no file " + missing, text: "not a database"} {
		o := trellis(t, "", "call", "find_nodes", `{"node_label": "gl_user"}`, "--schema", forgeSchema, "--dsn", "sqlite:"+file)
		require.Equal(t, 3, o.code, o.out+o.err)
		require.Contains(t, o.err, want)
		o = trellis(t, "", "introspect", "--dsn", "sqlite:"+file)
		require.Equal(t, 3, o.code, o.out+o.err)
		require.Contains(t, o.err, want)
	}
	_, err := os.Stat(missing)
	require.ErrorIs(t, err, os.ErrNotExist, "a call made a file")
}

// What is stored in another form than statements compare is refused before any
// call is answered wrongly.
func TestSQLiteStoredInAnotherForm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "graph.db")
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	for _, text := range []string{"CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT, price NUMERIC)", "INSERT INTO event VALUES (1, '2026-11-21T09:30:00Z', '1.10')"} {
		_, err = db.Exec(text)
		require.NoError(t, err)
	}
	schema := filepath.Join(t.TempDir(), "schema.yaml")
	require.NoError(t, os.WriteFile(schema, []byte("format: trellis.schema.v1\nnodes: {event: {key: id, properties: {id: int64, at: datetime, price: {type: decimal, scale: 2}}}}\n"), 0o600))
	call := func() outcome {
		return trellis(t, "", "call", "find_nodes", `{"node_label": "event", "filters": {"at": "2026-11-21T10:30:00+01:00", "price": {"gt": 1.09}}}`, "--schema", schema, "--dsn", "sqlite:"+file)
	}
	o := call()
	require.Equal(t, 3, o.code, o.out)
	require.Contains(t, o.err, `column "at" of table "event" holds a text such as 0000-00-00T00:00:00Z, but a datetime is expected as the text 2026-11-21 09:30:00 in UTC`)
	for _, spelled := range []string{"2026-11-21 09:30:00", "2026-11-21 09:30:00.0", "2026-11-21 09:30:00.000000"} {
		_, err = db.Exec("UPDATE event SET at = ?", spelled)
		require.NoError(t, err)
		o = call()
		require.Equal(t, 0, o.code, o.err)
		require.Equal(t, []any{map[string]any{"label": "event", "id": "1", "properties": map[string]any{"id": 1.0, "at": "2026-11-21T09:30:00Z", "price": "1.10"}}}, o.document(t)["nodes"], spelled)
	}
	require.NoError(t, db.Close())
}
