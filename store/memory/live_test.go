package memory_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

func anySchema(t testing.TB, dice *rand.Rand) *schema.Schema {
	switch dice.IntN(8) {
	case 0:
		return parse(t, allTypes)
	case 1:
		return parse(t, mapped)
	}
	return parse(t, randomSchema(dice))
}

// TestSnapshotsAreWhatABuilderMakes plays random batches, bad ones among them,
// on random graphs of random schemas.
func TestSnapshotsAreWhatABuilderMakes(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 5))
			type photo struct {
				graph *memory.Graph
				text  string
			}
			var album []photo
			play(t, anySchema(t, dice), dice, 25, func(live *memory.Live, want *memory.Graph) {
				got := live.Graph()
				requireSame(t, want, got)
				require.Equal(t, want.Statistics(), got.Statistics())
				requireIdentical(t, want, got.Dense())
				if seed%4 == 0 {
					require.True(t, bytes.Equal(bytesOf(t, want), bytesOf(t, got)), "their files differ")
				}
				album = append(album, photo{got, photograph(got)})
			})
			for _, p := range album {
				require.Equal(t, p.text, photograph(p.graph), "an older snapshot changed")
			}
		})
	}
}

// TestBatchesOnTextsAndHubs plays changes on columns whose texts are spelled
// out, and on long lists that grow at their end and change in the middle.
func TestBatchesOnTextsAndHubs(t *testing.T) {
	s := parse(t, `
format: trellis.schema.v1
nodes:
  n: {key: id, properties: {id: {type: uuid}, name: {type: string, index: true}, twin: uuid, note: json}}
  hub: {key: name, properties: {name: string}}
relationships:
  IN: {from: n, to: hub, table: n_in, key: no, properties: {no: int64}}
  LIKES: {from: hub, to: n, table: likes, properties: {at: int32}}
`)
	n, _ := s.Label("n")
	hubs, _ := s.Label("hub")
	in, _ := s.Relationship("IN")
	m := newModel(s, nil)
	id := func(i int) string { return fmt.Sprintf("6ba7b810-9dad-11d1-80b4-%012x", i) }
	put := func(i int, node func(string, memory.Values)) {
		v := memory.Values{"id": id(i), "name": fmt.Sprintf("name %d", (i*7919)%10007)}
		if i%3 > 0 {
			v["twin"], v["note"] = id(i/2), []int{i}
		}
		m.nodes["n "+id(i)] = v
		node("n", v)
	}
	link := func(i, no int, relationship func(string, graph.NodeID, graph.NodeID, memory.Values)) {
		hub, node := graph.ID("hub", "x"), graph.ID("n", id(i))
		m.rels[fmt.Sprint("IN ", no)] = relation{"IN", node, hub, memory.Values{"no": no}}
		m.rels["LIKES "+id(i)] = relation{"LIKES", hub, node, memory.Values{"at": no}}
		relationship("IN", node, hub, memory.Values{"no": no})
		relationship("LIKES", hub, node, memory.Values{"at": no})
	}
	b := memory.NewBuilder(s)
	m.nodes["hub x"] = memory.Values{"name": "x"}
	b.Node("hub", m.nodes["hub x"])
	for i := range 1100 {
		put(i*10, b.Node)
		if i%20 == 0 {
			link(i*10, i, b.Relationship)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	live := memory.NewLive(g)
	album := map[*memory.Graph]string{}
	dice := rand.New(rand.NewPCG(1, 8))
	inPlace := 0
	for round := range 160 {
		b := memory.NewBatch(s)
		i := dice.IntN(11_000)
		put(i, b.Node)
		link(i, 10_000+round, b.Relationship)
		if round%5 == 0 { // parallel
			link(i, 20_000+round, b.Relationship)
		}
		if round%40 == 39 {
			live.SetSlack([]int{0, 4096}[dice.IntN(2)])
			m.nodes["hub y"] = memory.Values{"name": "y"}
			b.Node("hub", m.nodes["hub y"])
			b.DeleteNode(graph.ID("n", id(i)))
			delete(m.nodes, "n "+id(i))
			for at, rel := range m.rels {
				if rel.from.ID.Text() == id(i) || rel.to.ID.Text() == id(i) {
					delete(m.rels, at)
				}
			}
		}
		was := live.Graph()
		got, err := live.Apply(b)
		require.NoError(t, err)
		hub, _ := was.Find(hubs, []graph.Value{graph.String("x")})
		x, y := was.Incoming(in.Pairs[0]), got.Incoming(in.Pairs[0])
		before, first, end := x.Span(hub)
		if after, from, to := y.Span(hub); &after.Ends[from] == &before.Ends[first] && to > end {
			inPlace++
		}
		if round%20 == 0 {
			want, err := m.build()
			require.NoError(t, err)
			requireSame(t, want, got)
			requireIdentical(t, want, got.Dense())
			album[got] = photograph(got)
		}
	}
	for g, text := range album {
		require.Equal(t, text, photograph(g), "an older snapshot changed")
	}
	require.Equal(t, uint32(1100), g.RowCount(n))
	require.Greater(t, inPlace, 50, "lists grow in place")
}

// TestTwoLivesOfOneGraph has two Lives add to one graph by turns: one that was
// read from a file, whose columns may lie side by side in one piece of memory,
// and one whose columns have room at their end. A node of that graph keeps its
// row in both when it changes.
func TestTwoLivesOfOneGraph(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 9))
	s := parse(t, allTypes)
	built := random(dice).build(t, s, dice)
	thing, _ := s.Label("thing")
	require.Greater(t, built.NodeCount(thing), 10)
	path := filepath.Join(t.TempDir(), "graph")
	require.NoError(t, built.WriteFile(path))
	read, err := memory.OpenFile(path, s)
	require.NoError(t, err)
	for name, g := range map[string]*memory.Graph{"read": read, "with room": built.WithRoom()} {
		t.Run(name, func(t *testing.T) {
			was := photograph(g)
			lives := []*memory.Live{memory.NewLive(g), memory.NewLive(g)}
			for _, l := range lives {
				l.SetHubs(1, 0)
			}
			id, _ := thing.Property("id")
			first := g.Value(thing, 0, id)
			album := map[*memory.Graph]string{}
			for round := range 6 {
				i := round % 2
				b := memory.NewBatch(s)
				b.Node("thing", memory.Values{"id": first, "label": fmt.Sprint("of ", i), "text": fmt.Sprint("round ", round), "small": -round, "state": "shut"})
				for n := 50 * round; n < 50*round+50; n++ { // other rows, codes and ends in each
					text := fmt.Sprint("\U0001F642", i, n/(2-i))
					b.Node("thing", memory.Values{"id": 1000*i + n, "label": "", "text": text, "small": n * (i + 1), "state": []string{"open", "shut"}[i], "at": fmt.Sprintf("2024-01-01T00:00:0%dZ", round)})
					ends := []graph.NodeID{graph.ID("thing", 1000*i+n), graph.ID("thing", 1000*i+50*round)}
					b.Relationship("PAID", ends[i], ends[1-i], memory.Values{"no": 5000 + n, "amount": i})
				}
				next, err := lives[i].Apply(b)
				require.NoError(t, err)
				album[next] = photograph(next)
			}
			for g, text := range album {
				require.Equal(t, text, photograph(g), "what one Live adds is in the other's graph")
			}
			require.Equal(t, was, photograph(g))
		})
	}
}

// TestLivesOfOneSnapshotAtTheSameTime has Lives that go on from one snapshot
// change it while others read, each on its own. It is for the race detector.
func TestLivesOfOneSnapshotAtTheSameTime(t *testing.T) {
	s := parse(t, allTypes)
	apply := func(c *course, batches int) {
		for range batches {
			next, b := c.clone(), memory.NewBatch(s)
			for range 20 {
				next.change(b)
			}
			if _, err := c.live.Apply(b); err == nil {
				c.model = next
			}
		}
	}
	for seed := range uint64(3) {
		first := &course{model: newModel(s, rand.New(rand.NewPCG(seed, 10)))}
		g, err := first.build()
		require.NoError(t, err)
		first.live = memory.NewLive(g)
		apply(first, 10)
		shared := first.live.Graph()
		was := photograph(shared)
		courses := []*course{first, first.fork(), first.fork()}
		for _, c := range courses[:seed] {
			c.live.SetHubs(1, 0)
		}
		var work sync.WaitGroup
		for i, c := range courses {
			c.dice = rand.New(rand.NewPCG(seed, uint64(11+i)))
			work.Go(func() { apply(c, 15) })
		}
		for range 10 {
			require.Equal(t, was, photograph(shared))
			first.live.Graph().Dense()
		}
		work.Wait()
		for _, c := range courses {
			want, err := c.build()
			require.NoError(t, err)
			requireIdentical(t, want, c.live.Graph().Dense())
		}
	}
}

// TestChangesOfHubsAreSweptUp changes a node that keeps its row again and again:
// the words that it had must not stay in the dictionary for good.
func TestChangesOfHubsAreSweptUp(t *testing.T) {
	live := forge(t)
	const slack = 20
	live.SetSlack(slack)
	live.SetHubs(1024, 0)
	s := live.Graph().Schema()
	issue, _ := s.Label("issue")
	title, _ := issue.Property("title")
	for i := range 10 * slack {
		b := memory.NewBatch(s)
		b.Node("issue", memory.Values{"id": 7, "author": 1, "title": fmt.Sprint("title ", i)})
		g, err := live.Apply(b)
		require.NoError(t, err)
		require.Equal(t, uint32(2), g.RowCount(issue), "the node keeps its row")
		require.LessOrEqual(t, len(g.Column(issue, title).Vector().Dict), slack+2)
	}
}

// A tape is dice that fall as the fuzzer wants, as long as there is any of it.
type tape struct{ left []byte }

func (b *tape) Uint64() uint64 {
	var next [8]byte
	n := copy(next[:], b.left)
	if b.left = b.left[n:]; n == 0 {
		return 0x9e3779b97f4a7c15
	}
	return binary.LittleEndian.Uint64(next[:])
}

// FuzzBatches plays the batches that the input says.
func FuzzBatches(f *testing.F) {
	for seed := range uint64(8) {
		dice := rand.New(rand.NewPCG(seed, 6))
		text := make([]byte, 800)
		for i := range text {
			text[i] = byte(dice.Uint32())
		}
		f.Add(seed, text)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text []byte) {
		s := anySchema(t, rand.New(rand.NewPCG(seed, 7)))
		play(t, s, rand.New(&tape{text}), min(6, 1+len(text)/200), func(live *memory.Live, want *memory.Graph) {
			requireSame(t, want, live.Graph())
			requireIdentical(t, want, live.Graph().Dense())
		})
	})
}

// TestReadersWhileBatchesGoOn has each snapshot say the same in all its nodes
// and relationships, while batches make the next ones: with new rows for nodes
// that change, and with hubs only.
func TestReadersWhileBatchesGoOn(t *testing.T) {
	t.Run("rows", func(t *testing.T) { readWhileBatchesGoOn(t, 1024, 1024) })
	t.Run("hubs", func(t *testing.T) { readWhileBatchesGoOn(t, 1, 0) })
}

func readWhileBatchesGoOn(t *testing.T, long, keeps int) {
	const nodes = 100
	s := parse(t, `
format: trellis.schema.v1
nodes:
  n: {key: id, properties: {id: int64, version: {type: int64, index: true}, text: {type: string, index: true}, maybe: bool}}
relationships:
  R: {from: n, to: n, table: r, properties: {version: int64}}
`)
	n, _ := s.Label("n")
	version, _ := n.Property("version")
	text, _ := n.Property("text")
	typ, _ := s.Relationship("R")
	relVersion, _ := typ.Pairs[0].Property("version")
	fill := func(v int, node func(string, memory.Values), relationship func(string, graph.NodeID, graph.NodeID, memory.Values)) {
		for i := range nodes {
			node("n", memory.Values{"id": i, "version": v, "text": fmt.Sprint("version ", v), "maybe": []any{nil, true, false}[(i+v)%3]})
		}
		for i := range nodes {
			relationship("R", graph.ID("n", i), graph.ID("n", (i*7+v)%nodes), memory.Values{"version": v})
		}
	}
	b := memory.NewBuilder(s)
	fill(0, b.Node, b.Relationship)
	g, err := b.Build()
	require.NoError(t, err)
	live := memory.NewLive(g)
	live.SetSlack(nodes * 5)
	live.SetHubs(long, keeps)

	var done atomic.Bool
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for last := int64(0); !done.Load(); {
				g := live.Snapshot(s)
				rows := livingRows(g, n)
				if len(rows) != nodes {
					t.Errorf("%d nodes", len(rows))
					return
				}
				is := g.Value(n, rows[0], version)
				if is.Int() < last {
					t.Errorf("version %d after %d", is.Int(), last)
				}
				last = is.Int()
				found, _ := g.Rows(n, version, is)
				words, _ := g.Rows(n, text, graph.String(fmt.Sprint("version ", last)))
				if len(found) != nodes || len(words) != nodes {
					t.Errorf("indexes have %d and %d nodes of version %d", len(found), len(words), last)
				}
				out, rels := g.Outgoing(typ.Pairs[0]), 0
				for _, row := range rows {
					in, first, end := out.Span(row)
					for at := first; at < end; at++ {
						rels++
						if v := g.RelValue(typ.Pairs[0], in.Number(at), relVersion).Int(); v != last || g.Value(n, in.Ends[at], version).Int() != last {
							t.Errorf("version %d within %d", v, last)
						}
					}
				}
				if rels != nodes {
					t.Errorf("%d relationships", rels)
				}
			}
		})
	}
	for v := range 30 {
		b := memory.NewBatch(s)
		for i := range nodes {
			b.DeleteRelationship("R", graph.ID("n", i), graph.ID("n", (i*7+v)%nodes), nil)
		}
		fill(v+1, b.Node, b.Relationship)
		if v%5 == 0 { // refused
			b.DeleteNode(graph.ID("n", []int{1, 2}))
		}
		_, err := live.Apply(b)
		if v%5 == 0 {
			require.Error(t, err)
			b = memory.NewBatch(s)
			for i := range nodes {
				b.DeleteRelationship("R", graph.ID("n", i), graph.ID("n", (i*7+v)%nodes), nil)
			}
			fill(v+1, b.Node, b.Relationship)
			_, err = live.Apply(b)
		}
		require.NoError(t, err)
	}
	done.Store(true)
	readers.Wait()
}
