package compile

import (
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func (k *checker) traverse(q *graph.Traverse) *Traverse {
	var root *place
	t := &Traverse{Connections: !q.OmitConnections}
	n := len(k.errs)
	from := k.nodeSet(root.member("from"), "label", &q.From)
	to := k.nodeSet(root.member("to"), "label", &q.To)
	k.moveToNeighbor(k.errs[n:], q)
	k.moveToRelated(k.errs[n:], root.member("from"), &q.From)
	k.moveToRelated(k.errs[n:], root.member("to"), &q.To)
	if from != nil {
		k.decided(root.member("from").member("label"), from.label)
	}
	if to != nil && t.Connections {
		k.decided(root.member("connections"), to.label)
	}
	steps := root.member("relationships")
	switch {
	case q.Relationships == nil:
		k.report(errMissing(steps, "relationships"))
	case len(q.Relationships) == 0:
		k.report(errEmptyList(steps, "relationships"))
	case len(q.Relationships) > k.limits.Steps:
		k.report(errLimit(steps, "steps", len(q.Relationships), k.limits.Steps))
	default:
		k.traverseSteps(steps, t, from, to, q)
	}
	t.From = from
	labels := t.labels(k.scratch.labels.take(8))
	t.Show = k.showByLabel(root.member("properties"), q.Properties, labels)
	t.Page = k.page(to, q.OrderBy, "", true)
	t.Page.Limit = k.limit(root.member("limit"), q.Limit, k.limits.Rows, k.limits.Rows)
	if len(k.errs) == 0 {
		k.seek(&t.Page, t, q.Cursor)
	}
	return t
}

func (k *checker) traverseSteps(at *place, t *Traverse, from, to *NodeSet, q *graph.Traverse) {
	last := &q.Relationships[len(q.Relationships)-1]
	if last.To != nil {
		e := &graph.Error{Code: graph.UnknownField, Path: at.item(len(q.Relationships) - 1).member("to").pointer(),
			Message: "the last step has no to of its own", Hint: "put the condition into the call's to"}
		switch { // only where no condition is lost
		case bare(&q.To) && (q.To.Label == "" || q.To.Label == last.To.Label):
			e.Fix = []graph.Patch{{Op: "move", From: e.Path, Path: "/to"}}
		case bare(last.To) && q.To.Label == last.To.Label:
			e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		}
		k.report(e)
	}
	var start []*schema.Label
	if from != nil {
		start = k.scratch.labels.of(from.label)
	}
	if to == nil { // the target is unknown: check the steps as far as they go
		steps := slices.Clone(q.Relationships)
		steps[len(steps)-1].To = nil
		k.chain(at, start, steps, nil)
		return
	}
	t.Steps = k.chain(at, start, q.Relationships, to)
	total := 0
	for _, x := range t.Steps {
		total += x.Max
	}
	if total > k.limits.TotalHops {
		k.report(errLimit(at, "hops of all steps", total, k.limits.TotalHops))
	}
}

// bare reports whether a pattern says nothing but its label.
func bare(n *graph.NodePattern) bool {
	return n.IDs == nil && n.Filter == nil && n.Where == "" && n.Search == "" && n.Related == nil
}

// labels appends, to an empty list, the labels that may stand in a traversal's
// answer.
func (t *Traverse) labels(labels []*schema.Label) []*schema.Label {
	add := func(l *schema.Label) {
		if !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	if t.From != nil {
		add(t.From.label)
	}
	for _, x := range t.Steps {
		for _, m := range x.Moves {
			add(m.Source())
			add(m.Target.label)
		}
	}
	return labels
}

// The hops of a call that does not say.
const (
	defaultExploreHops = 2
	defaultPathHops    = 3
)

// around is what explore_neighbors and find_paths have in common.
type around struct {
	NodeTypes, RelationshipTypes []string
	Filters                      map[string]graph.Filter
	Direction                    graph.Direction
	MaxHops, DefaultHops, Cap    int
}

// surroundings checks the walk through a graph that node and relationship
// types restrict. It may end at any of the labels walked through.
func (k *checker) surroundings(from []*schema.Label, to *schema.Label, a around) *Expand {
	var root *place
	x := &Expand{Min: 1, Max: a.MaxHops}
	switch at := root.member("max_hops"); {
	case a.MaxHops < 0:
		k.report(errRange(at, "max_hops", a.MaxHops, 1))
		x.Max = 1
	case a.MaxHops > a.Cap:
		e := errLimit(at, "max_hops", a.MaxHops, a.Cap)
		e.Fix = replace(e.Path, a.Cap)
		k.report(e)
		x.Max = 1
	case a.MaxHops == 0:
		x.Max = min(a.DefaultHops, a.Cap)
	}
	dir := k.direction(root.member("direction"), a.Direction, graph.Both)
	types := k.allTypes()
	typesAt := root.member("relationship_types")
	if a.RelationshipTypes != nil {
		types = types[:0]
		if len(a.RelationshipTypes) == 0 {
			k.report(errEmptyList(typesAt, "relationship_types"))
		}
		for i, name := range a.RelationshipTypes {
			if t := k.relationshipType(typesAt.item(i), name); t != nil {
				types = append(types, t)
			}
		}
	}
	labels := k.walkedLabels(root.member("node_types"), a.NodeTypes)
	conds := k.labelFilters(root.member("filters"), a.Filters, labels)
	if len(from) == 0 || len(k.errs) > 0 {
		return x
	}
	leaves, arrives := k.connects(from, to, types, dir)
	if a.RelationshipTypes != nil && !(leaves && arrives) {
		away := k.undecided(from, types, dir)
		if leaves {
			away = k.undecided([]*schema.Label{to}, types, reversed(dir))
		}
		if away != nil {
			k.report(errRedacted(typesAt, away))
			return x
		}
		e := &graph.Error{Code: graph.ImpossibleStep, Path: typesAt.pointer()}
		if !leaves {
			e.Message = fmt.Sprintf("none of these types leads %s from %s", walked(dir), labelList(from))
			k.suggestSteps(e, from)
		} else {
			e.Message = fmt.Sprintf("none of these types leads %s to %s", walked(dir), to.Name)
			k.suggestSteps(e, []*schema.Label{to})
		}
		e.Fix = []graph.Patch{{Op: "remove", Path: typesAt.pointer()}}
		if leaves, arrives := k.connects(from, to, types, graph.Both); leaves && arrives {
			e.Fix = replace("/direction", "both")
		}
		k.report(e)
		return x
	}
	x.Moves = slices.Clone(k.moves(from, types, dir, x.Max))
	x.Moves = slices.DeleteFunc(x.Moves, func(m *Move) bool {
		return m.Target.label != to && !slices.Contains(labels, m.Target.label)
	})
	for _, l := range labels {
		x.Ends = append(x.Ends, &NodeSet{NodeRef: k.node(l), Keys: Keys{N: -1}, Cond: conds[l]})
	}
	return x
}

// connects reports whether some of the types leave a start, and whether some
// reach the end, if there is one.
func (k *checker) connects(from []*schema.Label, to *schema.Label, types []*schema.RelationshipType, dir graph.Direction) (leaves, arrives bool) {
	leaves = slices.ContainsFunc(from, func(l *schema.Label) bool { return len(k.movesFrom(l, types, dir)) > 0 })
	return leaves, to == nil || len(k.movesFrom(to, types, reversed(dir))) > 0
}

func (k *checker) walkedLabels(at *place, names []string) []*schema.Label {
	if names == nil {
		return slices.DeleteFunc(slices.Collect(k.schema.Labels()), k.isRedacted)
	}
	if len(names) == 0 {
		k.report(errEmptyList(at, "node_types"))
	}
	var labels []*schema.Label
	for i, name := range names {
		if l := k.label(at.item(i), name); l != nil && !slices.Contains(labels, l) && k.decided(at.item(i), l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// labelFilters checks the filters by label. Those of labels that are not walked
// through bind nothing: the plan's shape does not tell of them.
func (k *checker) labelFilters(at *place, filters map[string]graph.Filter, walked []*schema.Label) map[*schema.Label]Cond {
	conds := make(map[*schema.Label]Cond, len(filters))
	for _, name := range sortedKeys(filters) {
		n := len(k.errs)
		l := k.label(at.member(name), name)
		if l == nil {
			renameMember(k.errs[n], at)
			continue
		}
		bound := len(k.plan.Params)
		conds[l] = k.filter(at.member(name), owner{props: l.Properties, name: l.Name, label: l}, filters[name])
		if !slices.Contains(walked, l) {
			k.giveBack(bound)
			continue
		}
		k.emptyMatch(at.member(name), l, filters[name], true)
	}
	return conds
}

func (k *checker) neighbors(q *graph.Neighbors) *Neighbors {
	var root *place
	n := &Neighbors{Start: k.single(root.member("start_node"), q.Start)}
	n.Step = k.surroundings(labelOf(n.Start), nil, around{
		NodeTypes: q.NodeTypes, RelationshipTypes: q.RelationshipTypes, Filters: q.Filters, Direction: q.Direction,
		MaxHops: q.MaxHops, DefaultHops: defaultExploreHops, Cap: k.limits.StepHops,
	})
	n.Show = k.showByLabel(root.member("properties"), q.Properties, slices.Collect(k.schema.Labels()))
	n.Page.Order = []OrderKey{{By: ByDistance}, {By: ByLabel}, {By: ByKey}}
	n.Page.Limit = k.limit(root.member("limit"), q.Limit, k.limits.Rows, k.limits.Rows)
	k.seek(&n.Page, n, q.Cursor)
	return n
}

func labelOf(s *NodeSet) []*schema.Label {
	if s == nil {
		return nil
	}
	return []*schema.Label{s.label}
}

// maxK is how many paths k_shortest may ask for.
const maxK = 10

func (k *checker) paths(q *graph.Paths) *Paths {
	var root *place
	p := &Paths{Mode: q.Mode, From: k.single(root.member("from"), q.From), To: k.single(root.member("to"), q.To)}
	switch q.Mode {
	case "":
		p.Mode = graph.Shortest
	case graph.Shortest, graph.AllShortest, graph.AllPaths, graph.KShortest:
	default:
		k.report(errEnum(root.member("mode"), "mode", string(q.Mode), []string{"shortest", "all_shortest", "all", "k_shortest"}))
	}
	switch at := root.member("k"); {
	case q.K != 0 && p.Mode != graph.KShortest:
		e := errUnsupported(at, "k goes with mode k_shortest only", "")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
	case q.K < 0:
		k.report(errRange(at, "k", q.K, 1))
	case q.K > maxK:
		e := errLimit(at, "k", q.K, maxK)
		e.Fix = replace(e.Path, maxK)
		k.report(e)
	case p.Mode == graph.KShortest:
		if p.K = q.K; p.K == 0 {
			p.K = 3
		}
	}
	var to *schema.Label
	if p.To != nil {
		to = p.To.label
	}
	p.Step = k.surroundings(labelOf(p.From), to, around{
		NodeTypes: q.NodeTypes, RelationshipTypes: q.RelationshipTypes, Filters: q.Filters, Direction: q.Direction,
		MaxHops: q.MaxHops, DefaultHops: defaultPathHops, Cap: k.limits.PathHops,
	})
	k.weight(root.member("weight"), p, q.Weight)
	p.Show = k.showByLabel(root.member("properties"), q.Properties, slices.Collect(k.schema.Labels()))
	p.Limit = k.limit(root.member("limit"), q.Limit, k.limits.Rows, k.limits.Rows)
	return p
}

// weight resolves the property that a path search minimises. Pairs without it
// are not walked.
func (k *checker) weight(at *place, p *Paths, name string) {
	if name == "" {
		return
	}
	if p.Mode != graph.Shortest && p.Mode != graph.KShortest {
		k.report(errUnsupported(at, "weight goes with the modes shortest and k_shortest", "use mode k_shortest"))
		return
	}
	var names []string
	p.Weight = map[*schema.Pair]*schema.Property{}
	for _, m := range p.Step.Moves {
		pair := m.Rel.pair
		for _, prop := range pair.Properties {
			if prop.Hidden || masked(prop) {
				continue
			}
			if prop.Type.Numeric() && !slices.Contains(names, prop.Name) {
				names = append(names, prop.Name)
			}
			if prop.Name != name {
				continue
			}
			if !prop.Type.Numeric() {
				k.report(errType(at, fmt.Sprintf("%q of %s is of type %s, not a number", name, pair.Type.Name, prop.Type)))
				return
			}
			p.Weight[pair] = prop
		}
	}
	if len(p.Weight) == 0 && len(k.errs) == 0 {
		e := errName(graph.UnknownProperty, at, "relationship property", name, names, schema.Suggest(name, names))
		if len(e.DidYouMean) > 0 {
			e.Fix = replace(e.Path, e.DidYouMean[0])
		}
		k.report(e)
		return
	}
	p.Step.Moves = slices.DeleteFunc(p.Step.Moves, func(m *Move) bool { return p.Weight[m.Rel.pair] == nil })
}
