package bundle

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// together does something for each number below n, on all processors. A panic
// becomes the caller's.
func together(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var fault atomic.Pointer[workerPanic]
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					fault.CompareAndSwap(nil, &workerPanic{v, debug.Stack()})
				}
			}()
			for fault.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	all.Wait()
	if p := fault.Load(); p != nil {
		panic(p)
	}
}

// A workerPanic is a panic with the stack that it came from.
type workerPanic struct {
	value any
	stack []byte
}

func (p *workerPanic) Error() string {
	return fmt.Sprintf("%v\n%s", p.value, p.stack)
}
