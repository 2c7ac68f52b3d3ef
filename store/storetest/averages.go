package storetest

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// averaged are the properties whose averages are compared: integers, and
// decimals of several scales.
const averaged = `format: trellis.schema.v1
nodes:
  item: {key: id, properties: {id: int64, part: int32, n: int64, i: int32,
    d0: {type: decimal, scale: 0}, d2: {type: decimal, scale: 2}, d6: {type: decimal, scale: 6}, d9: {type: decimal, scale: 9}, d20: {type: decimal, scale: 20}}}
relationships: {}
`

// parts is how many groups there are: fewer than an answer may have.
const parts = 400

// Averages compares the averages and sums of integers and decimals with the
// Reference's, to the last bit: of short numbers and long ones, of such as lie half
// way between two floats, and of such as come back as conditions.
func Averages(t *testing.T, open Opener, seed uint64) {
	s, err := schema.Parse("schema.yaml", []byte(averaged))
	require.NoError(t, err)
	label, _ := s.Label("item")
	d := newDice(seed, 8)
	b := memory.NewBuilder(s)
	id := 0
	for part := range parts {
		count := []int{1, 2, 2, 3, 4, 5, 7, 8}[d.IntN(8)]
		bases := map[string]*big.Int{}
		for range count {
			id++
			values := memory.Values{"id": graph.Int(int64(id)), "part": graph.Int(int64(part))}
			for _, p := range label.Properties[2:] {
				if bases[p.Name] == nil {
					bases[p.Name] = d.units(p)
				}
				values[p.Name] = inUnits(p, d.near(p, bases[p.Name]))
			}
			b.Node("item", values)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	limits := graph.Limits{Rows: parts, Groups: parts}
	st := open(t, g)
	defer func() { require.NoError(t, st.Close()) }()
	caller, ref := NewCaller(s, st, limits), NewReference(g, limits)
	for _, p := range label.Properties[2:] {
		average := graph.Aggregation{Function: graph.Avg, Property: p.Name}
		ask := func(change func(*graph.Aggregate)) {
			q := &graph.Aggregate{NodePattern: graph.NodePattern{Label: "item"}, Aggregations: []graph.Aggregation{average}, Limit: parts,
				GroupBy: []graph.GroupKey{{Property: "part"}}}
			change(q)
			a := Asked{Query: q}
			if v := judge(caller, ref, a, ""); v.wrong() {
				t.Errorf("%s\n%s", Arguments(q), diff(v.want, v.got))
			}
		}
		ask(func(*graph.Aggregate) {})
		ask(func(q *graph.Aggregate) { q.GroupBy = nil })
		ask(func(q *graph.Aggregate) { q.Filter = graph.Compare{Property: "id", Op: graph.Lt, Value: graph.Int(0)} })
		ask(func(q *graph.Aggregate) {
			q.OrderBy = []graph.ColumnOrder{{As: "avg_" + p.Name, Direction: graph.Desc}}
		})
		if p.Type == schema.Decimal {
			ask(func(q *graph.Aggregate) { q.Aggregations[0].Function = graph.Sum })
		}
		all, err := ref.Answer(Asked{Query: &graph.Aggregate{NodePattern: graph.NodePattern{Label: "item"}, Aggregations: []graph.Aggregation{average},
			Limit: parts, GroupBy: []graph.GroupKey{{Property: "part"}}}})
		require.NoError(t, err)
		for range 10 {
			row := pickOne(d, all.Rows)
			op := pickOne(d, []graph.Op{graph.Eq, graph.Lt, graph.Gte})
			ask(func(q *graph.Aggregate) {
				q.Having = []graph.Having{{As: "avg_" + p.Name, Op: op, Value: row[1]}}
			})
		}
	}
}

// units is a random number in units of a property's last digit, of any length.
func (d dice) units(p *schema.Property) *big.Int {
	bits := 1 + d.IntN(62)
	switch {
	case p.Type == schema.Int32:
		bits = 1 + d.IntN(30)
	case p.Type == schema.Decimal:
		bits = 1 + d.IntN(80)
	}
	n := new(big.Int)
	for range bits {
		n.Lsh(n, 1).Or(n, big.NewInt(int64(d.IntN(2))))
	}
	if d.chance(40) {
		n.Neg(n)
	}
	return n
}

// near is a number close by, now and then one far away.
func (d dice) near(p *schema.Property, n *big.Int) *big.Int {
	if d.chance(10) {
		return d.units(p)
	}
	n = new(big.Int).Add(n, big.NewInt(int64(d.IntN(5)-2)))
	if p.Type == schema.Int64 && d.chance(3) {
		return big.NewInt(pickOne(d, []int64{math.MinInt64, math.MaxInt64}))
	}
	return n
}

// inUnits is a property's value of so many units.
func inUnits(p *schema.Property, n *big.Int) graph.Value {
	if p.Type != schema.Decimal {
		return graph.Int(n.Int64())
	}
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
	}
	digits := fmt.Sprintf("%0*s", p.Scale+1, new(big.Int).Abs(n))
	return graph.Decimal(strings.TrimSuffix(sign+digits[:len(digits)-p.Scale]+"."+digits[len(digits)-p.Scale:], "."))
}
