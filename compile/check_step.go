package compile

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// chain checks steps that follow one another from the given labels. last is
// what the place where the last step ends must fulfil; nil where the last
// step's own To says so.
func (k *checker) chain(at *place, from []*schema.Label, steps []graph.Step, last *NodeSet) []*Expand {
	out := make([]*Expand, 0, len(steps))
	room := make([]Expand, len(steps))
	ends := make([]*NodeSet, len(steps))
	total := 0
	for i := range steps {
		here := at.item(i)
		s := &steps[i]
		var end *NodeSet
		known := true
		switch {
		case i == len(steps)-1 && last != nil:
			end = last
		case s.To != nil:
			end = k.nodeSet(here.member("to"), "label", s.To)
			known = end != nil && k.decided(here.member("to").member("label"), end.label)
		}
		x := &room[i]
		ends[i] = end
		if !k.step(x, here, from, s, ends[i:i+1:i+1], known) {
			from = nil
			if end != nil {
				from = k.scratch.labels.of(end.label)
			}
			continue
		}
		out = append(out, x)
		total += x.Max
		from = k.scratch.labels.take(len(x.Ends))
		for _, e := range x.Ends {
			from = append(from, e.label)
		}
	}
	return out
}

// step checks one step from the given labels into x, and reports whether it
// could; nil labels stand for labels that could not be resolved. The one end is
// where it must end, nil for anywhere; known is false if that could not be
// resolved.
func (k *checker) step(x *Expand, at *place, from []*schema.Label, s *graph.Step, must []*NodeSet, known bool) bool {
	end := must[0]
	n := len(k.errs)
	types := k.stepTypes(at.member("type"), s.Types)
	dir := k.direction(at.member("direction"), s.Direction, graph.Outgoing)
	if len(types) == 1 && types[0] == nil && end != nil && known && n < len(k.errs) {
		k.betweenTypes(k.errs[n], at, from, end.label, dir)
	}
	x.Min, x.Max = k.hops(at, s.MinHops, s.MaxHops)
	if from == nil || !known || slices.Contains(types, nil) || len(types) == 0 {
		return false
	}
	if end != nil && k.isRedacted(end.label) {
		if x.Max > 1 {
			k.report(errRedacted(at.member("max_hops"), end.label))
			return false
		}
		k.target = end.label
		defer func() { k.target = nil }()
	}
	every := k.moves(from, types, dir, x.Max)
	if !k.walkable(at, from, s, types, dir, every) {
		return false
	}
	levels := k.reach(from, every, x.Max)
	ends := k.scratch.labels.take(len(every))
	for _, level := range levels[min(x.Min, len(levels)-1):] {
		for _, l := range level {
			if !slices.Contains(ends, l) {
				ends = append(ends, l)
			}
		}
	}
	if end != nil {
		if !slices.Contains(ends, end.label) {
			k.report(k.errDeadEnd(at, from, end.label, s))
			return false
		}
		x.Ends = must
	} else {
		if len(ends) == 0 {
			k.report(k.errTooFar(at, from, x.Min))
			return false
		}
		slices.SortFunc(ends, func(a, b *schema.Label) int { return strings.Compare(a.Name, b.Name) })
		x.Ends = make([]*NodeSet, 0, len(ends))
		for _, l := range ends {
			x.Ends = append(x.Ends, &NodeSet{NodeRef: k.node(l), Keys: Keys{N: -1}})
		}
	}
	x.Moves = k.useful(every, levels, x)
	k.moveFilters(at.member("filters"), every, x, s.Filter)
	return true
}

// stepTypes resolves the names of a step's types; what is unknown stays as nil.
func (k *checker) stepTypes(at *place, names []string) []*schema.RelationshipType {
	switch {
	case names == nil:
		e := errMissing(at, "a relationship type")
		e.SetAllowed(k.typeNames())
		k.report(e)
	case len(names) == 0:
		k.report(errEmptyList(at, "type"))
	case len(names) > k.limits.StepTypes:
		k.report(errLimit(at, "relationship types", len(names), k.limits.StepTypes))
	}
	types := k.scratch.types.take(len(names))[:len(names)]
	for i, name := range names {
		here := at
		if len(names) > 1 {
			here = at.item(i)
		}
		types[i] = k.relationshipType(here, name)
	}
	return types
}

// hops checks the bounds of a step.
func (k *checker) hops(at *place, least, most int) (int, int) {
	maxAt := at.member("max_hops")
	if least < 0 {
		k.report(errRange(at.member("min_hops"), "min_hops", least, 1))
		least = 1
	}
	if most < 0 {
		k.report(errRange(maxAt, "max_hops", most, 1))
		most = 1
	}
	if least == 0 {
		least = 1
	}
	given := most
	if most == 0 {
		most = max(1, least)
		maxAt = at.member("min_hops")
	}
	if most > k.limits.StepHops {
		e := errLimit(maxAt, "hops of a step", most, k.limits.StepHops)
		e.Fix = replace(e.Path, k.limits.StepHops)
		k.report(e)
		return 1, 1
	}
	if least > most {
		e := &graph.Error{Code: graph.OutOfRange, Path: at.member("min_hops").pointer(), Message: "min_hops must not be over max_hops"}
		if given > 0 {
			e.Fix = replace(e.Path, most)
		}
		k.report(e)
		return most, most
	}
	return least, most
}

// moves lists the single hops that lead on from some labels, following types
// for up to max hops.
// The list is scratch.
func (k *checker) moves(from []*schema.Label, types []*schema.RelationshipType, dir graph.Direction, max int) []*Move {
	moves := k.scratch.moves.take(4)
	if max == 1 && len(from) == 1 {
		return k.hopsFrom(moves, from[0], types, dir, k.passable)
	}
	seen := map[*schema.Label]bool{}
	frontier := from
	for range max {
		var next []*schema.Label
		for _, l := range frontier {
			if seen[l] {
				continue
			}
			seen[l] = true
			for _, m := range k.movesFrom(l, types, dir) {
				moves = append(moves, m)
				next = append(next, m.Target.label)
			}
		}
		frontier = next
	}
	return moves
}

// movesFrom lists the single hops from a label, but not to redacted ones.
func (k *checker) movesFrom(l *schema.Label, types []*schema.RelationshipType, dir graph.Direction) []*Move {
	return k.hopsFrom(nil, l, types, dir, k.passable)
}

// move is a move in memory that it shares with some others of the plan.
func (k *checker) move(m Move) *Move {
	if len(k.moved) == cap(k.moved) {
		k.moved = make([]Move, 0, min(64, max(2, 2*cap(k.moved))))
	}
	k.moved = append(k.moved, m)
	return &k.moved[len(k.moved)-1]
}

// hopsFrom appends the single hops from a label to those that may be come to.
func (k *checker) hopsFrom(moves []*Move, l *schema.Label, types []*schema.RelationshipType, dir graph.Direction, to func(*schema.Label) bool) []*Move {
	if dir != graph.Incoming {
		for _, p := range k.schema.Outgoing(l) {
			if slices.Contains(types, p.Type) && to(p.To) {
				moves = append(moves, k.move(Move{Rel: k.rel(p), Target: k.node(p.To)}))
			}
		}
	}
	if dir != graph.Outgoing {
		for _, p := range k.schema.Incoming(l) {
			if slices.Contains(types, p.Type) && to(p.From) {
				moves = append(moves, k.move(Move{Rel: k.rel(p), Incoming: true, Target: k.node(p.From)}))
			}
		}
	}
	return moves
}

// reach lists the labels that can be stood on after 0, 1, … max hops. The lists
// are scratch, and good until the next call.
func (k *checker) reach(from []*schema.Label, moves []*Move, max int) [][]*schema.Label {
	levels := append(k.scratch.levels[:0], from)
	for h := range max {
		next := k.scratch.labels.take(len(moves))
		for _, m := range moves {
			if slices.Contains(levels[h], m.Source()) && !slices.Contains(next, m.Target.label) {
				next = append(next, m.Target.label)
			}
		}
		levels = append(levels, next)
	}
	k.scratch.levels = levels
	return levels
}

// useful drops the moves that no walk to one of the step's ends can take.
func (k *checker) useful(moves []*Move, levels [][]*schema.Label, x *Expand) []*Move {
	used := append(k.scratch.used[:0], make([]bool, len(moves))...)
	k.scratch.used = used
	ends := k.scratch.labels.take(len(x.Ends))
	for _, e := range x.Ends {
		ends = append(ends, e.label)
	}
	kept := 0
	for n := x.Min; n <= x.Max; n++ {
		goal := ends // where hop h must lead for a walk of n hops
		for h := n; h >= 1; h-- {
			before := k.scratch.labels.take(len(moves))
			for i, m := range moves {
				if slices.Contains(levels[h-1], m.Source()) && slices.Contains(goal, m.Target.label) {
					if !used[i] {
						used[i] = true
						kept++
					}
					before = append(before, m.Source())
				}
			}
			goal = before
		}
	}
	out := make([]*Move, 0, kept)
	for i, m := range moves {
		if used[i] {
			out = append(out, m)
		}
	}
	return out
}

// moveFilters checks a condition on the relationships of a step. It must make
// sense on every pair that the step can walk; those that do not lead to its end
// bind nothing, for the plan's shape does not tell of them.
func (k *checker) moveFilters(at *place, every []*Move, x *Expand, f graph.Filter) {
	if f == nil {
		return
	}
	checked := make(map[*schema.Pair]Cond, 1)
	for _, m := range every {
		p := m.Rel.pair
		c, ok := checked[p]
		if !ok {
			n, bound := len(k.errs), len(k.plan.Params)
			c = k.filter(at, owner{props: p.Properties, name: p.Type.Name}, f)
			checked[p] = c
			if !slices.ContainsFunc(x.Moves, func(m *Move) bool { return m.Rel.pair == p }) {
				k.giveBack(bound)
			}
			if len(k.errs) > n {
				k.errs = k.errs[:n+1] // one pair's mistakes speak for all
				return
			}
		}
		m.Cond = c
	}
}
