package memory

import "github.com/trellisgraph/trellis/schema"

// SameNodes reports whether the nodes of a label are those of an older or newer
// snapshot still: the same rows with the same values. It may say false of some
// that are, where they were built anew.
func (g *Graph) SameNodes(other *Graph, l *schema.Label) bool { return g.label(l) == other.label(l) }

// SameRelationships is SameNodes for the relationships of a pair.
func (g *Graph) SameRelationships(other *Graph, p *schema.Pair) bool {
	return g.pair(p) == other.pair(p)
}
