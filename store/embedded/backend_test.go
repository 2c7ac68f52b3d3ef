package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

func TestArgumentsAreBoundWithTheirTypes(t *testing.T) {
	b := backend(t, odd(t), Options{})
	at := time.Date(2020, 1, 1, 1, 0, 0, 2000, time.FixedZone("", 3600))
	for _, c := range []struct {
		name, query string
		args        []any
		want        string
	}{
		{"nothing", "SELECT ? IS NULL", []any{nil}, "1"},
		{"bool", "SELECT ? = TRUE, ?", []any{true, false}, "1|0"},
		{"integers", "SELECT ?, ?, ?", []any{7, int32(-7), int64(9223372036854775807)}, "7|-7|9223372036854775807"},
		{"float", "SELECT ?", []any{0.1}, "0.1"},
		{"texts", "SELECT ?, ?", []any{"a'\\ \x00?", []byte("日本")}, "a'\\ \x00?|日本"},
		{"instant", "SELECT ?", []any{at}, "2020-01-01T00:00:00.000002"},
		{"text is data", "SELECT COUNT(*) > 0, COUNT(DISTINCT s) FROM user WHERE s = ?", []any{"'; DROP TABLE user; --"}, "1|1"},
		{"text is exact", "SELECT COUNT(DISTINCT s) FROM user WHERE s = ?", []any{"á"}, "1"},
		{"null equals nothing", "SELECT COUNT(*) FROM user WHERE i = ?", []any{nil}, "0"},
		{"limit", "SELECT id FROM `shared` WHERE kind = 'small' ORDER BY id LIMIT ?", []any{1}, "0"},
		{"json is as stored", "SELECT j FROM user WHERE j IS NOT NULL ORDER BY id LIMIT 1", nil, `{"big":9007199254740993,"x":0}`},
		{"types of an answer", "SELECT COUNT(*), SUM(CAST(id AS DECIMAL(38,0))), CAST('1.50' AS DECIMAL(10,2)), JSON_OBJECT('a', 1) FROM `shared` WHERE kind = 'small'", nil, `12|66|1.50|{"a": 1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, strings.Join(query(t, b, c.query, c.args...), " "))
		})
	}
}

func TestBadStatementsAreErrors(t *testing.T) {
	b := backend(t, odd(t), Options{MaxRows: 10})
	for name, c := range map[string]struct {
		query string
		args  []any
	}{
		"syntax":          {"SELEC 1", nil},
		"two statements":  {"SELECT 1; SELECT 2", nil},
		"no such table":   {"SELECT * FROM nowhere", nil},
		"no such column":  {"SELECT nothing FROM user", nil},
		"no such schema":  {"SELECT * FROM other.user", nil},
		"missing":         {"SELECT ?, ?", []any{1}},
		"too many":        {"SELECT ?", []any{1, 2}},
		"unknown type":    {"SELECT ?", []any{struct{}{}}},
		"too many rows":   {"SELECT id FROM user", nil},
		"unknown integer": {"SELECT 18446744073709551615", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tryQuery(b, c.query, c.args...)
			require.Error(t, err)
		})
	}
	require.Equal(t, []string{"1"}, query(t, b, "SELECT 1"), "and the next statement is answered")
}

// Nothing but a query is run: no write, no setting, no file (T07).
func TestOnlyQueriesAreRun(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.txt")
	require.NoError(t, os.WriteFile(secret, []byte("hidden"), 0o600))
	b := backend(t, odd(t), Options{})
	before := query(t, b, "SELECT COUNT(*) FROM user")
	for _, text := range []string{
		"INSERT INTO `user` (id) VALUES ('x')", "UPDATE `user` SET i = 1", "DELETE FROM `user`", "REPLACE INTO `user` (id) VALUES ('x')",
		"TRUNCATE TABLE `user`", "DROP TABLE `user`", "CREATE TABLE x (id INT)", "CREATE VIEW v AS SELECT 1", "CREATE DATABASE x",
		"ALTER TABLE `user` ADD COLUMN z INT", "SET GLOBAL secure_file_priv = ''", "SET @a = 1", "USE crm", "CALL p()", "PREPARE s FROM 'SELECT 1'",
		"LOAD DATA INFILE '" + secret + "' INTO TABLE `user`", "SHOW TABLES", "BEGIN", "KILL 1", "LOCK TABLES `user` READ", "GRANT ALL ON *.* TO x",
		"SELECT 1 INTO OUTFILE '" + dir + "/out'", "SELECT 1 INTO DUMPFILE '" + dir + "/out'", "SELECT 1 INTO @a",
		"SELECT 1 UNION SELECT 2 INTO OUTFILE '" + dir + "/out'", "(SELECT 1 INTO OUTFILE '" + dir + "/out')",
		"SELECT * FROM (SELECT 1 INTO OUTFILE '" + dir + "/out') x", "WITH w AS (SELECT 1 INTO OUTFILE '" + dir + "/out') SELECT * FROM w",
		"EXPLAIN DELETE FROM `user`",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := tryQuery(b, text)
			require.Error(t, err)
			require.NoFileExists(t, filepath.Join(dir, "out"))
		})
	}
	for text, shut := range map[string]string{
		"SELECT LOAD_FILE(?)":                                        "NULL",
		"SELECT (SELECT LOAD_FILE(?))":                               "NULL",
		"SELECT COUNT(*) FROM `user` WHERE LOAD_FILE(?) IS NOT NULL": "0",
	} {
		if rows, err := tryQuery(b, text, secret); err == nil {
			require.Equal(t, []string{shut}, rows)
		}
	}
	require.Equal(t, before, query(t, b, "SELECT COUNT(*) FROM user"))
}

// wide is a graph in which a cross join keeps the engine busy for minutes.
func wide(t testing.TB, nodes, links int) *memory.Graph {
	t.Helper()
	s, err := schema.Parse("wide.yaml", []byte(`
format: trellis.schema.v1
nodes:
  person: {key: id, properties: {id: int64, name: {type: string, index: true}, age: {type: int32}}}
relationships:
  KNOWS: {from: person, to: person, table: knows, from_column: src, to_column: dst, properties: {since: date}}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i := range nodes {
		b.Node("person", memory.Values{"id": i, "name": fmt.Sprint("n", i%100), "age": i % 50})
		for j := range links {
			b.Relationship("KNOWS", graph.ID("person", i), graph.ID("person", (i*31+j*j*7+j+1)%nodes), nil)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

const endless = "SELECT COUNT(*) FROM person a JOIN person b ON a.age < b.age JOIN person c ON b.age < c.age"

func TestDeadlinesAreKept(t *testing.T) {
	b := backend(t, wide(t, 3000, 0), Options{})
	for name, text := range map[string]string{
		"an endless join": endless,
		"without rows":    "SELECT SLEEP(2)",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := b.run(ctx, text, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Less(t, time.Since(start), 350*time.Millisecond)
		})
	}
	require.Eventually(t, func() bool { return b.abandoned.Load() == 0 }, 10*time.Second, 10*time.Millisecond)
}

func TestCanceledBeforeItBegins(t *testing.T) {
	b := backend(t, wide(t, 1, 0), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := b.Begin(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = conn{b}.Query(ctx, "SELECT 1", nil)
	require.ErrorIs(t, err, context.Canceled)
}

// A statement that the engine cannot stop is left behind, and only so many of
// them are.
func TestAbandonedStatementsAreBounded(t *testing.T) {
	b := backend(t, wide(t, 1, 0), Options{MaxAbandoned: 2})
	table := b.engine.table("person")
	release := make(chan struct{})
	table.segments[0].columns[0] = func(uint32) any { <-release; return int64(0) }
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err := b.run(ctx, "SELECT id FROM person", nil)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	_, err := b.run(context.Background(), "SELECT 1", nil)
	require.ErrorIs(t, err, ErrBusy)
	require.ErrorIs(t, err, graph.Overloaded)
	close(release)
	require.Eventually(t, func() bool { return b.abandoned.Load() == 0 }, 5*time.Second, time.Millisecond)
	require.Equal(t, []string{"0"}, query(t, b, "SELECT id FROM person"))
}

func TestPanicsAreErrors(t *testing.T) {
	b := backend(t, wide(t, 2, 0), Options{})
	table := b.engine.table("person")
	read := table.segments[0].columns[0]
	table.segments[0].columns[0] = func(uint32) any { panic("broken") }
	_, err := tryQuery(b, "SELECT id FROM person")
	require.ErrorContains(t, err, "broken")
	table.segments[0].columns[0] = read
	require.Equal(t, []string{"2"}, query(t, b, "SELECT COUNT(*) FROM person"))
}

// table finds a table of the default database.
func (e *engine) table(name string) *table {
	db, _ := e.sqle.Analyzer.Catalog.DbProvider.Database(sql.NewEmptyContext(), defaultDatabase)
	t, _, _ := db.GetTableInsensitive(sql.NewEmptyContext(), name)
	found, _ := t.(*table)
	return found
}

func TestManyAtOnce(t *testing.T) {
	b := backend(t, wide(t, 500, 4), Options{})
	var wait sync.WaitGroup
	errs := make(chan error, 64)
	for i := range 8 {
		wait.Go(func() {
			for j := range 25 {
				id := int64((i*25 + j) % 500)
				got, err := tryQuery(b, "SELECT /*+ JOIN_ORDER(r,t) LOOKUP_JOIN(r,t) */ t.id FROM knows r JOIN person t ON t.id = r.dst WHERE r.src = ? AND t.age >= ? ORDER BY t.id LIMIT ?", id, 0, 2)
				if err == nil && len(got) != 2 {
					err = fmt.Errorf("%d: %v", id, got)
				}
				if err != nil {
					errs <- err
				}
			}
		})
	}
	wait.Wait()
	close(errs)
	require.NoError(t, errors.Join(drain(errs)...))
}

func drain(errs <-chan error) (out []error) {
	for err := range errs {
		out = append(out, err)
	}
	return out
}

func TestNoGoroutineIsLeft(t *testing.T) {
	g := wide(t, 2000, 2)
	runtime.GC()
	before := runtime.NumGoroutine()
	b, err := NewBackend(g, Options{})
	require.NoError(t, err)
	for range 5 {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		_, err := b.run(ctx, endless, nil)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = b.run(context.Background(), "SELECT COUNT(*) FROM person", nil)
		require.NoError(t, err)
	}
	require.NoError(t, b.Close())
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}
