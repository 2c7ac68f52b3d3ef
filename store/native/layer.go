package native

// A layer is where one may stand after some steps: nodes, with the least total
// number of hops to each.
type layer struct {
	// at are the nodes by distance, and marked the same.
	at     [][]node
	marked []*marks
	seen   *marks
}

// newLayer takes an empty layer.
func (r *run) newLayer() *layer {
	s := &r.scratch
	if n := len(s.layers); n > 0 {
		l := s.layers[n-1]
		s.layers = s.layers[:n-1]
		l.seen = r.takeMarks()
		return l
	}
	return &layer{seen: r.takeMarks()}
}

// free gives back the layer, and what it took.
func (l *layer) free(r *run) {
	r.giveMarks(l.seen)
	for i := range l.at {
		r.giveNodes(l.at[i])
		r.giveMarks(l.marked[i])
	}
	l.at, l.marked, l.seen = l.at[:0], l.marked[:0], nil
	r.scratch.layers = append(r.scratch.layers, l)
}

// reach makes room for a distance.
func (l *layer) reach(r *run, distance int) {
	for len(l.at) <= distance {
		l.at = append(l.at, r.nodeList())
		l.marked = append(l.marked, r.takeMarks())
	}
}

// add notes that a node is at a distance, unless it is known to be. What is
// nearer must be added before, or the layer be settled afterwards.
func (l *layer) add(r *run, n node, distance int) {
	l.reach(r, distance)
	if l.marked[distance].add(n) {
		l.at[distance] = append(l.at[distance], n)
	}
}

// note is add for a layer that nobody may want.
func (l *layer) note(r *run, n node, distance int) {
	if l != nil {
		l.add(r, n, distance)
	}
}

// push notes that a node, of which the layer knows nothing, is at a distance.
// Without marks it cannot be asked for.
func (l *layer) push(r *run, n node, distance int, mark bool) {
	l.reach(r, distance)
	l.at[distance] = append(l.at[distance], n)
	if mark {
		l.marked[distance].add(n)
	}
}

// pushAll is push for rows of a label.
func (l *layer) pushAll(r *run, label uint32, rows []uint32, distance int, mark bool) {
	l.reach(r, distance)
	for _, row := range rows {
		l.at[distance] = append(l.at[distance], node{label, row})
	}
	if mark {
		for _, row := range rows {
			l.marked[distance].add(node{label, row})
		}
	}
}

// size counts the nodes.
func (l *layer) size() int {
	n := 0
	for _, nodes := range l.at {
		n += len(nodes)
	}
	return n
}

// settle leaves every node at its least distance only.
func (l *layer) settle() {
	l.seen.clear()
	for d, nodes := range l.at {
		kept := nodes[:0]
		for _, n := range nodes {
			if l.seen.add(n) {
				kept = append(kept, n)
			}
		}
		l.at[d] = kept
	}
}

// distance is how far a node is; negative where it is not in the layer.
func (l *layer) distance(n node) int {
	for d, m := range l.marked {
		if m.has(n) {
			return d
		}
	}
	return -1
}
