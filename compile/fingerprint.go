package compile

import (
	"encoding/binary"

	"github.com/trellisgraph/trellis/graph"
)

// A fingerprint is a query taken apart: what it is made of, as bytes, and the
// values in it. Queries of equal bytes differ in their values only.
//
// Every part has its length or number in front, so that no two structures have
// the same bytes. The values stand in the order in which they are met; with
// places, so do the JSON pointers at which Check finds them.
type fingerprint struct {
	bytes  []byte
	values []graph.Value
	// pointers are collected if places is set.
	places   bool
	pointers []string
	names    []string // of a map, in order
	// whole is unset if the query holds something that has no fingerprint.
	whole bool
}

func (f *fingerprint) reset() {
	clear(f.values) // they may hold on to a call's texts
	clear(f.names)
	*f = fingerprint{bytes: f.bytes[:0], values: f.values[:0], places: f.places, pointers: f.pointers[:0], names: f.names[:0], whole: true}
}

func (f *fingerprint) tag(b byte)   { f.bytes = append(f.bytes, b) }
func (f *fingerprint) number(n int) { f.bytes = binary.AppendVarint(f.bytes, int64(n)) }

func (f *fingerprint) flag(b bool) {
	if b {
		f.tag(1)
	} else {
		f.tag(0)
	}
}

func (f *fingerprint) text(s string) {
	f.bytes = binary.AppendUvarint(f.bytes, uint64(len(s)))
	f.bytes = append(f.bytes, s...)
}

// count writes the length of a list; nil is no empty list.
func (f *fingerprint) count(n int, isNil bool) {
	if isNil {
		n = -1
	}
	f.number(n)
}

func (f *fingerprint) texts(list []string) {
	f.count(len(list), list == nil)
	for _, s := range list {
		f.text(s)
	}
}

// at and item are a place below another, where places are wanted.
func (f *fingerprint) at(p *place, member string) *place {
	if !f.places {
		return nil
	}
	return p.member(member)
}

func (f *fingerprint) item(p *place, i int) *place {
	if !f.places {
		return nil
	}
	return p.item(i)
}

// value takes a value out: its kind and, of a list, its length stay.
func (f *fingerprint) value(at *place, v graph.Value) {
	f.tag(byte(v.Kind()))
	if v.Kind() == graph.KindList {
		list := v.List()
		f.number(len(list))
		for i := range list {
			f.value(f.item(at, i), list[i])
		}
		return
	}
	f.values = append(f.values, v)
	if f.places {
		f.pointers = append(f.pointers, at.pointer())
	}
}

// query takes a query apart. It reports false if that cannot be done, or not
// to any use: pages after the first, and descriptions, are few.
func (f *fingerprint) query(q graph.Query) bool {
	f.reset()
	var root *place
	switch q := q.(type) {
	case *graph.FindNodes:
		f.tag('f')
		f.node(root, &q.NodePattern)
		f.texts(q.Properties)
		f.orders(q.OrderBy)
		f.limit(root, q.Limit)
		f.whole = f.whole && q.Cursor == ""
		if f.flag(q.Page != nil); q.Page != nil {
			f.value(f.at(root, "offset"), graph.Int(int64(q.Page.Offset)))
		}
	case *graph.Traverse:
		f.tag('t')
		f.node(f.at(root, "from"), &q.From)
		f.steps(f.at(root, "relationships"), q.Relationships)
		f.node(f.at(root, "to"), &q.To)
		f.shown(q.Properties)
		f.orders(q.OrderBy)
		f.flag(q.OmitConnections)
		f.limit(root, q.Limit)
		f.whole = f.whole && q.Cursor == ""
	case *graph.Neighbors:
		f.tag('n')
		f.single(f.at(root, "start_node"), q.Start)
		f.number(q.MaxHops)
		f.text(string(q.Direction))
		f.texts(q.NodeTypes)
		f.texts(q.RelationshipTypes)
		f.filters(f.at(root, "filters"), q.Filters)
		f.shown(q.Properties)
		f.limit(root, q.Limit)
		f.whole = f.whole && q.Cursor == ""
	case *graph.Paths:
		f.tag('p')
		f.single(f.at(root, "from"), q.From)
		f.single(f.at(root, "to"), q.To)
		f.text(string(q.Mode))
		f.number(q.K)
		f.number(q.MaxHops)
		f.text(string(q.Direction))
		f.texts(q.RelationshipTypes)
		f.texts(q.NodeTypes)
		f.filters(f.at(root, "filters"), q.Filters)
		f.shown(q.Properties)
		f.text(q.Weight)
		f.limit(root, q.Limit)
	case *graph.Aggregate:
		f.tag('a')
		f.node(root, &q.NodePattern)
		f.aggregations(f.at(root, "aggregations"), q.Aggregations)
		f.groups(f.at(root, "group_by"), q.GroupBy)
		f.count(len(q.Having), q.Having == nil)
		for i := range q.Having {
			h := &q.Having[i]
			f.text(h.As)
			f.text(string(h.Op))
			f.value(f.at(f.item(f.at(root, "having"), i), "value"), h.Value)
		}
		f.count(len(q.OrderBy), q.OrderBy == nil)
		for _, o := range q.OrderBy {
			f.text(o.As)
			f.text(string(o.Direction))
		}
		f.limit(root, q.Limit)
		f.whole = f.whole && q.Cursor == ""
	default:
		return false
	}
	return f.whole
}

func (f *fingerprint) limit(at *place, n int) { f.value(f.at(at, "limit"), graph.Int(int64(n))) }

func (f *fingerprint) single(at *place, n graph.NodeID) {
	f.text(n.Label)
	f.value(f.at(at, "node_id"), n.ID)
}

func (f *fingerprint) orders(list []graph.Order) {
	f.count(len(list), list == nil)
	for _, o := range list {
		f.text(o.Property)
		f.text(string(o.Direction))
	}
}

func (f *fingerprint) shown(show map[string][]string) {
	f.count(len(show), show == nil)
	switch len(show) {
	case 0:
	case 1:
		for label, names := range show {
			f.text(label)
			f.texts(names)
		}
	default:
		f.names = appendKeys(f.names[:0], show)
		for _, label := range f.names {
			f.text(label)
			f.texts(show[label])
		}
	}
}

func (f *fingerprint) node(at *place, n *graph.NodePattern) {
	f.text(n.Label)
	f.count(len(n.IDs), n.IDs == nil)
	ids := f.at(at, "ids")
	for i := range n.IDs {
		f.value(f.item(ids, i), n.IDs[i])
	}
	f.filter(f.at(at, "filters"), n.Filter, 0)
	f.text(n.Where)
	f.text(n.Search)
	f.count(len(n.Related), n.Related == nil)
	for i := range n.Related {
		r := &n.Related[i]
		here := f.item(f.at(at, "related"), i)
		f.steps(f.at(here, "relationships"), r.Relationships)
		f.flag(r.None)
		f.count(len(r.Count), r.Count == nil)
		for _, c := range r.Count {
			f.text(string(c.Op))
			f.number(c.N)
		}
	}
}

func (f *fingerprint) steps(at *place, list []graph.Step) {
	f.count(len(list), list == nil)
	for i := range list {
		s := &list[i]
		here := f.item(at, i)
		f.texts(s.Types)
		f.text(string(s.Direction))
		f.number(s.MinHops)
		f.number(s.MaxHops)
		f.filter(f.at(here, "filters"), s.Filter, 0)
		f.flag(s.To != nil)
		if s.To != nil {
			f.node(f.at(here, "to"), s.To)
		}
	}
}

func (f *fingerprint) filters(at *place, m map[string]graph.Filter) {
	f.count(len(m), m == nil)
	f.names = appendKeys(f.names[:0], m)
	for _, label := range f.names {
		f.text(label)
		f.filter(f.at(at, label), m[label], 0)
	}
}

// fingerprintDepth is how deep a condition may nest; deeper ones are rare.
const fingerprintDepth = 32

func (f *fingerprint) filter(at *place, c graph.Filter, depth int) {
	if depth > fingerprintDepth {
		f.whole = false
		return
	}
	list := func(tag byte, list []graph.Filter) {
		f.tag(tag)
		f.number(len(list))
		for _, g := range list {
			f.filter(at, g, depth+1)
		}
	}
	switch c := c.(type) {
	case nil:
		f.tag('-')
	case graph.And:
		list('&', c)
	case graph.Or:
		list('|', c)
	case graph.Not:
		f.tag('!')
		f.filter(at, c.Filter, depth+1)
	case graph.Compare:
		f.tag('=')
		f.text(c.Property)
		f.text(string(c.Op))
		here := f.at(at, c.Property)
		if c.Op != "" {
			here = f.at(here, string(c.Op))
		}
		f.value(here, c.Value)
	default:
		f.whole = false
	}
}

func (f *fingerprint) aggregations(at *place, list []graph.Aggregation) {
	f.count(len(list), list == nil)
	for i := range list {
		g := &list[i]
		f.text(string(g.Function))
		f.text(g.Property)
		f.text(g.As)
		f.filter(f.at(f.item(at, i), "filters"), g.Filter, 0)
		f.text(g.Where)
	}
}

func (f *fingerprint) groups(at *place, list []graph.GroupKey) {
	f.count(len(list), list == nil)
	for i := range list {
		g := &list[i]
		f.steps(f.at(f.item(at, i), "relationships"), g.Relationships)
		f.text(g.Property)
		f.texts(g.Properties)
		f.text(string(g.Truncate))
		f.text(g.As)
	}
}

// known lists the pointers at which exactly one value stands, with the value's
// number. Conditions made in Go may have two values at one place.
func (f *fingerprint) known() map[string]int {
	at := make(map[string]int, len(f.pointers))
	for i, p := range f.pointers {
		if _, twice := at[p]; twice {
			i = -1
		}
		at[p] = i
	}
	return at
}
