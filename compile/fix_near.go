package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// This file mends what a caller knows of the graph but says in the wrong place: a
// property of a neighbour, or a relationship by another name than the one that
// leads from here to there.

// step writes a move as a step of a call, to a node of which more can be said.
func (m *Move) step(to map[string]any) map[string]any {
	dir := graph.Outgoing
	if m.Incoming {
		dir = graph.Incoming
	}
	return map[string]any{"type": m.Rel.pair.Type.Name, "direction": dir, "to": to}
}

// neighborsWith lists the single hops from a label to nodes that have a property
// which conditions may name, outgoing ones first.
func (k *checker) neighborsWith(l *schema.Label, property string) []*Move {
	all := k.allTypes()
	moves := slices.Concat(k.movesFrom(l, all, graph.Outgoing), k.movesFrom(l, all, graph.Incoming))
	return slices.DeleteFunc(moves, func(m *Move) bool { return !canFilter(m.Target.label.Properties, property) })
}

func canFilter(props []*schema.Property, name string) bool {
	return slices.ContainsFunc(props, func(p *schema.Property) bool { return p.Name == name && !p.Hidden && !shownOnly(p) })
}

// moveToNeighbor mends filters that stand at the wrong end of a traversal.
func (k *checker) moveToNeighbor(errs []*graph.Error, q *graph.Traverse) {
	ends := [2]struct {
		path    string
		label   string
		filters bool
	}{{"/from", q.From.Label, q.From.Filter != nil}, {"/to", q.To.Label, q.To.Filter != nil}}
	for _, e := range errs {
		if e.Code != graph.UnknownProperty || len(schema.Suggest(e.Got, e.DidYouMean)) > 0 {
			continue // it is a property of its own label, misspelt
		}
		for i, end := range ends {
			other := ends[1-i]
			name, ok := strings.CutPrefix(e.Path, end.path+"/filters/")
			if !ok || strings.ContainsAny(name, "/~") {
				continue
			}
			l, known := k.schema.Label(other.label)
			if !known {
				continue
			}
			if !canFilter(l.Properties, name) {
				continue
			}
			e.Message, _, _ = strings.Cut(e.Message, "; did you mean")
			e.DidYouMean, e.Fix = nil, nil
			e.Hint = fmt.Sprintf("%s has the property %q: filter at %s", l.Name, name, other.path)
			if !other.filters {
				e.Fix = append(e.Fix, graph.Patch{Op: "add", Path: other.path + "/filters", Value: map[string]any{}})
			}
			e.Fix = append(e.Fix, graph.Patch{Op: "move", From: e.Path, Path: other.path + "/filters/" + name})
		}
	}
}

// moveToRelated mends conditions on properties that a label does not have, but
// its neighbours or the relationships to them do: they become conditions on what
// is related. The pattern stands at the place.
func (k *checker) moveToRelated(errs []*graph.Error, at *place, pattern *graph.NodePattern) {
	l, known := k.schema.Label(pattern.Label)
	related := at.member("related").pointer()
	n := len(pattern.Related)
	for _, e := range errs {
		name, ok := strings.CutPrefix(e.Path, at.member("filters").pointer()+"/")
		if e.Code != graph.UnknownProperty || len(e.Fix) > 0 || !known || !ok || strings.ContainsAny(name, "/~") || n >= k.limits.Related {
			continue
		}
		step, into := k.stepWith(e, l, name)
		if step == nil {
			continue
		}
		condition := map[string]any{"relationships": []any{step}}
		index := fmt.Sprintf("/%d", n)
		if pattern.Related == nil {
			e.Fix = []graph.Patch{{Op: "add", Path: related, Value: []any{condition}}}
		} else {
			e.Fix = []graph.Patch{{Op: "add", Path: related + "/-", Value: condition}}
		}
		e.Fix = append(e.Fix, graph.Patch{Op: "move", From: e.Path, Path: related + index + "/relationships/0" + into + "/filters/" + name})
	}
}

// stepWith is the step to what has a property, with room for a condition on it,
// and the place of that room in the step; nil where nothing near has it. It tells
// the error of it.
func (k *checker) stepWith(e *graph.Error, l *schema.Label, property string) (step map[string]any, into string) {
	if moves := k.neighborsWith(l, property); len(moves) > 0 {
		e.Hint = fmt.Sprintf("%s has the property %q; it is related by %s", moves[0].Target.label.Name, property, stepText(moves[0]))
		if len(moves) > 1 {
			e.Hint += ", or " + stepText(moves[1])
		}
		return moves[0].step(map[string]any{"label": moves[0].Target.label.Name, "filters": map[string]any{}}), "/to"
	}
	for _, m := range k.movesFrom(l, k.allTypes(), graph.Both) {
		if canFilter(m.Rel.pair.Properties, property) {
			e.Hint = fmt.Sprintf("%q is a property of the relationship %s: filter in its step", property, m.Rel.pair.Type.Name)
			step = m.step(map[string]any{"label": m.Target.label.Name})
			step["filters"] = map[string]any{}
			return step, ""
		}
	}
	return nil, ""
}

// groupByNeighbor mends a group key that names a property of a neighbour.
func (k *checker) groupByNeighbor(e *graph.Error, key *place, l *schema.Label, property string) {
	if len(e.Fix) > 0 {
		return
	}
	if moves := k.neighborsWith(l, property); len(moves) > 0 {
		to := moves[0].Target.label.Name
		e.Hint = fmt.Sprintf("%s has the property %q: a group key may lead to it by relationships", to, property)
		e.Fix = []graph.Patch{{Op: "add", Path: key.member("relationships").pointer(), Value: []any{moves[0].step(map[string]any{"label": to})}}}
	}
}

// betweenTypes mends the unknown name of a step's only type with those that lead
// to where the step must end: of the names that it resembles those, and where it
// resembles none the only one there is.
func (k *checker) betweenTypes(e *graph.Error, at *place, from []*schema.Label, to *schema.Label, dir graph.Direction) {
	var direct []*Move
	for _, l := range from {
		for _, m := range k.movesFrom(l, k.allTypes(), graph.Both) {
			if m.Target.label == to {
				direct = append(direct, m)
			}
		}
	}
	along := slices.DeleteFunc(slices.Clone(direct), func(m *Move) bool { return dir != graph.Both && m.Incoming != (dir == graph.Incoming) })
	var meant *Move
	for _, moves := range [][]*Move{along, direct} {
		for _, name := range e.DidYouMean {
			if i := slices.IndexFunc(moves, func(m *Move) bool { return m.Rel.pair.Type.Name == name }); i >= 0 && meant == nil {
				meant = moves[i]
			}
		}
	}
	for _, moves := range [][]*Move{along, direct} {
		if len(e.DidYouMean) == 0 && meant == nil && len(moves) == 1 {
			meant = moves[0]
		}
	}
	if meant == nil || len(e.DidYouMean) > 0 && meant.Rel.pair.Type.Name == e.DidYouMean[0] && slices.Contains(along, meant) {
		return // what it resembles most will do
	}
	e.Hint = "from " + labelList(from) + " to " + to.Name + " leads " + stepText(meant)
	e.DidYouMean = []string{meant.Rel.pair.Type.Name}
	e.Fix = replace(e.Path, e.DidYouMean[0])
	if !slices.Contains(along, meant) {
		e.Fix = append(e.Fix, graph.Patch{Op: "add", Path: at.member("direction").pointer(), Value: turn(dir)})
	}
}

// onlyEnd mends a step whose end must have a label, where it can lead to one alone.
func (k *checker) onlyEnd(e *graph.Error, at *place, from []*schema.Label, s *graph.Step) {
	t, known := (*schema.RelationshipType)(nil), len(s.Types) == 1
	if known {
		t, known = k.schema.Relationship(s.Types[0])
	}
	if !known {
		return
	}
	dir := s.Direction
	if dir == "" {
		dir = graph.Outgoing
	}
	for _, d := range []graph.Direction{dir, turn(dir)} {
		var ends []*schema.Label
		for _, l := range from {
			for _, m := range k.movesFrom(l, []*schema.RelationshipType{t}, d) {
				ends = append(ends, m.Target.label)
			}
		}
		if len(ends) != 1 {
			continue
		}
		if s.To == nil {
			e.Fix = []graph.Patch{{Op: "add", Path: at.member("to").pointer(), Value: map[string]any{"label": ends[0].Name}}}
		} else {
			e.Fix = []graph.Patch{{Op: "add", Path: at.member("to").member("label").pointer(), Value: ends[0].Name}}
		}
		if d != dir {
			e.Fix = append(e.Fix, graph.Patch{Op: "add", Path: at.member("direction").pointer(), Value: d})
		}
		return
	}
}
