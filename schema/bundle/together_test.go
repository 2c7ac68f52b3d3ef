package bundle

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTogetherDoesEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		did := make([]atomic.Int32, n)
		together(n, func(i int) { did[i].Add(1) })
		for i := range did {
			require.EqualValues(t, 1, did[i].Load(), i)
		}
	}
}

// A panic is the caller's, who can catch it, as one of another goroutine cannot be.
func TestTogetherPanicsWhereItIsCalled(t *testing.T) {
	for _, n := range []int{1, 100} {
		require.Panics(t, func() {
			together(n, func(i int) {
				if i == n-1 {
					panic("no")
				}
			})
		})
	}
}
