package memory

import (
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// finish sorts the relationships of every pair and reports those that occur
// twice. It must not run before all ends are found.
func (ti *typeInput) finish() {
	for _, li := range ti.pairs {
		*ti.graph.links[li.pair] = *ti.finishPair(li)
	}
}

func (ti *typeInput) finishPair(li *linkInput) *links {
	nFrom, nTo := ti.graph.NodeCount(li.pair.From), ti.graph.NodeCount(li.pair.To)
	r := &links{from: li.from.flatten(), to: li.to.flatten(), columns: make(map[*schema.Property]Column, len(li.columns))}
	if len(r.to) < li.lines.count {
		return &links{} // ends are missing, and reported
	}
	for i, p := range li.pair.Properties {
		r.columns[p] = li.columns[i].finish()
	}
	order := r.order(nFrom, nTo)
	if li.pair.Key != nil {
		if order == nil {
			order = identity(len(r.to))
		}
		r.orderByKey(order, r.columns[li.pair.Key])
	}
	li.order = order
	if order != nil {
		r.from, r.to = pick(r.from, order), pick(r.to, order)
		for p, c := range r.columns {
			r.columns[p] = c.gather(order)
		}
	}
	ti.reportDuplicates(li, r)
	r.arrange(nFrom, nTo)
	return r
}

// arrange makes the adjacency of relationships that are in order, between
// labels of so many rows.
func (r *links) arrange(nFrom, nTo int) {
	r.outFirst = offsets(r.from, nFrom)
	r.in = sortByCode(identity(len(r.to)), r.to, nTo)
	r.sources = pick(r.from, r.in)
	r.inFirst = offsets(r.to, nTo)
}

// order returns the relationships by (from, to), equal ones in the order of
// input; nil if they are in order already.
func (r *links) order(nFrom, nTo int) []uint32 {
	for i := 1; i < len(r.to); i++ {
		if r.from[i-1] > r.from[i] || r.from[i-1] == r.from[i] && r.to[i-1] > r.to[i] {
			return sortByCode(sortByCode(identity(len(r.to)), r.to, nTo), r.from, nFrom)
		}
	}
	return nil
}

// orderByKey sorts those relationships by key that have the same ends.
func (r *links) orderByKey(order []uint32, key Column) {
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && r.sameEnds(order[first], order[end]) {
			end++
		}
		slices.SortStableFunc(order[first:end], key.compare)
		first = end
	}
}

func (r *links) sameEnds(a, b uint32) bool { return r.from[a] == r.from[b] && r.to[a] == r.to[b] }

// line returns the line on which a relationship starts.
func (li *linkInput) line(rel uint32) int {
	if li.order != nil {
		rel = li.order[rel]
	}
	return li.lines.of(int(rel))
}

func (ti *typeInput) reportDuplicates(li *linkInput, r *links) {
	key := r.columns[li.pair.Key]
	from, to := ti.graph.label(li.pair.From).key, ti.graph.label(li.pair.To).key
	for b := uint32(1); int(b) < len(r.to); b++ {
		if a := b - 1; r.sameEnds(a, b) && (li.pair.Key == nil || key.compare(a, b) == 0) {
			file, line := ti.place(li, li.line(b))
			ti.problems.add(file, line, "duplicate relationship from %s to %s%s",
				rowKey(from, r.from[b]), rowKey(to, r.to[b]), asIn(ti.keyed, li.line(a)))
		}
	}
	if li.pair.Key == nil {
		return
	}
	// A relationship's key is unique within its pair, whatever its ends.
	all := keyOrder([]Column{key}, len(r.to))
	if all == nil {
		all = identity(len(r.to))
	}
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; key.compare(a, b) == 0 && !r.sameEnds(a, b) {
			file, line := ti.place(li, max(li.line(a), li.line(b)))
			ti.problems.add(file, line, "%s: duplicate key %s%s",
				li.pair.Key.Name, rowKey([]Column{key}, b), asIn(ti.keyed, min(li.line(a), li.line(b))))
		}
	}
}

// offsets returns where the relationships of each row begin among those sorted
// by row, and after the last row where they end.
func offsets(rows []uint32, count int) []uint32 {
	out := make([]uint32, count+1)
	for _, r := range rows {
		out[r+1]++
	}
	for i := range count {
		out[i+1] += out[i]
	}
	return out
}
