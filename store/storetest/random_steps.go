package storetest

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// pattern makes a pattern that means a node, and perhaps others. related says
// whether it may have conditions on what the node is connected to.
func (k asker) pattern(v *vertex, related bool) graph.NodePattern {
	n := graph.NodePattern{Label: v.label.Name}
	b := v.bearer()
	guide := &b
	if k.chance(8) {
		guide = nil
	}
	props := v.label.Properties
	switch k.IntN(8) {
	case 0, 1:
		n.Filter = k.filter(props, guide)
	case 2:
		n.Where = k.expression(props, guide)
	case 3:
		n.IDs = k.ids(v)
	case 4:
		if k.chance(40) {
			n.Filter = k.filter(props, guide)
		}
		if k.chance(40) {
			n.Where = k.expression(props, guide)
		}
	}
	if texts := v.searched(); len(texts) > 0 && k.chance(12) {
		n.Search = k.search(pickOne(k.dice, texts))
	}
	switch {
	case related && k.chance(4):
		n.Related = k.noneAndCount(v)
	case related && k.chance(18):
		for range k.oneOrTwo(25) {
			if r, ok := k.related(v); ok {
				n.Related = append(n.Related, r)
			}
		}
	}
	return n
}

// search makes a search that finds a text: a part of it, or two.
func (k asker) search(text string) string {
	runes := []rune(text)
	if len(runes) == 0 {
		return "e"
	}
	from := k.IntN(len(runes))
	to := from + 1 + k.IntN(len(runes)-from)
	term := string(runes[from:to])
	if k.chance(30) {
		term = text
	}
	for _, c := range term {
		if c > ' ' {
			return term
		}
	}
	return "E"
}

// ids names a node, and often others, some of which do not exist.
func (k asker) ids(v *vertex) []graph.Value {
	out := []graph.Value{k.id(v)}
	for range k.IntN(4) {
		o := pickOne(k.dice, k.ref.vertices)
		if o.label == v.label && o != v && !slices.ContainsFunc(out, func(id graph.Value) bool { return idText(v.label, id) == o.id }) {
			out = append(out, k.id(o))
		}
	}
	if k.chance(15) {
		out = append(out, missingID(v.label))
	}
	if s, ok := k.stranger(v.label, 30); ok {
		out = append(out, s)
	}
	return out
}

// stranger is the id of a node that exists, but not for who asks; that many
// times out of a hundred, if there is one.
func (k asker) stranger(l *schema.Label, percent int) (graph.Value, bool) {
	list := k.ref.strangers[l.Name]
	if len(list) == 0 || !k.chance(percent) {
		return graph.Null(), false
	}
	return pickOne(k.dice, list), true
}

// id writes a node's id in one of the ways it may be given.
func (k asker) id(v *vertex) graph.Value {
	switch {
	case k.chance(50):
		return graph.String(v.id)
	case len(v.key) > 1:
		return graph.List(v.key...)
	}
	return v.key[0]
}

func missingID(l *schema.Label) graph.Value {
	switch {
	case len(l.Key) > 1:
		return graph.List(graph.String("nowhere"), graph.Int(77))
	case l.Key[0].Type.Integer():
		return graph.Int(987654321)
	case l.Key[0].Type == schema.UUID:
		return graph.String("ffffffff-0000-4000-8000-00000000dead")
	}
	return graph.String("no such node")
}

// step makes a step that leads from a node somewhere, and says where: over one
// relationship or several. It reports false where nothing leads on.
func (k asker) step(at *vertex, most int) (graph.Step, *vertex, bool) {
	all := at.walks(nil, graph.Both)
	if len(all) == 0 {
		return graph.Step{}, nil, false
	}
	first := pickOne(k.dice, all)
	s := graph.Step{Types: []string{first.edge.pair.Type.Name}, Direction: graph.Outgoing}
	if first.incoming {
		s.Direction = graph.Incoming
	}
	if k.chance(30) {
		s.Direction = graph.Both
	}
	if k.chance(20) {
		s.Types = k.moreTypes(at.label, s)
	}
	path, end := []walk{first}, first.end
	if most > 1 && end != at && k.chance(40) {
		been := []*vertex{at, end}
		for range k.IntN(min(3, most)) {
			next := slices.DeleteFunc(end.walks(s.Types, s.Direction), func(w walk) bool { return slices.Contains(been, w.end) })
			if len(next) == 0 {
				break
			}
			w := pickOne(k.dice, next)
			path, end, been = append(path, w), w.end, append(been, w.end)
		}
		s.MaxHops = len(path) + k.IntN(min(3, most)-len(path)+1)
		s.MinHops = 1 + k.IntN(len(path))
		if s.MinHops == 1 && k.chance(60) {
			s.MinHops = 0
		}
	}
	if k.chance(25) {
		k.stepFilter(&s, path)
	}
	return s, end, true
}

// moreTypes adds types that leave a label in the step's direction too.
func (k asker) moreTypes(from *schema.Label, s graph.Step) []string {
	types := slices.Clone(s.Types)
	add := func(pairs []*schema.Pair) {
		for _, p := range pairs {
			if !slices.Contains(types, p.Type.Name) && k.chance(60) {
				types = append(types, p.Type.Name)
			}
		}
	}
	if s.Direction != graph.Incoming {
		add(k.ref.schema.Outgoing(from))
	}
	if s.Direction != graph.Outgoing {
		add(k.ref.schema.Incoming(from))
	}
	return types
}

// stepFilter puts a condition on the relationships of a step that holds on a
// path, if there is a property that all pairs of the step have.
func (k asker) stepFilter(s *graph.Step, path []walk) {
	var common []*schema.Property
	for i, name := range s.Types {
		t, _ := k.ref.schema.Relationship(name)
		for j, pair := range t.Pairs {
			if i+j == 0 {
				common = slices.Clone(pair.Properties)
			}
			common = slices.DeleteFunc(common, func(p *schema.Property) bool {
				own, ok := pair.Property(p.Name)
				return !ok || own.Type != p.Type || own.NotFilterable
			})
		}
	}
	if len(common) == 0 {
		return
	}
	b := path[0].edge.bearer()
	f := k.filter(common, &b)
	for _, w := range path {
		if !holds(f, w.edge.bearer()) {
			return
		}
	}
	s.Filter = f
}

// chain makes steps that lead on from a node one after the other, with a
// pattern for where each but the last ends.
func (k asker) chain(v *vertex, steps, hops int, related bool) (list []graph.Step, end *vertex) {
	end = v
	for range steps {
		s, next, ok := k.step(end, hops)
		if !ok || hops < 1 {
			break
		}
		_, most := hopBounds(&s)
		hops -= most
		if len(list) > 0 && list[len(list)-1].To == nil && k.chance(60) {
			to := k.pattern(end, related)
			list[len(list)-1].To = &to
		}
		list, end = append(list, s), next
	}
	return list, end
}

// noneAndCount makes two conditions on the same node: that nothing is connected to it
// in one way, and how much is in another. Both hold of it if there are such.
func (k asker) noneAndCount(v *vertex) (out []graph.Related) {
	for range 6 {
		r, ok := k.related(v)
		if !ok {
			continue
		}
		if want := len(out) == 0; want == r.None && (want || len(r.Count) > 0) {
			if out = append(out, r); len(out) == 2 {
				return out
			}
		}
	}
	return out
}

// related makes a condition on what a node is connected to, which holds of it.
func (k asker) related(v *vertex) (graph.Related, bool) {
	of := v
	if k.chance(40) { // what holds of another need not hold of this one
		of = pickOne(k.dice, k.ref.vertices)
		if of.label != v.label {
			of = v
		}
	}
	steps, end := k.chain(of, k.oneOrTwo(40), 4, false)
	switch {
	case len(steps) == 0:
		return graph.Related{}, false
	case len(steps) == 1 && k.chance(20): // all ways of up to three hops to one node
		steps[0].MinHops, steps[0].MaxHops = 0, 3
		steps[0].To = &graph.NodePattern{Label: end.label.Name, IDs: []graph.Value{k.id(end)}}
	case k.chance(50):
		to := k.pattern(end, false)
		steps[len(steps)-1].To = &to
	}
	r := graph.Related{Relationships: steps}
	a := &answering{Reference: k.ref, Asked: Asked{Where: k.where}}
	n := len(a.chainEnds(v, steps))
	switch {
	case n == 0 && k.chance(50):
		r.None = true
	case n == 0 || k.chance(35):
		bounds := []graph.CountBound{{Op: graph.Eq, N: n}, {Op: graph.Ne, N: n + 1}, {Op: graph.Lt, N: n + 1 + k.IntN(2)}, {Op: graph.Lte, N: n},
			{Op: graph.Gt, N: n - 1}, {Op: graph.Gte, N: max(0, n-k.IntN(2))}}
		for _, b := range some(k.dice, bounds, 1, 2) {
			if b.N >= 0 {
				r.Count = append(r.Count, b)
			}
		}
		if len(r.Count) == 0 {
			r.Count = bounds[:1]
		}
	}
	return r, true
}
