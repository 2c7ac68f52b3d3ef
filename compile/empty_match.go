package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// emptyMatch has an answer that turns out to be empty warn of the equalities
// with the label's display text that it hangs on: people and models rarely know
// such a text exactly. A comparison in filters can become a contains; the text
// of a where stays as it is.
func (k *checker) emptyMatch(at *place, l *schema.Label, f graph.Filter, mend bool) {
	p := l.Display
	if p == nil || !p.Search || f == nil || k.minGroup > 1 { // a row that is kept back is no empty match
		return
	}
	var on []graph.Compare // the comparisons with p that must hold
	var collect func(graph.Filter)
	collect = func(f graph.Filter) {
		switch f := f.(type) {
		case graph.And:
			for _, g := range f {
				collect(g)
			}
		case graph.Compare:
			if f.Property == p.Name {
				on = append(on, f)
			}
		}
	}
	collect(f)
	i := slices.IndexFunc(on, func(c graph.Compare) bool { return c.Op == "" || c.Op == graph.Eq })
	if i < 0 {
		return
	}
	e := emptyMatch{property: p, path: at.pointer()}
	if mend {
		e.path = at.member(p.Name).pointer()
		if !p.NoPatterns && len(on) == 1 {
			e.mends, e.text, e.source = true, on[i].Value, e.path
			if op := on[i].Op; op != "" {
				e.source += "/" + string(op)
			}
		}
	}
	k.plan.empty = append(k.plan.empty, e)
}

// An emptyMatch is an equality that an answer hangs on.
type emptyMatch struct {
	property *schema.Property
	path     string
	// text is what the property is compared with, which stands at source and is
	// the query's value of that number, if a contains may take its place.
	mends  bool
	text   graph.Value
	source string
	value  int
}

// IfEmpty are warnings to add when the answer turns out to be empty.
func (p *Plan) IfEmpty() []graph.Warning {
	var out []graph.Warning
	for _, e := range p.empty {
		w := graph.Warning{Code: graph.EmptyMatch, Path: e.path, Message: "no " + quote(e.property.Name) + " is equal to this text, to the letter"}
		if !e.property.NoPatterns {
			w.Message += "; contains finds parts of it"
		}
		if e.mends {
			w.Fix = replace(w.Path, map[string]any{"contains": e.text})
		}
		out = append(out, w)
	}
	return out
}
