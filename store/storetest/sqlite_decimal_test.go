package storetest_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/storetest"
)

// SQLite has no decimals, so that theirs is compared with big.Rat's arithmetic,
// for every number of pieces that they are summed in.
func TestSQLiteDecimals(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, scale := range []int{0, 1, 2, 11, 12, 22, 23, 30} {
		s, err := schema.Parse("decimals.yaml", fmt.Appendf(nil, `{format: trellis.schema.v1, nodes: {sum: {table: amount, key: id, properties: {id: int64, d: {type: decimal, scale: %d}}}}}`, scale))
		require.NoError(t, err)
		db := open(t, "sqlite", ":memory:")
		db.SetMaxOpenConns(1)
		exec(t, db, "CREATE TABLE amount (id INTEGER PRIMARY KEY, d TEXT)")
		var values []*big.Rat
		for i := range 60 {
			digits := make([]byte, 1+random.IntN(min(33, 38-scale)))
			for j := range digits {
				digits[j] = byte('0' + random.IntN(10))
			}
			fraction := make([]byte, scale)
			for j := range fraction {
				fraction[j] = "0009"[random.IntN(4)]
			}
			v, ok := new(big.Rat).SetString([]string{"", "-"}[random.IntN(2)] + string(digits) + "." + string(fraction) + "0")
			require.True(t, ok)
			values = append(values, v)
			exec(t, db, fmt.Sprintf("INSERT INTO amount VALUES (%d, '%s')", i, v.FloatString(scale)))
		}
		c := storetest.NewCaller(s, store.SQL(db, compile.SQLite()), graph.Limits{Rows: 1000})
		call := func(tool, args string) *graph.Result {
			r, err := c.Call(tool, []byte(args))
			require.NoError(t, err, args)
			return r
		}
		total := new(big.Rat)
		for _, v := range values {
			total.Add(total, v)
		}
		r := call(graph.ToolAggregate, `{"node_label": "sum", "aggregations": [{"function": "sum", "property": "d"}, {"function": "min", "property": "d"}, {"function": "max", "property": "d"}]}`)
		compare := func(a, b *big.Rat) int { return a.Cmp(b) }
		require.Equal(t, fmt.Sprint([]string{total.FloatString(scale), slices.MinFunc(values, compare).FloatString(scale), slices.MaxFunc(values, compare).FloatString(scale)}),
			"["+strings.ReplaceAll(r.Rows[0][0].Text()+" "+r.Rows[0][1].Text()+" "+r.Rows[0][2].Text(), `"`, "")+"]", "scale %d", scale)
		r = call(graph.ToolAggregate, fmt.Sprintf(`{"node_label": "sum", "aggregations": [{"function": "sum", "property": "d"}], "having": [{"as": "sum_d", "op": "gte", "value": %q}]}`, total.FloatString(scale)))
		require.Len(t, r.Rows, 1, "scale %d", scale)

		sorted := slices.Clone(values)
		slices.SortFunc(sorted, compare)
		var got []string
		for _, n := range call(graph.ToolFindNodes, `{"node_label": "sum", "order_by": [{"property": "d"}], "limit": 1000}`).Nodes {
			got = append(got, n.Value("d").Text())
		}
		var want []string
		for _, v := range sorted {
			want = append(want, v.FloatString(scale))
		}
		require.Equal(t, want, got, "scale %d", scale)

		// Bounds that are stored, and bounds between any two that could be.
		for _, v := range values[:20] {
			for _, bound := range []*big.Rat{v, new(big.Rat).Add(v, big.NewRat(1, 7)), new(big.Rat).Sub(v, big.NewRat(1, 7))} {
				text := bound.FloatString(min(30, scale+3))
				bound.SetString(text)
				less := 0
				for _, v := range values {
					if v.Cmp(bound) < 0 {
						less++
					}
				}
				r := call(graph.ToolFindNodes, fmt.Sprintf(`{"node_label": "sum", "filters": {"d": {"lt": %q}}, "limit": 1000}`, text))
				require.Equal(t, less, r.Returned, "scale %d, below %s", scale, text)
			}
		}
	}
}
