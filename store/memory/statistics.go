package memory

import (
	"hash/maphash"

	"github.com/trellisgraph/trellis/compile"
)

// Statistics counts the graph: nodes, relationships, degrees, and the values of
// every property. The counts are exact. It reads all of the graph, which takes
// about as long as sorting its columns; keep what it returns.
func (g *Graph) Statistics() *compile.Statistics {
	g = g.Dense()
	s := &compile.Statistics{Labels: map[string]compile.LabelStatistics{}, Relationships: map[string]compile.PairStatistics{}}
	for l := range g.schema.Labels() {
		of := compile.LabelStatistics{Nodes: g.NodeCount(l), Properties: map[string]compile.PropertyStatistics{}}
		for _, p := range l.Properties {
			of.Properties[p.Name] = countValues(g.Column(l, p), of.Nodes)
		}
		s.Labels[l.Name] = of
	}
	for t := range g.schema.Relationships() {
		for _, p := range t.Pairs {
			r := g.pair(p)
			s.Relationships[compile.PairName(p)] = compile.PairStatistics{
				Relationships: len(r.to), Out: degreeOf(r.outFirst, g.NodeCount(p.From)), In: degreeOf(r.inFirst, g.NodeCount(p.To)),
			}
		}
	}
	return s
}

// degreeOf reads degrees off the places where each node's relationships begin.
func degreeOf(first []uint32, nodes int) compile.Degree {
	var d compile.Degree
	for i := 1; i < len(first); i++ {
		if n := int(first[i] - first[i-1]); n > 0 {
			d.Nodes++
			d.Most = max(d.Most, n)
		}
	}
	if nodes > 0 && len(first) > 0 {
		d.Average = float64(first[len(first)-1]) / float64(nodes)
	}
	return d
}

func countValues(c Column, nodes int) compile.PropertyStatistics {
	if nodes == 0 {
		return compile.PropertyStatistics{}
	}
	nulls := 0
	var distinct int
	switch v := c.values.(type) {
	case words:
		nulls, distinct = countCodes(c, v.codes, len(v.dict))
	case codes:
		nulls, distinct = countCodes(c, v, len(c.property.Values))
	default:
		// By hash: that two values share one of 64 bits is no harm here.
		seen, seed := map[uint64]struct{}{}, maphash.MakeSeed()
		for row := range uint32(c.Len()) {
			if at := c.at(row); at.null {
				nulls++
			} else {
				seen[at.hash(c.property.Type, seed, 0)] = struct{}{}
			}
		}
		distinct = len(seen)
	}
	return compile.PropertyStatistics{Distinct: distinct, Nulls: float64(nulls) / float64(nodes)}
}

func countCodes(c Column, code []uint32, size int) (nulls, distinct int) {
	seen := make([]bool, size)
	for row, x := range code {
		switch {
		case c.IsNull(uint32(row)):
			nulls++
		case !seen[x]:
			seen[x] = true
			distinct++
		}
	}
	return nulls, distinct
}
