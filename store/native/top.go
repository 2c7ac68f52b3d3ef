package native

import (
	"cmp"
	"slices"
)

// A top keeps the first entries of an order, as many as it may hold.
type top struct {
	// by compares entries in a run or, where it is nil, compare does.
	by      *order
	run     *run
	compare func(a, b ranked) int
	most    int
	// heap has the last of those kept first, once it is full.
	heap []ranked
}

// order compares what entries have first, and then all.
func (t *top) order(a, b ranked) int {
	if a.first != b.first {
		return cmp.Compare(a.first, b.first)
	}
	if t.by != nil {
		return t.by.compare(t.run, a, b)
	}
	return t.compare(a, b)
}

// offer takes in an entry unless it comes after all that are kept.
func (t *top) offer(e ranked) {
	if len(t.heap) < t.most {
		t.heap = append(t.heap, e)
		if len(t.heap) == t.most {
			for i := t.most/2 - 1; i >= 0; i-- {
				t.sink(i)
			}
		}
		return
	}
	if t.order(e, t.heap[0]) < 0 {
		t.heap[0] = e
		t.sink(0)
	}
}

// sink moves an entry down to where those below it come before it.
func (t *top) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if next := child + 1; next < len(t.heap) && t.order(t.heap[next], t.heap[child]) > 0 {
			child = next
		}
		if t.order(t.heap[i], t.heap[child]) >= 0 {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}

// sorted returns what was kept, in order.
func (t *top) sorted() []ranked {
	slices.SortFunc(t.heap, t.order)
	return t.heap
}
