package native_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/storetest"
)

func inMemory(_ testing.TB, g *memory.Graph) store.Store {
	return twice{native.New(g, native.Options{HideStatements: true})}
}

// calls is how many random calls are compared.
func calls(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("TRELLIS_DIFF_CALLS"))
	if os.Getenv("TRELLIS_DIFF_CALLS") == "" {
		return 0
	}
	require.NoError(t, err)
	return n
}

func TestSuite(t *testing.T) {
	open := func(_ testing.TB, g *memory.Graph) store.Store { return twice{native.New(g, native.Options{})} }
	storetest.Suite(t, open, storetest.SuiteOptions{Calls: calls(t), Complete: true})
}

func TestHardGraphs(t *testing.T) { storetest.HardGraphs(t, inMemory) }
