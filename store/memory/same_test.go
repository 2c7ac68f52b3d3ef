package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

func has(set []uint64, row uint32) bool {
	return int(row>>6) < len(set) && set[row>>6]>>(row&63)&1 == 1
}

// list returns a copy that is not nil.
func list(rows []uint32) []uint32 { return append([]uint32{}, rows...) }

// livingRows returns a label's rows in key order, as a reader finds them.
func livingRows(g *memory.Graph, l *schema.Label) []uint32 {
	first, end, late := g.KeyRange(l, nil, nil)
	var out []uint32
	for row := first; row < end; row++ {
		if !has(g.Dead(l), row) {
			out = append(out, row)
		}
	}
	out = append(out, late...)
	slices.SortFunc(out, func(a, b uint32) int { return g.CompareRows(l, a, b) })
	return out
}

// requireSame compares a snapshot with a dense graph through everything that
// readers may ask.
func requireSame(t *testing.T, want, got *memory.Graph) {
	t.Helper()
	rows := map[*schema.Label][]uint32{} // of want, by row of got
	for l := range want.Schema().Labels() {
		living := livingRows(got, l)
		require.Equal(t, want.NodeCount(l), got.NodeCount(l))
		require.Len(t, living, got.NodeCount(l))
		require.Equal(t, list(got.Late(l)), slices.DeleteFunc(list(living), func(row uint32) bool { return row < got.Ordered(l) }), "late")
		rows[l] = make([]uint32, got.RowCount(l))
		for i, row := range living {
			rows[l][row] = uint32(i)
		}
		for _, p := range l.Properties {
			requireColumn(t, want.Column(l, p), got.Column(l, p), int(got.RowCount(l)), func(yield func(a, b uint32)) {
				for i, row := range living {
					yield(uint32(i), row)
				}
			})
			if p.Index {
				requireIndex(t, want, got, l, p, rows[l])
			}
		}
		requireKeys(t, want, got, l, rows[l], living)
	}
	for typ := range want.Schema().Relationships() {
		for _, p := range typ.Pairs {
			requirePair(t, want, got, p, rows[p.From], rows[p.To])
		}
	}
}

func requireColumn(t *testing.T, want, got memory.Column, rows int, each func(yield func(a, b uint32))) {
	t.Helper()
	require.Equal(t, rows, got.Len())
	v := got.Vector()
	each(func(a, b uint32) {
		null := want.IsNull(a)
		if null != got.IsNull(b) || null != has(v.Nulls, b) || !want.Value(a).Equal(got.Value(b)) ||
			!null && (want.Bytes(a) != got.Bytes(b) || v.Dict != nil && v.Dict[v.Codes[b]] != got.Bytes(b)) {
			t.Fatalf("row %d is %v, not %v", b, got.Value(b), want.Value(a))
		}
	})
	if v.Dict != nil && !v.Unsorted && want.Vector().Dict != nil {
		seen := map[string]bool{}
		for _, word := range v.Dict {
			require.False(t, seen[word], "a word twice")
			seen[word] = true
		}
	}
}

// bounds are none, and each value of a column closed and open.
func bounds(g *memory.Graph, l *schema.Label, p *schema.Property) []memory.Bound {
	out := []memory.Bound{{}}
	for row := range uint32(min(g.NodeCount(l), 6)) {
		if v := g.Value(l, row, p); !v.IsNull() {
			out = append(out, memory.Bound{Value: v}, memory.Bound{Value: v, Open: true})
		}
	}
	return out
}

func requireIndex(t *testing.T, want, got *memory.Graph, l *schema.Label, p *schema.Property, rows []uint32) {
	t.Helper()
	for _, lo := range bounds(want, l, p) {
		for _, hi := range bounds(want, l, p) {
			a, ok1 := want.RowRange(l, p, lo, hi)
			b, ok2 := got.RowRange(l, p, lo, hi)
			require.True(t, ok1 && ok2)
			require.Len(t, b, len(a))
			mapped := make([]uint32, len(b))
			for i, row := range b {
				mapped[i] = rows[row]
				if v := got.Value(l, row, p); !want.Value(l, a[i], p).Equal(v) || i > 0 && v.Equal(got.Value(l, b[i-1], p)) && b[i-1] >= row {
					t.Fatalf("row %d comes too late or too early", row)
				}
			}
			slices.Sort(mapped)
			is := list(a)
			slices.Sort(is)
			require.Equal(t, is, mapped, "%v %v", lo, hi)
		}
	}
}

func requireKeys(t *testing.T, want, got *memory.Graph, l *schema.Label, rows, living []uint32) {
	t.Helper()
	var keys [][]graph.Value
	for i, row := range living {
		var key []graph.Value
		for _, p := range l.Key {
			key = append(key, got.Value(l, row, p))
		}
		if found, ok := got.Find(l, key); !ok || found != row {
			t.Fatalf("the node of row %d is found in row %d, %t", row, found, ok)
		}
		if found, ok := want.Find(l, key); !ok || found != uint32(i) {
			t.Fatalf("the node of row %d is found in row %d, %t", i, found, ok)
		}
		keys = append(keys, key, key[:1])
	}
	for row := range got.RowCount(l) { // what is dead may be back, in another row
		var key []graph.Value
		for _, p := range l.Key {
			key = append(key, got.Value(l, row, p))
		}
		a, ok1 := want.Find(l, key)
		if b, ok2 := got.Find(l, key); ok1 != ok2 || ok1 && a != rows[b] {
			t.Fatalf("the node of %v is found in row %d, %t", key, b, ok2)
		}
	}
	keys = append(keys, nil)
	for i := 0; i < len(keys); i += 1 + len(keys)/8 {
		for j := 0; j < len(keys); j += 1 + len(keys)/7 {
			first, end, _ := want.KeyRange(l, keys[i], keys[j])
			from, to, late := got.KeyRange(l, keys[i], keys[j])
			all := []uint32{}
			for row := from; row < to; row++ {
				if !has(got.Dead(l), row) {
					all = append(all, rows[row])
				}
			}
			require.True(t, slices.IsSortedFunc(late, func(a, b uint32) int { return got.CompareRows(l, a, b) }))
			for _, row := range late {
				all = append(all, rows[row])
			}
			slices.Sort(all)
			is := []uint32{}
			for row := first; row < end; row++ {
				is = append(is, row)
			}
			require.Equal(t, is, all)
		}
	}
}

func requirePair(t *testing.T, want, got *memory.Graph, p *schema.Pair, fromRows, toRows []uint32) {
	t.Helper()
	require.Equal(t, want.RelCount(p), got.RelCount(p))
	for _, prop := range p.Properties {
		require.Equal(t, int(got.RelSpace(p)), got.RelColumn(p, prop).Len())
	}
	show := func(g *memory.Graph, end, rel uint32) string {
		text := fmt.Sprint(end)
		for _, prop := range p.Properties {
			text += " " + g.RelValue(p, rel, prop).String()
		}
		return text
	}
	direction := func(a, b memory.Adjacency, l *schema.Label, near, far []uint32) {
		total := 0
		degrees := b.Degrees(nil, 0, got.RowCount(l))
		require.True(t, slices.Equal(degrees[len(degrees)/3:], b.Degrees(nil, uint32(len(degrees)/3), got.RowCount(l))))
		for row := range got.RowCount(l) {
			in, first, end := b.Span(row)
			require.Equal(t, end-first, degrees[row])
			if has(got.Dead(l), row) {
				require.Equal(t, first, end, "a dead row has relationships")
				continue
			}
			var is, be []string
			for at := first; at < end; at++ {
				rel := in.Number(at)
				is = append(is, show(got, far[in.Ends[at]], rel))
				from, to := got.Ends(p, rel)
				if is := [2]uint32{from, to}; rel >= got.RelSpace(p) || is != [2]uint32{row, in.Ends[at]} && is != [2]uint32{in.Ends[at], row} {
					t.Fatalf("relationship %d stands between rows %v", rel, is)
				}
				if at > first {
					if in.Ends[at-1] > in.Ends[at] {
						t.Fatal("a list is out of order")
					}
					if p.Key != nil && in.Ends[at-1] == in.Ends[at] {
						x, y := got.RelValue(p, in.Number(at-1), p.Key), got.RelValue(p, rel, p.Key)
						if x.Kind() == graph.KindInt {
							require.Less(t, x.Int(), y.Int())
						} else {
							require.Less(t, x.Text(), y.Text())
						}
					}
				}
			}
			in, first, end = a.Span(near[row])
			for at := first; at < end; at++ {
				be = append(be, show(want, in.Ends[at], in.Number(at)))
			}
			slices.Sort(is)
			slices.Sort(be)
			require.Equal(t, be, is, "%s of %s row %d", p.Type.Name, l.Name, row)
			total += len(is)
		}
		require.Equal(t, got.RelCount(p), total)
	}
	direction(want.Outgoing(p), got.Outgoing(p), p.From, fromRows, toRows)
	direction(want.Incoming(p), got.Incoming(p), p.To, toRows, fromRows)
}

// requireIdentical compares two dense graphs, number by number.
func requireIdentical(t *testing.T, want, got *memory.Graph) {
	t.Helper()
	require.Equal(t, dump(want), dump(got))
	for typ := range want.Schema().Relationships() {
		for _, p := range typ.Pairs {
			for _, in := range [][2]memory.Adjacency{{want.Outgoing(p), got.Outgoing(p)}, {want.Incoming(p), got.Incoming(p)}} {
				require.Equal(t, in[0], in[1])
			}
		}
	}
	for l := range want.Schema().Labels() {
		require.Nil(t, got.Late(l))
		require.Nil(t, got.Dead(l))
		for _, p := range l.Properties {
			a, _ := want.RowRange(l, p, memory.Bound{}, memory.Bound{})
			b, _ := got.RowRange(l, p, memory.Bound{}, memory.Bound{})
			require.Equal(t, list(a), list(b))
			require.False(t, got.Column(l, p).Vector().Unsorted)
		}
	}
	require.Same(t, got, got.Dense())
}

// photograph writes down all that a snapshot holds, dead rows and all.
func photograph(g *memory.Graph) string {
	var b strings.Builder
	for l := range g.Schema().Labels() {
		fmt.Fprintln(&b, l.Name, g.NodeCount(l), g.RowCount(l), g.Ordered(l), g.Late(l), g.Dead(l))
		for _, p := range l.Properties {
			v := g.Column(l, p).Vector()
			fmt.Fprintln(&b, p.Name, v.Nulls, v.Small, v.Large, v.Set, v.Codes, v.Dict, v.Unsorted)
			for row := range g.RowCount(l) {
				fmt.Fprint(&b, " ", g.Value(l, row, p))
			}
			rows, _ := g.RowRange(l, p, memory.Bound{}, memory.Bound{})
			fmt.Fprintln(&b, rows)
		}
	}
	for typ := range g.Schema().Relationships() {
		for _, p := range typ.Pairs {
			fmt.Fprintln(&b, typ.Name, g.RelCount(p), g.RelSpace(p))
			for _, prop := range p.Properties {
				for rel := range g.RelSpace(p) {
					fmt.Fprint(&b, " ", g.RelValue(p, rel, prop))
				}
			}
			for _, a := range []memory.Adjacency{g.Outgoing(p), g.Incoming(p)} {
				for row := range max(g.RowCount(p.From), g.RowCount(p.To)) {
					in, first, end := a.Span(row)
					fmt.Fprint(&b, row, in.Ends[first:end])
					for at := first; at < end; at++ {
						fmt.Fprint(&b, " ", in.Number(at))
					}
				}
			}
		}
	}
	return b.String()
}
