package store

// A slab hands out lists of an answer's parts, many from one allocation. They last as
// long as any of them.
type slab[T any] struct {
	free []T
	size int
}

// slabSize is how many parts an allocation is for at most.
const slabSize = 256

// take returns a list of n parts.
func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = max(n, min(4*s.size, slabSize))
		s.free = make([]T, s.size)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}
