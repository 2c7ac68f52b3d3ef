package social

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

func (n *network) persons(yield func(...graph.Value) bool) {
	s := streamOf(n.Seed, partPersons)
	first, last := zipf(len(firstNames), 4), zipf(len(lastNames), 4)
	genders := []string{"female", "male"}
	const eighties, days = 3652, 3653 // from 1980-01-01 on
	for i := range n.ids {
		if !yield(graph.Int(n.ids[i]), pickOf(firstNames, first.draw(s)), pickOf(lastNames, last.draw(s)),
			pickOf(genders, int(s.below(2))), graph.DateFromDays(eighties+int64(s.below(days))),
			moment(s), address(s), pickOf(browsers, browserShare.draw(s))) {
			return
		}
	}
}

func (n *network) locations(yield func(...graph.Value) bool) {
	person, post, place := graph.String("person"), graph.String("post"), graph.String("place")
	for i, city := range n.city {
		if !yield(person, place, graph.Int(n.ids[i]), graph.Int(cityID(city))) {
			return
		}
	}
	for i, author := range n.authors {
		if !yield(post, place, graph.Int(int64(i)), graph.Int(countryID(n.city[author]))) {
			return
		}
	}
}

func (n *network) interests(yield func(...graph.Value) bool) {
	s := streamOf(n.Seed, partInterests)
	for _, id := range n.ids {
		for _, tag := range n.someTags(s, 1+int(s.below(8))) {
			if !yield(graph.Int(id), graph.Int(int64(tag))) {
				return
			}
		}
	}
}

// someTags draws so many tags, and returns the distinct ones, ascending.
func (n *network) someTags(s *stream, count int) []int {
	var space [8]int
	out := space[:0]
	for range count {
		out = append(out, n.tagOf.draw(s))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// friendships gives each friendship in both directions, with one date.
func (n *network) friendships(yield func(...graph.Value) bool) {
	s := streamOf(n.Seed, partFriends)
	for _, f := range n.friends(s) {
		a, b, since := graph.Int(n.ids[f>>32]), graph.Int(n.ids[uint32(f)]), moment(s)
		if !yield(a, b, since) || !yield(b, a, since) {
			return
		}
	}
}

// friends draws pairs of persons until there are as many distinct ones as asked
// for, ascending: the lesser person's number in the upper half. Where nearly all
// that is drawn is there already, it gives up with fewer.
func (n *network) friends(s *stream) []uint64 {
	const rounds = 24
	wanted := n.Persons * n.Friends / 2
	each := newLottery(n.sociable)
	pairs := make([]uint64, 0, wanted)
	for range rounds {
		missing := wanted - len(pairs)
		if missing <= 0 {
			break
		}
		for range missing {
			a, b := each.draw(s), each.draw(s)
			if a != b {
				pairs = append(pairs, uint64(min(a, b))<<32|uint64(max(a, b)))
			}
		}
		slices.Sort(pairs)
		pairs = slices.Compact(pairs)
	}
	return pairs
}
