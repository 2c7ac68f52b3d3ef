package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// walkable reports every type of a step that cannot be walked at any hop.
func (k *checker) walkable(at *place, from []*schema.Label, s *graph.Step, types []*schema.RelationshipType, dir graph.Direction, moves []*Move) bool {
	ok := true
	for i, t := range types {
		if slices.ContainsFunc(moves, func(m *Move) bool { return m.Rel.pair.Type == t }) {
			continue
		}
		ok = false
		here := at.member("type")
		if len(types) > 1 {
			here = here.item(i)
		}
		if l := k.undecided(standing(from, moves), []*schema.RelationshipType{t}, dir); l != nil {
			k.report(errRedacted(here, l))
			continue
		}
		e := &graph.Error{Code: graph.ImpossibleStep, Path: here.pointer(), Got: t.Name}
		e.Message = fmt.Sprintf("no %s leads %s from %s", t.Name, walked(dir), labelList(from))
		k.suggestSteps(e, from)
		if turned := turn(dir); turned != "" && len(k.moves(from, []*schema.RelationshipType{t}, turned, 1)) > 0 {
			e.Hint = fmt.Sprintf("%s exists in the other direction", t.Name)
			e.Fix = []graph.Patch{{Op: "add", Path: at.member("direction").pointer(), Value: string(turned)}}
		}
		k.report(e)
	}
	return ok
}

// standing are the labels that moves lead to, or start from.
func standing(from []*schema.Label, moves []*Move) []*schema.Label {
	at := slices.Clone(from)
	for _, m := range moves {
		at = append(at, m.Target.label)
	}
	return at
}

// errDeadEnd reports a step that cannot end at the label that is asked for.
func (k *checker) errDeadEnd(at *place, from []*schema.Label, to *schema.Label, s *graph.Step) *graph.Error {
	e := &graph.Error{Code: graph.ImpossibleStep, Path: at.pointer()}
	e.Message = fmt.Sprintf("the step does not lead from %s to %s", labelList(from), to.Name)
	var direct []string
	var fix []graph.Patch
	for _, l := range from {
		for _, d := range []graph.Direction{graph.Outgoing, graph.Incoming} {
			for _, m := range k.movesFrom(l, k.allTypes(), d) {
				if m.Target.label != to {
					continue
				}
				direct = append(direct, stepText(m))
				if d == k.direction(nil, s.Direction, graph.Outgoing) && slices.Contains(s.Types, m.Rel.pair.Type.Name) {
					// one hop would do: it is their number that is wrong
					fix = []graph.Patch{{Op: "add", Path: at.member("min_hops").pointer(), Value: 1}}
				} else if fix == nil {
					fix = []graph.Patch{{Op: "replace", Path: at.member("type").pointer(), Value: m.Rel.pair.Type.Name},
						{Op: "add", Path: at.member("direction").pointer(), Value: string(d)}}
				}
			}
		}
	}
	if len(direct) == 0 {
		k.suggestSteps(e, from)
		return e
	}
	e.SetAllowed(direct)
	e.Hint = "from " + labelList(from) + " to " + to.Name + " lead: " + strings.Join(e.Allowed, ", ")
	e.Fix = fix
	return e
}

func (k *checker) errTooFar(at *place, from []*schema.Label, hops int) *graph.Error {
	e := &graph.Error{Code: graph.ImpossibleStep, Path: at.pointer()}
	e.Message = fmt.Sprintf("nothing lies %d hops from %s along these types", hops, labelList(from))
	k.suggestSteps(e, from)
	return e
}

// suggestSteps names the single steps that leave the labels.
func (k *checker) suggestSteps(e *graph.Error, from []*schema.Label) {
	var names []string
	for _, l := range from {
		for _, m := range k.movesFrom(l, k.allTypes(), graph.Both) {
			if t := stepText(m); !slices.Contains(names, t) {
				names = append(names, t)
			}
		}
	}
	e.SetAllowed(names)
	if e.Hint == "" && len(names) > 0 {
		e.Hint = "from " + labelList(from) + " lead: " + strings.Join(e.Allowed, ", ")
	}
}

func (k *checker) allTypes() []*schema.RelationshipType {
	return slices.Collect(k.schema.Relationships())
}

// stepText writes a single step, such as "AUTHORED outgoing to issue".
func stepText(m *Move) string {
	dir := graph.Outgoing
	if m.Incoming {
		dir = graph.Incoming
	}
	return m.Rel.pair.Type.Name + " " + string(dir) + " to " + m.Target.label.Name
}

func turn(d graph.Direction) graph.Direction {
	switch d {
	case graph.Outgoing:
		return graph.Incoming
	case graph.Incoming:
		return graph.Outgoing
	}
	return ""
}

// reversed is the direction in which a walk is seen from its end.
func reversed(d graph.Direction) graph.Direction {
	if d == graph.Both {
		return d
	}
	return turn(d)
}

func walked(d graph.Direction) string {
	if d == graph.Both {
		return "in either direction"
	}
	return string(d)
}

func labelList(labels []*schema.Label) string {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = l.Name
	}
	return strings.Join(names, " or ")
}
