package tools

import "github.com/trellisgraph/trellis/graph"

// A traversal is a query with room for what most of its kind are made of, so
// that it is one piece of memory. What does not find room has its own.
type traversal struct {
	graph.Traverse
	steps   [2]graph.Step
	nodes   [2]graph.NodePattern
	ids     [1]graph.Value
	orders  [1]graph.Order
	filters [2]graph.Filter
	names   [3]string
}

// A room is what is left of a traversal's memory; nothing, of other queries.
type room struct {
	steps   []graph.Step
	nodes   []graph.NodePattern
	ids     []graph.Value
	orders  []graph.Order
	filters []graph.Filter
}

// newTraverse returns an empty traversal, in whose memory what is read next
// finds room.
func (d *decoder) newTraverse() *graph.Traverse {
	t := new(traversal)
	d.single = t.names[:]
	d.room = room{t.steps[:0], t.nodes[:], t.ids[:0], t.orders[:0], t.filters[:0]}
	return &t.Traverse
}

// newNode returns an empty pattern.
func (d *decoder) newNode() *graph.NodePattern {
	if len(d.room.nodes) == 0 {
		return new(graph.NodePattern)
	}
	n := &d.room.nodes[0]
	d.room.nodes = d.room.nodes[1:]
	return n
}

// given takes the one list that there is room for, nil where there is none.
func given[T any](list *[]T) []T {
	out := *list
	*list = nil
	return out
}
