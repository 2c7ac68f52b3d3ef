package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// nobody is a store that must not be asked.
func nobody(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
	panic("nobody should have asked")
}

// The mistakes of reading a call and of what could be read come together, and
// nothing of it runs.
func TestCallsTellAllMistakes(t *testing.T) {
	eng, log := newEngine(t, nobody, engine.Options{})
	var seen *schema.Schema
	call := engine.Request{Tool: graph.ToolFindNodes, Decode: func(s *schema.Schema) (graph.Query, graph.Errors) {
		seen = s
		return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "bok"}}, graph.Errors{{Code: graph.UnknownField, Path: "/limt"}}
	}}
	_, err := eng.Call(t.Context(), call)
	require.ErrorIs(t, err, graph.UnknownField)
	require.ErrorIs(t, err, graph.UnknownLabel)
	require.Same(t, schemaOf(t, eng), seen)

	call.Decode = func(*schema.Schema) (graph.Query, graph.Errors) {
		return books(), graph.Errors{{Code: graph.UnknownField, Path: "/limt"}}
	}
	_, err = eng.Call(t.Context(), call)
	require.EqualError(t, err, "UNKNOWN_FIELD /limt: ", "what could be read does not run")

	call.Reword = func(list graph.Errors) graph.Errors {
		return graph.Errors{{Code: list[0].Code, Path: "/mine", Message: "other words"}}
	}
	_, err = eng.Call(t.Context(), call)
	require.ErrorContains(t, err, "UNKNOWN_FIELD /mine: other words")
	require.Empty(t, log.String())
	for _, reword := range []func(graph.Errors) graph.Errors{
		func(graph.Errors) graph.Errors { panic("a secret") },
		func(graph.Errors) graph.Errors { return nil },
	} {
		call.Reword = reword
		_, err = eng.Call(t.Context(), call)
		require.Equal(t, graph.Internal, failed(t, err).Code)
		require.NotContains(t, err.Error(), "limt")
		require.NotContains(t, err.Error(), "secret")
	}
}

// A dry run says what the call would say, and never asks the store.
func TestDryRun(t *testing.T) {
	eng, log := newEngine(t, nobody, engine.Options{})
	ex, err := eng.DryRun(t.Context(), books())
	require.NoError(t, err)
	require.Contains(t, ex.Plan, "find book")
	require.Empty(t, ex.Statements)
	require.Nil(t, ex.Estimate)
	_, err = eng.DryRun(t.Context(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "bok"}, Limit: 1000})
	require.ErrorIs(t, err, graph.UnknownLabel)
	require.ErrorIs(t, err, graph.LimitExceeded)
	_, err = eng.DryRun(t.Context(), nil)
	require.ErrorIs(t, err, graph.UnknownTool)
	require.Empty(t, log.String())
}

// A model that goes round in circles is told so.
func TestRepeatedFailures(t *testing.T) {
	eng, _ := newEngine(t, empty, engine.Options{})
	hint := func(ctx context.Context, arguments string) string {
		_, err := eng.Call(ctx, unreadable(arguments))
		return failed(t, err).Hint
	}
	told := func(n int) string {
		return fmt.Sprintf("send an object; this same call has failed %d times with the same errors: do not repeat it unchanged", n)
	}
	ctx := as("a", "ann", "t1")
	require.Equal(t, "send an object", hint(ctx, `{"a": 1, "b": 2}`))
	require.Equal(t, told(2), hint(ctx, `{"a": 1, "b": 2}`))
	require.Equal(t, told(3), hint(ctx, `{"b":2,"a":1}`), "in other clothes")
	require.Equal(t, "send an object", hint(as("a", "ann", "t2"), `{"a": 1, "b": 2}`), "another token")
	require.Equal(t, "send an object", hint(as("a", "", "t1"), `{"a": 1, "b": 2}`), "no principal")
	require.Equal(t, told(2), hint(as("a", "", "t1"), `{"a": 1, "b": 2}`), "a token is somebody")
	for range 3 {
		require.Equal(t, "send an object", hint(as("a", "", ""), `{"a": 1, "b": 2}`), "of a tenant it may be anybody")
		require.Equal(t, "send an object", hint(context.Background(), `{"a": 1, "b": 2}`), "without a scope all the more")
	}
	require.Equal(t, "send an object", hint(ctx, `{"a": 1, "b": 3}`), "other values")
	require.Equal(t, "send an object", hint(as("a", "bob", "t1"), `{"a": 1, "b": 2}`), "another principal")
	require.Equal(t, "send an object", hint(as("b", "ann", "t1"), `{"a": 1, "b": 2}`), "another tenant")
	require.Equal(t, "send an object", hint(as("aa", "nn", "t1"), `{"a": 1, "b": 2}`), "no mixture of both")
	require.Equal(t, "send an object", hint(ctx, `{`))
	require.Equal(t, told(2), hint(ctx, `{`), "nor must it be JSON")
	require.Equal(t, told(4), hint(ctx, `{"a": 1, "b": 2}`))

	// Another mistake begins anew, and all mistakes of a call tell it.
	two := func() error {
		_, err := eng.Call(ctx, engine.Request{Tool: graph.ToolFindNodes, Arguments: []byte(`{"a": 1, "b": 2}`),
			Decode: func(*schema.Schema) (graph.Query, graph.Errors) {
				return nil, graph.Errors{{Code: graph.Syntax}, {Code: graph.TooDeep, Hint: "flatter"}}
			}})
		return err
	}
	require.NotContains(t, two().(graph.Errors)[1].Hint, "failed")
	list := two().(graph.Errors)
	require.Equal(t, "this same call has failed 2 times with the same errors: do not repeat it unchanged", list[0].Hint)
	require.Equal(t, "flatter; "+list[0].Hint, list[1].Hint)
}

// What can be repeated is not warned of: it may succeed.
func TestRepeatedFailuresThatMayPass(t *testing.T) {
	eng, _ := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		return store.Outcome{}, &graph.Error{Code: graph.Unavailable, Message: "gone", Retryable: true}
	}, engine.Options{})
	for range 3 {
		_, err := eng.Call(as("a", "ann", ""), readable("{}", books()))
		require.Empty(t, failed(t, err).Hint)
	}
}

// T34: a cursor of another revision of the schema, of another tenant, another
// caller, another call, or too long to be one.
func TestT34CursorsOfOtherCalls(t *testing.T) {
	more := func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		return store.Outcome{Returned: 1, TruncatedBy: graph.TruncatedRows, Next: []graph.Value{graph.Int(7)}}, nil
	}
	old, err := schema.Parse("library.yaml", []byte(`
format: trellis.schema.v1
nodes:
  book: {key: id, properties: {id: int64}}
`))
	require.NoError(t, err)
	now, err := schema.Parse("library.yaml", []byte(`
format: trellis.schema.v1
nodes:
  book: {key: id, properties: {id: int64}}
  shelf: {key: id, properties: {id: int64}}
`))
	require.NoError(t, err)
	catalog := schema.NewCatalog(old)
	eng := engine.New(catalog, fake(more), engine.Options{})
	res, err := eng.Run(as("a", "ann", "t1"), books())
	require.NoError(t, err)
	cursor := res.NextCursor
	next := func(ctx context.Context, cursor string, q *graph.FindNodes) error {
		q.Cursor = cursor
		_, err := eng.Run(ctx, q)
		return err
	}
	require.NoError(t, next(as("a", "ann", "t1"), cursor, books()))
	require.NoError(t, next(as("a", "ann", "t2"), cursor, books()), "a renewed token")
	limited := books()
	limited.Limit = 3
	for name, err := range map[string]error{
		"another tenant":    next(as("b", "ann", "t1"), cursor, books()),
		"another principal": next(as("a", "bob", "t1"), cursor, books()),
		"a mixture":         next(as("aa", "nn", "t1"), cursor, books()),
		"no scope":          next(context.Background(), cursor, books()),
		"other claims": next(graph.WithScope(context.Background(), &graph.Scope{Tenant: "a", Principal: "ann", Claims: map[string]any{"x": 1}}),
			cursor, books()),
		"another call": next(as("a", "ann", "t1"), cursor, limited),
		"a megabyte":   next(as("a", "ann", "t1"), strings.Repeat("A", 1<<20), books()),
		"blank":        next(as("a", "ann", "t1"), " ", books()),
	} {
		require.Equal(t, graph.InvalidCursor, failed(t, err).Code, name)
	}
	catalog.Swap(now)
	require.ErrorIs(t, next(as("a", "ann", "t1"), cursor, books()), graph.InvalidCursor)
	catalog.Swap(old)
	require.NoError(t, next(as("a", "ann", "t1"), cursor, books()))
}
