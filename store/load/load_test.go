package load_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
)

// A server is a database that tests may write into.
type server struct {
	db    *sql.DB
	quote string
	bind  func(n int) string
}

// servers returns the databases that the environment names, by name:
// TRELLIS_TEST_MARIADB and TRELLIS_TEST_POSTGRES hold what the drivers take.
func servers(t *testing.T) map[string]server {
	t.Helper()
	out := map[string]server{}
	for _, s := range []struct {
		name, env, driver, quote string
		bind                     func(int) string
	}{
		{"mariadb", "TRELLIS_TEST_MARIADB", "mysql", "`", func(int) string { return "?" }},
		{"postgres", "TRELLIS_TEST_POSTGRES", "pgx", `"`, func(n int) string { return fmt.Sprintf("$%d", n) }},
	} {
		dsn := os.Getenv(s.env)
		if dsn == "" {
			continue
		}
		db, err := sql.Open(s.driver, dsn)
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		out[s.name] = server{db, s.quote, s.bind}
	}
	if len(out) == 0 {
		t.Skip("skipped: needs TRELLIS_TEST_MARIADB or TRELLIS_TEST_POSTGRES")
	}
	return out
}

// asUser opens the same database as somebody else.
func asUser(t *testing.T, name, user, password string) *sql.DB {
	driver, dsn := "mysql", ""
	if name == "postgres" {
		u, err := url.Parse(os.Getenv("TRELLIS_TEST_POSTGRES"))
		require.NoError(t, err)
		u.User = url.UserPassword(user, password)
		driver, dsn = "pgx", u.String()
	} else {
		c, err := mysql.ParseDSN(os.Getenv("TRELLIS_TEST_MARIADB"))
		require.NoError(t, err)
		c.User, c.Passwd = user, password
		dsn = c.FormatDSN()
	}
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func (s server) name(n string) string {
	return s.quote + strings.ReplaceAll(n, s.quote, s.quote+s.quote) + s.quote
}

func (s server) table(t schema.Table) string {
	if t.Schema == "" {
		return s.name(t.Name)
	}
	return s.name(t.Schema) + "." + s.name(t.Name)
}

// drop removes the tables of a schema, which may have foreign keys to each other.
func (s server) drop(t *testing.T, g *memory.Graph) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := s.db.Conn(ctx)
	require.NoError(t, err)
	defer conn.Close()
	statements, end := []string{"SET foreign_key_checks = 0"}, ""
	if s.quote == `"` {
		statements, end = nil, " CASCADE"
	}
	for l := range g.Schema().Labels() {
		statements = append(statements, "DROP TABLE IF EXISTS "+s.table(l.Table)+end)
	}
	for typ := range g.Schema().Relationships() {
		for _, p := range typ.Pairs {
			statements = append(statements, "DROP TABLE IF EXISTS "+s.table(p.Table)+end)
		}
	}
	if end == "" {
		statements = append(statements, "SET foreign_key_checks = 1")
	}
	for _, text := range statements {
		_, err := conn.ExecContext(ctx, text)
		require.NoError(t, err, text)
	}
}

func (s server) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	_, err := s.db.Exec(statement, args...)
	require.NoError(t, err, statement)
}

// rows reads columns of the rows of a table that fulfil a match, each value in
// the form that the graph shows it.
func (s server) rows(t *testing.T, table schema.Table, match []schema.Match, columns []string, props []*schema.Property, notNull []string) map[string]int {
	t.Helper()
	var list, where []string
	var args []any
	for _, c := range columns {
		list = append(list, s.name(c))
	}
	for _, m := range match {
		args = append(args, m.Value)
		where = append(where, s.name(m.Column)+" = "+s.bind(len(args)))
	}
	for _, c := range notNull {
		where = append(where, s.name(c)+" IS NOT NULL")
	}
	query := "SELECT " + strings.Join(list, ", ") + " FROM " + s.table(table)
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	rows, err := s.db.Query(query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		values := make([]any, len(columns))
		at := make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		require.NoError(t, rows.Scan(at...))
		var line []string
		for i, v := range values {
			line = append(line, shown(t, props[i], v))
		}
		out[strings.Join(line, " | ")]++
	}
	require.NoError(t, rows.Err())
	return out
}

// shown writes what a driver returns as the graph shows it.
func shown(t *testing.T, p *schema.Property, v any) string {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	switch text := fmt.Sprint(v); {
	case v == nil:
		return "null"
	case p.Type == schema.Bool:
		return map[string]string{"0": "false", "1": "true", "true": "true", "false": "false"}[text]
	case p.Type == schema.Enum && p.Values[0].IsInt:
		for _, e := range p.Values {
			if fmt.Sprint(e.Int) == text {
				return graph.String(e.Name).String()
			}
		}
		return "an unknown value " + text
	case p.Type == schema.Date || p.Type == schema.DateTime:
		at, ok := v.(time.Time)
		if !ok {
			var err error
			layout := "2006-01-02 15:04:05.999999"
			at, err = time.Parse(layout[:min(len(layout), max(10, len(text)))], text)
			require.NoError(t, err)
		}
		if p.Type == schema.Date {
			return graph.Date(at).String()
		}
		return graph.DateTime(at).String()
	case p.Type == schema.Float:
		var f float64
		require.NoError(t, json.Unmarshal([]byte(text), &f))
		return graph.Float(f).String()
	case p.Type == schema.JSON:
		return canonical(t, text)
	case p.Type == schema.Int32 || p.Type == schema.Int64:
		return text
	default:
		return graph.String(text).String()
	}
}

func canonical(t *testing.T, text string) string {
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func want(t *testing.T, p *schema.Property, v graph.Value) string {
	if v.Kind() == graph.KindJSON {
		return canonical(t, v.Text())
	}
	return v.String()
}

// compare checks that the tables say what the graph does, going by nothing but
// what the schema promises of a label's and of a pair's rows.
func compare(t *testing.T, s server, g *memory.Graph) {
	t.Helper()
	for l := range g.Schema().Labels() {
		var columns []string
		for _, p := range l.Properties {
			columns = append(columns, p.Column)
		}
		expected := map[string]int{}
		for row := range uint32(g.NodeCount(l)) {
			var line []string
			for _, p := range l.Properties {
				line = append(line, want(t, p, g.Value(l, row, p)))
			}
			expected[strings.Join(line, " | ")]++
		}
		require.Equal(t, expected, s.rows(t, l.Table, l.Match, columns, l.Properties, nil), l.Name)
	}
	for typ := range g.Schema().Relationships() {
		for _, p := range typ.Pairs {
			columns := append(append([]string{}, p.FromColumns...), p.ToColumns...)
			notNull := columns
			props := append(append([]*schema.Property{}, p.From.Key...), p.To.Key...)
			for _, prop := range p.Properties {
				columns, props = append(columns, prop.Column), append(props, prop)
			}
			expected := map[string]int{}
			for rel := range uint32(g.RelCount(p)) {
				var line []string
				from, to := g.Ends(p, rel)
				for _, k := range p.From.Key {
					line = append(line, want(t, k, g.Value(p.From, from, k)))
				}
				for _, k := range p.To.Key {
					line = append(line, want(t, k, g.Value(p.To, to, k)))
				}
				for _, prop := range p.Properties {
					line = append(line, want(t, prop, g.RelValue(p, rel, prop)))
				}
				expected[strings.Join(line, " | ")]++
			}
			require.Equal(t, expected, s.rows(t, p.Table, p.Match, columns, props, notNull), "%s from %s to %s", typ.Name, p.From.Name, p.To.Name)
		}
	}
}

func build(t *testing.T, text string, fill func(b *memory.Builder)) *memory.Graph {
	t.Helper()
	s, err := schema.Parse("schema.yaml", []byte(text))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	fill(b)
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// roundTrip loads a graph twice, over its own tables the second time.
func roundTrip(t *testing.T, g *memory.Graph) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			s.drop(t, g)
			t.Cleanup(func() { s.drop(t, g) })
			require.NoError(t, load.Load(context.Background(), s.db, g, load.Options{}))
			compare(t, s, g)
			readBack(t, s.db, g)
			compare(t, s, g)
		})
	}
}

func TestEveryMapping(t *testing.T) {
	g := build(t, `
format: trellis.schema.v1
nodes:
  user: {table: lt_user, key: id, properties: {id: int32, name: {type: string, nullable: false, index: true}}}
  issue: {table: lt_issue, key: id, properties: {id: int64, author: {type: int32, column: author_id}}}
  change: {table: lt_change, key: id, properties: {id: int32}}
  note: {table: {schema: lt_other, name: note}, key: id, properties: {id: int64}}
  cat: {table: lt_animal, match: {kind: cat}, key: id, properties: {id: int64, lives: int32}}
  dog: {table: lt_animal, match: {kind: dog}, key: id, properties: {id: int64, tricks: {type: string, nullable: false}}}
  place: {table: lt_place, key: [area, no], properties: {area: string, no: int32}}
relationships:
  AUTHORED: {from: user, to: issue, foreign_key: {side: to, column: author_id}}
  BLOCKS: {from: issue, to: issue, foreign_key: blocked_id, properties: {since: date}}
  NOTED: {from: note, to: {type_column: noteable_type, id_column: noteable_id, values: {Issue: issue, Change: change}}}
  LIKES: {pairs: [
    {from: user, to: cat, table: lt_edges, match: {kind: LIKES, target: cat}, from_column: source_id, to_column: target_id, properties: {much: int32}},
    {from: user, to: dog, table: lt_edges, match: {kind: LIKES, target: dog}, from_column: source_id, to_column: target_id}]}
  OWNS: {pairs: [{from: user, to: cat, table: lt_edges, match: {kind: OWNS, target: cat}, from_column: source_id, to_column: target_id}]}
  PAID: {from: user, to: user, table: lt_paid, key: no, properties: {no: int64, amount: {type: decimal, scale: 2}}}
  IN: {from: user, to: place, foreign_key: [area, place_no]}
  NEXT: {from: place, to: place, table: {schema: lt_other, name: next}, from_column: [a1, n1], to_column: [a2, n2], properties: {km: float}}
`, func(b *memory.Builder) {
		for i := range 50 {
			b.Node("user", memory.Values{"id": i, "name": fmt.Sprint("user ", i%7)})
			author := any(nil)
			if i%3 > 0 {
				author = i % 10
				b.Relationship("AUTHORED", graph.ID("user", i%10), graph.ID("issue", 1<<40+i), nil)
			}
			b.Node("issue", memory.Values{"id": 1<<40 + i, "author": author})
			b.Node("change", memory.Values{"id": i})
			b.Node("note", memory.Values{"id": i})
			b.Node("cat", memory.Values{"id": i, "lives": i % 9})
			b.Node("dog", memory.Values{"id": i, "tricks": strings.Repeat("x", i)})
			b.Node("place", memory.Values{"area": []string{"", "a", "A", "ä", "a ", "\U0001F642"}[i%6], "no": i})
			if i%4 == 0 {
				b.Relationship("BLOCKS", graph.ID("issue", 1<<40+i), graph.ID("issue", 1<<40+(i*7)%50), memory.Values{"since": time.Date(1+i, 2, 28, 0, 0, 0, 0, time.UTC)})
			}
			switch i % 3 {
			case 0:
				b.Relationship("NOTED", graph.ID("note", i), graph.ID("issue", 1<<40+i), nil)
			case 1:
				b.Relationship("NOTED", graph.ID("note", i), graph.ID("change", i), nil)
			}
			b.Relationship("LIKES", graph.ID("user", i), graph.ID("cat", (i*3)%50), memory.Values{"much": i})
			b.Relationship("LIKES", graph.ID("user", i), graph.ID("dog", (i*3)%50), nil)
			b.Relationship("OWNS", graph.ID("user", i), graph.ID("cat", (i*3)%50), nil)
			b.Relationship("PAID", graph.ID("user", 1), graph.ID("user", i%2), memory.Values{"no": i, "amount": fmt.Sprintf("-%d.5", i)})
			place := func(i int) graph.NodeID {
				i %= 50
				return graph.ID("place", []any{[]string{"", "a", "A", "ä", "a ", "\U0001F642"}[i%6], i})
			}
			b.Relationship("NEXT", place(i), place(i+1), memory.Values{"km": float64(i) / 3})
			if i%2 == 0 {
				b.Relationship("IN", graph.ID("user", i), place(i*11), nil)
			}
		}
	})
	roundTrip(t, g)
	for name, s := range servers(t) {
		if name == "mariadb" {
			s.exec(t, "DROP DATABASE IF EXISTS lt_other")
		} else {
			s.exec(t, "DROP SCHEMA IF EXISTS lt_other")
		}
	}
}

func TestEveryType(t *testing.T) {
	roundTrip(t, build(t, `
format: trellis.schema.v1
nodes:
  thing:
    table: lt_thing
    key: id
    properties:
      id: string
      small: int32
      big: {type: int64, index: true}
      real: float
      yes: bool
      text: {type: string, index: true}
      long: {type: string, index: true}
      label: {type: string, nullable: false}
      state: {type: enum, values: [open, shut], index: true}
      level: {type: enum, values: {10: low, 20: high}}
      day: date
      at: {type: datetime, index: true}
      uid: {type: uuid, index: true}
      price: {type: decimal, scale: 3, index: true}
      doc: json
`, func(b *memory.Builder) {
		texts := []string{"", " ", "a", "A", "a ", "a\t", "á", "a\u0301", "'; DROP TABLE lt_thing; --", `"{},\`, "`", "NULL", "null", "\\N", "\U0001F642", "\n\r\x01", "{\"a\"}"}
		for i, text := range texts {
			b.Node("thing", memory.Values{
				"id": text, "small": -1 << 31, "big": -1 << 63, "real": 1e-300 * float64(i), "yes": i%2 == 0, "text": text, "label": text,
				"long": strings.Repeat(text+"x", 9000), "state": "shut", "level": "high", "day": "0001-01-01", "at": "9999-12-31T23:59:59.999999Z",
				"uid": fmt.Sprintf("6ba7b810-9dad-11d1-80b4-0000000000%02d", i), "price": "-12345678901234567890123456789012345.678",
				"doc": map[string]any{text: []any{text, i, nil, true, 1.5}},
			})
		}
		b.Node("thing", memory.Values{"id": "nulls", "label": ""})
	}))
}

func TestHostileNamesAndLongKeys(t *testing.T) {
	g := build(t, "format: trellis.schema.v1\n"+`
nodes:
  a: {table: "lt_a`+"`"+`\"; DROP TABLE x; --", key: [x, y], properties: {x: {type: string, column: "select"}, y: {type: string, column: "a b`+"`"+`c\"d%s$1?"}, z: {type: string, column: "Z", index: true}}}
relationships:
  R: {from: a, to: a, table: "lt_r.s", from_column: ["from", "a.b"], to_column: ["to", "'"], key: k, properties: {k: {type: string, column: "key"}}}
`, func(b *memory.Builder) {
		for i := range 20 {
			x, y := strings.Repeat("é", 100*i), strings.Repeat("y", i)
			b.Node("a", memory.Values{"x": x, "y": y, "z": strings.Repeat("z", 300*i)})
			b.Relationship("R", graph.ID("a", []any{x, y}), graph.ID("a", []any{x, y}), memory.Values{"k": y})
		}
	})
	roundTrip(t, g)
}

func TestEmptyGraph(t *testing.T) {
	roundTrip(t, build(t, `
format: trellis.schema.v1
nodes: {a: {table: lt_a, key: id, properties: {id: string, b: json}}}
relationships: {R: {from: a, to: a, table: lt_r}}
`, func(*memory.Builder) {}))
}

func TestRefusedMappings(t *testing.T) {
	for want, text := range map[string]string{
		`load: the rows of label "b" in the shared table "t" cannot be told apart: it has no match`: `
nodes: {a: {table: t, key: id, properties: {id: int64}}, b: {table: t, key: id, properties: {id: int64}}}`,
		`load: column "c" of table "t" would be int64 and string`: `
nodes: {a: {table: t, match: {k: a}, key: id, properties: {id: int64, c: int64}}, b: {table: t, match: {k: b}, key: id, properties: {id: int64, c: string}}}`,
		`load: table "a" holds nodes and relationships, for R from a to a`: `
nodes: {a: {key: id, properties: {id: int64}}}
relationships: {R: {from: a, to: a, table: a}}`,
	} {
		s, err := schema.Parse("schema.yaml", []byte("format: trellis.schema.v1\n"+text))
		require.NoError(t, err, want)
		g, err := memory.NewBuilder(s).Build()
		require.NoError(t, err)
		require.EqualError(t, load.Load(context.Background(), nil, g, load.Options{Target: load.Postgres}), want)
	}
}

func TestFailureOnPostgresLeavesWhatWasThere(t *testing.T) {
	s, ok := servers(t)["postgres"]
	if !ok {
		t.Skip("skipped: needs TRELLIS_TEST_POSTGRES")
	}
	text := "format: trellis.schema.v1\nnodes: {a: {table: lt_a, key: id, properties: {id: int64}}, b: {table: lt_b, key: id, properties: {id: int64}}}\n"
	before := build(t, text, func(b *memory.Builder) { b.Node("a", memory.Values{"id": 1}) })
	t.Cleanup(func() { s.exec(t, "DROP VIEW IF EXISTS lt_v"); s.drop(t, before) })
	require.NoError(t, load.Load(context.Background(), s.db, before, load.Options{}))
	s.exec(t, "CREATE VIEW lt_v AS SELECT * FROM lt_b") // lt_b cannot be dropped
	after := build(t, text, func(b *memory.Builder) { b.Node("a", memory.Values{"id": 2}) })
	err := load.Load(context.Background(), s.db, after, load.Options{})
	require.EqualError(t, err, `load: making table lt_b: the view lt_v shows the one that is there`)
	compare(t, s, before)

	s.exec(t, "DROP VIEW lt_v")
	s.exec(t, "CREATE TABLE lt_other (b bigint REFERENCES lt_b)")
	t.Cleanup(func() { s.exec(t, "DROP TABLE IF EXISTS lt_other") })
	err = load.Load(context.Background(), s.db, after, load.Options{})
	require.EqualError(t, err, `load: making table lt_b: a foreign key of table lt_other leads to the one that is there`)
	compare(t, s, before)
	requireNothingBeside(t, s)
}

// TestSNB loads the graph directory that TRELLIS_SNB names and compares counts.
func TestSNB(t *testing.T) {
	dir := os.Getenv("TRELLIS_SNB")
	if dir == "" {
		t.Skip("skipped: needs TRELLIS_SNB")
	}
	g, err := memory.Open(context.Background(), dir, memory.Options{})
	require.NoError(t, err)
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { s.drop(t, g) })
			rows, start := map[string]int{}, time.Now()
			require.NoError(t, load.Load(context.Background(), s.db, g, load.Options{Progress: func(p load.Progress) {
				require.GreaterOrEqual(t, p.Rows, rows[p.Table])
				rows[p.Table] = p.Rows
				if p.Done {
					require.Equal(t, p.Total, p.Rows)
				}
			}}))
			t.Log(time.Since(start))
			nodes, relationships := 0, 0
			count := func(table schema.Table) (n int) {
				require.NoError(t, s.db.QueryRow("SELECT COUNT(*) FROM "+s.table(table)).Scan(&n))
				return n
			}
			for l := range g.Schema().Labels() {
				require.Equal(t, g.NodeCount(l), count(l.Table))
				nodes += g.NodeCount(l)
			}
			for typ := range g.Schema().Relationships() {
				for _, p := range typ.Pairs {
					require.Equal(t, g.RelCount(p), count(p.Table))
					relationships += g.RelCount(p)
				}
			}
			t.Log(nodes, "nodes", relationships, "relationships")
		})
	}
}
