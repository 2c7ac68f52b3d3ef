package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
)

// HardGraphs checks that walks through loops, cycles, a clique of 31, a hub
// with 100,000 neighbours and a lattice with a million paths end in time, and
// that their answers are right, or said to be a part of what is right. Its
// subtests are named after the rows of a list of threats: T22 about graphs, T23
// about ends that are one or nowhere.
func HardGraphs(t *testing.T, open Opener) {
	g := hardGraph(t)
	st := open(t, g)
	c := NewCaller(g.Schema(), st, graph.Limits{})
	for _, h := range hardWalks() {
		t.Run(h.name, func(t *testing.T) {
			for _, w := range h.walks {
				start := time.Now()
				r := mustAnswer(t, c, w.tool, w.args)
				t.Logf("%v %s %s", time.Since(start).Round(time.Millisecond), w.tool, w.args)
				require.Equal(t, w.want, renderBrief(r)[0], w.args)
			}
		})
	}
	t.Run("T22 every path of a clique, once", func(t *testing.T) {
		allPaths(t, NewCaller(g.Schema(), st, graph.Limits{Rows: 1000}))
	})
	t.Run("T22 a hop shows its least relationship", func(t *testing.T) { leastHops(t, c) })
	t.Run("T22 pages of a hub", func(t *testing.T) { hubPages(t, c) })
	t.Run("T22 every path through a hub", func(t *testing.T) {
		throughHub(t, NewCaller(g.Schema(), st, graph.Limits{Timeout: time.Minute}))
	})
	t.Run("T22 an answer or a timeout", func(t *testing.T) {
		inTime(t, NewCaller(g.Schema(), st, graph.Limits{Timeout: time.Second}))
	})
	t.Run("T22 a budget that is spent", func(t *testing.T) {
		spentBudget(t, NewCaller(g.Schema(), st, graph.Limits{Budget: 1000}))
	})
	t.Run("T23 no path to itself, to nowhere, from nowhere", func(t *testing.T) { noPaths(t, c) })
	require.NoError(t, st.Close())
}

// allPaths checks that the paths of up to three hops through the clique are all
// there: 1 direct, 29 through one, 29·28 through two.
func allPaths(t *testing.T, c *Caller) {
	r := mustAnswer(t, c, graph.ToolPaths, between(clique+1, clique+2, `"mode": "all", "max_hops": 3, "limit": 1000`))
	require.Equal(t, graph.Complete, r.TruncatedBy)
	require.Len(t, r.Paths, 1+29+29*28)
	seen := map[string]bool{}
	for i := range r.Paths {
		p := &r.Paths[i]
		seen[briefPath(p)] = true
		nodes := map[graph.NodeKey]bool{}
		for _, n := range p.Nodes {
			nodes[n] = true
		}
		require.Len(t, nodes, p.Length+1, "a path repeats no node")
		require.True(t, i == 0 || r.Paths[i-1].Length <= p.Length, "the shortest come first")
	}
	require.Len(t, seen, len(r.Paths), "every path comes once")
}

// leastHops checks which of several relationships between two nodes a path
// shows: the least type, outgoing before incoming.
func leastHops(t *testing.T, c *Caller) {
	for args, want := range map[string]string{
		between(mixed, mixed+1, ""):                                     `path spot "4" -RAIL-> spot "5"`,
		between(mixed+1, mixed, ""):                                     `path spot "5" -RAIL-> spot "4"`,
		between(mixed, mixed+2, ""):                                     `path spot "4" <-RAIL- spot "6"`,
		between(mixed+2, mixed, ""):                                     `path spot "6" -RAIL-> spot "4"`,
		between(mixed, mixed+2, `"direction": "outgoing"`):              `path spot "4" -ROAD-> spot "6"`,
		between(mixed, mixed+1, `"direction": "incoming"`):              `path spot "4" <-RAIL- spot "5"`,
		between(mixed+1, mixed, `"relationship_types": ["ROAD"]`):       `path spot "5" <-ROAD- spot "4"`,
		between(mixed+1, mixed+2, `"mode": "all", "max_hops": 6`):       `path spot "5" -RAIL-> spot "4" <-RAIL- spot "6"`,
		between(mixed+1, mixed+2, `"relationship_types": ["ROAD"]`):     `path spot "5" <-ROAD- spot "4" -ROAD-> spot "6"`,
		between(pair, pair+1, `"mode": "all_shortest"`):                 `path spot "2" -ROAD-> spot "3"`,
		between(pair, pair+1, `"mode": "all", "direction": "incoming"`): `path spot "2" <-ROAD- spot "3"`,
	} {
		r := mustAnswer(t, c, graph.ToolPaths, args)
		require.Len(t, r.Paths, 1, args)
		require.Equal(t, want, renderPath(r, &r.Paths[0]), args)
		require.Equal(t, graph.Complete, r.TruncatedBy, args)
	}
}

// hubPages reads some of the hub's neighbours page by page.
func hubPages(t *testing.T, c *Caller) {
	args := around(hub, `"max_hops": 1, "limit": 30`)
	var got []string
	for range 3 {
		r := mustAnswer(t, c, graph.ToolNeighbors, args)
		require.Equal(t, graph.TruncatedRows, r.TruncatedBy)
		got = append(got, ids(r)...)
		args = around(hub, `"max_hops": 1, "limit": 30, "cursor": `+quoteJSON(r.NextCursor))
	}
	require.Equal(t, span(firstLeaf, 90), got)
}

// throughHub lists the paths of up to six hops between two neighbours of the
// hub: there is one, and everything else has to be seen to lead nowhere.
func throughHub(t *testing.T, c *Caller) {
	args := between(firstLeaf, hub+leaves, `"mode": "all", "max_hops": 6`)
	start := time.Now()
	require.Equal(t, "1001>1000>101000", renderBrief(mustAnswer(t, c, graph.ToolPaths, args))[0])
	t.Logf("%v %s", time.Since(start).Round(time.Millisecond), args)
}

// inTime makes calls that may have to try every path of the lattice, or of the
// clique. Time does not clip an answer: it is the right one, or an error soon
// after the deadline.
func inTime(t *testing.T, c *Caller) {
	for args, want := range map[string][]string{
		stepping(source, road(`"min_hops": 3`), road(`"min_hops": 3`)):    {"600; truncated relationships", "600; truncated budget"},
		stepping(clique+30, road(`"max_hops": 3`), road(`"max_hops": 3`)): {list(exit, 30) + "; truncated rows"},
	} {
		start := time.Now()
		r, err := c.Call(graph.ToolTraverse, []byte(args))
		took := time.Since(start)
		t.Logf("%v %s", took.Round(time.Millisecond), args)
		require.Less(t, took, 5*time.Second, args)
		if err != nil {
			require.ErrorIs(t, err, graph.Timeout, args)
			continue
		}
		require.Contains(t, want, renderBrief(r)[0], args)
	}
}

// spentBudget checks that a walk that was given up says so, and shows no more
// than there is.
func spentBudget(t *testing.T, c *Caller) {
	for _, args := range []string{around(hub, ""), around(firstLeaf, ""), around(source, `"max_hops": 3, "node_types": ["spot"], "filters": {"spot": {"id": {"ne": 501}}}`)} {
		r := mustAnswer(t, c, graph.ToolNeighbors, args)
		if r.TruncatedBy == graph.TruncatedRows {
			continue // the page was full before
		}
		require.Equal(t, graph.TruncatedBudget, r.TruncatedBy, args)
	}
	r := mustAnswer(t, c, graph.ToolPaths, between(firstLeaf, firstLeaf+1, ""))
	require.Equal(t, "1001>1000>1002", renderBrief(r)[0], "both ends lead to the hub, whose neighbours need not be looked at")
	for _, args := range []string{
		between(hub, firstLeaf, `"mode": "all", "max_hops": 2`),
		between(firstLeaf, firstLeaf+1, `"mode": "all", "max_hops": 4`),
		between(entrance, exit, `"mode": "all", "max_hops": 6`),
	} {
		r := mustAnswer(t, c, graph.ToolPaths, args)
		require.Equal(t, graph.TruncatedBudget, r.TruncatedBy, args)
	}
}

// noPaths checks that an end that is the other end, one that is nowhere, and
// two of them get the same answer but for its warnings.
func noPaths(t *testing.T, c *Caller) {
	for _, more := range []string{"", `"mode": "all_shortest"`, `"mode": "all", "max_hops": 6`, `"direction": "outgoing", "relationship_types": ["ROAD"]`} {
		var first []byte
		for _, ends := range []struct {
			from, to int
			warned   []string
		}{
			{loop, loop, nil},
			{hub, hub, nil},
			{clique, clique, nil},
			{loop, pair, nil},
			{loop, 77, []string{"/to/node_id"}},
			{77, loop, []string{"/from/node_id"}},
			{77, 78, []string{"/from/node_id", "/to/node_id"}},
			{77, 77, []string{"/from/node_id", "/to/node_id"}},
		} {
			args := between(ends.from, ends.to, more)
			r := mustAnswer(t, c, graph.ToolPaths, args)
			var warned []string
			for _, w := range r.Warnings {
				require.Equal(t, graph.NotFound, w.Code, args)
				warned = append(warned, w.Path)
			}
			require.Equal(t, ends.warned, warned, args)
			r.Warnings, r.Statements = nil, nil
			document, err := r.AppendJSON(nil)
			require.NoError(t, err)
			require.Contains(t, string(document), `"paths":[]`)
			if first == nil {
				first = document
			}
			require.Equal(t, string(first), string(document), args)
		}
	}
}
