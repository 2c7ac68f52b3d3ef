package command

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/tools/bench"
)

// bench verifies that the stores and SQLite give the same rows, and fails where
// they do not.
func TestBench(t *testing.T) {
	chart := filepath.Join(t.TempDir(), "bench.svg")
	o := trellis(t, "", "bench", "--persons", "300", "--time", "1ms", "--store", "embedded", "--format", "json", "--chart", chart)
	require.Equal(t, 0, o.code, o.err)
	var r bench.Report
	require.NoError(t, json.Unmarshal([]byte(o.out), &r))
	require.Equal(t, []string{"native", "SQLite", "embedded"}, r.Peers)
	require.Len(t, r.Questions, 10)
	require.Equal(t, 300+24*41+5+2400+3000, r.Graph.Nodes)
	require.Contains(t, o.err, "q10: ")
	f, err := os.Open(chart)
	require.NoError(t, err)
	defer f.Close()
	for dec := xml.NewDecoder(f); err == nil; {
		_, err = dec.Token()
	}
	require.Equal(t, io.EOF, err)
}

func TestBenchChooses(t *testing.T) {
	o := trellis(t, "", "bench", "--persons", "50", "--friends", "5", "--posts", "2", "--seed", "7", "--queries", "q7,q1", "--time", "1ms", "--clients", "2")
	require.Equal(t, 0, o.code, o.err)
	lines := strings.Split(o.out, "\n")
	require.Contains(t, lines[0], "a social network: 1,539 nodes")
	require.Contains(t, lines[2], "2 clients")
	require.Equal(t, "q1", strings.Fields(lines[3])[0])
	require.Equal(t, "q7", strings.Fields(lines[4])[0])
	require.Contains(t, o.out, "geometric means")
}

func TestBenchNeedsTheLabels(t *testing.T) {
	o := trellis(t, "", "bench", "--graph", forgeDir)
	require.Equal(t, 3, o.code)
	require.Contains(t, o.err, "the questions need what the graph does not have: label person")
}
