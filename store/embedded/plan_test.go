package embedded

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Statements of the shapes that the compiler emits are answered by lookups:
// the engine ignores a hint that it does not like, and says nothing.
func TestJoinsAreLookups(t *testing.T) {
	b := backend(t, wide(t, 2000, 5), Options{})
	const hop2 = "FROM knows r1 JOIN knows r2 ON r2.src = r1.dst WHERE r1.src = ? AND r2.dst <> r1.src"
	for _, c := range []struct {
		name, query string
		args        []any
		lookups     int
		tables      []string
	}{
		{"a key", "SELECT name FROM person WHERE id = ?", []any{7}, 0, []string{"[person.id]"}},
		{"one hop", "SELECT /*+ JOIN_ORDER(r,t) LOOKUP_JOIN(r,t) */ t.id, r.since FROM knows r JOIN person t ON t.id = r.dst WHERE r.src = ? ORDER BY t.id LIMIT ?", []any{7, 31}, 1, []string{"[knows.src,knows.dst]", "[person.id]"}},
		{"one hop back", "SELECT /*+ JOIN_ORDER(r,t) LOOKUP_JOIN(r,t) */ t.id FROM knows r JOIN person t ON t.id = r.src WHERE r.dst = ? ORDER BY t.id", []any{7}, 1, []string{"[knows.dst,knows.src]", "[person.id]"}},
		{"from a filter", "SELECT /*+ JOIN_ORDER(s,r) LOOKUP_JOIN(s,r) */ r.dst FROM person s JOIN knows r ON r.src = s.id WHERE s.name = ? ORDER BY r.dst", []any{"n7"}, 1, []string{"[person.name]", "[knows.src,knows.dst]"}},
		{"distinct targets of two hops", "SELECT /*+ JOIN_ORDER(w,t) LOOKUP_JOIN(w,t) */ t.id FROM (SELECT /*+ JOIN_ORDER(r1,r2) LOOKUP_JOIN(r1,r2) */ DISTINCT r2.dst AS k " + hop2 + ") w JOIN person t ON t.id = w.k WHERE t.age > ? ORDER BY t.id LIMIT ?", []any{7, 3, 31}, 2, []string{"[knows.src,knows.dst]", "[person.id]"}},
		{"a union of hops", "SELECT k, MIN(d) FROM (SELECT r1.dst AS k, 1 AS d FROM knows r1 WHERE r1.src = ? UNION ALL SELECT /*+ JOIN_ORDER(r1,r2) LOOKUP_JOIN(r1,r2) */ r2.dst, 2 " + hop2 + ") u GROUP BY k ORDER BY 2, 1 LIMIT ?", []any{7, 7, 31}, 1, []string{"[knows.src,knows.dst]"}},
		{"a list as JSON", "SELECT /*+ JOIN_ORDER(j,t) LOOKUP_JOIN(j,t) */ t.id FROM JSON_TABLE(?, '$[*]' COLUMNS(k BIGINT PATH '$')) AS j JOIN person t ON t.id = j.k ORDER BY t.id", []any{`["3","5"]`}, 1, []string{"[person.id]"}},
		{"neighbours of candidates", "SELECT /*+ JOIN_ORDER(s,r,x) LOOKUP_JOIN(s,r) LOOKUP_JOIN(r,x) */ s.id FROM person s JOIN knows r ON r.src = s.id JOIN person x ON x.id = r.dst WHERE s.name = ? AND x.age < ? GROUP BY s.id HAVING COUNT(DISTINCT x.id) >= ?", []any{"n7", 40, 1}, 2, []string{"[person.name]", "[knows.src,knows.dst]", "[person.id]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := b.Plan(context.Background(), c.query, c.args)
			require.NoError(t, err)
			require.Equal(t, c.lookups, strings.Count(plan, "LookupJoin"), plan)
			require.NotContains(t, plan, "HashJoin", plan)
			require.NotContains(t, plan, "MergeJoin", plan)
			require.NotContains(t, plan, "InnerJoin", plan)
			for _, index := range c.tables {
				require.Contains(t, plan, index, plan)
			}
			require.NotEmpty(t, query(t, b, c.query, c.args...))
		})
	}
}

func BenchmarkPointQuery(b *testing.B) {
	benchmark(b, "SELECT t.id, t.name FROM person t WHERE t.id = ?", int64(7))
}

func BenchmarkOneHop(b *testing.B) {
	benchmark(b, "SELECT /*+ JOIN_ORDER(r,t) LOOKUP_JOIN(r,t) */ t.id, r.since FROM knows r JOIN person t ON t.id = r.dst WHERE r.src = ? ORDER BY t.id LIMIT ?", int64(7), int64(31))
}

func benchmark(b *testing.B, text string, args ...any) {
	back := backend(b, wide(b, 20000, 5), Options{})
	ctx := context.Background()
	for b.Loop() {
		if _, err := back.run(ctx, text, args); err != nil {
			b.Fatal(err)
		}
	}
}
