package clickhouse_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

var update = flag.Bool("update", false, "renew the file of what the store does")

// TestSuite is everything that a store must do, on the real engine.
func TestSuite(t *testing.T) {
	if server == nil {
		t.Skip("skipped: needs libchdb.so in TRELLIS_TEST_CHDB")
	}
	calls := 500
	if wanted := os.Getenv("TRELLIS_DIFF_CALLS"); wanted != "" {
		var err error
		calls, err = strconv.Atoi(wanted)
		require.NoError(t, err)
	}
	faults := 6 // each call to and fro takes long
	if wanted := os.Getenv("TRELLIS_FAULT_CALLS"); wanted != "" {
		var err error
		faults, err = strconv.Atoi(wanted)
		require.NoError(t, err)
	}
	storetest.Suite(t, filled, storetest.SuiteOptions{
		Scripts: storetest.Options{Store: "clickhouse", Capabilities: "testdata/capabilities/clickhouse.json", Renew: *update},
		Seed:    900_000, Calls: calls, Each: max(20, calls/10), CallsPerGraph: 150, FaultCalls: faults,
		Backend: func(t testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
			writing, reading := fresh(t)
			loaded(t, writing, g)
			return store.Database(reading, compile.ClickHouse()), compile.ClickHouse()
		},
	})
}
