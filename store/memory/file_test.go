package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// fileSchema has every type, as a property that may be null and in an index,
// and as a part of a key where it may be one.
const fileSchema = `
format: trellis.schema.v1
nodes:
  all:
    key: id
    properties:
      id: int64
      i32: {type: int32, index: true}
      i64: {type: int64, index: true}
      f: {type: float, index: true}
      b: {type: bool, index: true}
      s: {type: string, index: true}
      long: {type: string, nullable: false}
      e: {type: enum, values: [low, mid, high], index: true}
      d: {type: date, index: true}
      t: {type: datetime, index: true}
      u: {type: uuid, index: true}
      m: {type: decimal, scale: 2, index: true}
      j: json
  pair: {key: [area, no], properties: {area: string, no: int32}}
  word: {key: w, properties: {w: string}}
  token: {key: u, properties: {u: uuid}}
relationships:
  TO: [{from: all, to: pair, table: tp, to_column: [area, no], properties: {w: float, n: string}}, {from: pair, to: word, table: pw, from_column: [area, no]}, {from: token, to: token, table: tt}]
  PAID: {from: all, to: all, key: no, properties: {no: int64, amount: {type: decimal, scale: 2}}}
`

// maybe returns v, or now and then null.
func maybe(r *rand.Rand, v any) any {
	if r.IntN(4) == 0 {
		return nil
	}
	return v
}

// randomFile fills a builder in an order that the seed shuffle decides.
func randomFile(t testing.TB, s *schema.Schema, seed, shuffle uint64, most int) *memory.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var add []func(b *memory.Builder)
	node := func(label string, v memory.Values) { add = append(add, func(b *memory.Builder) { b.Node(label, v) }) }
	relate := func(typ string, from, to graph.NodeID, v memory.Values) {
		add = append(add, func(b *memory.Builder) { b.Relationship(typ, from, to, v) })
	}
	text := func() string { return []string{"", "a", "A", "é", "\U0001F642", "zz", "\\N"}[r.IntN(7)] }
	uuid := func(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", i*7919, i) }
	all, pairs, words, tokens := r.IntN(most), r.IntN(most/4), r.IntN(most/4), r.IntN(most/4)
	distinct := 1 + r.IntN(4*most)
	for i := range all {
		node("all", memory.Values{
			"id": i - 7, "i32": maybe(r, r.Int32()-1<<30), "i64": maybe(r, int64(r.Uint64())), "f": maybe(r, float64(r.IntN(9))/4-1), "b": maybe(r, r.IntN(2) == 0),
			"s": maybe(r, text()), "long": fmt.Sprintf("é%d", r.IntN(distinct)), "e": maybe(r, []string{"low", "mid", "high"}[r.IntN(3)]),
			"d": maybe(r, time.Date(1+r.IntN(9999), 1, 1, 0, 0, 0, 0, time.UTC)), "t": maybe(r, time.Unix(r.Int64N(1e9), r.Int64N(1e6)*1000)), "u": maybe(r, uuid(r.IntN(99))),
			"m": maybe(r, fmt.Sprintf("%d.%02d", r.IntN(200)-100, r.IntN(100))), "j": maybe(r, map[string]any{"a": text(), "b": []int{r.IntN(9)}}),
		})
	}
	areas := make([]string, pairs)
	for i := range pairs {
		areas[i] = text()
		node("pair", memory.Values{"area": areas[i], "no": i})
	}
	for i := range words {
		node("word", memory.Values{"w": fmt.Sprintf("w%d", i)})
	}
	for i := range tokens {
		node("token", memory.Values{"u": uuid(i)})
		relate("TO", graph.ID("token", uuid(i)), graph.ID("token", uuid(r.IntN(tokens))), nil)
	}
	for i := range pairs {
		id := graph.ID("pair", []any{areas[i], i})
		for to := range r.IntN(1 + min(words, 5)) {
			relate("TO", id, graph.ID("word", fmt.Sprintf("w%d", to)), nil)
		}
		for from := range r.IntN(1 + min(all, 5)) {
			relate("TO", graph.ID("all", from-7), id, memory.Values{"w": maybe(r, r.Float64()), "n": maybe(r, text())})
		}
	}
	for no := range r.IntN(2 * most) {
		if all > 0 {
			relate("PAID", graph.ID("all", r.IntN(all)-7), graph.ID("all", r.IntN(all)-7), memory.Values{"no": no * 3, "amount": maybe(r, fmt.Sprintf("%d.50", r.IntN(9)))})
		}
	}
	rand.New(rand.NewPCG(shuffle, 2)).Shuffle(len(add), func(i, j int) { add[i], add[j] = add[j], add[i] })
	b := memory.NewBuilder(s)
	for _, f := range add {
		f(b)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// sameGraph compares everything that graphs tell.
func sameGraph(t testing.TB, want, got *memory.Graph) {
	t.Helper()
	equal := func(want, got any, of string) {
		t.Helper()
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("%s: %v in place of %v", of, got, want)
		}
	}
	equal(want.Schema().Hash(), got.Schema().Hash(), "schema")
	for l := range want.Schema().Labels() {
		m, _ := got.Schema().Label(l.Name)
		equal(want.NodeCount(l), got.NodeCount(m), l.Name)
		for i, p := range l.Properties {
			q := m.Properties[i]
			for row := range uint32(want.NodeCount(l)) {
				v := want.Value(l, row, p)
				equal(v, got.Value(m, row, q), l.Name+"."+p.Name)
				a, ok1 := want.Rows(l, p, v)
				b, ok2 := got.Rows(m, q, v)
				equal(ok1, ok2, p.Name)
				equal(a, b, l.Name+"."+p.Name)
			}
			a, _ := want.RowRange(l, p, memory.Bound{}, memory.Bound{})
			b, _ := got.RowRange(m, q, memory.Bound{}, memory.Bound{})
			equal(a, b, l.Name+"."+p.Name)
		}
		for row := range uint32(want.NodeCount(l)) {
			var key []graph.Value
			for _, k := range l.Key {
				key = append(key, want.Value(l, row, k))
			}
			at, ok := got.Find(m, key)
			equal(true, ok, l.Name)
			equal(row, at, l.Name)
		}
	}
	for typ := range want.Schema().Relationships() {
		other, _ := got.Schema().Relationship(typ.Name)
		for i, p := range typ.Pairs {
			q := other.Pairs[i]
			equal(want.RelCount(p), got.RelCount(q), typ.Name)
			for _, direction := range []func(*memory.Graph, *schema.Pair) memory.Adjacency{(*memory.Graph).Outgoing, (*memory.Graph).Incoming} {
				a, b := direction(want, p), direction(got, q)
				equal(a.First, b.First, typ.Name)
				equal(a.Ends, b.Ends, typ.Name)
				equal(a.Rels, b.Rels, typ.Name)
			}
			for rel := range uint32(want.RelCount(p)) {
				for j, prop := range p.Properties {
					equal(want.RelValue(p, rel, prop), got.RelValue(q, rel, q.Properties[j]), typ.Name+"."+prop.Name)
				}
			}
		}
	}
}

// bytesOf returns a graph's file.
func bytesOf(t testing.TB, g *memory.Graph) []byte {
	t.Helper()
	var out bytes.Buffer
	n, err := g.WriteTo(&out)
	require.NoError(t, err)
	require.Equal(t, int64(out.Len()), n)
	return out.Bytes()
}

func readBytes(file []byte, s *schema.Schema) (*memory.Graph, error) {
	return memory.ReadFrom(bytes.NewReader(file), int64(len(file)), s)
}

func TestFilesHoldTheGraph(t *testing.T) {
	s := parse(t, fileSchema)
	for seed := range uint64(40) {
		most := 40
		if seed%10 == 9 {
			most = 3000 // where texts are not in a dictionary any more
		}
		g := randomFile(t, s, seed, seed, most)
		file := bytesOf(t, g)
		again, err := readBytes(file, nil)
		require.NoError(t, err)
		require.NotSame(t, s, again.Schema())
		sameGraph(t, g, again)
		require.Equal(t, file, bytesOf(t, again))
		again, err = readBytes(file, s)
		require.NoError(t, err)
		require.Same(t, s, again.Schema())
		sameGraph(t, g, again)
		require.True(t, bytes.Equal(file, bytesOf(t, randomFile(t, s, seed, seed+1, most))), "seed %d: the order of input shows in the file", seed)
	}
}

func TestFilesOfSnapshotsAreThoseOfTheirGraphs(t *testing.T) {
	s := parse(t, fileSchema)
	for seed := range uint64(20) {
		g := randomFile(t, s, seed, seed, 60)
		opened, err := readBytes(bytesOf(t, g), s)
		require.NoError(t, err)
		live, l := memory.NewLive(opened), label(s, "all")
		there, back := memory.NewBatch(s), memory.NewBatch(s)
		for row := range uint32(g.NodeCount(l)) {
			values := memory.Values{}
			for _, p := range l.Properties {
				values[p.Name] = g.Value(l, row, p)
			}
			back.Node("all", values)
			values = maps.Clone(values)
			values["s"], values["long"], values["i32"] = "of the batch", "too", 7
			there.Node("all", values)
		}
		for i := range 30 {
			there.Node("word", memory.Values{"w": fmt.Sprint("new ", i)})
			back.DeleteNode(graph.ID("word", fmt.Sprint("new ", i)))
		}
		for _, b := range []*memory.Batch{there, back} {
			_, err := live.Apply(b)
			require.NoError(t, err)
		}
		require.True(t, bytes.Equal(bytesOf(t, g), bytesOf(t, live.Graph())), "seed %d", seed)
		sameGraph(t, g, opened)
	}
}

func label(s *schema.Schema, name string) *schema.Label {
	l, _ := s.Label(name)
	return l
}

func TestFilesAreReplacedAsAWhole(t *testing.T) {
	s := parse(t, fileSchema)
	dir := t.TempDir()
	path := filepath.Join(dir, "g.trellis")
	a, b := randomFile(t, s, 1, 1, 40), randomFile(t, s, 2, 2, 40)
	require.NoError(t, a.WriteFile(path))
	require.NoError(t, b.WriteFile(path))
	g, err := memory.OpenFile(path, nil)
	require.NoError(t, err)
	sameGraph(t, b, g)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside the file")

	require.Error(t, a.WriteFile(filepath.Join(dir, "nowhere", "g.trellis")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o777))
	require.Error(t, a.WriteFile(filepath.Join(dir, "taken")))
	entries, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left of what failed")
	_, err = memory.OpenFile(dir, nil)
	require.ErrorContains(t, err, "is a directory")
	_, err = memory.OpenFile(filepath.Join(dir, "nowhere"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// failing is a writer that takes so many bytes.
type failing struct{ left int }

func (w *failing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("no space left on device")

func TestWritersThatFail(t *testing.T) {
	g := randomFile(t, parse(t, fileSchema), 3, 3, 40)
	size := len(bytesOf(t, g))
	for _, left := range []int{0, size - 1} {
		_, err := g.WriteTo(&failing{left})
		require.ErrorIs(t, err, errFull)
	}
}
