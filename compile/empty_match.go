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
	if p == nil || !p.Search || f == nil {
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
	w := graph.Warning{Code: graph.EmptyMatch, Path: at.pointer(), Message: "no " + quote(p.Name) + " is equal to this text, to the letter"}
	if mend {
		w.Path = at.member(p.Name).pointer()
	}
	if !p.NoPatterns {
		w.Message += "; contains finds parts of it"
		if mend && len(on) == 1 {
			w.Fix = replace(w.Path, map[string]any{"contains": on[i].Value})
		}
	}
	k.plan.IfEmpty = append(k.plan.IfEmpty, w)
}
