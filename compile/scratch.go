package compile

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// scratch is memory that a check needs for itself and leaves behind: nothing of
// it is in the plan, or in a mistake.
type scratch struct {
	labels lists[*schema.Label]
	types  lists[*schema.RelationshipType]
	moves  lists[*Move]
	levels [][]*schema.Label
	used   []bool
	params []graph.Value
	binds  []bind
}

// lists hands out lists, all from one piece of memory while it lasts.
type lists[T any] struct{ room []T }

// take returns an empty list with room for n items. One that grows beyond them
// moves elsewhere.
func (l *lists[T]) take(n int) []T {
	at := len(l.room)
	if at+n > cap(l.room) {
		l.room, at = make([]T, 0, max(32, 2*cap(l.room), n)), 0 // the lists handed out keep the old memory
	}
	l.room = l.room[:at+n]
	return l.room[at : at : at+n]
}

// of returns a list of one item.
func (l *lists[T]) of(item T) []T { return append(l.take(1), item) }

// reset takes all lists back.
func (l *lists[T]) reset() {
	clear(l.room)
	l.room = l.room[:0]
}

// enough bounds the scratch that is kept from one check to the next, in items.
const enough = 1024

// checker returns a checker with scratch of its own; done takes it back.
func (c *Compiler) checker() *checker {
	k, ok := c.checkers.Get().(*checker)
	if !ok {
		k = &checker{Compiler: c}
	}
	return k
}

// done takes a checker back. Its plan and its mistakes are the caller's.
func (k *checker) done() {
	s := k.scratch
	if cap(s.labels.room)+cap(s.types.room)+cap(s.moves.room)+cap(s.params)+cap(s.binds) > 5*enough {
		return
	}
	s.labels.reset()
	s.types.reset()
	s.moves.reset()
	clear(s.params)
	clear(s.binds)
	clear(s.levels)
	s.params, s.binds, s.levels = s.params[:0], s.binds[:0], s.levels[:0]
	*k = checker{Compiler: k.Compiler, scratch: s}
	k.checkers.Put(k)
}

// begin gives the plan its values' memory, which is scratch until settle.
func (k *checker) begin() { k.plan.Params, k.binds = k.scratch.params[:0], k.scratch.binds[:0] }

// settle gives the plan memory of its own for its values.
func (k *checker) settle() {
	k.scratch.params, k.scratch.binds = k.plan.Params, k.binds
	k.plan.Params = append([]graph.Value(nil), k.plan.Params...) // none is nil, whatever memory it came from
}
