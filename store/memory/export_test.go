package memory

import "slices"

// SetSlack makes a Live sweep up after batches that leave more than n behind.
func (l *Live) SetSlack(n int) { l.slack = n }

// SetHubs makes a Live treat lists of so many entries as long, and let nodes of so
// many relationships keep their rows.
func (l *Live) SetHubs(long, keeps int) { l.long, l.keeps = long, keeps }

// WithRoom gives every slice of a dense graph room at its end, as append leaves
// it now and then, and returns the graph.
func (g *Graph) WithRoom() *Graph {
	for l, n := range g.nodes {
		for p, c := range n.columns {
			n.columns[p] = c.withRoom()
		}
		n.key = n.keyColumns(l)
	}
	for _, r := range g.links {
		for p, c := range r.columns {
			r.columns[p] = c.withRoom()
		}
		for _, list := range []*[]uint32{&r.from, &r.to, &r.in, &r.sources} {
			*list = slices.Grow(*list, 1000)
		}
	}
	return g
}

func (c Column) withRoom() Column {
	switch v := c.values.(type) {
	case numbers[int32]:
		c.values = slices.Grow(v, 1000)
	case numbers[int64]:
		c.values = slices.Grow(v, 1000)
	case codes:
		c.values = slices.Grow(v, 1000)
	case words:
		c.values = words{codes: slices.Grow(v.codes, 1000), dict: slices.Grow(v.dict, 1000)}
	}
	return c
}
