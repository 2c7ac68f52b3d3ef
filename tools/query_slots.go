package tools

import "github.com/trellisgraph/trellis/graph"

// slots say where in a tool's arguments a value is wanted, so that a gap may
// stand there. What is not listed is a name, a word or an expression. Nil is a
// place with no such below it.
type slots struct {
	value, cursor bool
	members       map[string]*slots
	any           *slots // every member that is not listed
	each          *slots // every element
}

func (s *slots) member(name string) *slots {
	if s == nil {
		return nil
	}
	if m, ok := s.members[name]; ok {
		return m
	}
	return s.any
}

func (s *slots) element() *slots {
	if s == nil {
		return nil
	}
	return s.each
}

// slotsOf has the slots of each tool's arguments.
var slotsOf = makeSlots()

func makeSlots() map[string]*slots {
	type of = map[string]*slots
	value := &slots{value: true}
	values := &slots{value: true, each: value}
	key := &slots{value: true, each: value} // a key of several parts is a list
	ids := &slots{value: true, each: key}
	operators := &slots{value: true, members: of{"in": values, "not_in": values}, any: value}
	filters := &slots{any: operators}
	byLabel := &slots{any: filters}
	reference := &slots{members: of{"node_id": key}}

	node := func(more of) *slots {
		s := &slots{members: of{"ids": ids, "filters": filters, "search": value}}
		for name, m := range more {
			s.members[name] = m
		}
		return s
	}
	steps := func(to *slots) *slots {
		return &slots{each: &slots{members: of{"filters": filters, "to": to, "min_hops": value, "max_hops": value}}}
	}
	related := &slots{each: &slots{members: of{"relationships": steps(node(nil)), "count": {any: value}}}}
	whole := node(of{"related": related})
	page := of{"limit": value, "cursor": {value: true, cursor: true}}
	set := func(more of) *slots {
		s := node(of{"related": related})
		for _, m := range []of{page, more} {
			for name, slot := range m {
				s.members[name] = slot
			}
		}
		return s
	}
	return map[string]*slots{
		graph.ToolFindNodes: set(nil),
		graph.ToolTraverse: {members: of{"from": whole, "relationships": steps(whole), "to": whole,
			"limit": value, "cursor": page["cursor"]}},
		graph.ToolNeighbors: {members: of{"start_node": reference, "max_hops": value, "filters": byLabel,
			"limit": value, "cursor": page["cursor"]}},
		graph.ToolPaths: {members: of{"from": reference, "to": reference, "k": value, "max_hops": value, "filters": byLabel,
			"limit": value}},
		graph.ToolAggregate: set(of{
			"aggregations": {each: &slots{members: of{"filters": filters}}},
			"group_by":     {each: &slots{members: of{"relationships": steps(whole)}}},
			"having":       {each: &slots{members: of{"value": values}}},
		}),
	}
}
