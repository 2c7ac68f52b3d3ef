package native

import (
	"math"
	"runtime"
	"sync"
)

// parallelRows is how many candidates are worth more than one processor.
const parallelRows = 1 << 16

// maxWorkers bounds the processors that one call may take.
const maxWorkers = 8

// workers is how many processors look at some candidates.
func workers(c *candidates) int {
	if c.count() < parallelRows {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers, c.count()/(parallelRows/4))
}

// forks are runs without values of their own.
var forks = sync.Pool{New: func() any { return &run{} }}

// fork returns a run for another processor, with the values of r, which neither
// changes while it is in use.
func (r *run) fork() *run {
	f := forks.Get().(*run)
	f.ctx, f.err, f.work, f.budget = r.ctx, nil, 0, math.MaxInt
	f.tables, f.prog, f.plan, f.params = r.tables, r.prog, r.plan, r.params
	f.args, f.sets, f.bits = r.args, r.sets, r.bits
	return f
}

// join takes a fork back, or its failure: see end.
func (r *run) join(f *run) {
	if f.err != nil {
		r.err = f.err
		return
	}
	f.args, f.sets, f.bits = nil, nil, nil
	f.ctx, f.tables, f.prog, f.plan, f.params = nil, nil, nil, nil, nil
	forks.Put(f)
}

// inParallel lets n processors do a part each, with a fork for all but the
// first. Every semi-join of the program must be ready. It ends when all have
// ended; a panic of one is that of the caller.
func (r *run) inParallel(n int, part func(r *run, i int)) []*run {
	var wait sync.WaitGroup
	all := make([]*run, n)
	panics := make([]any, n)
	for i := range n {
		if i == 0 {
			all[i] = r
			continue
		}
		all[i] = r.fork()
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() { panics[i] = recover() }()
			part(all[i], i)
		}()
	}
	func() {
		defer wait.Wait() // also where this part panics: the others read the run
		part(r, 0)
	}()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
	return all
}
