package bundle

import (
	"encoding/binary"
	"slices"
)

// The work of finding out how often values are looked at is bounded, for a schema
// and for all of a bundle together.
const (
	maxStates       = 1000
	maxBundleStates = 50_000
)

// expand bounds how often one value can be looked at: by how many schemas, and
// how often by each. A few references that double their targets again and again
// would make that any number.
//
// A state says for each schema how often it is asked about one value. The state
// of the whole entity is known; that of a child follows from that of the value
// around it and the child's name, or its place in a list, of which only those
// matter that schemas name. So it goes from state to state, as deep as an entity
// nests, and no state is looked at twice.
func (f *fence) expand(order []int) bool {
	first := make([]float64, len(f.subs))
	first[0] = 1
	seen := map[string]bool{}
	level := [][]float64{}
	enter := func(asked []float64) bool {
		some := f.inPlace(order, asked)
		key := stateKey(asked)
		if !some || seen[key] {
			return true
		}
		seen[key] = true
		*f.states++
		level = append(level, asked)
		visits, program := 0.0, 0.0
		for i, n := range asked {
			visits += n * f.subs[i].cost
			program += n * f.subs[i].program
		}
		f.visits, f.program = max(f.visits, visits), max(f.program, program)
		var p *Problem
		switch {
		case visits > float64(f.limits.Expansion):
			p = f.fail(f.root, "", "one value could be looked at more than %d times: references and lists of schemas multiply", f.limits.Expansion)
		case len(seen) > maxStates:
			p = f.fail(f.root, "", "there are more than %d ways to look at a value: references and lists of schemas multiply", maxStates)
		case *f.states > maxBundleStates:
			p = f.fail(f.root, "", "with this schema there are more than %d ways to look at a value in the bundle: references and lists of schemas multiply", maxBundleStates)
		default:
			return true
		}
		p.Hint = "let the schemas of an allOf, anyOf or oneOf not describe the same properties, and refer to each schema once"
		return false
	}
	if !enter(first) {
		return false
	}
	for range maxDepth {
		values := level
		level = nil
		for _, asked := range values {
			if !f.children(asked, enter) {
				return false
			}
		}
	}
	return true
}

func stateKey(asked []float64) string {
	var key []byte
	for i, n := range asked {
		if n > 0 {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(i)), uint64(n))
		}
	}
	return string(key)
}

// inPlace adds what schemas hand on of the same value.
func (f *fence) inPlace(order []int, asked []float64) (some bool) {
	for _, i := range order {
		if asked[i] == 0 {
			continue
		}
		some = true
		for _, e := range f.subs[i].edges {
			if e.reach == inPlace {
				asked[e.to] += asked[i]
			}
		}
	}
	return some
}

// A child is a property of a name, or an item of a list.
type child struct {
	name  string
	index int
}

// children enters the states of a value's children: those that schemas name, and
// one that they do not; of an object, and of a list.
func (f *fence) children(asked []float64, enter func([]float64) bool) bool {
	for _, list := range []bool{false, true} {
		every := make([]float64, len(asked)) // for any child
		named := map[child][]float64{}       // and more or less for some
		var order []child
		of := func(c child) []float64 {
			if named[c] == nil {
				named[c] = make([]float64, len(asked))
				order = append(order, c)
			}
			return named[c]
		}
		for i, n := range asked {
			if n > 0 {
				f.subs[i].hand(n, list, every, of)
			}
		}
		for _, c := range order {
			for i, n := range every {
				named[c][i] += n
			}
			if !enter(named[c]) {
				return false
			}
		}
		if !enter(slices.Clone(every)) {
			return false
		}
	}
	return true
}

// hand adds what one schema says of children.
func (s *sub) hand(n float64, list bool, every []float64, of func(child) []float64) {
	for _, e := range s.edges {
		switch e.reach {
		case property, position_:
			if list == (e.reach == position_) {
				of(child{e.name, e.index})[e.to] += n
			}
		case matching:
			if !list {
				every[e.to] += n
			}
		case items:
			if list {
				every[e.to] += n
			}
		case others, rest:
			if list != (e.reach == rest) {
				continue
			}
			// Not for those that have a schema of their own here.
			every[e.to] += n
			for _, c := range s.edges {
				if c.reach == property && !list || c.reach == position_ && list {
					of(child{c.name, c.index})[e.to] -= n
				}
			}
		}
	}
}
