package store

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// direct asks for the first of the shortest paths in one statement, and reports
// whether that was enough to know it, or that there is none of at most most hops.
func (l *lister) direct(d *compile.Direct, most int) (bool, error) {
	length := -1
	path := []*vertex{l.from}
	err := l.execute(d.Statement, nil, func(row []graph.Value) (bool, error) {
		length = int(row[d.Length].Int())
		for _, key := range d.Between[:max(length-1, 0)] {
			path = append(path, l.vertex(l.from.label, pick(row, key)))
		}
		return false, nil
	})
	switch {
	case err != nil || length == compile.DirectUnsure:
		return false, err
	case length < 0:
		l.without = d.Hops
		return most <= d.Hops, nil
	}
	var edges []*edge
	for i, v := range append(path[1:], l.to) {
		l.expanded++
		l.connect(path[i], v, d.Move)
		edges = append(edges, path[i].next[len(path[i].next)-1])
	}
	l.found = append(l.found, edges)
	return true, nil
}
