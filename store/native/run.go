package native

import (
	"context"
	"math"
	"sync"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// stride is how many rows or relationships are looked at between two looks at
// the context.
const stride = 4096

// batchRows is how many rows tests narrow at a time.
const batchRows = 1024

// A run is one execution of a program: the values of the call, and memory to
// work in.
type run struct {
	ctx context.Context
	// err ends the run: loops stop where it is set.
	err  error
	work int // since the context was last looked at
	// walked counts rows and relationships looked at, for the budget.
	walked int
	// budget is what walked may come to before a traversal's step is given up.
	budget int

	tables *tables
	prog   *program
	plan   *compile.Plan
	params []graph.Value
	// args are what the leaves of tests compare with, by their number.
	args []arg
	// sets are what semi-joins have found out, by their number.
	sets []semiState
	// bits are words for the args that are sets.
	bits []uint64

	node     graph.Node
	rel      graph.Relationship
	nodeRows []nodeRow
	values   []graph.Value
	rels     []rel
	layers   []*layer
	places   []uint64
	ranked   []ranked
	tied     []ranked   // of one value of an index
	lists    [][]uint32 // of indexes
	matched  int64      // rows that ranked was chosen from
	first    top        // of a traversal
	grouping grouping
	search   pathSearch
	scratch  scratch
	ids      idPlaces // of documents
}

var runs = sync.Pool{New: func() any { return &run{} }}

// begin takes a run from the pool, for a plan of a program.
func begin(ctx context.Context, p *compile.Plan, t *tables, prog *program) *run {
	r := runs.Get().(*run)
	r.ctx, r.err, r.work, r.walked, r.budget = ctx, nil, 0, 0, math.MaxInt
	r.tables, r.prog, r.plan, r.params = t, prog, p, p.Params
	r.args, r.sets, r.bits = grown(r.args, len(prog.binds)), grown(r.sets, len(prog.semis)), r.bits[:0]
	for i, bind := range prog.binds {
		bind(r, &r.args[i])
	}
	return r
}

// end gives the run back, with nothing of the call. One that ended early is not
// used again: its memory may be in the midst of something.
func (r *run) end() {
	if r.err != nil {
		return
	}
	for i := range r.sets {
		if m := r.sets[i].reached; m != nil {
			r.giveMarks(m)
		}
		r.sets[i] = semiState{}
	}
	for i := range r.args {
		r.args[i].forget()
	}
	clear(r.node.Properties[:cap(r.node.Properties)])
	r.node = graph.Node{Properties: r.node.Properties[:0]}
	r.first = top{}
	clear(r.rel.Properties[:cap(r.rel.Properties)])
	r.rel = graph.Relationship{Properties: r.rel.Properties[:0]}
	clear(r.lists[:cap(r.lists)])
	clear(r.nodeRows)
	clear(r.values)
	clear(r.rels)
	r.ctx, r.tables, r.prog, r.plan, r.params = nil, nil, nil, nil, nil
	runs.Put(r)
}

// grown returns a slice of n items, the old one where it is long enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// tick counts work, and looks at the context every so often. It reports whether
// to go on.
func (r *run) tick(n int) bool {
	r.walked += n
	if r.work += n; r.work < stride {
		return r.err == nil
	}
	r.work = 0
	if r.err == nil {
		r.err = r.ctx.Err() // Done would make a channel, which short calls do not need
	}
	return r.err == nil
}
