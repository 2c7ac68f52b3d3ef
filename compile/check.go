package compile

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A checker checks one query. Its methods report mistakes and go on, so that
// one reply names them all; they return nil for what could not be resolved,
// and nil is passed over by whatever depends on it.
type checker struct {
	*Compiler
	schema *schema.Schema
	scope  *graph.Scope
	plan   *Plan
	errs   graph.Errors
	// target is a redacted label where a step may end all the same.
	target *schema.Label
	// rights are the guards of what was referred to so far.
	rights rights
	// binds note which slots hold values of the query, as it has them, if noting
	// is set.
	binds   []bind
	noting  bool
	scratch scratch
	// moved is memory of the plan, for its next moves.
	moved []Move
}

func (k *checker) report(e *graph.Error) { k.errs = append(k.errs, e) }

// slot takes a value into the plan.
func (k *checker) slot(v graph.Value) Slot {
	k.plan.Params = append(k.plan.Params, v)
	return Slot(len(k.plan.Params) - 1)
}

// pad fills a list of n items, of so many slots each, up to its class with its
// last item, so that where a slot lies depends on the plan's shape alone.
func (k *checker) pad(n, parts int) {
	for range listClass(n) - n {
		last := len(k.plan.Params) - parts
		k.plan.Params = append(k.plan.Params, k.plan.Params[last:last+parts]...)
		if n := len(k.binds); n > 0 && k.binds[n-1].slot == Slot(last+parts-1) && parts == 1 {
			again := k.binds[n-1]
			again.slot++
			k.binds = append(k.binds, again)
		}
	}
}

// bind notes that the last slot taken holds the value that stands at a place.
func (k *checker) bind(at *place, b bind) {
	if k.noting {
		b.slot, b.at = Slot(len(k.plan.Params)-1), at.pointer() // the place itself stays on the stack
		k.binds = append(k.binds, b)
	}
}

// giveBack gives back the slots from one on.
func (k *checker) giveBack(from int) {
	k.plan.Params = k.plan.Params[:from]
	k.binds = slices.DeleteFunc(k.binds, func(b bind) bool { return b.slot >= Slot(from) })
}

func (k *checker) labelNames() []string {
	var names []string
	for l := range k.schema.Labels() {
		names = append(names, l.Name)
	}
	return names
}

func (k *checker) typeNames() []string {
	var names []string
	for t := range k.schema.Relationships() {
		names = append(names, t.Name)
	}
	return names
}

func (k *checker) label(at *place, name string) *schema.Label {
	if l, ok := k.schema.Label(name); ok {
		return l
	}
	e := errName(graph.UnknownLabel, at, "label", name, k.labelNames(), k.schema.SuggestLabel(name))
	if len(e.DidYouMean) > 0 {
		e.Fix = replace(e.Path, e.DidYouMean[0])
	}
	k.report(e)
	return nil
}

func (k *checker) relationshipType(at *place, name string) *schema.RelationshipType {
	if t, ok := k.schema.Relationship(name); ok {
		return t
	}
	e := errName(graph.UnknownRelationship, at, "relationship type", name, k.typeNames(), k.schema.SuggestRelationship(name))
	if len(e.DidYouMean) > 0 {
		e.Fix = replace(e.Path, e.DidYouMean[0])
	}
	k.report(e)
	return nil
}

func propertyNames(props []*schema.Property) []string {
	var names []string
	for _, p := range props {
		if !p.Hidden {
			names = append(names, p.Name)
		}
	}
	return names
}

// property resolves the name of a property. owner says whose it is, in an error.
func (k *checker) property(at *place, props []*schema.Property, owner, name string) *schema.Property {
	for _, p := range props {
		if p.Name == name && !p.Hidden {
			return p
		}
	}
	e := errName(graph.UnknownProperty, at, "property", name, propertyNames(props), k.schema.SuggestProperty(props, name))
	e.Message = strings.Replace(e.Message, quote(e.Got), quote(e.Got)+" of "+owner, 1)
	k.report(e)
	return nil
}

// filterable resolves the name of a property that is filtered or ordered by.
func (k *checker) filterable(at *place, props []*schema.Property, owner, name string) *schema.Property {
	can := filterable(props)
	for _, p := range props {
		if p.Name == name && shownOnly(p) && !p.Hidden {
			e := errName(graph.UnknownProperty, at, "filterable property", name, propertyNames(can), nil)
			e.Hint = quote(name) + " can be shown, but not filtered or ordered by"
			k.report(e)
			return nil
		}
	}
	return k.property(at, can, owner, name)
}

// shownOnly reports whether a property can be in no condition and in no order.
func shownOnly(p *schema.Property) bool { return p.NotFilterable || masked(p) }

// masked reports whether the caller sees something in the place of a
// property's values, and can do nothing else with them.
func masked(p *schema.Property) bool { return p.Masked != "" }

// filterable are those properties that conditions may name.
func filterable(props []*schema.Property) []*schema.Property { return without(props, shownOnly) }

// unmasked are those properties whose values the caller sees.
func unmasked(props []*schema.Property) []*schema.Property { return without(props, masked) }

func without(props []*schema.Property, not func(*schema.Property) bool) []*schema.Property {
	if !slices.ContainsFunc(props, not) {
		return props
	}
	return slices.DeleteFunc(slices.Clone(props), not)
}

// renameMember gives an error about a member's name its fix.
func renameMember(e *graph.Error, parent *place) {
	if len(e.DidYouMean) > 0 {
		e.Fix = []graph.Patch{{Op: "move", From: e.Path, Path: graph.Pointer(parent.pointer(), e.DidYouMean[0])}}
	}
}

// shown resolves a list of properties to show; nil means the default.
func (k *checker) shown(at *place, l *schema.Label, names []string) []*schema.Property {
	if l == nil {
		return nil
	}
	if names == nil {
		return l.Default
	}
	props := make([]*schema.Property, 0, len(names))
next:
	for i, name := range names {
		n := len(k.errs)
		p := k.property(at.item(i), l.Properties, l.Name, name)
		if p == nil {
			if e := k.errs[n]; len(e.DidYouMean) > 0 {
				e.Fix = replace(e.Path, e.DidYouMean[0])
			} else {
				e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
			}
			continue
		}
		for _, have := range props {
			if have == p {
				continue next
			}
		}
		props = append(props, p)
	}
	return props
}

// showByLabel resolves what is shown of each label of an answer.
func (k *checker) showByLabel(at *place, names map[string][]string, labels []*schema.Label) Show {
	show := make(Show, len(labels))
	for _, l := range labels {
		show[l] = l.Default
	}
	for _, name := range sortedKeys(names) {
		n := len(k.errs)
		l := k.label(at.member(name), name)
		if l == nil {
			renameMember(k.errs[n], at)
			continue
		}
		show[l] = k.shown(at.member(name), l, names[name])
	}
	return show
}

// limit checks the number of rows asked for.
func (k *checker) limit(at *place, got, def, most int) Slot {
	switch {
	case got < 0:
		k.report(errRange(at, "limit", got, 1))
	case got > most:
		e := errLimit(at, "limit", got, most)
		e.Fix = replace(e.Path, most)
		k.report(e)
	case got == 0:
		got = min(def, most)
	}
	slot := k.slot(graph.Int(int64(got)))
	k.bind(at, bind{how: bindLimit, most: most, usual: min(def, most)})
	return slot
}

func (k *checker) direction(at *place, d, def graph.Direction) graph.Direction {
	switch d {
	case "":
		return def
	case graph.Outgoing, graph.Incoming, graph.Both:
		return d
	}
	k.report(errEnum(at, "direction", string(d), []string{"outgoing", "incoming", "both"}))
	return def
}

func (k *checker) descending(at *place, d graph.SortDirection) bool {
	switch d {
	case "", graph.Asc:
		return false
	case graph.Desc:
		return true
	}
	k.report(errEnum(at, "sort direction", string(d), []string{"asc", "desc"}))
	return false
}

func (k *checker) findNodes(q *graph.FindNodes) *Find {
	n := len(k.errs)
	set := k.nodeSet(nil, "node_label", &q.NodePattern)
	k.moveToRelated(k.errs[n:], nil, &q.NodePattern)
	f := &Find{Nodes: set}
	var root *place
	if set != nil {
		f.Show = k.shown(root.member("properties"), set.label, q.Properties)
	}
	most, usual := k.limits.Rows, k.limits.Rows
	if q.Page != nil {
		most, usual = k.limits.ListRows, min(usualPage, k.limits.ListRows)
	}
	f.Page = k.page(set, q.OrderBy, q.Search, false)
	f.Page.Limit = k.limit(root.member("limit"), q.Limit, usual, most)
	if q.Page != nil {
		k.offset(f, q)
		return f
	}
	k.seek(&f.Page, f, q.Cursor)
	return f
}

// page makes the total order of an answer's nodes. How many are wanted, and from
// where on, is not in it yet.
func (k *checker) page(set *NodeSet, order []graph.Order, search string, distance bool) Page {
	var root *place
	p := Page{Order: make([]OrderKey, 0, len(order)+3)}
	at := root.member("order_by")
	if n := len(order); n > k.limits.OrderKeys {
		k.report(errLimit(at, "keys of order_by", n, k.limits.OrderKeys))
	}
	for i, o := range order {
		desc := k.descending(at.item(i).member("direction"), o.Direction)
		if set == nil {
			continue
		}
		n := len(k.errs)
		prop := k.filterable(at.item(i).member("property"), set.label.Properties, set.label.Name, o.Property)
		if prop == nil {
			if e := k.errs[n]; len(e.DidYouMean) > 0 {
				e.Fix = replace(e.Path, e.DidYouMean[0])
			}
			continue
		}
		if prop.Type == schema.JSON {
			k.report(errType(at.item(i).member("property"), quote(prop.Name)+" is json, which has no order"))
			continue
		}
		p.Order = append(p.Order, OrderKey{Property: prop, Desc: desc})
	}
	if set != nil {
		if props := set.label.Searchable(); len(order) == 0 && strings.TrimSpace(search) != "" && len(props) > 0 {
			p.Order = append(p.Order, OrderKey{By: ByRank, Search: props, Slot: k.slot(graph.String(foldASCII(search)))})
		}
		if distance {
			p.Order = append(p.Order, OrderKey{By: ByDistance})
		}
		p.Order = appendKey(p.Order, set.label)
	}
	return p
}

// appendKey ends an order by the label's key, as far as it is not ordered by
// already.
func appendKey(order []OrderKey, l *schema.Label) []OrderKey {
next:
	for _, p := range l.Key {
		for _, o := range order {
			if o.By == ByProperty && o.Property == p {
				continue next
			}
		}
		order = append(order, OrderKey{Property: p})
	}
	return order
}

// seek reads a cursor into the page. The cursor must come from the same call:
// it is bound to the plan as it stands without it.
func (k *checker) seek(page *Page, root Root, cursor string) {
	if cursor == "" || len(k.errs) > 0 {
		return
	}
	k.plan.Root = root
	if k.guards(root); len(k.errs) > 0 {
		return
	}
	values, err := k.cursors.Decode(k.plan.cursorBinding(), cursor)
	if err == nil && len(values) != len(page.Order) {
		err = errCursor()
	}
	if err != nil {
		e := errCursor()
		e.Path = "/cursor"
		k.report(e)
		return
	}
	s := &Seek{Null: make([]bool, len(values))}
	for i, v := range values {
		s.Null[i] = v.IsNull()
		if slot := k.slot(v); i == 0 {
			s.First = slot
		}
	}
	page.Seek = s
}

func errCursor() *graph.Error {
	return &graph.Error{Code: graph.InvalidCursor, Path: "/cursor", Message: "the cursor is not one of this call",
		Hint: "call again without cursor, or with next_cursor of the same call's last answer",
		Fix:  []graph.Patch{{Op: "remove", Path: "/cursor"}}}
}

// foldASCII lowers the letters A to Z and no others.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
