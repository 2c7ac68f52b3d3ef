package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A reference says of a property that it tells ids of a label's nodes, since it
// stands for relationships of a pair: for the one end of them, or, if whole, for
// all that they are.
type reference struct {
	label *Label
	pair  *Pair
	whole bool
}

// refers finds out which properties tell ids of other nodes: those over columns
// that refer to them, those that say so, and documents, which may hold whatever
// their records refer to.
func (b *builder) refers() {
	for _, l := range b.labelled {
		for _, p := range l.Properties {
			if p.Refers != "" {
				b.refersBy(graph.Pointer(l.path+"/properties", p.Name)+"/refers", l.Label, p)
			}
		}
	}
	for _, t := range b.schema.types {
		for _, pair := range t.Pairs {
			for _, p := range pair.Properties {
				if p.Refers != "" {
					b.report(graph.Pointer(b.paths[pair]+"/properties", p.Name)+"/refers", "only a node's property refers to other nodes, and %q is a relationship's", p.Name)
				}
			}
		}
	}
	columns := b.referring()
	for _, l := range b.labelled {
		var all []reference
		for _, p := range l.Properties {
			b.tells[p] = append(b.tells[p], columns[column{l.Table, p.Column}]...)
			all = append(all, b.tells[p]...)
		}
		if l.Records != nil && l.Records.Document != nil {
			for _, pair := range b.schema.outgoing[l.Label] {
				all = append(all, reference{pair.To, pair, true})
			}
			b.tells[l.Records.Document] = all
		}
	}
	for _, t := range b.schema.types {
		for _, pair := range t.Pairs {
			own := slices.Concat(pair.FromColumns, pair.ToColumns) // of its own ends
			for _, p := range pair.Properties {
				if !slices.ContainsFunc(own, func(c string) bool { return strings.EqualFold(c, p.Column) }) {
					b.tells[p] = columns[column{pair.Table, p.Column}]
				}
			}
		}
	}
}

// refersBy resolves the relationship type that a property tells of.
func (b *builder) refersBy(path string, l *Label, p *Property) {
	t, ok := b.schema.byType[p.Refers]
	switch {
	case !ok:
		b.unknown(path, "%q is no relationship type", p.Refers, relationshipNames(b.schema.types))
		return
	case l.IsKey(p):
		b.report(path, "%q is the key, which is the node's own", p.Name)
		return
	}
	for _, pair := range t.Pairs {
		if pair.From == l {
			b.tells[p] = append(b.tells[p], reference{pair.To, pair, true})
		}
	}
	if len(b.tells[p]) == 0 {
		b.report(path, "%q does not lead from %q anywhere", t.Name, l.Name)
	}
}

// A column is one of a table.
type column struct {
	table Table
	name  string
}

// referring are the columns that hold keys of nodes.
func (b *builder) referring() map[column][]reference {
	out := map[column][]reference{}
	for _, t := range b.schema.types {
		for _, p := range t.Pairs {
			add := func(to *Label, names []string) {
				for _, name := range names {
					at := column{p.Table, name}
					out[at] = append(out[at], reference{to, p, p.Holder != nil})
				}
			}
			if p.Holder == nil || p.HolderIsTo {
				add(p.From, p.FromColumns)
			}
			if p.Holder == nil || !p.HolderIsTo {
				add(p.To, p.ToColumns)
			}
		}
	}
	return out
}

// checkExposedKeys refuses, under policies, properties that tell ids of other
// nodes: they would show those of nodes that are hidden.
func (b *builder) checkExposedKeys() {
	const hint = "policies may hide those nodes but not their ids here; "
	check := func(path string, p *Property) {
		told := b.tells[p]
		if len(told) == 0 || p.Hidden || p.ExposesKey {
			return
		}
		last := told[len(told)-1].pair.Type.Name
		e := b.report(path, "the property %q shows the column %q, which refers to other nodes for %s", p.Name, p.Column, last)
		if p.Refers != "" {
			e.Message = fmt.Sprintf("the property %q refers to other nodes for %s", p.Name, p.Refers)
		}
		e.Hint = hint + "use the relationship, or say `exposes_key: true`"
	}
	for _, l := range b.labelled {
		document := (*Property)(nil)
		if l.Records != nil {
			document = l.Records.Document
		}
		if document != nil && !document.ExposesKey {
			b.report(graph.Pointer(l.path+"/properties", document.Name), "the property %q is the whole record, which may refer to other nodes", document.Name).Hint =
				hint + "say `exposes_key: true`, or leave the document out of `records`"
		}
		for _, p := range l.Properties {
			if p != document {
				check(graph.Pointer(l.path+"/properties", p.Name), p)
			}
		}
	}
	for _, t := range b.schema.types {
		for _, pair := range t.Pairs {
			for _, p := range pair.Properties {
				check(graph.Pointer(b.paths[pair]+"/properties", p.Name), p)
			}
		}
	}
}

// hides reports whether a property tells of what a caller sees nothing of: of a
// label, or of relationships that it stands for.
func (ps *policySet) hides(p *Property, labels map[*Label]graph.Filter, pairs map[*Pair]graph.Filter) bool {
	return slices.ContainsFunc(ps.tells[p], func(r reference) bool {
		return isNever(labels[r.label]) || r.whole && absent(r.pair, labels, pairs)
	})
}

// absent reports whether a caller sees no relationship of a pair.
func absent(p *Pair, labels map[*Label]graph.Filter, pairs map[*Pair]graph.Filter) bool {
	return isNever(pairs[p]) || isNever(labels[p.From]) || isNever(labels[p.To])
}
