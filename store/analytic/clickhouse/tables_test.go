package clickhouse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/clickhouse"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Tables as other programs make them, asked in sessions of another zone, in which
// nulls are members of lists and rows without a partner have no nulls.
func TestTables(t *testing.T) {
	storetest.Tables(t, func(t testing.TB, statements []string, other string) store.Store {
		writing, reading := fresh(t)
		t.Cleanup(func() { exec(t, writing, "DROP DATABASE IF EXISTS "+other+" SYNC") })
		for _, text := range statements {
			exec(t, writing, text)
		}
		var name string
		require.NoError(t, reading.QueryRow("SELECT currentDatabase()").Scan(&name))
		db, err := clickhouse.Open(server.URL(name) + "?session_timezone=Asia%2FKolkata&transform_null_in=1&join_use_nulls=0&aggregate_functions_null_for_empty=0")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return store.SQL(db, compile.ClickHouse())
	}, storetest.Options{Store: "clickhouse"})
}
