package storetest

import "testing"

// SuiteOptions say how much of each part of a Suite is run. Zero values mean
// the parts' own defaults.
type SuiteOptions struct {
	Scripts Options
	// Seed chooses the random graphs and calls.
	Seed uint64
	// Calls is how many random calls are compared with the Reference, and how
	// many are made for Isolation, with a fifth as many pairs.
	Calls int
	// CallsPerGraph is how many of them are made of one graph.
	CallsPerGraph int
	// Each is how often each rule of Metamorphic is tried.
	Each int
	// Complete fails the test where a call is refused as UNSUPPORTED.
	Complete bool
	// Backend opens the store's backend, if it has one, for Faults.
	Backend BackendOpener
	// FaultCalls is how many calls Faults disturbs.
	FaultCalls int
}

// Suite is everything that a store must do, in one call: the scripts, averages to
// the last bit, short paths, hostile text, random calls, rules between answers, the proof of
// isolation, many callers at once, and, for a store over a Backend, faults.
func Suite(t *testing.T, open Opener, opts SuiteOptions) {
	t.Run("scripts", func(t *testing.T) { Run(t, open, opts.Scripts) })
	t.Run("averages", func(t *testing.T) { Averages(t, open, opts.Seed) })
	t.Run("short paths", func(t *testing.T) { ShortPaths(t, open, opts.Seed, 200) })
	t.Run("hostile", func(t *testing.T) { Hostile(t, open) })
	t.Run("random", func(t *testing.T) { Differential(t, open, opts.differential()) })
	t.Run("rules", func(t *testing.T) { Metamorphic(t, open, opts.metamorphic()) })
	t.Run("isolation", func(t *testing.T) { Isolation(t, open, opts.isolation()) })
	t.Run("together", func(t *testing.T) { Together(t, open, opts.Seed) })
	if opts.Backend != nil {
		t.Run("faults", func(t *testing.T) { Faults(t, opts.Backend, opts.Seed, opts.FaultCalls) })
	}
}

func (o SuiteOptions) differential() DifferentialOptions {
	return DifferentialOptions{Seed: o.Seed, Calls: o.Calls, CallsPerGraph: o.CallsPerGraph, Complete: o.Complete}
}

func (o SuiteOptions) metamorphic() MetamorphicOptions {
	return MetamorphicOptions{Seed: o.Seed, Each: o.Each}
}

func (o SuiteOptions) isolation() IsolationOptions {
	return IsolationOptions{Seed: o.Seed, Calls: o.Calls, Canaries: o.Calls, Pairs: o.Calls / 5, CallsPerGraph: o.CallsPerGraph}
}
