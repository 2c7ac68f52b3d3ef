package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
)

// A fake is a store that does what a test says.
type fake func(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error)

func (f fake) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	return f(ctx, p, w)
}

func (f fake) Explain(ctx context.Context, p *compile.Plan) (store.Explanation, error) {
	out, err := f(ctx, p, graph.Collector{Result: &graph.Result{}})
	return store.Explanation{Executed: out.Executed, Statements: out.Statements, Database: []string{"seek private"}}, err
}

func (f fake) Close() error { return nil }

func library(t testing.TB, label string) *schema.Schema {
	s, err := schema.Parse("library.yaml", []byte(`
format: trellis.schema.v1
nodes:
  `+label+`:
    key: id
    display: title
    properties:
      id: int64
      title: {type: string, nullable: false, search: true}
`))
	require.NoError(t, err)
	return s
}

// newEngine returns an engine over a library of books, and its log.
func newEngine(t *testing.T, f fake, opts engine.Options) (*engine.Engine, *bytes.Buffer) {
	var log bytes.Buffer
	opts.Log = slog.New(slog.NewJSONHandler(&log, nil))
	return engine.New(schema.NewCatalog(library(t, "book")), f, opts), &log
}

// empty is a store that finds nothing.
func empty(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
	return store.Outcome{Executed: "fake"}, nil
}

// unreadable is a request whose arguments cannot be read.
func unreadable(arguments string) engine.Request {
	return engine.Request{Tool: graph.ToolFindNodes, Arguments: []byte(arguments), Decode: func(*schema.Schema) (graph.Query, graph.Errors) {
		return nil, graph.Errors{{Code: graph.Syntax, Message: "no JSON", Hint: "send an object"}}
	}}
}

// readable is a request that was read as a query.
func readable(arguments string, q graph.Query) engine.Request {
	return engine.Request{Tool: q.Tool(), Arguments: []byte(arguments), Decode: func(*schema.Schema) (graph.Query, graph.Errors) { return q, nil }}
}

func books() *graph.FindNodes {
	return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}}
}

// failed returns the one error of a call that failed.
func failed(t *testing.T, err error) *graph.Error {
	var list graph.Errors
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1)
	return list[0]
}

func TestTimeEndsACall(t *testing.T) {
	waits := func(ctx context.Context, _ *compile.Plan, _ graph.Writer) (store.Outcome, error) {
		<-ctx.Done()
		return store.Outcome{}, ctx.Err()
	}
	t.Run("the engine's limit", func(t *testing.T) {
		eng, log := newEngine(t, waits, engine.Options{Limits: graph.Limits{Timeout: time.Millisecond}})
		for name, call := range map[string]func() error{
			"run":     func() error { _, err := eng.Run(t.Context(), books()); return err },
			"explain": func() error { _, err := eng.Explain(t.Context(), books()); return err },
		} {
			log.Reset()
			e := failed(t, call())
			require.Equal(t, graph.Timeout, e.Code, name)
			require.True(t, e.Retryable)
			require.NotEmpty(t, e.Hint)
			require.Contains(t, log.String(), e.ErrorID)
		}
	})
	t.Run("the caller's deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		eng, _ := newEngine(t, waits, engine.Options{Limits: graph.Limits{Timeout: time.Hour}})
		_, err := eng.Run(ctx, books())
		require.ErrorIs(t, err, graph.Timeout)
	})
	t.Run("the caller has left", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		eng, _ := newEngine(t, waits, engine.Options{})
		_, err := eng.Run(ctx, books())
		e := failed(t, err)
		require.Equal(t, graph.Canceled, e.Code)
		require.False(t, e.Retryable)
	})
}

// What a store says about a failure may hold anything; only the log gets it.
func TestFailuresStayInTheLog(t *testing.T) {
	const secret = "hunter2@db-3.internal"
	for name, tc := range map[string]struct {
		store fake
		code  graph.Code
	}{
		"panic": {func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) { panic(secret) }, graph.Internal},
		"a foreign error": {func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			return store.Outcome{}, errors.New(secret)
		}, graph.Internal},
		"an error with a cause": {func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			return store.Outcome{}, &graph.Error{Code: graph.Unavailable, Message: "the store cannot be reached", Cause: errors.New(secret)}
		}, graph.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			eng, log := newEngine(t, tc.store, engine.Options{})
			for range 2 {
				log.Reset()
				res, err := eng.Run(t.Context(), books())
				require.Nil(t, res)
				e := failed(t, err)
				require.Equal(t, tc.code, e.Code)
				require.Regexp(t, "^[0-9a-f]{16}$", e.ErrorID)
				document, bad := json.Marshal(graph.NewErrorDocument(graph.ToolFindNodes, err))
				require.NoError(t, bad)
				require.NotContains(t, string(document), secret)
				require.NotContains(t, err.Error(), secret)
				require.Contains(t, string(document), e.ErrorID)

				var entry struct {
					ErrorID string `json:"error_id"`
					Code    string
					Tool    string
					Cause   string
				}
				require.NoError(t, json.Unmarshal(log.Bytes(), &entry), "one entry")
				require.Equal(t, e.ErrorID, entry.ErrorID)
				require.Equal(t, string(tc.code), entry.Code)
				require.Equal(t, graph.ToolFindNodes, entry.Tool)
				require.Contains(t, entry.Cause, secret)
			}
			_, err := eng.Explain(t.Context(), books())
			require.ErrorIs(t, err, tc.code)
		})
	}
}

// A refusal that only the data can tell is the caller's to read: it needs no
// log.
func TestRefusalsOfAStorePass(t *testing.T) {
	eng, log := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		return store.Outcome{}, &graph.Error{Code: graph.OutOfRange, Path: "/aggregations/0", Message: "the sum does not fit into int64"}
	}, engine.Options{})
	_, err := eng.Run(t.Context(), books())
	require.EqualError(t, err, "OUT_OF_RANGE /aggregations/0: the sum does not fit into int64")
	require.Empty(t, failed(t, err).ErrorID)
	require.Empty(t, log.String())
}

// What is wrong with a query never reaches the store, nor does the question
// what there is.
func TestCallsWithoutTheStore(t *testing.T) {
	eng, log := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		panic("nobody should have asked")
	}, engine.Options{Limits: graph.Limits{Rows: 5}})
	_, err := eng.Run(t.Context(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "bok"}, Limit: 6})
	require.ErrorIs(t, err, graph.UnknownLabel)
	require.ErrorIs(t, err, graph.LimitExceeded, "all mistakes together")
	res, err := eng.Run(t.Context(), &graph.Describe{})
	require.NoError(t, err)
	require.Equal(t, "book", res.Schema.NodeTypes[0].Name)
	ex, err := eng.Explain(t.Context(), &graph.Describe{})
	require.NoError(t, err)
	require.Empty(t, ex.Statements)
	require.NotEmpty(t, ex.Plan)
	require.Empty(t, log.String())
}

func TestStatementsAreShownOrHidden(t *testing.T) {
	kept := []graph.Statement{{
		SQL: "SELECT ?", Parameters: []graph.Parameter{{Position: 1, Type: "string", Value: graph.String("private")}}, Executions: 1,
	}}
	st := func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		return store.Outcome{Statements: kept}, nil
	}
	for statements, want := range map[engine.Statements]string{
		engine.ShowStatements: `,"statements":[{"sql":"SELECT ?","parameters":[{"position":1,"type":"string","value":"private"}],"executions":1}]}`,
		engine.HideValues:     `,"statements":[{"sql":"SELECT ?","parameters":[{"position":1,"type":"string","value":null}],"executions":1}]}`,
		engine.HideStatements: `,"executed":""}`,
	} {
		eng, _ := newEngine(t, st, engine.Options{Statements: statements})
		res, err := eng.Run(t.Context(), books())
		require.NoError(t, err)
		document, err := res.AppendJSON(nil)
		require.NoError(t, err)
		require.Contains(t, string(document), want)

		ex, err := eng.Explain(t.Context(), books())
		require.NoError(t, err)
		require.Equal(t, res.Statements, ex.Statements)
		require.Equal(t, statements == engine.ShowStatements, ex.Database != nil, "the database's plan has texts and values")
	}
}

func TestWarnings(t *testing.T) {
	returned := 0
	eng, _ := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		return store.Outcome{Returned: returned, Warnings: []graph.Warning{{Code: graph.NotFound}}}, nil
	}, engine.Options{})
	for _, tc := range []struct {
		returned int
		title    any
		want     []graph.Code
	}{
		{0, "Emma", []graph.Code{graph.NotFound, graph.EmptyMatch}},
		{1, "Emma", []graph.Code{graph.NotFound}},
		{0, nil, []graph.Code{graph.NotFound}},
	} {
		returned = tc.returned
		q := books()
		if tc.title != nil {
			q.Filter = graph.Where("title", tc.title)
		}
		res, err := eng.Run(t.Context(), q)
		require.NoError(t, err)
		var got []graph.Code
		for _, w := range res.Warnings {
			got = append(got, w.Code)
		}
		require.Equal(t, tc.want, got)
	}
}

// Engines that share keys answer each other's cursors; others do not, nor do
// they in another scope or of another call.
func TestCursorsOfSharedKeys(t *testing.T) {
	keys, err := compile.NewCursorKeys([]byte("a key of at least sixteen bytes!"))
	require.NoError(t, err)
	var asked *compile.Plan
	st := func(_ context.Context, p *compile.Plan, _ graph.Writer) (store.Outcome, error) {
		asked = p
		return store.Outcome{Returned: 1, TruncatedBy: graph.TruncatedRows, Next: []graph.Value{graph.Int(7)}}, nil
	}
	first, _ := newEngine(t, st, engine.Options{Cursors: keys})
	second, _ := newEngine(t, st, engine.Options{Cursors: keys})
	stranger, _ := newEngine(t, st, engine.Options{})
	q := books()
	res, err := first.Run(t.Context(), q)
	require.NoError(t, err)
	require.NotEmpty(t, res.NextCursor)

	q.Cursor = res.NextCursor
	_, err = second.Run(t.Context(), q)
	require.NoError(t, err)
	seek := asked.Root.(*compile.Find).Page.Seek
	require.Equal(t, graph.Int(7), asked.Params[seek.First], "the next page begins where the last one ended")

	for name, call := range map[string]func() (*graph.Result, error){
		"other keys": func() (*graph.Result, error) { return stranger.Run(t.Context(), q) },
		"another scope": func() (*graph.Result, error) {
			return second.Run(graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme"}), q)
		},
		"another call": func() (*graph.Result, error) {
			other := books()
			other.Cursor, other.Properties = q.Cursor, []string{"title"}
			return second.Run(t.Context(), other)
		},
		"cut short": func() (*graph.Result, error) {
			other := books()
			other.Cursor = q.Cursor[:len(q.Cursor)-1]
			return second.Run(t.Context(), other)
		},
	} {
		_, err := call()
		require.ErrorIs(t, err, graph.InvalidCursor, name)
	}
}

// A call keeps the schema it began with, whatever is swapped in meanwhile.
func TestSchemasAreSwappedBetweenCalls(t *testing.T) {
	labels := []string{"book", "volume"}
	schemas := []*schema.Schema{library(t, labels[0]), library(t, labels[1])}
	catalog := schema.NewCatalog(schemas[0])
	eng := engine.New(catalog, fake(func(_ context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
		name := p.Root.(*compile.Find).Nodes.Label().Name
		if _, ok := p.Schema.Label(name); !ok {
			return store.Outcome{}, errors.New("a plan of two schemas")
		}
		return store.Outcome{Returned: 1}, w.Node(&graph.Node{Label: name, ID: "1"})
	}), engine.Options{Log: slog.New(slog.DiscardHandler)})

	var swaps, calls sync.WaitGroup
	stop := make(chan struct{})
	swaps.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				catalog.Swap(schemas[i%2])
			}
		}
	})
	for i := range 4 {
		calls.Go(func() {
			label := labels[i%2]
			for range 500 {
				res, err := eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}})
				if err == nil && (len(res.Nodes) != 1 || res.Nodes[0].Label != label) || err != nil && !errors.Is(err, graph.UnknownLabel) {
					t.Errorf("asked for %s: %v, %v", label, res, err)
				}
			}
		})
	}
	calls.Wait()
	close(stop)
	swaps.Wait()

	catalog.Swap(schemas[0])
	require.Same(t, schemas[0], schemaOf(t, eng))
	_, err := eng.Run(t.Context(), books())
	require.NoError(t, err)
	catalog.Swap(schemas[1])
	_, err = eng.Run(t.Context(), books())
	require.ErrorIs(t, err, graph.UnknownLabel)
}

// Engines over one store have limits of their own.
func TestEnginesShareAStore(t *testing.T) {
	g, err := metro()
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	defer st.Close()
	q := &graph.Traverse{
		From:          graph.NodePattern{Label: "stop"},
		Relationships: []graph.Step{{Types: []string{"NEXT"}, Direction: graph.Both}},
		To:            graph.NodePattern{Label: "stop"},
	}
	for _, c := range []struct {
		budget, relationships int
		truncated             graph.Truncation
	}{{1, 1, graph.TruncatedBudget}, {1000, 4, graph.Complete}, {1, 1, graph.TruncatedBudget}} {
		eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Limits: graph.Limits{Budget: c.budget}})
		res, err := eng.Run(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, res.Relationships, c.relationships)
		require.Equal(t, c.truncated, res.TruncatedBy)
	}
}
