package command

import (
	"context"
	"os"

	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/memory"
)

// openGraph opens what --graph names: a graph directory, a graph file, or a bundle of
// at most so many bytes, whose newest file tells the time of its schema.
// With a writer of progress it tells each file of a directory that was read.
func openGraph(ctx context.Context, path string, most int, progress func(memory.Progress)) (*memory.Graph, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if isBundle(path, info) {
		b, err := readBundle(path, most)
		if err != nil {
			return nil, err
		}
		_, newest := fingerprint(path)
		return bundles.Graph(newest, b)
	}
	if info.IsDir() {
		return memory.Open(ctx, path, memory.Options{Progress: progress})
	}
	return memory.OpenFile(path, nil)
}

// told says how many rows each file had, and how much of one was read.
func told(how *progress) func(memory.Progress) {
	return func(p memory.Progress) {
		if p.Done {
			how.line("%s: %d rows\n", p.File, p.Rows)
			return
		}
		how.at(p.File, p.Bytes, p.Size, "bytes")
	}
}

// A graphReport says how large a graph is.
type graphReport struct {
	Nodes         int `json:"nodes"`
	Relationships int `json:"relationships"`
}

func reportOf(g *memory.Graph) (report graphReport) {
	report.Nodes, report.Relationships = g.Size()
	return report
}
