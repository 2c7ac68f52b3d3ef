package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// fixture opens one of the graphs that every store is tested with.
func fixture(t testing.TB, name string) *memory.Graph {
	t.Helper()
	g, err := memory.Open(context.Background(), filepath.Join("..", "storetest", "testdata", "fixtures", name), memory.Options{})
	require.NoError(t, err)
	return g
}

func backend(t testing.TB, g *memory.Graph, o Options) *Backend {
	t.Helper()
	b, err := NewBackend(g, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// query returns the rows of a statement, each as text with | between values.
func query(t testing.TB, b *Backend, text string, args ...any) []string {
	t.Helper()
	out, err := tryQuery(b, text, args...)
	require.NoError(t, err, text)
	return out
}

func tryQuery(b *Backend, text string, args ...any) ([]string, error) {
	ctx := context.Background()
	s, err := b.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rows, err := s.Query(ctx, text, args)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return nil, err
		}
		out = append(out, line(values))
	}
	return out, rows.Err()
}

func line(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			parts[i] = "NULL"
		case time.Time:
			parts[i] = v.Format("2006-01-02T15:04:05.999999")
		default:
			parts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(parts, "|")
}

// oddities maps a graph in ways in which columns serve two purposes, and has an
// index on a property of every type that can have one.
const oddities = `
format: trellis.schema.v1
nodes:
  site:
    key: [tenant, code]
    table: {schema: crm, name: site}
    properties:
      tenant: string
      code: int32
      parent: {type: int32, column: parent_code}
  user:
    key: id
    properties:
      id: uuid
      i: {type: int32, index: true}
      l: {type: int64, index: true}
      f: {type: float, index: true}
      b: {type: bool, index: true}
      s: {type: string, index: true}
      e: {type: enum, values: [zeta, alpha, mid], index: true}
      n: {type: enum, values: {30: high, 10: low, 20: mid}, index: true}
      d: {type: date, index: true}
      t: {type: datetime, index: true}
      dec: {type: decimal, scale: 2, index: true}
      j: json
  small: {key: id, table: shared, match: {kind: small}, properties: {id: int32, v: {type: int32, column: v, index: true}}}
  large: {key: id, table: shared, match: {kind: large}, properties: {id: int64, v: {type: int64, column: v}}}
  texts: {key: id, properties: {id: string}}
  remark: {key: id, properties: {id: int64}}
relationships:
  BELOW: {from: site, to: site, foreign_key: [tenant, parent_code]}
  TWINNED: {from: site, to: site, from_column: [from_tenant, a], to_column: [to_tenant, b]}
  ABOUT: {from: remark, to: {type_column: about_type, id_column: about_id, values: {S: small, L: large, T: texts, U: user}}}
  KNOWS: {from: user, to: user, properties: {at: {type: datetime, index: true}, w: float}}
`

// odd is a graph of oddities with random values, many of them equal or null.
func odd(t testing.TB) *memory.Graph {
	t.Helper()
	s, err := schema.Parse("oddities.yaml", []byte(oddities))
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	maybe := func(v any) any {
		if r.IntN(5) == 0 {
			return nil
		}
		return v
	}
	b := memory.NewBuilder(s)
	for _, tenant := range []string{"a", "B", "a "} {
		for code := range 6 {
			var parent any
			if code > 0 {
				parent = code / 2
				b.Relationship("BELOW", graph.ID("site", []any{tenant, code}), graph.ID("site", []any{tenant, code / 2}), nil)
			}
			b.Node("site", memory.Values{"tenant": tenant, "code": code, "parent": parent})
			if code%2 == 0 {
				b.Relationship("TWINNED", graph.ID("site", []any{tenant, code}), graph.ID("site", []any{tenant, code / 2}), nil)
			}
		}
	}
	user := func(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012d", i*7919%997, i) }
	words := []string{"", " ", "a", "A", "á", "a ", "ab", "b", "%", "_", "日本", "'; DROP TABLE user; --"}
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		b.Node("user", memory.Values{
			"id": user(i), "i": maybe(r.IntN(9) - 4), "l": maybe(int64(1)<<53 + int64(r.IntN(5))), "f": maybe(float64(r.IntN(9)) / 4),
			"b": maybe(r.IntN(2) == 0), "s": maybe(words[r.IntN(len(words))]), "e": maybe([]string{"zeta", "alpha", "mid"}[r.IntN(3)]),
			"n": maybe([]string{"high", "low", "mid"}[r.IntN(3)]), "d": maybe(start.AddDate(-r.IntN(5)*400, 0, r.IntN(3))),
			"t": maybe(start.Add(time.Duration(r.IntN(6)) * time.Microsecond)), "dec": maybe(fmt.Sprintf("%d.%02d", r.IntN(3)-1, r.IntN(100))),
			"j": maybe(map[string]any{"x": i, "big": int64(9007199254740993)}),
		})
		for range 3 {
			if other := r.IntN(60); i%3 == other%3 && other > i {
				b.Relationship("KNOWS", graph.ID("user", user(i)), graph.ID("user", user(other)), memory.Values{"at": maybe(start.Add(time.Duration(r.IntN(3)) * time.Hour))})
				break
			}
		}
	}
	for i := range 12 {
		b.Node("small", memory.Values{"id": i, "v": maybe(i % 4)})
		b.Node("large", memory.Values{"id": i * 2, "v": maybe(i % 3)})
		b.Node("texts", memory.Values{"id": fmt.Sprint(i * 3)})
	}
	for i := range 24 {
		b.Node("remark", memory.Values{"id": i})
		switch i % 5 {
		case 0:
			b.Relationship("ABOUT", graph.ID("remark", i), graph.ID("small", i%12), nil)
		case 1:
			b.Relationship("ABOUT", graph.ID("remark", i), graph.ID("large", i%12*2), nil)
		case 2:
			b.Relationship("ABOUT", graph.ID("remark", i), graph.ID("texts", fmt.Sprint(i%12*3)), nil)
		case 3:
			b.Relationship("ABOUT", graph.ID("remark", i), graph.ID("user", user(i)), nil)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}
