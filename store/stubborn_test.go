package store_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A stubborn backend gives rows of pages as a test says, and looks at no
// context.
type stubborn struct {
	rows int
	// row makes a row's values: id, body and data.
	row func(n int) ([]any, error)
	// at is told of every call: begin, query, next, values, err, close rows,
	// close.
	at func(call string)

	open atomic.Int32 // sessions and rows
	read atomic.Int32 // rows, of all statements
}

func (b *stubborn) call(name string) {
	if b.at != nil {
		b.at(name)
	}
}

func (b *stubborn) Begin(context.Context) (store.Session, error) {
	b.call("begin")
	b.open.Add(1)
	return &stubbornSession{b}, nil
}

func (b *stubborn) Close() error { return nil }

type stubbornSession struct{ b *stubborn }

func (s *stubbornSession) Query(context.Context, string, []any) (store.Rows, error) {
	s.b.call("query")
	s.b.open.Add(1)
	return &stubbornRows{b: s.b}, nil
}

func (s *stubbornSession) Close() error {
	s.b.open.Add(-1)
	s.b.call("close")
	return nil
}

type stubbornRows struct {
	b *stubborn
	n int
}

func (r *stubbornRows) Next() bool {
	if r.n >= r.b.rows {
		return false
	}
	r.n++
	r.b.read.Add(1)
	r.b.call("next")
	return true
}

func (r *stubbornRows) Values() ([]any, error) {
	r.b.call("values")
	if r.b.row == nil {
		return good(r.n - 1)
	}
	return r.b.row(r.n - 1)
}

func (r *stubbornRows) Err() error { r.b.call("err"); return nil }

func (r *stubbornRows) Close() error {
	r.b.open.Add(-1)
	r.b.call("close rows")
	return nil
}

func good(n int) ([]any, error) { return []any{int64(n), "page", nil}, nil }

// pages is a schema of pages, and an engine over a backend that has them.
func pages(t testing.TB, b *stubborn, limits graph.Limits) *engine.Engine {
	s, err := schema.Parse("pages.yaml", []byte(`
format: trellis.schema.v1
nodes:
  page:
    key: id
    properties:
      id: int64
      body: {type: string, nullable: false}
      data: json
`))
	require.NoError(t, err)
	return engine.New(schema.NewCatalog(s), store.New(b, compile.Postgres()),
		engine.Options{Limits: limits, Log: slog.New(slog.DiscardHandler)})
}

func allPages(limit int) *graph.FindNodes {
	return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "page"}, Properties: []string{"body", "data"}, Limit: limit}
}

func codeOf(t *testing.T, err error) graph.Code {
	var e *graph.Error
	require.ErrorAs(t, err, &e)
	return e.Code
}

// Rows that come one a second, from a backend that heeds no deadline: the call
// ends with its deadline, and the backend is left with the row in hand.
func TestT37RowsThatComeSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &stubborn{rows: 20, at: func(call string) {
			if call == "next" {
				time.Sleep(time.Second)
			}
		}}
		eng := pages(t, b, graph.Limits{Timeout: 3900 * time.Millisecond})
		start := time.Now()
		_, err := eng.Run(t.Context(), allPages(20))
		require.Equal(t, graph.Timeout, codeOf(t, err))
		require.LessOrEqual(t, time.Since(start), 3900*time.Millisecond+250*time.Millisecond)
		time.Sleep(time.Minute)
		require.EqualValues(t, 4, b.read.Load(), "nobody reads on")
		require.Zero(t, b.open.Load())
	})
}

// The caller leaves before the call, or at any of its rows.
func TestT38CanceledAtEveryRow(t *testing.T) {
	const rows = 12
	for n := range rows + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		b := &stubborn{rows: rows}
		b.at = func(call string) {
			if call == "next" && int(b.read.Load()) == n {
				cancel()
			}
		}
		if n == 0 {
			cancel()
		}
		eng := pages(t, b, graph.Limits{})
		_, err := eng.Run(ctx, allPages(rows))
		require.Equal(t, graph.Canceled, codeOf(t, err), "row %d", n)
		require.Eventually(t, func() bool { return b.open.Load() == 0 }, time.Second, time.Millisecond)
		require.LessOrEqual(t, int(b.read.Load()), max(n, 1), "rows are read for nobody")
		b.at = nil
		res, err := eng.Run(t.Context(), allPages(rows))
		require.NoError(t, err)
		require.Len(t, res.Nodes, rows)
		for i, node := range res.Nodes {
			require.Equal(t, graph.Int(int64(i)).Text(), node.ID)
		}
		cancel()
	}
}

// A backend that panics, at its first call, its second, and so on: the process
// lives, and nothing is left open.
func TestT42PanicsAtEveryCall(t *testing.T) {
	for n := 1; ; n++ {
		calls, struck := 0, ""
		b := &stubborn{rows: 3}
		b.at = func(call string) {
			if calls++; calls == n {
				struck = call
				panic("hunter2")
			}
		}
		_, err := pages(t, b, graph.Limits{}).Run(t.Context(), allPages(3))
		if struck == "" {
			require.NoError(t, err)
			require.Greater(t, n, 10, "so many calls were tried")
			return
		}
		require.Equal(t, graph.Internal, codeOf(t, err), struck)
		require.NotContains(t, err.Error(), "hunter2")
		require.Zero(t, b.open.Load(), "left open after a panic at %s", struck)
	}
}

// A million rows of 64 KB: the answer keeps to its bytes and says so, the rows
// after it are not read, and the memory stays small.
func TestT45MoreThanFitsIntoMemory(t *testing.T) {
	const rows, most = 1_000_000, 1 << 20
	var peak uint64
	b := &stubborn{rows: rows, row: func(n int) ([]any, error) {
		if n%250 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		return []any{int64(n), strings.Repeat("x", 64<<10), nil}, nil
	}}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := pages(t, b, graph.Limits{Rows: rows}).Run(t.Context(), allPages(rows))
	require.NoError(t, err)
	require.Equal(t, graph.TruncatedBytes, res.TruncatedBy)
	require.NotEmpty(t, res.NextCursor)
	require.EqualValues(t, res.Returned+1, b.read.Load(), "the row that did not fit is the last that was read")
	size := 0
	for i := range res.Nodes {
		size += len(res.Nodes[i].AppendJSON(nil)) + 1
		require.Equal(t, []graph.CutText{{Name: "body", Bytes: 64 << 10}}, res.Nodes[i].Cut)
	}
	require.LessOrEqual(t, size, most)
	require.Greater(t, size, most*9/10)
	require.Less(t, peak-before.HeapAlloc, uint64(64<<20))
	require.Zero(t, b.open.Load())
}

// Rows that are not what they should be.
func TestT46MalformedRows(t *testing.T) {
	big := strings.Repeat("y", 10<<20)
	for name, tc := range map[string]struct {
		row  []any
		code graph.Code // "" where the row is good
		says string
	}{
		"good":                    {[]any{int64(1), "x", `{"a":1}`}, "", ""},
		"bytes":                   {[]any{[]byte("1"), []byte("x"), []byte(`{"a":1}`)}, "", ""},
		"a cell of 10 MB":         {[]any{int64(1), big, nil}, "", ""},
		"a document of 10 MB":     {[]any{int64(1), "x", `"` + big + `"`}, "", ""},
		"a text for a number":     {[]any{"one", "x", nil}, graph.InvalidData, `page: property "id"`},
		"a fraction for a number": {[]any{1.5, "x", nil}, graph.InvalidData, `page: property "id"`},
		"no number":               {[]any{math.NaN(), "x", nil}, graph.InvalidData, `page: property "id"`},
		"a number for a text":     {[]any{int64(1), int64(5), nil}, graph.InvalidData, `page "1": property "body"`},
		"no UTF-8":                {[]any{int64(1), "a\xff", nil}, graph.InvalidData, `page "1": property "body"`},
		"null where none may be":  {[]any{int64(1), nil, nil}, graph.InvalidData, `page "1": property "body"`},
		"null for a key":          {[]any{nil, "x", nil}, graph.InvalidData, `page: property "id"`},
		"half a document":         {[]any{int64(1), "x", `{"a":`}, graph.InvalidData, `page "1": property "data"`},
		"two documents":           {[]any{int64(1), "x", `{} {}`}, graph.InvalidData, `page "1": property "data"`},
		"a deep document":         {[]any{int64(1), "x", strings.Repeat("[", 100_000)}, graph.InvalidData, `page "1": property "data"`},
		"a driver's own type":     {[]any{int64(1), struct{ s string }{"hunter2"}, nil}, graph.InvalidData, `page "1": property "body"`},
		"a column too few":        {[]any{int64(1), "x"}, graph.Internal, ""},
		"a column too many":       {[]any{int64(1), "x", nil, nil}, graph.Internal, ""},
		"no columns":              {nil, graph.Internal, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := &stubborn{rows: 1, row: func(int) ([]any, error) { return tc.row, nil }}
			res, err := pages(t, b, graph.Limits{}).Run(t.Context(), allPages(1))
			require.Zero(t, b.open.Load())
			if tc.code == "" {
				require.NoError(t, err)
				require.Equal(t, 1, res.Returned, "the first row is always there")
				return
			}
			require.Equal(t, tc.code, codeOf(t, err))
			require.Contains(t, err.Error(), tc.says)
			require.NotContains(t, err.Error(), "hunter2")
			require.Less(t, len(err.Error()), 1000, "what is stored is not told")
		})
	}
	// What is not shown has its owner too.
	hidden := allPages(1)
	hidden.Properties, hidden.OrderBy = []string{}, []graph.Order{{Property: "body"}}
	b := &stubborn{rows: 1, row: func(int) ([]any, error) { return []any{int64(1), 5}, nil }}
	_, err := pages(t, b, graph.Limits{}).Run(t.Context(), hidden)
	require.ErrorContains(t, err, `page "1": property "body"`)
	b.row = func(int) ([]any, error) { return []any{5}, nil }
	_, err = pages(t, b, graph.Limits{}).Run(t.Context(), &graph.Aggregate{NodePattern: graph.NodePattern{Label: "page"},
		Aggregations: []graph.Aggregation{{Function: graph.Max, Property: "body"}}})
	require.ErrorContains(t, err, `page: property "body"`)
	b = &stubborn{rows: 1, row: func(int) ([]any, error) { return nil, errors.New("hunter2") }}
	_, err = pages(t, b, graph.Limits{}).Run(t.Context(), allPages(1))
	require.Equal(t, graph.Internal, codeOf(t, err))
	require.NotContains(t, err.Error(), "hunter2")
}
