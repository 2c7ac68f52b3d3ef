package storetest_test

import (
	"testing"

	"github.com/trellisgraph/trellis/store/storetest"
)

// isolation is a fifth as many pairs as random calls.
func isolation(t testing.TB, seed uint64) storetest.IsolationOptions {
	n := randomCalls(t)
	return storetest.IsolationOptions{Seed: seed, Calls: n, Canaries: n, Pairs: n / 5}
}

func TestIsolationEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Isolation(t, inProcess, isolation(t, 1))
}

func TestIsolationMariaDB(t *testing.T) {
	t.Parallel()
	storetest.Isolation(t, eachMariaDB(t), isolation(t, 500_000))
}

func TestIsolationPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Isolation(t, eachPostgreSQL(t), isolation(t, 600_000))
}
