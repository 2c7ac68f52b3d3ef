package native

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// snapshots are the graphs that calls are answered from, each with its
// programs: the newest, and that of the schema before. A call keeps the one
// that it began with, also where that is dropped meanwhile.
type snapshots struct {
	source memory.Source
	mu     sync.Mutex // of who changes kept
	kept   atomic.Pointer[[2]*programs]
}

// of returns the programs over the newest graph of a plan's schema.
func (s *snapshots) of(p *compile.Plan) *programs {
	base := p.Schema.Base()
	if c := s.find(s.source.Snapshot(base)); c != nil {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.source.Snapshot(base) // anew: what was the newest may not be it any more
	if c := s.find(g); c != nil {
		return c
	}
	var next [2]*programs
	if kept := s.kept.Load(); kept != nil {
		next = *kept
	}
	same := slices.IndexFunc(next[:], func(c *programs) bool { return c != nil && c.tables.graph.Schema() == g.Schema() })
	var before *tables
	if same >= 0 {
		before = next[same].tables
	}
	if same != 0 {
		next[1] = next[0]
	}
	next[0] = &programs{tables: newTables(g, before)}
	s.kept.Store(&next)
	return next[0]
}

// find returns the programs over a graph, nil where there are none.
func (s *snapshots) find(g *memory.Graph) *programs {
	if kept := s.kept.Load(); kept != nil {
		for _, c := range kept {
			if c != nil && c.tables.graph == g {
				return c
			}
		}
	}
	return nil
}

// errOtherSchema says that the graph is not of the schema that a call was
// checked against.
var errOtherSchema = graph.Error{Code: graph.Unavailable, Message: "the schema was replaced while the call was on its way",
	Hint: "call again", Retryable: true}

// holds reports whether the graph has all that is in a schema, a view's
// perhaps, so that it can answer plans of it.
func (t *tables) holds(s *schema.Schema) bool {
	of := t.graph.Schema()
	if s.Base() == of || s.Base().Hash() == of.Hash() {
		return true
	}
	for l := range s.Labels() {
		own, ok := of.Label(l.Name)
		if !ok || !slices.EqualFunc(l.Key, own.Key, alike) || !among(l.Properties, own.Properties) {
			return false
		}
	}
	for typ := range s.Relationships() {
		for _, p := range typ.Pairs {
			own := t.pairs[pairName{typ.Name, p.From.Name, p.To.Name}]
			if own == nil || !among(p.Properties, own.pair.Properties) {
				return false
			}
		}
	}
	return true
}

// among reports whether all properties are among others.
func among(list, all []*schema.Property) bool {
	for _, p := range list {
		if !slices.ContainsFunc(all, func(q *schema.Property) bool { return alike(p, q) }) {
			return false
		}
	}
	return true
}

// alike reports whether values of one property are values of another.
func alike(p, q *schema.Property) bool {
	return p.Name == q.Name && p.Type == q.Type && p.Scale == q.Scale && slices.Equal(p.EnumNames(), q.EnumNames())
}
