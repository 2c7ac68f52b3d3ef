package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Of redacted labels the host decides node by node, when the store has
// answered. What a path over one of them, a number of them, or their being
// related to something would tell is out of the host's hands by then, so plans
// have them only where their nodes are what is asked for.

func (k *checker) isRedacted(l *schema.Label) bool { return slices.Contains(k.redacted, l.Name) }

// passable reports whether a hop may lead to a label.
func (k *checker) passable(l *schema.Label) bool { return l == k.target || !k.isRedacted(l) }

// undecided returns the label whose nodes the host decides by itself, and to
// which alone the types lead from some labels; nil if that is not why they do
// not lead on.
func (k *checker) undecided(from []*schema.Label, types []*schema.RelationshipType, dir graph.Direction) *schema.Label {
	for _, l := range from {
		if moves := k.hopsFrom(nil, l, types, dir, k.isRedacted); len(moves) > 0 {
			return moves[0].Target.label
		}
	}
	return nil
}

// decided reports whether the store can tell who may see a label's nodes, and
// refuses the label where it cannot.
func (k *checker) decided(at *place, l *schema.Label) bool {
	if !k.isRedacted(l) {
		return true
	}
	k.report(errRedacted(at, l))
	return false
}

func errRedacted(at *place, l *schema.Label) *graph.Error {
	return errUnsupported(at, "who may see a "+l.Name+" is decided for each by itself, so it is no part of walks and figures",
		"use find_nodes, or traverse_relationships to it by one last hop, with connections: false")
}
