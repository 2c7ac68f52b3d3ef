package storetest_test

import (
	"testing"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A test of a store of one's own opens the store over a graph, and its backend
// if it has one. The embedded store stands for it here.
func ExampleSuite() {
	open := func(t testing.TB, g *memory.Graph) store.Store {
		st, err := embedded.New(g, embedded.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	backend := func(t testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
		b, err := embedded.NewBackend(g, embedded.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b, compile.Embedded()
	}

	_ = func(t *testing.T) { // in a file of tests: func TestMyStore(t *testing.T)
		storetest.Suite(t, open, storetest.SuiteOptions{Seed: 1, Calls: 10_000, Backend: backend})
	}
}

// The proof of isolation alone, with more calls: a store that serves several
// tenants runs it before a release.
func ExampleIsolation() {
	open := func(t testing.TB, g *memory.Graph) store.Store {
		st, err := embedded.New(g, embedded.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}

	_ = func(t *testing.T) { // in a file of tests: func TestMyStoreIsolates(t *testing.T)
		storetest.Isolation(t, open, storetest.IsolationOptions{Seed: 1, Calls: 20_000, Canaries: 100_000, Pairs: 20_000})
	}
}
