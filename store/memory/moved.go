package memory

// moved is what batches did to the relationships of a pair since it was dense.
// Of links, only from and to still count beside it, and the columns: with the
// rows that the ends of a relationship had when it was added.
type moved struct {
	out, in Adjacency
	count   int // of relationships
	dense   int // those of then have the numbers below it
	// Where the pair has a key: late are the living relationships since then,
	// by key, and dead those that are none any more.
	late []uint32
	dead bitmap
}

// A keyFinder finds the relationships of a pair by key, those that were there
// when it was dense. Only the writer asks it, and it is made when first asked.
type keyFinder struct{ index *keyIndex }

func (f *keyFinder) find(key Column, dense int, cells []cell) (rel uint32, ok bool) {
	columns := []Column{key}
	if f.index == nil {
		x := newKeyIndex(columns, dense)
		f.index = &x
	}
	return f.index.find(columns, cells)
}

// living returns the number of relationships.
func (r *links) living() int {
	if r.moved != nil {
		return r.moved.count
	}
	return len(r.to)
}

// dense returns the number below which are the relationships of when the pair
// was dense.
func (r *links) dense() int {
	if r.moved != nil {
		return r.moved.dense
	}
	return len(r.to)
}

// place returns where the node of a row, living or dead, stands now.
func (n *nodes) place(row uint32) uint32 {
	if n.dead().has(row) {
		row, _ = n.find(rowCells(n.key, row))
	}
	return row
}
