package native_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Answers are the same from graphs that batches have made.
func TestPatchedSuite(t *testing.T) {
	const seed = 1
	var graphs, dense atomic.Int64
	open := func(t testing.TB, g *memory.Graph) store.Store {
		patched := storetest.Patched(t, g, seed)
		if graphs.Add(1); patched.Dense() == patched {
			dense.Add(1)
		}
		return native.New(patched, native.Options{})
	}
	storetest.Suite(t, open, storetest.SuiteOptions{Calls: calls(t), Complete: true, Scripts: storetest.Options{Store: "native"}})
	t.Logf("seed %d: %d graphs, %d of them dense", seed, graphs.Load(), dense.Load())
	require.Less(t, dense.Load()*20, graphs.Load(), "graphs that batches made are not dense")
}
