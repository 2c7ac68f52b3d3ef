package native

import "slices"

// A top keeps the first rows of an order, as many as it may hold.
type top struct {
	run   *run
	order *order
	most  int
	// heap has the last of the rows kept first, once it is full.
	heap []ranked
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
	if t.order.compare(t.run, e, t.heap[0]) < 0 {
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
		if next := child + 1; next < len(t.heap) && t.order.compare(t.run, t.heap[next], t.heap[child]) > 0 {
			child = next
		}
		if t.order.compare(t.run, t.heap[i], t.heap[child]) >= 0 {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}

// sorted returns what was kept, in order.
func (t *top) sorted() []ranked {
	slices.SortFunc(t.heap, func(a, b ranked) int { return t.order.compare(t.run, a, b) })
	return t.heap
}
