package memory

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Graph is an immutable property graph. It is safe for concurrent use. What
// its methods return must not be modified.
//
// Labels, pairs and properties are those of its schema; of others it has no
// nodes and no values. Rows and relationship numbers come from the graph
// itself and must be in range.
type Graph struct {
	schema *schema.Schema
	nodes  map[*schema.Label]*nodes
	links  map[*schema.Pair]*links
}

// nodes are the nodes of one label, in key order but for what since tells.
type nodes struct {
	count    int // of rows
	columns  map[*schema.Property]Column
	key      []Column
	index    keyIndex
	postings map[*schema.Property][]uint32
	since    *since // nil while the label is dense
}

var (
	noNodes = &nodes{}
	noLinks = &links{}
)

func (g *Graph) label(l *schema.Label) *nodes {
	if n := g.nodes[l]; n != nil {
		return n
	}
	return noNodes
}

// Schema returns the schema that the graph was built for.
func (g *Graph) Schema() *schema.Schema { return g.schema }

// CompareRows orders two rows of a label by their keys.
func (g *Graph) CompareRows(l *schema.Label, a, b uint32) int {
	return compareRows(g.label(l).key, a, b)
}

// Column returns the values of a label's property. Whoever reads many rows
// gets it once.
func (g *Graph) Column(l *schema.Label, p *schema.Property) Column { return g.label(l).columns[p] }

// Value returns a node's value of a property: Int for int32 and int64, Float,
// Bool, String for text and enums, Date, DateTime, UUID, Decimal with the
// property's scale, JSON in its canonical form (graph.CanonicalJSON), or null.
func (g *Graph) Value(l *schema.Label, row uint32, p *schema.Property) graph.Value {
	c := g.Column(l, p)
	if c.values == nil {
		return graph.Null()
	}
	return c.Value(row)
}

// cellsOf appends the values as cells of the properties' types. It reports
// false if one of them is null or of another type.
func cellsOf(dst []cell, props []*schema.Property, values []graph.Value) ([]cell, bool) {
	for i, v := range values {
		c, fault := valueCell(props[i], v, true)
		if fault != "" || c.null {
			return nil, false
		}
		dst = append(dst, c)
	}
	return dst, true
}
