package schema

import "github.com/trellisgraph/trellis/graph"

// The signs of a structure, in which what a caller may see of a schema is
// written: one for each label, and each of its properties if it is there; then
// the same for each pair.
const (
	signAbsent  = '-'
	signThere   = '+'
	signVisible = 'v'
	signHidden  = 'h'
	signMasked  = 'm'
)

// structure finds out what a caller may see of a schema, apart from rows.
func (ps *policySet) structure(s *Schema, ev *evaluation, labels map[*Label]graph.Filter, pairs map[*Pair]graph.Filter) string {
	var out []byte
	add := func(props []*Property, key func(*Property) bool) {
		out = append(out, signThere)
		for _, p := range props {
			switch condition := ps.visible[p]; {
			case ps.hides(p, labels, pairs) && !key(p): // a key is the node's own id
				out = append(out, signHidden)
			case condition == nil || isAlways(ev.all(condition)):
				out = append(out, signVisible)
			case p.Mask != "":
				out = append(out, signMasked)
			default:
				out = append(out, signHidden)
			}
		}
	}
	for _, l := range s.labels {
		if isNever(labels[l]) {
			out = append(out, signAbsent)
			continue
		}
		add(l.Properties, l.IsKey)
	}
	for _, t := range s.types {
		for _, p := range t.Pairs {
			if absent(p, labels, pairs) {
				out = append(out, signAbsent)
				continue
			}
			add(p.Properties, func(*Property) bool { return false })
		}
	}
	return string(out)
}

// part returns the part of a schema that a structure shows; the schema itself
// if that is everything.
func (s *Schema) part(structure string) *Schema {
	whole := true
	for _, sign := range structure {
		whole = whole && (sign == signThere || sign == signVisible)
	}
	if whole {
		return s
	}
	out := &Schema{
		revised:  s.revised,
		about:    s.about,
		hash:     hashOf([]string{s.hash, structure}),
		byLabel:  map[string]*Label{},
		byType:   map[string]*RelationshipType{},
		policies: true,
		outgoing: map[*Label][]*Pair{},
		incoming: map[*Label][]*Pair{},
		base:     s,
	}
	next := func() byte {
		sign := structure[0]
		structure = structure[1:]
		return sign
	}
	for _, l := range s.labels {
		if next() == signAbsent {
			continue
		}
		own := *l
		own.Properties, own.byName = partOf(l.Properties, next)
		own.Key = nil
		for _, k := range l.Key {
			own.Key = append(own.Key, own.byName[k.Name])
		}
		own.Default = make([]*Property, 0, len(l.Default))
		for _, d := range l.Default {
			if p := own.byName[d.Name]; !p.Hidden {
				own.Default = append(own.Default, p)
			}
		}
		if l.Display != nil {
			if own.Display = own.byName[l.Display.Name]; own.Display.Hidden || own.Display.Masked != "" {
				own.Display = nil
			}
		}
		out.labels = append(out.labels, &own)
		out.byLabel[own.Name] = &own
	}
	for _, t := range s.types {
		own := *t
		own.Pairs = nil
		for _, p := range t.Pairs {
			if next() == signAbsent {
				continue
			}
			pair := *p
			pair.Type, pair.From, pair.To = &own, out.byLabel[p.From.Name], out.byLabel[p.To.Name]
			pair.Properties, pair.byName = partOf(p.Properties, next)
			if p.Key != nil {
				pair.Key = pair.byName[p.Key.Name]
			}
			if p.Holder != nil {
				pair.Holder = out.byLabel[p.Holder.Name]
			}
			own.Pairs = append(own.Pairs, &pair)
		}
		if len(own.Pairs) > 0 {
			own.describe()
			out.types = append(out.types, &own)
			out.byType[own.Name] = &own
		}
	}
	out.connect()
	for _, l := range out.labels {
		if l.Records != nil {
			l.Records = l.Records.part(l, out)
		}
	}
	return out
}

// partOf copies properties with what a structure says of each.
func partOf(props []*Property, next func() byte) ([]*Property, map[string]*Property) {
	list := make([]*Property, len(props))
	byName := make(map[string]*Property, len(props))
	for i, p := range props {
		own := *p
		switch next() {
		case signHidden:
			own.Hidden = true
		case signMasked:
			own.Masked = p.Mask
		}
		list[i], byName[own.Name] = &own, &own
	}
	return list, byName
}
