package opentelemetry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	ot "go.opentelemetry.io/otel/trace"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/graph/engine/opentelemetry"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// sdk is an observer and what it told.
type sdk struct {
	*opentelemetry.Observer
	spans  *tracetest.SpanRecorder
	reader *metric.ManualReader
}

func newSDK(t *testing.T) sdk {
	s := sdk{spans: tracetest.NewSpanRecorder(), reader: metric.NewManualReader()}
	var err error
	s.Observer, err = opentelemetry.New(opentelemetry.Options{
		Traces:  trace.NewTracerProvider(trace.WithSpanProcessor(s.spans)),
		Metrics: metric.NewMeterProvider(metric.WithReader(s.reader)),
	})
	require.NoError(t, err)
	return s
}

// metrics returns every point as a line: name, attributes and value.
func (s sdk) metrics(t *testing.T) []string {
	var all metricdata.ResourceMetrics
	require.NoError(t, s.reader.Collect(t.Context(), &all))
	var lines []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %s %d %g%s", m.Name, shown(p.Attributes.ToSlice()), p.Count, p.Sum, m.Unit))
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %s %d", m.Name, shown(p.Attributes.ToSlice()), p.Value))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %s %d", m.Name, shown(p.Attributes.ToSlice()), p.Value))
				}
			default:
				t.Fatalf("%s is a %T", m.Name, data)
			}
		}
	}
	return lines
}

func shown(list []attribute.KeyValue) string {
	var texts []string
	for _, a := range list {
		texts = append(texts, strings.TrimPrefix(string(a.Key), "trellis.")+"="+a.Value.String())
	}
	return strings.Join(texts, ",")
}

// secret stands in every field of a record that telemetry must not tell.
const secret = "hunter2"

func call(s sdk, tool string, r audit.Record) {
	r.Tool, r.Tenant, r.Principal, r.TokenID, r.Arguments = tool, secret, secret, secret, `{"a":"`+secret+`"}`
	r.Guards, r.Statements = []string{secret}, []string{secret}
	_, end := s.Begin(context.Background(), tool)
	end(&r)
}

func TestSpansAndMetrics(t *testing.T) {
	s := newSDK(t)
	call(s, "find_nodes", audit.Record{Outcome: audit.OK, Rows: 3, TruncatedBy: graph.TruncatedRows, Fingerprint: "f0", Duration: 2 * time.Second})
	call(s, "find_nodes", audit.Record{Outcome: audit.OK, Duration: time.Second})
	call(s, "find_paths", audit.Record{Outcome: audit.Failed, Codes: []graph.Code{graph.Timeout}, ErrorID: "e1"})
	call(s, "find_paths", audit.Record{Outcome: audit.Refused, Codes: []graph.Code{graph.UnknownLabel, graph.UnknownProperty}})

	var spans []string
	for _, span := range s.spans.Ended() {
		spans = append(spans, fmt.Sprintf("%s %v%s %s", span.Name(), span.Status().Code, span.Status().Description, shown(span.Attributes())))
	}
	require.Equal(t, []string{
		"find_nodes Unset outcome=ok,rows=3,truncated_by=rows,fingerprint=f0",
		"find_nodes Unset outcome=ok,rows=0",
		"find_paths ErrorTIMEOUT outcome=failed,rows=0,codes=[\"TIMEOUT\"],error_id=e1",
		"find_paths Unset outcome=refused,rows=0,codes=[\"UNKNOWN_LABEL\",\"UNKNOWN_PROPERTY\"]",
	}, spans)
	require.ElementsMatch(t, []string{
		"trellis.call.duration outcome=ok,tool=find_nodes 2 3s",
		"trellis.call.duration outcome=failed,tool=find_paths 1 0s",
		"trellis.call.duration outcome=refused,tool=find_paths 1 0s",
		"trellis.calls code=,outcome=ok,tool=find_nodes 2",
		"trellis.calls code=TIMEOUT,outcome=failed,tool=find_paths 1",
		"trellis.calls code=UNKNOWN_LABEL,outcome=refused,tool=find_paths 1",
	}, s.metrics(t))
	require.NotContains(t, fmt.Sprint(spans, s.metrics(t)), secret)
}

// What a call is part of is known in the store, and to whoever asked.
func TestSpansNest(t *testing.T) {
	s := newSDK(t)
	outer, endOuter := s.Begin(t.Context(), "outer")
	inner, endInner := s.Begin(outer, "inner")
	endInner(&audit.Record{})
	endOuter(&audit.Record{})
	ended := s.spans.Ended()
	require.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID())
	require.Equal(t, ot.SpanFromContext(inner).SpanContext(), ended[0].SpanContext())
	require.Equal(t, codes.Unset, ended[0].Status().Code)
}

// Callers make up names of tools; each of them as a metric's attribute would
// cost memory for good.
func TestMadeUpToolsHaveOneName(t *testing.T) {
	s := newSDK(t)
	unknown := audit.Record{Outcome: audit.Refused, Codes: []graph.Code{graph.UnknownTool}}
	for _, tool := range []string{"", "find nodes", "find_nodes\n", "x\x1b", strings.Repeat("x", 65), "Ω"} {
		call(s, tool, audit.Record{Outcome: audit.OK})
	}
	for i := range 1000 {
		call(s, fmt.Sprintf("tool%d", i), unknown)
	}
	require.ElementsMatch(t, []string{
		"trellis.call.duration outcome=ok,tool=unknown 6 0s",
		"trellis.call.duration outcome=refused,tool=unknown 1000 0s",
		"trellis.calls code=,outcome=ok,tool=unknown 6",
		"trellis.calls code=UNKNOWN_TOOL,outcome=refused,tool=unknown 1000",
	}, s.metrics(t))
	for _, span := range s.spans.Ended() {
		require.Equal(t, "unknown", span.Name())
	}
}

// Without an SDK, the observer costs next to nothing and says nothing.
func TestWithoutSDK(t *testing.T) {
	o, err := opentelemetry.New(opentelemetry.Options{})
	require.NoError(t, err)
	_, end := o.Begin(t.Context(), "find_nodes")
	end(&audit.Record{Codes: []graph.Code{graph.Timeout}, Outcome: audit.Failed})
}

func TestWatch(t *testing.T) {
	s := newSDK(t)
	now := engine.Stats{Running: 3, Waiting: 2, Abandoned: 1}
	stop, err := s.Watch(func() engine.Stats { return now })
	require.NoError(t, err)
	require.Equal(t, []string{"trellis.calls.running  3", "trellis.calls.waiting  2", "trellis.calls.abandoned  1", "trellis.circuit.open  0", "trellis.calls.unrecorded  0"}, s.metrics(t))
	now = engine.Stats{Abandoned: 4, CircuitOpen: true, Unrecorded: 5}
	require.Equal(t, []string{"trellis.calls.running  0", "trellis.calls.waiting  0", "trellis.calls.abandoned  4", "trellis.circuit.open  1", "trellis.calls.unrecorded  5"}, s.metrics(t))
	require.NoError(t, stop())
	require.Empty(t, s.metrics(t))
}

// The observer follows the calls of an engine from begin to end.
func TestWithAnEngine(t *testing.T) {
	s := newSDK(t)
	shop, err := schema.Parse("shop.yaml", []byte("format: trellis.schema.v1\nnodes:\n  thing: {key: id, properties: {id: {type: int64}}}\n"))
	require.NoError(t, err)
	eng := engine.New(schema.NewCatalog(shop), asleep{}, engine.Options{Observer: s})
	stop, err := s.Watch(eng.Stats)
	require.NoError(t, err)
	defer stop()
	_, err = eng.Run(t.Context(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "thing"}})
	require.NoError(t, err)
	_, err = eng.Run(t.Context(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "thingy"}})
	require.Error(t, err)
	var spans []string
	for _, span := range s.spans.Ended() {
		outcome, _, _ := strings.Cut(shown(span.Attributes()), ",")
		spans = append(spans, span.Name()+" "+outcome)
	}
	require.Equal(t, []string{"inside ", "find_nodes outcome=ok", "find_nodes outcome=refused"}, spans)
	ended := s.spans.Ended()
	require.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID(), "what the store does is part of the call")
	require.Contains(t, strings.Join(s.metrics(t), "\n"), "trellis.calls code=UNKNOWN_LABEL,outcome=refused,tool=find_nodes 1")
}

// asleep is a store without nodes that traces what it does.
type asleep struct{}

func (asleep) Run(ctx context.Context, _ *compile.Plan, _ graph.Writer) (store.Outcome, error) {
	_, span := ot.SpanFromContext(ctx).TracerProvider().Tracer("store").Start(ctx, "inside")
	span.End()
	return store.Outcome{}, nil
}
func (asleep) Explain(context.Context, *compile.Plan) (store.Explanation, error) {
	return store.Explanation{}, nil
}
func (asleep) Close() error { return nil }
