package native_test

import (
	"flag"
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
	switch {
	case os.Getenv("TRELLIS_DIFF_CALLS") == "" && testing.Short():
		return 200
	case os.Getenv("TRELLIS_DIFF_CALLS") == "":
		return 0
	}
	require.NoError(t, err)
	return n
}

var update = flag.Bool("update", false, "write anew what the scripts have shown that the store can do")

func TestSuite(t *testing.T) {
	open := func(_ testing.TB, g *memory.Graph) store.Store { return twice{native.New(g, native.Options{})} }
	storetest.Suite(t, open, storetest.SuiteOptions{Calls: calls(t), Each: calls(t) / 10, Complete: true,
		Scripts: storetest.Options{Store: "native", Capabilities: "testdata/capabilities/native.json", Renew: *update}})
}

func TestHardGraphs(t *testing.T) { storetest.HardGraphs(t, inMemory) }
