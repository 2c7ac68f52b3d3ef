package social

import (
	"math"
	"math/bits"
	"sort"
)

// A stream is a sequence of random numbers: SplitMix64 (Steele, Lea, Flood, Fast
// Splittable Pseudorandom Number Generators, OOPSLA 2014).
type stream uint64

// streamOf returns a sequence of its own for each part of a graph, so that a
// change of one part's size leaves the others as they are.
func streamOf(seed uint64, part uint64) *stream {
	s := stream(seed)
	s = stream(s.next() ^ part*0xd1342543de82ef95)
	return &s
}

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number of 0 to n-1, which is over 0. The chances of two
// numbers differ by less than n of 2^64.
func (s *stream) below(n uint64) uint64 {
	high, _ := bits.Mul64(s.next(), n)
	return high
}

// shuffled returns the numbers of 0 to n-1 in a random order.
func (s *stream) shuffled(n int) []int {
	out := make([]int, n)
	for i := range out {
		j := int(s.below(uint64(i) + 1))
		out[i], out[j] = out[j], i
	}
	return out
}

// A lottery draws numbers by their weights: it holds the sums of the weights up
// to each of them.
type lottery []uint64

func newLottery(weights []uint64) lottery {
	out := make(lottery, len(weights))
	sum := uint64(0)
	for i, w := range weights {
		sum += w
		out[i] = sum
	}
	return out
}

func (l lottery) draw(s *stream) int {
	at := s.below(l[len(l)-1])
	return sort.Search(len(l), func(i int) bool { return l[i] > at })
}

// zipf returns a lottery of n numbers of which the one of rank r, from 1, is as
// likely as 1/(r+flat). Ranks are the numbers themselves.
func zipf(n int, flat uint64) lottery {
	weights := make([]uint64, n)
	for i := range weights {
		weights[i] = 1 << 40 / (uint64(i) + 1 + flat)
	}
	return newLottery(weights)
}

// powerLaw returns n weights, of rank 1 first: that of rank r is (n/r)^(2/3) in
// sixteenths, and at most 3·√(n/mean), at which two of the largest are friends
// with a probability of about 1. A third of the mean weight is 1.
func powerLaw(n, mean int) []uint64 {
	most := uint64(math.Sqrt(float64(n)/float64(mean)) * 48)
	out := make([]uint64, n)
	for i := range out {
		ratio := float64(n) / float64(i+1)
		cube := ratio * ratio * 4096
		// The largest weight whose cube is not over it. Ranks come from the
		// largest on, so the one before bounds the search.
		out[i] = uint64(sort.Search(int(most), func(w int) bool {
			f := float64(w + 1)
			return f*f*f > cube
		}))
		most = max(out[i], 1)
		out[i] = most
	}
	return out
}
