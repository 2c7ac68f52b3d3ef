package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func page(id, body string) *graph.Node {
	return &graph.Node{Label: "page", ID: id, Properties: []graph.Property{
		{Name: "n", Value: graph.Int(7)}, {Name: "body", Value: graph.String(body)}, {Name: "data", Value: graph.JSON(`"` + strings.Repeat("j", 300) + `"`)},
	}}
}

// bytes is what nodes take in a document, each with its comma.
func bytes(nodes ...*graph.Node) int {
	n := 0
	for _, node := range nodes {
		n += len(node.AppendJSON(nil)) + 1
	}
	return n
}

func TestFitterShortensTexts(t *testing.T) {
	long := strings.Repeat("é", 5000) // 10,000 bytes
	whole := bytes(page("1", long)) + len(`,"cut":{"body":10000}`)
	for _, tc := range []struct {
		most, want int // bytes of the text that is left
	}{
		{whole, 10_000}, {whole - 1, 4096}, {whole - 10_000 + 4096, 4096}, {whole - 10_000 + 4095, 1024},
		{whole - 10_000 + 1024, 1024}, {whole - 10_000 + 1023, 256}, {1, 256},
	} {
		n := page("1", long)
		require.True(t, NewFitter(tc.most).Fit(Piece{Nodes: []*graph.Node{n}, Always: true}))
		require.Equal(t, long[:tc.want], n.Value("body").Text())
		if tc.want == len(long) {
			require.Empty(t, n.Cut)
		} else {
			require.Equal(t, []graph.CutText{{Name: "body", Bytes: 10_000}}, n.Cut)
		}
		if tc.most > 1 {
			require.LessOrEqual(t, bytes(n), tc.most)
		}
		require.Len(t, n.Value("data").Text(), 302, "only texts are cut")
	}
}

func TestFitterCutsBetweenCharacters(t *testing.T) {
	for text, want := range map[string]int{
		strings.Repeat("x", 256):             256, // not over the length, and so no note
		strings.Repeat("x", 257):             256,
		strings.Repeat("x", 255) + "é":       255,
		strings.Repeat("x", 254) + "éé":      256,
		strings.Repeat("x", 253) + "😀":       253,
		strings.Repeat("x", 252) + "😀😀":      256,
		strings.Repeat("x", 255) + "e\u0301": 256, // a character may lose its accent: bytes count, not what is seen
		strings.Repeat("\x80", 300):          252,
		strings.Repeat("x", 250) + "日本日本":    256,
		strings.Repeat("x", 251) + "日本日本":    254,
	} {
		n := page("1", text)
		NewFitter(1).Fit(Piece{Nodes: []*graph.Node{n}, Always: true})
		require.Equal(t, text[:want], n.Value("body").Text())
		require.Equal(t, len(text) > 256, len(n.Cut) > 0)
	}
}

// Whatever came in which order, what is shown depends on the whole alone; all
// texts have one length, and what was full before is noted.
func TestFitterIsAFunctionOfTheWhole(t *testing.T) {
	sizes := []int{10, 300, 5000, 20, 2000, 257, 9000, 0, 1025}
	for most := 100; most < 25_000; most += 97 {
		f := NewFitter(most)
		var kept []*graph.Node
		for i, size := range sizes {
			n := page("1", strings.Repeat("x", size))
			if !f.Fit(Piece{Nodes: []*graph.Node{n}, Always: i == 0}) {
				break
			}
			kept = append(kept, n)
		}
		longest := 0
		for i, n := range kept {
			longest = max(longest, len(n.Value("body").Text()))
			if len(n.Cut) > 0 {
				require.Equal(t, sizes[i], n.Cut[0].Bytes)
			}
		}
		for i, n := range kept {
			require.Len(t, n.Value("body").Text(), min(sizes[i], max(longest, 256)), "of at most %d", most)
		}
		if len(kept) > 1 {
			require.LessOrEqual(t, bytes(kept...), most)
		}
		if len(kept) < len(sizes) {
			require.LessOrEqual(t, longest, 256, "texts go before rows")
		}
	}
}

func TestFitterCountsWhatBelongsTogether(t *testing.T) {
	n, r := page("1", "x"), &graph.Relationship{Type: "T", Properties: []graph.Property{{Name: "why", Value: graph.String(strings.Repeat("y", 500))}}}
	exact := bytes(n) + len(r.AppendJSON(nil)) + 1 + len(`,"cut":{"why":500}`) + 40
	piece := func() Piece {
		r := *r
		r.Properties = append([]graph.Property(nil), r.Properties...)
		return Piece{Nodes: []*graph.Node{page("1", "x")}, Relationships: []*graph.Relationship{&r}, Bytes: 40}
	}
	p := piece()
	require.True(t, NewFitter(exact).Fit(p))
	require.Empty(t, p.Relationships[0].Cut)
	p = piece()
	require.True(t, NewFitter(exact-1).Fit(p))
	require.Equal(t, []graph.CutText{{Name: "why", Bytes: 500}}, p.Relationships[0].Cut)
	require.True(t, NewFitter(exact-244).Fit(piece()))
	require.False(t, NewFitter(exact-245).Fit(piece()))
}

func TestSizesOfRowsAndPaths(t *testing.T) {
	cols := []graph.Column{{Name: "a"}, {Name: "b"}}
	require.Equal(t, len(`{"a":1,"b":"x"},`), RowBytes(cols, []graph.Value{graph.Int(1), graph.String("x")}))
	p := graph.Path{Nodes: []graph.NodeKey{{Label: "l", ID: "1"}, {Label: "l", ID: "2"}}, Relationships: []int{123456}, Length: 1}
	require.Equal(t, len(`{"nodes":[{"label":"l","id":"1"},{"label":"l","id":"2"}],"relationships":[],"length":1},`)+8, PathBytes(&p))
	require.LessOrEqual(t, len(p.AppendJSON(nil)), PathBytes(&p))
}
