package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// shortSchema has relationships between nodes of one label, with keys of one integer,
// of a text and of two parts.
const shortSchema = `
format: trellis.schema.v1
nodes:
  stop: {key: id, properties: {id: int64}}
  town: {key: name, properties: {name: string}}
  slot: {key: [row, n], properties: {row: string, n: int32}}
relationships:
  RIDE: {from: stop, to: stop, key: k, properties: {k: int64}}
  ROAD: {from: town, to: town}
  NEXT: {from: slot, to: slot, from_column: [from_row, from_n], to_column: [to_row, to_n]}
`

var shortTypes = map[string]string{"stop": "RIDE", "town": "ROAD", "slot": "NEXT"}

// shortGraph has, of each label, nodes that have relationships to themselves and several
// to one another, a node that leads to many, and one that many lead to.
func shortGraph(t testing.TB, d dice) (g *memory.Graph, ends map[string][]graph.NodeID) {
	s, err := schema.Parse("short.yaml", []byte(shortSchema))
	require.NoError(t, err)
	key := map[string]func(i int) memory.Values{
		"stop": func(i int) memory.Values { return memory.Values{"id": graph.Int(int64(i))} },
		"town": func(i int) memory.Values {
			return memory.Values{"name": graph.String(string(rune('A'+i%58)) + fmt.Sprint(i/58))}
		},
		"slot": func(i int) memory.Values {
			return memory.Values{"row": graph.String([]string{"a", "B"}[i%2]), "n": graph.Int(int64(i / 2))}
		},
	}
	const nodes, hubs, leaves = 14, 2, 70
	b := memory.NewBuilder(s)
	ends = map[string][]graph.NodeID{}
	for l := range s.Labels() {
		var all []graph.NodeID
		for i := range nodes + hubs + leaves {
			v := key[l.Name](i)
			b.Node(l.Name, v)
			all = append(all, idOf(l, v))
		}
		have, k := map[[2]int]bool{}, int64(0)
		relate := func(from, to int) {
			k++
			if l.Name == "stop" {
				b.Relationship(shortTypes[l.Name], all[from], all[to], memory.Values{"k": graph.Int(k * 7 % 1009)})
			} else if !have[[2]int{from, to}] {
				b.Relationship(shortTypes[l.Name], all[from], all[to], nil)
			}
			have[[2]int{from, to}] = true
		}
		for range nodes * 3 / 2 {
			relate(d.IntN(nodes), d.IntN(nodes))
		}
		out, in := nodes, nodes+1
		for _, hub := range []int{out, in} {
			relate(d.IntN(nodes), hub)
			relate(hub, d.IntN(nodes))
		}
		for i := range leaves {
			relate(out, nodes+hubs+i)
			relate(nodes+hubs+i, in)
		}
		ends[l.Name] = all[:nodes+hubs+3]
	}
	g, err = b.Build()
	require.NoError(t, err)
	return g, ends
}

// ShortPaths compares so many shortest paths between near nodes with the Reference's: of
// nodes with few neighbours, and of nodes with more than stores look at one by one.
func ShortPaths(t *testing.T, open Opener, seed uint64, calls int) {
	d := newDice(seed, 9)
	g, ends := shortGraph(t, d)
	limits := graph.Limits{PathHops: 6}
	st := open(t, g)
	defer func() { require.NoError(t, st.Close()) }()
	caller, ref := NewCaller(g.Schema(), st, limits), NewReference(g, limits)
	lengths := map[int]int{}
	for range calls {
		label := pickOne(d, []string{"stop", "town", "slot"})
		q := &graph.Paths{
			From: pickOne(d, ends[label]), To: pickOne(d, ends[label]), MaxHops: 1 + d.IntN(6), RelationshipTypes: []string{shortTypes[label]},
			Mode:      pickOne(d, []graph.PathMode{graph.Shortest, graph.Shortest, graph.AllShortest}),
			Direction: pickOne(d, []graph.Direction{graph.Outgoing, graph.Incoming}),
		}
		if v := judge(caller, ref, Asked{Query: q}, ""); v.wrong() {
			t.Errorf("%s\n%s", Arguments(q), diff(v.want, v.got))
		}
		if want, err := ref.Answer(Asked{Query: q}); err == nil && len(want.Paths) > 0 {
			lengths[want.Paths[0].Length]++
		}
	}
	for length := 1; length <= 4; length++ {
		require.Greater(t, lengths[length], calls/100, "paths of %d hops", length)
	}
}
