package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// link checks what types and entities say of one another.
func (r *reader) link() {
	r.tools()
	var names []string
	for _, t := range r.bundle.types {
		names = append(names, t.Name)
	}
	for _, t := range r.bundle.types {
		for _, p := range t.Properties {
			if p.Ref != nil && !r.target(t, p, names) {
				p.Ref = nil
			}
		}
	}
	r.cycles()
	r.references()
}

// target checks that what a property refers to is there.
func (r *reader) target(t *Type, p *Property, names []string) bool {
	n := t.tree.get("properties").get(p.Name)
	pointer := graph.Pointer("/properties", p.Name) + "/x-ref"
	if bundle, typ, ok := strings.Cut(p.Ref.Type, ":"); ok {
		r.found.report(t.file, n.get("x-ref"), pointer, "%q is the type %q of another bundle, %q, and references end at the bundle's borders",
			short(p.Ref.Type), short(typ), short(bundle)).Hint = "put both types into one bundle, or leave x-ref away and keep the id as a plain property"
		return false
	}
	target, ok := r.bundle.byName[p.Ref.Type]
	if !ok {
		f := r.found.report(t.file, n.get("x-ref"), pointer, "there is no entity type %q in this bundle", short(p.Ref.Type))
		if f.DidYouMean = schema.Suggest(p.Ref.Type, names); f.DidYouMean == nil {
			f.Hint = "references are to types of the same bundle: " + some(names)
		}
		return false
	}
	if target.IDField == "" {
		return false // it has a mistake of its own
	}
	if p.Ref.Field == "" {
		p.Ref.Field = target.IDField
	}
	field, ok := target.Property(p.Ref.Field)
	at := n.get("x-ref-field")
	switch {
	case !ok:
		var known []string
		for _, p := range target.Properties {
			known = append(known, p.Name)
		}
		f := r.found.report(t.file, at, pointer+"-field", "%q is no property of %q", short(p.Ref.Field), target.Name)
		if f.DidYouMean = schema.Suggest(p.Ref.Field, known); f.DidYouMean == nil {
			f.Hint = "it has " + some(known)
		}
		return false
	case field.Derived:
		r.found.report(t.file, at, pointer+"-field", "%q of %q is derived, so nothing refers to it", field.Name, target.Name).Hint = "refer to its id, which needs no x-ref-field, or to another property that tells them apart"
		return false
	case field.Array || isText(field.Type) != isText(p.Type) || !isText(field.Type) && field.Type != schema.Int64:
		if at == nil {
			at = n.get("x-ref")
		} else {
			pointer += "-field"
		}
		f := r.found.report(t.file, at, pointer, "%q is %s, and %q of %q is %s: they are never the same", p.Name, p.told(), field.Name, target.Name, field.told())
		f.Hint = "give both the same type, or name another property of " + strconv.Quote(target.Name) + " in x-ref-field"
		if field.Array {
			f.Hint = "refer to a property that holds one value"
		}
		return false
	}
	return true
}

// isText reports whether values of a type are compared as texts.
func isText(t schema.Type) bool {
	return t == schema.String || t == schema.Enum || t == schema.UUID || t == schema.Date
}

// keys finds a type's entities by a property, which must tell them apart.
func (r *reader) keys(t *Type, field string) map[string]*Entity {
	at := Ref{t.Name, field}
	if m, ok := r.byField[at]; ok {
		return m
	}
	if field == t.IDField {
		return t.byID
	}
	m := make(map[string]*Entity, len(t.Entities))
	place := t.byName[field]
	for _, e := range t.Entities {
		if e.Values == nil || e.Values[place].IsNull() {
			continue
		}
		v := e.Values[place]
		key := v.Text()
		if first := m[key]; first != nil {
			p := r.found.add(Problem{File: e.File, Line: e.Line, Column: e.Column,
				Message: fmt.Sprintf("%s %q and %q have the same %q, %s, to which others refer", t.Name, short(first.ID), short(e.ID), field, short(v.String()))})
			p.Hint = fmt.Sprintf("the first is in %s, line %d", first.File, first.Line)
			continue
		}
		m[key] = e
	}
	if r.byField == nil {
		r.byField = map[Ref]map[string]*Entity{}
	}
	r.byField[at] = m
	return m
}

// references checks that everything referred to exists.
func (r *reader) references() {
	for _, p := range r.pending {
		prop := p.typ.Properties[p.property]
		if prop.Ref == nil {
			continue
		}
		target := r.bundle.byName[prop.Ref.Type]
		if target.partial || target.broken && prop.Ref.Field != target.IDField {
			continue // not all ids, or values of the field, are known
		}
		keys := r.keys(target, prop.Ref.Field)
		if _, ok := keys[p.key]; ok {
			continue
		}
		f := r.found.add(Problem{File: p.file, Line: int(p.line), Column: int(p.column), Pointer: p.pointer})
		if prop.Ref.Field == target.IDField {
			f.Message = fmt.Sprintf("%s: there is no %s %q", prop.Name, target.Name, short(p.key))
		} else {
			f.Message = fmt.Sprintf("%s: there is no %s whose %q is %q", prop.Name, target.Name, prop.Ref.Field, short(p.key))
		}
		if r.found.count <= maxProblems { // more are not told
			f.DidYouMean = r.nearest(p.key, *prop.Ref, keys)
		}
	}
}

// mostNear bounds among how many keys a likely one is sought.
const mostNear = 1000

// nearest are the keys that were likely meant. Of many, only those are looked at
// that begin alike.
func (r *reader) nearest(got string, at Ref, keys map[string]*Entity) []string {
	names, ok := r.sorted[at]
	if !ok {
		names = slices.Sorted(maps.Keys(keys))
		if r.sorted == nil {
			r.sorted = map[Ref][]string{}
		}
		r.sorted[at] = names
	}
	if len(names) > mostNear {
		i, _ := slices.BinarySearch(names, got)
		names = names[max(0, i-mostNear/2):min(len(names), i+mostNear/2)]
	}
	return schema.Suggest(got, names)
}

// A pending reference waits for all entities to be read.
type pending struct {
	typ          *Type
	property     int
	key          string
	file         string
	pointer      string
	line, column int32
}

// refer notes what an entity refers to, valid or not.
func (r *reader) refer(file string, t *Type, n *node, pointer string) {
	for i, p := range t.Properties {
		v := (*node)(nil)
		if p.Ref != nil {
			v = n.get(p.Name)
		}
		if v == nil {
			continue
		}
		at := graph.Pointer(pointer, p.Name)
		if v.kind != listNode {
			r.refersTo(t, i, file, v, at)
			continue
		}
		for j := range v.items {
			r.refersTo(t, i, file, &v.items[j], item(at, j))
		}
	}
}

func (r *reader) refersTo(t *Type, property int, file string, n *node, at string) {
	key := n.text
	if number, ok := integer(key); n.kind == numberNode && ok {
		key = strconv.FormatInt(number, 10)
	} else if n.kind != textNode {
		return // null, or what its schema does not allow
	}
	r.pending = append(r.pending, pending{t, property, key, file, at, n.line, n.column})
}
