package engine

// Stats are counts of an engine's calls at one moment.
type Stats struct {
	// Running calls are with the store, Waiting ones in front of it.
	Running, Waiting int
	// Abandoned calls are those of the running that the store did not return
	// from in time. At 4 the circuit opens: calls are UNAVAILABLE until one
	// returns.
	Abandoned   int
	CircuitOpen bool
	// Unrecorded counts the records that Options.Audit did not take in its time,
	// since the engine was made. One that it took too late is among them.
	Unrecorded int
}

// Stats returns the counts of now, for gauges.
func (e *Engine) Stats() Stats {
	return Stats{
		Running: int(e.queue.running.Load()), Waiting: int(e.queue.waiting.Load()),
		Abandoned: int(e.watchdog.abandoned.Load()), CircuitOpen: e.watchdog.open(),
		Unrecorded: int(e.recorder.lost.Load()),
	}
}
