package bench

import (
	"context"
	"database/sql"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
)

// database opens an empty database in memory that its connections share.
func database(t testing.TB) *sql.DB {
	db, err := sql.Open("sqlite", "file:/"+t.Name()+"?vfs=memdb&_pragma=cache_size(-400000)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func network(t testing.TB, o social.Options) (*memory.Graph, social.Parameters) {
	g, err := social.New(o)
	require.NoError(t, err)
	p, err := social.Pick(g)
	require.NoError(t, err)
	return g, p
}

// Every peer gives the same rows, and what was measured is plausible.
func TestPeersAgree(t *testing.T) {
	g, p := network(t, social.Options{Persons: 300})
	lite, err := SQLite(t.Context(), database(t), g, p)
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	peers := []*Peer{Native(g), lite, Store("embedded", g.Schema(), st, false)}
	var told []string
	r, err := Run(t.Context(), p.Questions(g.Schema()), peers, Options{
		Time: time.Millisecond, Clients: 2, Progress: func(q Question) { told = append(told, q.Name) },
	})
	require.NoError(t, err)
	require.Equal(t, []string{"native", "SQLite", "embedded"}, r.Peers)
	require.Equal(t, strings.Fields("q1 q2 q3 q4 q5 q6 q7 q8 q9 q10"), told)
	rows := map[string]int{}
	for _, q := range r.Questions {
		rows[q.Name] = q.Rows
		for i, m := range q.Peers {
			require.Positive(t, m.Micros, q.Name)
			require.LessOrEqual(t, m.Least, m.Micros)
			require.GreaterOrEqual(t, m.Calls, leastTurns)
			require.Positive(t, m.Allocations)
			require.Positive(t, m.Bytes)
			require.Positive(t, m.Scale)
			require.InDelta(t, m.Micros/q.Peers[0].Micros, max(m.Ratio, float64(1-min(i, 1))), 1e-9)
		}
	}
	require.Equal(t, map[string]int{"q1": 1, "q2": 1, "q3": 13, "q4": 9, "q5": 1, "q6": 100, "q7": 1, "q8": 10, "q9": 10, "q10": 20}, rows)
}

// Other networks have other answers, longer paths, and none.
func TestPeersAgreeElsewhere(t *testing.T) {
	for i, o := range []social.Options{
		{Persons: 60, Friends: 2, Posts: 2}, {Persons: 200, Friends: 3, Seed: 1}, {Persons: 100, Friends: 60, Posts: 40, Seed: 2},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			g, p := network(t, o)
			lite, err := SQLite(t.Context(), database(t), g, p)
			require.NoError(t, err)
			_, err = Run(t.Context(), p.Questions(g.Schema()), []*Peer{Native(g), lite}, Options{Time: 1})
			require.NoError(t, err)
		})
	}
}

// The statement for paths finds the least of the shortest, of every length.
func TestPathStatement(t *testing.T) {
	g, p := network(t, social.Options{Persons: 300, Friends: 2, Seed: 3})
	p.Person, p.Other = p.Other, p.Person // who has few friends is far from more
	db := database(t)
	require.NoError(t, fill(t.Context(), db, g))
	st, err := db.Prepare(pathText(6, "knows", "a", "b"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	native, _, err := Native(g).client(t.Context())
	require.NoError(t, err)
	person, _ := g.Schema().Label("person")
	lengths := map[int]int{}
	for to := range uint32(g.NodeCount(person)) {
		other := p
		if other.Other = g.Value(person, to, person.Key[0]).Int(); other.Other == p.Person {
			continue
		}
		var text string
		if err := st.QueryRow(p.Person, other.Other).Scan(&text); !errors.Is(err, sql.ErrNoRows) {
			require.NoError(t, err)
		}
		q := other.Questions(g.Schema())[6]
		document, err := native(t.Context(), q)
		require.NoError(t, err)
		rows, err := toolRows(q.Name, document)
		require.NoError(t, err)
		var want []row
		if text != "" {
			want = []row{{"path": text}}
		}
		require.Equal(t, want, rows, "to %d", other.Other)
		lengths[max(0, len(strings.Fields(text))-1)]++
	}
	for length := range 7 {
		require.NotZero(t, lengths[length], "no path of length %d: %v", length, lengths)
	}
}

// Where there are two texts for a question, they give the same rows.
func TestOtherTexts(t *testing.T) {
	g, p := network(t, social.Options{Persons: 400})
	db := database(t)
	require.NoError(t, fill(t.Context(), db, g))
	answer := func(s statement, text string) string {
		st, err := db.Prepare(text)
		require.NoError(t, err)
		defer func() { require.NoError(t, st.Close()) }()
		rows, err := st.Query(s.args(p)...)
		require.NoError(t, err)
		defer func() { require.NoError(t, rows.Close()) }()
		document, err := newPrepared(st, s, p).encode(nil, rows)
		require.NoError(t, err)
		return string(document)
	}
	tried := 0
	for name, s := range statements {
		if s.other != "" {
			want := answer(s, s.text)
			require.Greater(t, len(want), 100, name)
			require.Equal(t, want, answer(s, s.other), name)
			tried++
		}
	}
	require.NotZero(t, tried)
}

// A peer that lacks a row, or has another, ends the run before anything is
// timed.
func TestOtherRowsEndTheRun(t *testing.T) {
	g, p := network(t, social.Options{Persons: 50})
	for change, want := range map[string]string{
		`DELETE FROM person WHERE id = ?`:                     "q1 is answered differently: row 1: native has birthday=",
		`UPDATE person SET browserUsed = 'None' WHERE id = ?`: "SQLite has birthday=",
	} {
		db := database(t)
		lite, err := SQLite(t.Context(), db, g, p)
		require.NoError(t, err)
		_, err = db.Exec(change, p.Person)
		require.NoError(t, err)
		_, err = Run(t.Context(), p.Questions(g.Schema()), []*Peer{Native(g), lite}, Options{})
		require.ErrorContains(t, err, want)
		require.NoError(t, db.Close()) // and nothing is left of it
	}
	a, b := row{"id": "1"}, row{"id": "2"}
	require.Equal(t, "row 2: x has id=2, y has none", differ("x", "y", []row{a, b}, []row{a}))
	require.Equal(t, "row 1: x has none, y has id=1", differ("x", "y", nil, []row{a}))
	require.Equal(t, "row 1: x has id=1, y has id=2", differ("x", "y", []row{a}, []row{b}))
	require.Empty(t, differ("x", "y", []row{a, b}, []row{a, b}))
}

// A peer's failure is the run's.
func TestFailuresEndTheRun(t *testing.T) {
	g, p := network(t, social.Options{Persons: 50})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, p.Questions(g.Schema()), []*Peer{Native(g)}, Options{})
	require.ErrorContains(t, err, "native: q1: ")
	_, err = Run(t.Context(), []social.Question{{Name: "q11", Tool: "find_nodes", Arguments: []byte(`{}`)}}, []*Peer{Native(g)}, Options{})
	require.ErrorContains(t, err, "native: q11: ")
	db := database(t)
	_, err = db.Exec("CREATE TABLE post (id INTEGER)")
	require.NoError(t, err)
	_, err = SQLite(t.Context(), db, g, p)
	require.ErrorContains(t, err, "post")
}

func sample() *Report {
	return &Report{
		Format: "trellis.bench.v1", Peers: []string{"native", "a<b"}, Clients: 1,
		Graph: Graph{Name: `"x" & y`, Nodes: 1234567, Relationships: 12},
		Questions: []Question{
			{Name: "q1", About: "one & all", Rows: 1, Peers: []Measure{{Micros: 0.5, Allocations: 2.4, Bytes: 10}, {Micros: 4, Ratio: 8, ProcessorRatio: 4, Allocations: 9, Bytes: 8}}},
			{Name: "q2", About: "paths", Rows: 30, Peers: []Measure{{Micros: 123.4, Bytes: 1000}, {Micros: 246.8, Ratio: 2, ProcessorRatio: 9, Bytes: 900}}},
		},
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Table(&b))
	require.Equal(t, `"x" & y: 1,234,567 nodes, 12 relationships

       question  rows  native µs  allocs  bytes  a<b µs     ×  × CPU  allocs  bytes
  q1  one & all     1       0.50       2     10    4.00  8.00   4.00       9      8
  q2      paths    30        123       0   1000     247  2.00   9.00       0    900

a<b takes 4.00 times as long as native, and 6.00 times the processor time (geometric means)
`, b.String())
	b.Reset()
	require.NoError(t, sample().Markdown(&b))
	require.Equal(t, `"x" & y: 1,234,567 nodes, 12 relationships

|  | question | rows | native µs | allocs | bytes | a<b µs | × | × CPU | allocs | bytes |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| q1 | one & all | 1 | 0.50 | 2 | 10 | 4.00 | 8.00 | 4.00 | 9 | 8 |
| q2 | paths | 30 | 123 | 0 | 1000 | 247 | 2.00 | 9.00 | 0 | 900 |

a<b takes 4.00 times as long as native, and 6.00 times the processor time (geometric means)
`, b.String())
}

// The chart is well-formed, stands alone, and has a bar for each time, as long
// as its logarithm.
func TestChart(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().SVG(&b))
	widths := map[string][]string{} // of bars by colour
	dec := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			if at["rx"] != "" {
				widths[at["fill"]] = append(widths[at["fill"]], at["width"])
			}
		}
	}
	// From 0.1 to 1000 µs on 480 pixels: 120 for each power of ten.
	require.Equal(t, map[string][]string{palette[0]: {"83.9", "371.0"}, palette[1]: {"192.2", "407.1"}}, widths)
	require.NotContains(t, strings.ReplaceAll(b.String(), "http://www.w3.org/2000/svg", ""), "http")
	require.Contains(t, b.String(), "a&lt;b")
	require.Contains(t, b.String(), ">500 ns<")
	require.Contains(t, b.String(), ">4.00 µs · 8.00×<")
	require.Contains(t, b.String(), "prefers-color-scheme:dark")
	b.Reset()
	require.NoError(t, sample().HTML(&b))
	require.True(t, strings.HasPrefix(b.String(), "<!doctype html>"))
	require.Contains(t, b.String(), "</svg>\n</body></html>\n")
	b.Reset()
	require.NoError(t, (&Report{Peers: []string{"native"}}).SVG(&b), "no questions")
}

func TestDurations(t *testing.T) {
	for micros, want := range map[float64]string{0.12: "120 ns", 7.966: "7.97 µs", 10865: "10.9 ms", 2.5e6: "2.50 s"} {
		require.Equal(t, want, duration(micros))
	}
	for power, want := range map[int]string{-1: "100 ns", 0: "1 µs", 4: "10 ms", 6: "1 s"} {
		require.Equal(t, want, span(power))
	}
}

// BenchmarkCall asks the ten questions, as whole calls, of a network of 2,000
// persons or of the graph directory that TRELLIS_SNB names, of each peer:
//
//	go test ./tools/bench -run '^$' -bench . -count 10 | benchstat -col /peer -
func BenchmarkCall(b *testing.B) {
	var g *memory.Graph
	var err error
	if dir := os.Getenv("TRELLIS_SNB"); dir != "" {
		g, err = memory.Open(b.Context(), dir, memory.Options{})
	} else {
		g, err = social.New(social.Options{})
	}
	require.NoError(b, err)
	p, err := social.Pick(g)
	require.NoError(b, err)
	lite, err := SQLite(b.Context(), database(b), g, p)
	require.NoError(b, err)
	for _, q := range p.Questions(g.Schema()) {
		for _, peer := range []*Peer{Native(g), lite} {
			b.Run(q.Name+"/peer="+peer.Name, func(b *testing.B) {
				ask, free, err := peer.client(b.Context())
				require.NoError(b, err)
				defer func() { require.NoError(b, free()) }()
				document, err := ask(b.Context(), q)
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := ask(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(document)), "bytes")
			})
		}
	}
}
