package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// fewerRights makes the same calls with more and with fewer rights: what is
// answered with fewer must be a part of what is answered with more. No policy
// is an exception: a claim that is missing never shows anything, and lists are
// made shorter only where no policy asks for them under a negation.
func fewerRights(t *testing.T, open Opener, opts IsolationOptions) {
	graphs, shrank, nobody, unlike, refused := 0, 0, 0, 0, 0
	opts.graphs(t, opts.Pairs, everyOther, func(t *testing.T, w *world, d dice, calls int) (made int) {
		limits := generous
		var wide, narrow *graph.Scope
		var more, less *viewer
		fewer := false // nodes or relationships
		for range 4 {
			wide = pickOne(d, w.scopes)
			narrow = d.fewer(wide, w.negated)
			var err error
			more, err = w.viewer(wide, limits)
			require.NoError(t, err, "%s\n%s", scopeJSON(wide), w.schema.yaml())
			less, err = w.viewer(narrow, limits)
			require.NoError(t, err, "%s\n%s", scopeJSON(narrow), w.schema.yaml())
			if err := less.within(more); err != nil {
				t.Errorf("with fewer rights there is more to see: %v\nscope %s\nscope %s\n%s", err, scopeJSON(narrow), scopeJSON(wide), w.schema.yaml())
				return 0
			}
			fewer = len(less.world.nodes)+len(less.world.rels) < len(more.world.nodes)+len(more.world.rels)
			if fewer && len(less.ref.vertices) > 0 {
				break
			}
		}
		graphs++
		alike := less.alike(more)
		if fewer {
			shrank++
		}
		if len(less.ref.vertices) == 0 {
			nobody++
			return 0
		}
		if !alike {
			unlike++
		}
		g, err := w.build()
		require.NoError(t, err)
		st := open(t, g)
		defer func() { require.NoError(t, st.Close()) }()
		caller := w.caller(st, g.Schema(), compile.RandomCursorKeys(), limits)
		for range calls {
			q := monotone(d, less.ref)
			if q == nil {
				continue
			}
			args := Arguments(q)
			a, err := caller.As(narrow).Call(asked(q), args)
			if unanswered(err) {
				continue
			}
			var b *graph.Result
			if err == nil {
				b, err = caller.As(wide).Call(asked(q), args)
				if errors.Is(err, graph.TooCostly) {
					continue // over what only the other caller sees there are too many ways to walk
				}
				if !alike && errors.Is(err, graph.UnknownProperty) {
					refused++ // to the labels that only the other caller sees, the type has no such property
					continue
				}
			}
			if err == nil {
				err = within(a, b, alike)
			}
			made++
			if err != nil {
				t.Errorf("fewer rights do not give less: %v\nscope %s\nscope %s\ncall %s\n%s\n\n%s", err, scopeJSON(narrow), scopeJSON(wide), asked(q), args, counterexample{world: w}.files())
				return made
			}
		}
		return made
	})
	t.Logf("of %d graphs, %d showed less; no calls were made of %d that showed nothing, and %d hid properties or labels, too; %d calls ask for what a further label does not have", graphs, shrank, nobody, unlike, refused)
	if shrank < graphs/10 {
		t.Errorf("only %d of %d graphs showed less with fewer rights", shrank, graphs)
	}
}

// fewer takes rights from a scope: claims, and halves of lists other than those
// that count against the caller.
func (d dice) fewer(s *graph.Scope, against map[string]bool) *graph.Scope {
	c := *s
	c.Claims = maps.Clone(s.Claims)
	for _, name := range some(d, []string{"teams", "grants", "level", "path", "role", "roles", "vip"}, 2, 6) {
		list, isTexts := c.Claims[name].([]string)
		items, isItems := c.Claims[name].([]any)
		switch {
		case isTexts && !against[name]:
			c.Claims[name] = list[:len(list)/2]
		case isItems && !against[name]:
			c.Claims[name] = items[:len(items)/2]
		default:
			delete(c.Claims, name)
		}
	}
	return &c
}

// within says whether all nodes, relationships and properties that one viewer
// sees are seen by another.
func (v *viewer) within(o *viewer) error {
	alike := v.alike(o)
	all := func(v *viewer) map[string]bool {
		out := map[string]bool{}
		add := func(of string, props []*propSpec) {
			for _, p := range props {
				out[of+" "+p.name] = true
				out[of+" "+p.name+" unmasked"] = p.masked == ""
			}
		}
		for _, l := range v.world.schema.labels {
			add(l.name, l.props)
		}
		for _, t := range v.world.schema.types {
			for _, p := range t.pairs {
				add(t.name+" "+p.from+" "+p.to, p.props)
			}
		}
		for _, n := range v.world.nodes {
			out[nodeText(v.world.idOf(n))] = true
		}
		for _, r := range v.world.rels {
			out[r.typ+" "+nodeText(r.from)+" "+nodeText(r.to)] = true
			if alike {
				out[r.typ+" "+nodeText(r.from)+" "+nodeText(r.to)+" "+fmt.Sprint(r.values)] = true
			}
		}
		maps.DeleteFunc(out, func(_ string, seen bool) bool { return !seen })
		return out
	}
	return subset(all(v), all(o))
}

// alike says whether two viewers see a schema of the same names, so that the
// same call asks the same of both.
func (v *viewer) alike(o *viewer) bool { return v.world.schema.yaml() == o.world.schema.yaml() }

// monotone makes a call whose answer can only grow with what there is to see.
func monotone(d dice, ref *Reference) graph.Query {
	k := asker{d, ref, map[string]graph.Filter{}}
	v := pickOne(d, ref.vertices)
	switch d.IntN(4) {
	case 0:
		q := k.findNodes(v).(*graph.FindNodes)
		q.NodePattern = growing(q.NodePattern)
		return limited(q, generous.Rows)
	case 1:
		q, ok := k.traverse(v).(*graph.Traverse)
		if !ok {
			return nil
		}
		q.From, q.To, q.Relationships, q.OmitConnections = growing(q.From), growing(q.To), growingSteps(q.Relationships), true
		return limited(q, generous.Rows)
	case 2:
		return limited(k.neighbors(v), generous.Rows)
	}
	return &graph.Aggregate{NodePattern: growing(k.pattern(v, true)), Aggregations: []graph.Aggregation{{Function: graph.Count}}}
}

// growing leaves out what holds of fewer nodes where there is more to see.
func growing(n graph.NodePattern) graph.NodePattern {
	n.Related = slices.DeleteFunc(slices.Clone(n.Related), func(r graph.Related) bool { return r.None || len(r.Count) > 0 })
	if len(n.Related) == 0 {
		n.Related = nil
	}
	return n
}

func growingSteps(list []graph.Step) []graph.Step {
	list = slices.Clone(list)
	for i := range list {
		if list[i].To != nil {
			to := growing(*list[i].To)
			list[i].To = &to
		}
	}
	return list
}

// within says whether one answer is a part of another. Nodes have equal
// properties where both callers see the same ones.
func within(a, b *graph.Result, alike bool) error {
	if len(a.Rows) > 0 {
		if len(b.Rows) == 0 || a.Rows[0][0].Int() > b.Rows[0][0].Int() {
			return errors.New("there are more of them")
		}
		return nil
	}
	set := func(r *graph.Result) map[string]bool {
		out := map[string]bool{}
		for _, n := range r.Answers() {
			plain := *n
			plain.Distance = 0 // more may lead there sooner
			if !alike {
				plain.Properties, plain.Cut = nil, nil
			}
			out[renderNode(&plain, false)] = true
		}
		return out
	}
	return subset(set(a), set(b))
}
