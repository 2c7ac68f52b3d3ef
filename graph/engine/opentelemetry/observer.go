// Package opentelemetry tells OpenTelemetry about the calls of an engine:
//
//	observer, err := opentelemetry.New(opentelemetry.Options{})
//	…
//	eng := engine.New(catalog, st, engine.Options{Observer: observer})
//	stop, err := observer.Watch(eng.Stats)
//
// Spans and metrics hold names, codes and counts, never values of a call and
// never who made it: that is what package audit keeps.
package opentelemetry

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
)

// Options configure an Observer.
type Options struct {
	// Traces and Metrics are where spans and metrics go; nil means what is set
	// for the process with package otel.
	Traces  trace.TracerProvider
	Metrics metric.MeterProvider
}

// An Observer makes of every call a span and measures it. It is safe for
// concurrent use.
//
// A span is named by its tool and has the attributes trellis.outcome,
// trellis.codes, trellis.rows, trellis.truncated_by, trellis.fingerprint and
// trellis.error_id, as far as the call has them; its status is an error where a
// call failed, not where it was refused. The metrics are
//
//	trellis.call.duration   histogram, seconds     by trellis.tool, trellis.outcome
//	trellis.calls           counter                by trellis.tool, trellis.outcome, trellis.code
//
// and those of Watch. trellis.code is a call's first code, or "".
type Observer struct {
	tracer   trace.Tracer
	meter    metric.Meter
	duration metric.Float64Histogram
	calls    metric.Int64Counter
}

// scope is the name of the instrumentation.
const scope = "github.com/trellisgraph/trellis"

// New returns an Observer. It fails only if a provider refuses an instrument.
func New(opts Options) (*Observer, error) {
	if opts.Traces == nil {
		opts.Traces = otel.GetTracerProvider()
	}
	if opts.Metrics == nil {
		opts.Metrics = otel.GetMeterProvider()
	}
	o := &Observer{tracer: opts.Traces.Tracer(scope), meter: opts.Metrics.Meter(scope)}
	var err error
	if o.duration, err = o.meter.Float64Histogram("trellis.call.duration",
		metric.WithUnit("s"), metric.WithDescription("How long calls take until their answer is ready."),
		metric.WithExplicitBucketBoundaries(1e-5, 1e-4, 1e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)); err != nil {
		return nil, err
	}
	if o.calls, err = o.meter.Int64Counter("trellis.calls",
		metric.WithUnit("{call}"), metric.WithDescription("Calls that have ended.")); err != nil {
		return nil, err
	}
	return o, nil
}

// Begin starts the span of a call. The function it returns ends the span and
// measures the call by its record.
func (o *Observer) Begin(ctx context.Context, tool string) (context.Context, func(*audit.Record)) {
	name := known(tool)
	ctx, span := o.tracer.Start(ctx, name)
	return ctx, func(r *audit.Record) {
		code := ""
		if len(r.Codes) > 0 {
			code = string(r.Codes[0])
		}
		if code == string(graph.UnknownTool) && name != unknownTool {
			name = unknownTool
			span.SetName(name)
		}
		by := []attribute.KeyValue{attribute.String("trellis.tool", name), attribute.String("trellis.outcome", string(r.Outcome))}
		o.duration.Record(ctx, r.Duration.Seconds(), metric.WithAttributes(by...))
		o.calls.Add(ctx, 1, metric.WithAttributes(append(by, attribute.String("trellis.code", code))...))
		if span.IsRecording() {
			span.SetAttributes(attributes(r)...)
		}
		if r.Outcome == audit.Failed {
			span.SetStatus(codes.Error, code)
		}
		span.End()
	}
}

func attributes(r *audit.Record) []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String("trellis.outcome", string(r.Outcome)), attribute.Int("trellis.rows", r.Rows)}
	if len(r.Codes) > 0 {
		texts := make([]string, len(r.Codes))
		for i, c := range r.Codes {
			texts[i] = string(c)
		}
		list = append(list, attribute.StringSlice("trellis.codes", texts))
	}
	text := func(name, s string) {
		if s != "" {
			list = append(list, attribute.String(name, s))
		}
	}
	text("trellis.truncated_by", string(r.TruncatedBy))
	text("trellis.fingerprint", r.Fingerprint)
	text("trellis.error_id", r.ErrorID)
	return list
}

// unknownTool stands for every name that is no tool's: what callers make up
// must not become names of metrics, each of which costs memory for good.
const unknownTool = "unknown"

// known returns a tool's name if it can be one, whatever tools there are. One
// that is not is told by its code in the end.
func known(tool string) string {
	const most = 64
	if len(tool) == 0 || len(tool) > most {
		return unknownTool
	}
	for _, c := range []byte(tool) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return unknownTool
		}
	}
	return tool
}
