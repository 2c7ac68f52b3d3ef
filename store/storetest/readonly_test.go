package storetest_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/storetest"
	"github.com/trellisgraph/trellis/tools"
)

const canarySchema = `
format: trellis.schema.v1
nodes:
  bird:
    table: trellis_canary
    key: id
    display: name
    properties: {id: {type: string}, name: {type: string, nullable: false, search: true}, note: {type: string}}
relationships:
  FOLLOWS: {from: bird, to: bird, foreign_key: follows}
`

// writesAndFiles are texts that would write, read a file or call out, were any
// of them ever part of a statement. FILE stands for a file that is not there.
var writesAndFiles = []string{
	"'; DELETE FROM trellis_canary; --", `"; DELETE FROM trellis_canary; --`, "`; DELETE FROM trellis_canary; -- ",
	"x'); DROP TABLE trellis_canary; --", `\'; TRUNCATE TABLE trellis_canary; #`, "1; UPDATE trellis_canary SET name = 'dead'",
	"'; COMMIT; SET TRANSACTION READ WRITE; INSERT INTO trellis_canary VALUES ('9', 'cuckoo', NULL, NULL); --",
	"' UNION SELECT LOAD_FILE('/etc/passwd'), 'x' --", "' INTO OUTFILE 'FILE' --", "' UNION SELECT 1 INTO DUMPFILE 'FILE' --",
	"'; COPY (SELECT 1) TO 'FILE'; --", "'; COPY trellis_canary FROM PROGRAM 'touch FILE'; --", "' || pg_read_file('/etc/passwd') || '",
	"' || lo_export(1, 'FILE') || '", "'; CREATE EXTENSION file_fdw; --", "'; LOAD 'FILE'; --", "' AND load_extension('FILE') --",
	"'; ATTACH DATABASE 'FILE' AS f; --", "' UNION SELECT * FROM url('http://127.0.0.1:1/') --", "' UNION SELECT * FROM read_csv('/etc/passwd') --",
	"pg_read_file", "load_file('/etc/passwd')",
}

// T47: no call changes a database, whoever uses its connections beside the store.
func TestT47NothingIsWritten(t *testing.T) {
	for name, d := range databasesAt(t) {
		for kind, of := range map[string]making{"": store.SQL, " of its own": store.Own} {
			t.Run(name+kind, func(t *testing.T) {
				dsn := d.dsn(d.address, "", "", "")
				nothingIsWritten(t, open(t, d.driver, dsn), of(open(t, d.driver, dsn), d.dialect))
			})
		}
	}
}

// canaries makes the table, and returns what tells whether it has changed.
func canaries(t *testing.T, db *sql.DB) (content func() string) {
	exec(t, db, "DROP TABLE IF EXISTS trellis_canary")
	exec(t, db, "CREATE TABLE trellis_canary (id VARCHAR(200) NOT NULL PRIMARY KEY, name VARCHAR(200) NOT NULL, note VARCHAR(200), follows VARCHAR(200))")
	exec(t, db, "INSERT INTO trellis_canary VALUES ('1', 'tweety', NULL, '2'), ('2', 'yellow', 'sings', '3'), ('3', 'coal mine', NULL, NULL)")
	t.Cleanup(func() { exec(t, db, "DROP TABLE trellis_canary") })
	return func() string {
		rows, err := db.Query("SELECT id, name, note, follows FROM trellis_canary ORDER BY id")
		require.NoError(t, err)
		defer rows.Close()
		var all strings.Builder
		for rows.Next() {
			var id, name string
			var note, follows sql.NullString
			require.NoError(t, rows.Scan(&id, &name, &note, &follows))
			fmt.Fprintf(&all, "%q %q %q %q\n", id, name, note.String, follows.String)
		}
		require.NoError(t, rows.Err())
		return all.String()
	}
}

// nothingIsWritten makes such calls of a database.
func nothingIsWritten(t *testing.T, db *sql.DB, st store.Store) {
	content := canaries(t, db)
	require.Equal(t, 3, strings.Count(content(), "\n"))
	callsWriteNothing(t, content, st)
}

// callsWriteNothing makes calls of every tool with such texts wherever a caller
// can put one, of a store whose content is told.
func callsWriteNothing(t *testing.T, content func() string, st store.Store) {
	before := content()
	s, err := schema.Parse("canary.yaml", []byte(canarySchema))
	require.NoError(t, err)
	caller := storetest.NewCaller(s, st, graph.Limits{})
	dir := t.TempDir()
	file := filepath.Join(dir, "written")
	refused, answered := 0, 0
	for _, text := range writesAndFiles {
		text = strings.ReplaceAll(text, "FILE", file)
		value, err := json.Marshal(text)
		require.NoError(t, err)
		literal, err := json.Marshal("name == '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'")
		require.NoError(t, err)
		for _, call := range [][2]string{
			{graph.ToolFindNodes, `{"node_label": "bird", "filters": {"name": {"contains": VALUE}}}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "filters": {"name": {"not_in": [VALUE]}}}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "ids": [VALUE]}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "where": LITERAL}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "where": VALUE}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "search": VALUE}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "cursor": VALUE}`},
			{graph.ToolFindNodes, `{"node_label": VALUE}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "properties": [VALUE]}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "order_by": [{"property": VALUE, "direction": VALUE}]}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "filters": {VALUE: 1}}`},
			{graph.ToolFindNodes, `{"node_label": "bird", "limit": VALUE}`},
			{graph.ToolTraverse, `{"from": {"label": "bird", "ids": [VALUE]}, "relationships": [{"type": "FOLLOWS"}], "to": {"label": "bird", "filters": {"note": {"ne": VALUE}}}}`},
			{graph.ToolTraverse, `{"from": {"label": "bird"}, "relationships": [{"type": VALUE}], "to": {"label": "bird"}}`},
			{graph.ToolNeighbors, `{"start_node": {"label": "bird", "node_id": VALUE}}`},
			{graph.ToolNeighbors, `{"start_node": {"label": "bird", "node_id": "1"}, "filters": {"bird": {"name": {"ne": VALUE}}}}`},
			{graph.ToolPaths, `{"from": {"label": "bird", "node_id": "1"}, "to": {"label": "bird", "node_id": VALUE}}`},
			{graph.ToolPaths, `{"from": {"label": "bird", "node_id": "1"}, "to": {"label": "bird", "node_id": "3"}, "filters": {"bird": {"name": {"ne": VALUE}}}}`},
			{graph.ToolAggregate, `{"node_label": "bird", "filters": {"name": {"ne": VALUE}}, "aggregations": [{"function": "max", "property": "name"}], "group_by": [{"property": "note"}]}`},
			{graph.ToolAggregate, `{"node_label": "bird", "aggregations": [{"function": VALUE, "as": VALUE}], "having": [{"as": "count", "op": VALUE, "value": VALUE}]}`},
			{graph.ToolDescribe, `{"search": VALUE, "expand_nodes": [VALUE]}`},
		} {
			args := strings.NewReplacer("VALUE", string(value), "LITERAL", string(literal)).Replace(call[1])
			res, err := caller.Call(call[0], []byte(args))
			if err == nil {
				answered++
				for _, st := range res.Statements {
					require.NotContains(t, st.SQL, text)
					require.NotContains(t, st.SQL, ";", "one statement at a time")
				}
				continue
			}
			var errs graph.Errors
			require.ErrorAs(t, err, &errs, args)
			require.True(t, errs[0].Code.Refusal(), "%s %s", errs[0].Code, args)
			refused++
		}
	}
	require.Greater(t, answered, 100)
	require.Greater(t, refused, 100)
	require.Equal(t, before, content())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "a file was written")
}

// Were a statement ever to write, or two to stand in one text, the session would
// not let them. Against DROP TABLE in MariaDB only the account's rights help: it
// ends the transaction first, read-only or not.
func TestT47SessionsOnlyRead(t *testing.T) {
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			db := open(t, d.driver, d.dsn(d.address, "", "", ""))
			content := canaries(t, db)
			before := content()
			b := store.Database(db, d.dialect)
			for _, text := range []string{
				"DELETE FROM trellis_canary", "UPDATE trellis_canary SET name = 'dead'", "INSERT INTO trellis_canary VALUES ('9', 'cuckoo', NULL, NULL)",
				"SELECT 1; DROP TABLE trellis_canary", "SELECT 1; DELETE FROM trellis_canary", "SELECT * FROM trellis_canary FOR UPDATE",
			} {
				session, err := b.Begin(t.Context())
				require.NoError(t, err)
				rows, err := session.Query(t.Context(), text, nil)
				if err == nil {
					for rows.Next() {
					}
					err = rows.Err()
					rows.Close()
				}
				if text != "SELECT * FROM trellis_canary FOR UPDATE" || d.driver == "pgx" { // MariaDB locks what it reads, and that is all
					require.Error(t, err, text)
				}
				_ = session.Close()
				require.Equal(t, before, content(), text)
			}
		})
	}
}

// Functions that read files or call out have no way into a statement: every
// word that is followed by a parenthesis is one that Trellis writes itself.
func TestT48NoFunctionFromOutside(t *testing.T) {
	s, err := schema.Parse("canary.yaml", []byte(canarySchema))
	require.NoError(t, err)
	registry := tools.Graph(s, graph.Limits{})
	for _, name := range []string{"pg_read_file", "pg_ls_dir", "lo_import", "load_file", "load_extension", "read_csv", "read_text", "url", "file", "s3", "sleep", "pg_sleep", "benchmark", "version", "dblink"} {
		for _, args := range []string{
			`{"node_label": "bird", "where": "` + name + `('/etc/passwd') == name"}`, `{"node_label": "bird", "where": "name.` + name + `('/etc/passwd')"}`,
			`{"node_label": "bird", "where": "name == ` + name + `"}`, `{"node_label": "bird", "filters": {"name": {"` + name + `": "/etc/passwd"}}}`,
			`{"node_label": "bird", "filters": {"` + name + `('/etc/passwd')": "x"}}`, `{"node_label": "bird", "order_by": [{"property": "` + name + `(name)"}]}`,
			`{"node_label": "` + name + `('/etc/passwd')"}`, `{"node_label": "bird", "properties": ["` + name + `(name)"]}`,
		} {
			q, errs := registry.Decode(graph.ToolFindNodes, []byte(args))
			if len(errs) == 0 {
				_, err := compile.New(compile.Options{}).Check(s, nil, q)
				require.ErrorAs(t, err, &errs, args)
			}
			require.True(t, errs[0].Code.Refusal(), args)
		}
	}
}
