package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// records is a sink that keeps copies; err is what it says instead.
type records struct {
	mu   sync.Mutex
	list []audit.Record
	err  error
}

func (r *records) Write(ctx context.Context, rec *audit.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.list = append(r.list, *rec)
	return nil
}

func (r *records) last() audit.Record { return r.list[len(r.list)-1] }

// observed is an observer that keeps what it is told.
type observed struct {
	mu         sync.Mutex
	begun, end int
	tools      []string
}

func (o *observed) Begin(ctx context.Context, tool string) (context.Context, func(*audit.Record)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun++
	return ctx, func(r *audit.Record) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.end++
		o.tools = append(o.tools, r.Tool)
	}
}

// P10: exactly one record comes of each call, whatever becomes of it.
func TestP10OneRecordACall(t *testing.T) {
	const calls = 3000
	sink, watch := &records{}, &observed{}
	random := rand.New(rand.NewPCG(3, 4))
	var mu sync.Mutex
	st := fake(func(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
		mu.Lock()
		what := random.IntN(6)
		mu.Unlock()
		switch what {
		case 0:
			panic("at the disco")
		case 1:
			return store.Outcome{}, errors.New("broken")
		case 2:
			<-ctx.Done()
			return store.Outcome{}, ctx.Err()
		}
		return store.Outcome{Returned: 1, Statements: []graph.Statement{{SQL: "SELECT 1"}}}, w.Node(&graph.Node{Label: "book", ID: "1"})
	})
	eng, _ := newEngine(t, st, engine.Options{Audit: sink, Observer: watch, Concurrency: 4, MaxQueue: 4, QueueTimeout: time.Millisecond,
		Limits: graph.Limits{Timeout: time.Millisecond}, Rates: engine.Rates{PerPrincipal: engine.Rate{PerSecond: 300, Burst: 40}}})
	ways := []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := eng.Run(ctx, books()); return err },
		func(ctx context.Context) error { _, err := eng.Run(ctx, nil); return err },
		func(ctx context.Context) error {
			_, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "bok"}})
			return err
		},
		func(ctx context.Context) error { _, err := eng.Run(ctx, &graph.Describe{}); return err },
		func(ctx context.Context) error { _, err := eng.Explain(ctx, books()); return err },
		func(ctx context.Context) error { _, err := eng.DryRun(ctx, books()); return err },
		func(ctx context.Context) error { _, err := eng.Call(ctx, unreadable("{")); return err },
		func(ctx context.Context) error { _, err := eng.ExplainCall(ctx, unreadable("{")); return err },
		func(ctx context.Context) error { _, err := eng.DryRunCall(ctx, unreadable("{")); return err },
		func(ctx context.Context) error { _, err := eng.ExplainCall(ctx, readable("{}", books())); return err },
		func(ctx context.Context) error { _, err := eng.Call(ctx, readable("{}", books())); return err },
		func(ctx context.Context) error {
			_, err := eng.Call(ctx, engine.Request{Tool: "x", Decode: func(*schema.Schema) (graph.Query, graph.Errors) { panic("decoding") }})
			return err
		},
		func(ctx context.Context) error {
			_, err := eng.Call(ctx, engine.Request{Tool: "no decoder"})
			return err
		},
		func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			_, err := eng.Run(ctx, books())
			return err
		},
	}
	codes := map[string]int{}
	var callers sync.WaitGroup
	for c := range 8 {
		random := rand.New(rand.NewPCG(5, uint64(c)))
		callers.Go(func() {
			for range calls / 8 {
				err := ways[random.IntN(len(ways))](as("a", fmt.Sprint(c), ""))
				code := "OK"
				if err != nil {
					code = string(err.(graph.Errors)[0].Code)
				}
				mu.Lock()
				codes[code]++
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	require.Len(t, sink.list, calls)
	require.Equal(t, calls, watch.begun)
	require.Equal(t, calls, watch.end)
	kept := map[string]int{}
	for _, r := range sink.list {
		code := "OK"
		if len(r.Codes) > 0 {
			code = string(r.Codes[0])
		}
		kept[code]++
		require.Equal(t, code == "OK", r.Outcome == audit.OK)
		require.False(t, r.Time.IsZero())
		require.Equal(t, "a", r.Tenant)
	}
	require.Equal(t, codes, kept)
	for _, code := range []string{"OK", "UNKNOWN_LABEL", "UNKNOWN_TOOL", "SYNTAX", "INTERNAL", "TIMEOUT", "RATE_LIMITED"} {
		require.Positive(t, kept[code], "%s of %v", code, kept)
	}
	require.Zero(t, eng.Stats().Unrecorded)
}

// What a record says of each kind of call.
func TestRecords(t *testing.T) {
	sink := &records{}
	synctest.Test(t, func(t *testing.T) {
		st := func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			time.Sleep(30 * time.Millisecond)
			return store.Outcome{Returned: 2, TruncatedBy: graph.TruncatedRows, Statements: []graph.Statement{{SQL: "SELECT ?"}}}, nil
		}
		eng, _ := newEngine(t, st, engine.Options{Audit: sink, AuditValues: audit.Values{Key: []byte("k")}, Statements: engine.HideStatements})
		ctx := as("acme", "ada", "t1")

		q := books()
		q.Filter = graph.Where("title", "a secret")
		_, err := eng.Call(ctx, readable(`{"node_label": "book", "filters": {"title": {"eq": "a secret"}}, "limit": 7}`, q))
		require.NoError(t, err)
		r := sink.last()
		require.Equal(t, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), r.Time.UTC())
		require.Equal(t, 30*time.Millisecond, r.Duration)
		require.Equal(t, []string{"acme", "ada", "t1", graph.ToolFindNodes}, []string{r.Tenant, r.Principal, r.TokenID, r.Tool})
		require.Regexp(t, `^{"filters":{"title":{"eq":"h:[0-9a-f]{32}"}},"limit":"h:[0-9a-f]{32}","node_label":"book"}$`, r.Arguments)
		require.Regexp(t, "^[0-9a-f]{16}$", r.Fingerprint)
		require.Regexp(t, "^1970-01-01T00:00:00Z#[0-9a-f]{12}$", r.SchemaRevision)
		require.Equal(t, []string{"SELECT ?"}, r.Statements, "also those that callers do not see")
		require.Equal(t, 2, r.Rows)
		require.Equal(t, graph.TruncatedRows, r.TruncatedBy)
		require.Equal(t, audit.OK, r.Outcome)
		require.Empty(t, r.Codes)
		require.False(t, r.Explained)

		_, err = eng.Call(ctx, readable(`{"node_label": "book", "filters": {"title": {"is_null": false}, "sold": true}, "mode": "all_shortest",
			"aggregations": [{"function": "count_distinct", "as": "counted"}], "group_by": [{"truncate": "month"}], "connections": true, "exists": ["year", true]}`, q))
		require.NoError(t, err)
		hash := `"h:[0-9a-f]{32}"`
		require.Regexp(t, `^{"aggregations":\[{"as":`+hash+`,"function":"count_distinct"}\],"connections":true,"exists":\["year",`+hash+`\],`+
			`"filters":{"sold":`+hash+`,"title":{"is_null":false}},"group_by":\[{"truncate":"month"}\],"mode":"all_shortest","node_label":"book"}$`,
			sink.last().Arguments, "the words of the tools are no values")

		q.Filter = graph.Where("title", "another")
		_, err = eng.Run(ctx, q)
		require.NoError(t, err)
		require.Equal(t, r.Fingerprint, sink.last().Fingerprint, "calls that differ in values only")
		require.Regexp(t, `^{"Filter":{"Property":"title","Value":"h:[0-9a-f]{32}"},"Label":"book"}$`, sink.last().Arguments)
		zero := books()
		zero.Filter = graph.Or{graph.Where("id", 0), graph.Cmp("title", graph.Ne, "")}
		_, err = eng.Run(ctx, zero)
		require.NoError(t, err)
		require.Regexp(t, `^{"Filter":{"or":\[{"Property":"id","Value":"h:[0-9a-f]{32}"},{"Op":"ne","Property":"title","Value":"h:[0-9a-f]{32}"}\]},"Label":"book"}$`,
			sink.last().Arguments, "what is compared with stays")
		q.Filter = graph.Cmp("title", graph.Gt, "another")
		_, err = eng.Explain(ctx, q)
		require.NoError(t, err)
		require.NotEqual(t, r.Fingerprint, sink.last().Fingerprint)
		require.True(t, sink.last().Explained)

		_, err = eng.Call(ctx, unreadable(`{"x": `))
		require.Error(t, err)
		r = sink.last()
		require.Equal(t, audit.Refused, r.Outcome)
		require.Equal(t, []graph.Code{graph.Syntax}, r.Codes)
		require.Contains(t, r.Arguments, `{"unreadable":{"bytes":6`)
		require.Zero(t, r.Rows)
		require.Empty(t, r.Fingerprint)

		_, err = eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "bok"}, Limit: 1000})
		require.Error(t, err)
		require.Equal(t, []graph.Code{graph.UnknownLabel, graph.LimitExceeded}, sink.last().Codes)
		require.Empty(t, sink.last().Tenant)
	})
}

// The guards that stood on a call are in its record, without values.
func TestRecordsHaveTheGuards(t *testing.T) {
	sink := &records{}
	eng, _ := newEngine(t, empty, engine.Options{Audit: sink, Guard: func(s *graph.Scope, on compile.Guarded) (graph.Filter, error) {
		if s.Principal == "eve" {
			return nil, errors.New("a secret of the host")
		}
		return graph.Where("title", s.Tenant), nil
	}})
	_, err := eng.Run(as("acme", "", ""), books())
	require.NoError(t, err)
	require.Len(t, sink.last().Guards, 1)
	require.Contains(t, sink.last().Guards[0], "book")
	require.Contains(t, sink.last().Guards[0], "title")
	require.NotContains(t, sink.last().Guards[0], "acme")

	_, err = eng.Run(as("acme", "eve", ""), books())
	require.Equal(t, graph.Forbidden, failed(t, err).Code)
	require.NotContains(t, err.Error(), "secret")
	require.NotEmpty(t, sink.last().ErrorID, "the log has what the host said")
	require.Equal(t, audit.Refused, sink.last().Outcome)
	_, err = eng.Run(context.Background(), books())
	require.Equal(t, graph.NoScope, failed(t, err).Code)
}

// T44: a sink that is full loses records and says so, or, fail-closed, no call
// is answered without its record.
func TestT44TheSinkIsFull(t *testing.T) {
	sinks := map[string]audit.Sink{"an error": &records{err: errors.New("no space left on /secret/device")}, "a panic": panics{}}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer full.Close()
		sinks["/dev/full"] = audit.NewJSONLines(full)
	}
	st := func(_ context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
		return store.Outcome{Returned: 1}, w.Node(&graph.Node{Label: "book", ID: "1"})
	}
	for name, sink := range sinks {
		t.Run(name, func(t *testing.T) {
			open, log := newEngine(t, st, engine.Options{Audit: sink})
			for i := range 3 {
				res, err := open.Run(t.Context(), books())
				require.NoError(t, err)
				require.Len(t, res.Nodes, 1)
				require.Equal(t, i+1, open.Stats().Unrecorded)
			}
			require.Equal(t, 3, bytes.Count(log.Bytes(), []byte("\n")), "and the log says so each time")

			watch := &observed{}
			closed, log := newEngine(t, st, engine.Options{Audit: sink, AuditFailClosed: true, Observer: watch})
			for _, call := range []func() (*graph.Result, error){
				func() (*graph.Result, error) { return closed.Run(t.Context(), books()) },
				func() (*graph.Result, error) { return closed.Run(t.Context(), &graph.Describe{}) },
				func() (*graph.Result, error) { return closed.Call(t.Context(), unreadable("{")) },
				func() (*graph.Result, error) {
					ex, err := closed.Explain(t.Context(), books())
					require.Nil(t, ex)
					return nil, err
				},
			} {
				res, err := call()
				require.Nil(t, res)
				e := failed(t, err)
				require.Equal(t, graph.Unavailable, e.Code)
				require.True(t, e.Retryable)
				require.NotContains(t, err.Error(), "secret")
				require.Contains(t, log.String(), e.ErrorID)
			}
			require.Equal(t, 4, watch.end)
		})
	}
}

type panics struct{}

func (panics) Write(context.Context, *audit.Record) error { panic("a sink") }

func (panics) Begin(context.Context, string) (context.Context, func(*audit.Record)) {
	panic("an observer")
}

type panicsLater struct{ none bool }

func (p panicsLater) Begin(ctx context.Context, _ string) (context.Context, func(*audit.Record)) {
	if p.none {
		return nil, nil
	}
	return ctx, func(*audit.Record) { panic("an observer") }
}

// A caller who has left is on record, and an observer takes no call with it.
func TestRecordsWhateverHappens(t *testing.T) {
	sink := &records{}
	eng, _ := newEngine(t, empty, engine.Options{Audit: sink, AuditFailClosed: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	eng.Run(ctx, books())
	require.Len(t, sink.list, 1)
	for _, o := range []engine.Observer{panics{}, panicsLater{}, panicsLater{none: true}} {
		eng, _ := newEngine(t, empty, engine.Options{Observer: o})
		_, err := eng.Run(t.Context(), books())
		require.NoError(t, err)
	}
}

// A record's line is JSON whatever a caller sends.
func TestRecordsOfHostileCalls(t *testing.T) {
	var out bytes.Buffer
	eng, _ := newEngine(t, empty, engine.Options{Audit: audit.NewJSONLines(&out), AuditValues: audit.Values{Show: true}})
	for _, text := range []string{"", "\n\x1b[31m", "{\"a\":\"\\n\"}", "\xff", string(bytes.Repeat([]byte("["), 100_000)), "%s%n"} {
		out.Reset()
		_, err := eng.Call(as(text, text, text), engine.Request{Tool: text, Arguments: []byte(text), Decode: unreadable("").Decode})
		require.Error(t, err)
		require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")))
		require.True(t, json.Valid(out.Bytes()))
	}
}
