package compile

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Room is memory for plans, one after the other, of whoever makes many and
// knows when each is done with. Its zero value is ready. It is for one goroutine
// at a time.
type Room struct {
	plan        Plan
	fingerprint fingerprint
}

// CheckWith is Check with a room and statistics, each nil for none of its own:
// statistics in the place of those of Options.Cost, which weigh the calls of this
// schema. A plan that differs from one before in values
// only is made in the room and costs no memory of its own: it is valid until the
// room is used again or cleared. What it refers to stays: its Root, its Schema,
// and the values themselves.
func (c *Compiler) CheckWith(room *Room, stats *Statistics, s *schema.Schema, scope *graph.Scope, q graph.Query) (*Plan, error) {
	return c.weighed(room, stats, s, scope, q)
}

// Clear forgets the call that the room was last used for.
func (r *Room) Clear() {
	params, empty := r.plan.Params, r.plan.empty
	clear(params)
	clear(empty)
	r.plan = Plan{Params: params[:0], empty: empty[:0]}
	r.fingerprint.reset()
}
