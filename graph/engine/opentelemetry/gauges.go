package opentelemetry

import (
	"context"

	"go.opentelemetry.io/otel/metric"

	"github.com/trellisgraph/trellis/graph/engine"
)

// Watch measures an engine by its Stats whenever metrics are read, until stop
// is called:
//
//	trellis.calls.running    gauge     calls with the store
//	trellis.calls.waiting    gauge     calls in front of it
//	trellis.calls.abandoned  gauge     calls that the store did not return from in time
//	trellis.circuit.open     gauge     1 while calls are UNAVAILABLE for these, else 0
//	trellis.calls.unrecorded counter   records that the audit did not take
//
// An Observer watches one engine. Watch fails only if the provider refuses an
// instrument.
func (o *Observer) Watch(stats func() engine.Stats) (stop func() error, err error) {
	gauge := func(name, unit, description string) metric.Int64ObservableGauge {
		g, e := o.meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		if err == nil {
			err = e
		}
		return g
	}
	running := gauge("trellis.calls.running", "{call}", "Calls with the store.")
	waiting := gauge("trellis.calls.waiting", "{call}", "Calls that wait for the store.")
	abandoned := gauge("trellis.calls.abandoned", "{call}", "Calls that the store did not return from in time.")
	open := gauge("trellis.circuit.open", "1", "Whether calls are unavailable, for the abandoned ones.")
	if err != nil {
		return nil, err
	}
	unrecorded, err := o.meter.Int64ObservableCounter("trellis.calls.unrecorded",
		metric.WithUnit("{call}"), metric.WithDescription("Records that the audit did not take."))
	if err != nil {
		return nil, err
	}
	watch, err := o.meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		now := stats()
		to.ObserveInt64(running, int64(now.Running))
		to.ObserveInt64(waiting, int64(now.Waiting))
		to.ObserveInt64(abandoned, int64(now.Abandoned))
		circuit := int64(0)
		if now.CircuitOpen {
			circuit = 1
		}
		to.ObserveInt64(open, circuit)
		to.ObserveInt64(unrecorded, int64(now.Unrecorded))
		return nil
	}, running, waiting, abandoned, open, unrecorded)
	if err != nil {
		return nil, err
	}
	return watch.Unregister, nil
}
