package native

// A layer is where one may stand after some steps: nodes, with the least total
// number of hops to each.
type layer struct {
	// at are the nodes by distance, and marked the same.
	at     [][]node
	marked []*marks
	seen   *marks
}

func (r *run) newLayer() *layer { return &layer{seen: r.takeMarks()} }

// free gives back what the layer took.
func (l *layer) free(r *run) {
	r.giveMarks(l.seen)
	for i := range l.at {
		r.giveNodes(l.at[i])
		r.giveMarks(l.marked[i])
	}
	l.at, l.marked = nil, nil
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

// push notes that a node, of which the layer knows nothing, is at a distance.
// Without marks it cannot be asked for.
func (l *layer) push(r *run, n node, distance int, mark bool) {
	l.reach(r, distance)
	l.at[distance] = append(l.at[distance], n)
	if mark {
		l.marked[distance].add(n)
		l.seen.add(n)
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
	if l.seen.has(n) {
		for d, m := range l.marked {
			if m.has(n) {
				return d
			}
		}
	}
	return -1
}
