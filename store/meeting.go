package store

import (
	"math"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// canMeet reports whether the engine is to be asked for hops from one side of the
// search to the other. Before both have gone a hop that asks no less of it than the
// next level.
func (l *lister) canMeet() bool {
	return l.levels.Meets && l.depth[forward] > 0 && l.depth[backward] > 0
}

// meets looks for hops from a side of the search straight to the frontier of the
// other, and reports whether there are any: then these are the last hops that
// the shortest paths lack. The next level, most of which leads elsewhere, need not
// be read.
func (l *lister) meets(side int) (bool, error) {
	met := false
	far := map[string][]*vertex{}
	for label, list := range byLabel(l.frontier[1-side]) {
		far[label.Name] = list
	}
	for label, near := range byLabel(l.frontier[side]) {
		for _, m := range l.levels.Moves(label, side == backward) {
			if m.Meeting == nil {
				continue
			}
			for from := range slices.Chunk(near, listSize) {
				for to := range slices.Chunk(far[m.Far.Name], listSize) {
					some, err := l.meetMove(side, m, from, to)
					met = met || some
					if err != nil || l.spent {
						return met, err
					}
				}
			}
		}
	}
	return met, nil
}

func (l *lister) meetMove(side int, m *compile.LevelMove, from, to []*vertex) (bool, error) {
	met := false
	err := l.executeLists(m.Meeting, math.MaxInt, func(row []graph.Value) (bool, error) {
		if !l.spend() {
			return false, nil
		}
		near, far := l.known(m.Near, pick(row, m.NearKey)), l.known(m.Far, pick(row, m.FarKey))
		if near != nil && far != nil && near.depth[side] >= 0 && far.depth[1-side] >= 0 {
			met = true
			l.hop(side, near, far, m.Move)
		}
		return true, nil
	}, keysOf(from), keysOf(to))
	return met, err
}
