package memory

import (
	"github.com/trellisgraph/trellis/schema"
)

// links reads the relationships of a pair, which the file has by the node that
// they leave, and finds them by the node at which they arrive.
func (s *sections) links(r *links, pair *schema.Pair, nFrom, nTo, rels int) error {
	*r = links{outFirst: numbersOf[uint32](s.next()), to: numbersOf[uint32](s.next()), columns: make(map[*schema.Property]Column, len(pair.Properties))}
	if r.outFirst[0] != 0 || int(r.outFirst[nFrom]) != rels {
		return s.wrong("", "not all relationships leave a node")
	}
	for i := range nFrom {
		if r.outFirst[i] > r.outFirst[i+1] {
			return s.wrong("", "the relationships of a node end before they begin")
		}
	}
	if checkBelow(r.to, nTo) != "" {
		return s.wrong("", "a relationship leads to no node")
	}
	for _, p := range pair.Properties {
		c, err := s.column(p, rels)
		if err != nil {
			return err
		}
		r.columns[p] = c
	}
	if fault := r.checkOrder(pair, nFrom); fault != "" {
		return s.wrong("", "%s", fault)
	}
	r.arrivals(nFrom, nTo)
	return nil
}

// checkOrder checks that the relationships of each node ascend by target and
// key, and that no key is there twice.
func (r *links) checkOrder(pair *schema.Pair, nFrom int) string {
	var key Column
	if pair.Key != nil {
		key = r.columns[pair.Key]
		if len(key.nulls) > 0 {
			return "a key is null"
		}
	}
	for row := range nFrom {
		list := r.to[r.outFirst[row]:r.outFirst[row+1]]
		for i := 1; i < len(list); i++ {
			if list[i-1] < list[i] {
				continue
			}
			rel := r.outFirst[row] + uint32(i)
			if list[i-1] > list[i] || pair.Key == nil || key.compare(rel-1, rel) >= 0 {
				return "the relationships of a node are not in order"
			}
		}
	}
	if pair.Key != nil {
		if order := keyOrder([]Column{key}, len(r.to)); order != nil {
			key = key.gather(order)
		}
		if !distinctInOrder([]Column{key}, len(r.to)) {
			return "a key is there twice"
		}
	}
	return ""
}

// arrivals fills in what follows from outFirst and to: the node that each
// relationship leaves, and the relationships of each node at which they arrive.
func (r *links) arrivals(nFrom, nTo int) {
	r.from = make([]uint32, len(r.to))
	for row := range nFrom {
		of := r.from[r.outFirst[row]:r.outFirst[row+1]]
		for i := range of {
			of[i] = uint32(row)
		}
	}
	r.inFirst = offsets(r.to, nTo)
	// In a counting sort the beginning of each row moves to its end, which is
	// where the next began.
	r.in, r.sources = make([]uint32, len(r.to)), make([]uint32, len(r.to))
	next := append([]uint32(nil), r.inFirst[:nTo]...)
	for rel, to := range r.to {
		at := next[to]
		next[to]++
		r.in[at], r.sources[at] = uint32(rel), r.from[rel]
	}
}
