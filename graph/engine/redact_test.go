package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
)

// notebooks returns an engine over books and their notes, of which those that
// keep says exist.
func notebooks(t *testing.T, notes int, keep func(id string) bool, opts engine.Options) *engine.Engine {
	s, err := schema.Parse("notebooks.yaml", []byte(`
format: trellis.schema.v1
nodes:
  book: {key: id, properties: {id: int64}}
  note:
    key: id
    display: text
    properties:
      id: int64
      text: {type: string, search: true}
      stars: int32
      body: string
      code: {type: string, visible: false}
relationships:
  HAS: {from: book, to: note}
  CITES: {from: note, to: note}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	b.Node("book", memory.Values{"id": 1})
	b.Node("book", memory.Values{"id": 2})
	for i := range notes {
		id := fmt.Sprint(i)
		if !keep(id) {
			continue
		}
		v := memory.Values{"id": i, "text": strings.Repeat("note ", 1+i%7), "body": bodyOf(id), "code": "code of " + id}
		if i%5 > 0 {
			v["stars"] = i % 4
		}
		b.Node("note", v)
		for book := range 2 {
			if i%(book+2) == 0 {
				b.Relationship("HAS", graph.ID("book", book+1), graph.ID("note", i), memory.Values{})
			}
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { st.Close() })
	opts.Log = slog.New(slog.DiscardHandler)
	return engine.New(schema.NewCatalog(s), st, opts)
}

// bodyOf is the body of a note: a text of no, few or many bytes.
func bodyOf(id string) string { return strings.Repeat(id, 150*(len(id)+int(id[len(id)-1]-'0')%4)) }

// allow allows the notes that keep says. It reads a hidden property and a long
// one, and fails if it gets anything else.
func allow(keep func(id string) bool) engine.Redact {
	return engine.Redact{Labels: []string{"note"}, Properties: map[string][]string{"note": {"code", "body"}}, Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
		out := make([]bool, len(nodes))
		for i := range nodes {
			id := strings.TrimPrefix(nodes[i].Value("code").Text(), "code of ")
			want := graph.Node{Label: "note", ID: id, Properties: []graph.Property{
				{Name: "code", Value: graph.String("code of " + id)}, {Name: "body", Value: graph.String(bodyOf(id))}}}
			if !reflect.DeepEqual(want, nodes[i]) {
				return nil, fmt.Errorf("asked about %v", nodes[i])
			}
			out[i] = keep(id)
			nodes[i].ID = "the callback's own"
			nodes[i].Properties[1].Value = graph.Null()
		}
		return out, nil
	}}
}

func noteQueries(limit int) map[string]graph.Query {
	return map[string]graph.Query{
		"find": &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note"}, Limit: limit},
		"find in an order": &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note", Filter: graph.Cmp("id", graph.Lt, 33)},
			OrderBy: []graph.Order{{Property: "stars", Direction: graph.Desc}, {Property: "text"}}, Limit: limit},
		"search":        &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note", Search: "note"}, Limit: limit},
		"ids":           &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note", IDs: graph.IDs(3, 4, 5, 900)}, Limit: limit},
		"properties":    &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note"}, Properties: []string{"stars", "id"}, Limit: limit},
		"no properties": &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note"}, Properties: []string{}, Limit: limit},
		"traverse, properties": &graph.Traverse{From: graph.NodePattern{Label: "book"}, Relationships: []graph.Step{{Types: []string{"HAS"}}},
			To: graph.NodePattern{Label: "note"}, Properties: map[string][]string{"note": {"body"}}, OmitConnections: true, Limit: limit},
		"nothing": &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note", Filter: graph.Where("text", "no such")}, Limit: limit},
		"traverse": &graph.Traverse{From: graph.NodePattern{Label: "book"}, Relationships: []graph.Step{{Types: []string{"HAS"}}},
			To: graph.NodePattern{Label: "note"}, OrderBy: []graph.Order{{Property: "stars"}}, OmitConnections: true, Limit: limit},
	}
}

func withCursor(q graph.Query, cursor string) graph.Query {
	switch q := q.(type) {
	case *graph.FindNodes:
		next := *q
		next.Cursor = cursor
		return &next
	case *graph.Traverse:
		next := *q
		next.Cursor = cursor
		return &next
	}
	return nil
}

// What Redact hides is as if it did not exist: the pages, their texts, their ends
// and their warnings are those of a store that never had it.
func TestRedactionIsAbsence(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []int{0, 2, 4} { // of what is hidden: none, half, all
		hidden := map[string]bool{}
		for i := range 40 {
			hidden[fmt.Sprint(i)] = random.IntN(4) < share
		}
		keep := func(id string) bool { return !hidden[id] }
		for _, size := range []struct{ limit, bytes int }{{1, 0}, {30, 0}, {3, 1800}, {30, 1800}, {30, 5000}} {
			limits := graph.Limits{Bytes: size.bytes}
			full := notebooks(t, 40, func(string) bool { return true }, engine.Options{Limits: limits, Redact: allow(keep)})
			less := notebooks(t, 40, keep, engine.Options{Limits: limits})
			for name, q := range noteQueries(size.limit) {
				var cursors [2]string
				for page := 0; ; page++ {
					got, err := full.Run(t.Context(), withCursor(q, cursors[0]))
					require.NoError(t, err)
					want, err := less.Run(t.Context(), withCursor(q, cursors[1]))
					require.NoError(t, err)
					cursors = [2]string{got.NextCursor, want.NextCursor}
					for _, r := range []*graph.Result{got, want} {
						r.Statements = nil
						if r.NextCursor != "" {
							r.NextCursor = "next"
						}
					}
					a, err := got.AppendJSON(nil)
					require.NoError(t, err)
					b, err := want.AppendJSON(nil)
					require.NoError(t, err)
					require.Equal(t, string(b), string(a), "%s, %v, page %d, share %d", name, size, page, share)
					if cursors[0] == "" {
						break
					}
				}
			}
		}
	}
}

// T23: an id that is hidden and one that does not exist are answered alike.
func TestT23RedactedIsUnknown(t *testing.T) {
	eng := notebooks(t, 600, func(string) bool { return true }, engine.Options{Redact: allow(func(id string) bool { return id != "583" })})
	answer := func(id int, more ...int) string {
		ids := graph.IDs(id)
		for _, id := range more {
			ids = append(ids, graph.Of(id))
		}
		res, err := eng.Run(t.Context(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note", IDs: ids, Filter: graph.Cmp("stars", graph.Gt, 1)}})
		require.NoError(t, err)
		b, err := res.AppendJSON(nil)
		require.NoError(t, err)
		return strings.ReplaceAll(string(b), fmt.Sprint(id), "ID")
	}
	require.Contains(t, answer(583), `"code":"NOT_FOUND","path":"/ids/0"`)
	require.Equal(t, answer(900, 4, 7), answer(583, 4, 7))
	require.NotContains(t, answer(1), "NOT_FOUND", "a node that is there and does not match")
	require.Equal(t, answer(900), answer(583))
	require.NotEqual(t, answer(900), answer(584))
}

// Where more is hidden in a row than a call may ask for, the page says that it
// is not complete, and its cursor goes on from there.
func TestRedactionOfVeryMany(t *testing.T) {
	keep := func(id string) bool { return id == "0" || id == "399" }
	asked := 0
	redact := allow(keep)
	count := redact.Allow
	redact.Allow = func(ctx context.Context, s *graph.Scope, nodes []graph.Node) ([]bool, error) {
		asked++
		return count(ctx, s, nodes)
	}
	eng := notebooks(t, 400, func(string) bool { return true }, engine.Options{Redact: redact})
	var ids []string
	q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note"}, Limit: 3}
	pages := 0
	for {
		asked = 0
		res, err := eng.Run(t.Context(), q)
		require.NoError(t, err)
		require.LessOrEqual(t, asked, 50)
		for _, n := range res.Nodes {
			ids = append(ids, n.ID)
		}
		pages++
		if res.NextCursor == "" {
			require.Equal(t, graph.Complete, res.TruncatedBy)
			break
		}
		require.Equal(t, graph.TruncatedBudget, res.TruncatedBy)
		q.Cursor = res.NextCursor
	}
	require.Equal(t, []string{"0", "399"}, ids)
	require.Equal(t, 3, pages)
}

// The bytes of a page are bounded over all its rounds.
func TestRedactionKeepsToTheBytes(t *testing.T) {
	keep := func(id string) bool { return !strings.HasSuffix(id, "1") && !strings.HasSuffix(id, "2") }
	for _, bytes := range []int{1, 100, 200, 333, 1000} {
		eng := notebooks(t, 40, func(string) bool { return true }, engine.Options{Redact: allow(keep), Limits: graph.Limits{Bytes: bytes}})
		var ids []string
		q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "note"}, Limit: 11}
		for {
			res, err := eng.Run(t.Context(), q)
			require.NoError(t, err)
			size := 0
			for i := range res.Nodes {
				ids = append(ids, res.Nodes[i].ID)
				size += len(res.Nodes[i].AppendJSON(nil))
			}
			require.True(t, size <= bytes || res.Returned == 1, "%d bytes of %d in %d nodes", size, bytes, res.Returned)
			if res.NextCursor == "" {
				break
			}
			require.NotEqual(t, graph.Complete, res.TruncatedBy)
			q.Cursor = res.NextCursor
		}
		var want []string
		for i := range 40 {
			if id := fmt.Sprint(i); keep(id) {
				want = append(want, id)
			}
		}
		require.Equal(t, want, ids, bytes)
	}
}

// A callback that fails shows nothing, and what it says stays in the log.
func TestRedactionThatFails(t *testing.T) {
	for name, f := range map[string]func([]graph.Node) ([]bool, error){
		"an error": func([]graph.Node) ([]bool, error) { return []bool{true, true}, errors.New("a secret") },
		"an error of ours": func([]graph.Node) ([]bool, error) {
			return nil, graph.Errors{{Code: graph.Forbidden, Message: "a secret"}}
		},
		"a panic":           func([]graph.Node) ([]bool, error) { panic("a secret") },
		"too few verdicts":  func(n []graph.Node) ([]bool, error) { return make([]bool, len(n)-1), nil },
		"too many verdicts": func(n []graph.Node) ([]bool, error) { return make([]bool, len(n)+1), nil },
	} {
		for _, prompt := range []bool{false, true} {
			eng := notebooks(t, 5, func(string) bool { return true }, engine.Options{Prompt: prompt, Redact: engine.Redact{Labels: []string{"note"},
				Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) { return f(nodes) }}})
			for tool, q := range noteQueries(3) {
				if tool == "nothing" {
					continue
				}
				res, err := eng.Run(t.Context(), q)
				require.Nil(t, res, name)
				e := failed(t, err)
				require.Equal(t, graph.Internal, e.Code, name)
				require.NotEmpty(t, e.ErrorID)
				require.NotContains(t, err.Error(), "secret")
			}
		}
	}
}

// Every other way to a redacted label is refused.
func TestRedactedLabelsAreFoundAndNothingElse(t *testing.T) {
	eng := notebooks(t, 5, func(string) bool { return true }, engine.Options{Redact: allow(func(string) bool { return false })})
	note, book := graph.NodePattern{Label: "note"}, graph.NodePattern{Label: "book"}
	has := graph.Step{Types: []string{"HAS"}}
	for name, q := range map[string]graph.Query{
		"start":        &graph.Traverse{From: note, Relationships: []graph.Step{{Types: []string{"HAS"}, Direction: graph.Incoming}}, To: book, OmitConnections: true},
		"connections":  &graph.Traverse{From: book, Relationships: []graph.Step{has}, To: note},
		"between":      &graph.Traverse{From: book, Relationships: []graph.Step{{Types: []string{"HAS"}, To: &note}, {Types: []string{"CITES"}}}, To: note, OmitConnections: true},
		"related":      &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"HAS"}, To: &note}}}}}},
		"aggregate":    &graph.Aggregate{NodePattern: note, Aggregations: []graph.Aggregation{{Function: graph.Count}}},
		"page":         &graph.FindNodes{NodePattern: note, Page: &graph.Page{}},
		"explore from": &graph.Neighbors{Start: graph.ID("note", 1)},
		"explore to":   &graph.Neighbors{Start: graph.ID("book", 1), NodeTypes: []string{"note"}},
		"path":         &graph.Paths{From: graph.ID("book", 1), To: graph.ID("note", 1)},
		"path between": &graph.Paths{From: graph.ID("book", 1), To: graph.ID("book", 2), NodeTypes: []string{"note"}},
	} {
		_, err := eng.Run(t.Context(), q)
		require.ErrorIs(t, err, graph.Unsupported, name)
	}
	res, err := eng.Run(t.Context(), &graph.Neighbors{Start: graph.ID("book", 1)})
	require.NoError(t, err)
	require.Zero(t, res.Returned, "and nobody comes upon it")
}

// A store that ends at its budget has given what there is, and is not complete.
func TestRedactionAtTheBudget(t *testing.T) {
	asked := 0
	eng, _ := newEngine(t, func(_ context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
		asked++
		return store.Outcome{Returned: 1, TruncatedBy: graph.TruncatedBudget}, w.Node(&graph.Node{Label: "book", ID: "1"})
	}, engine.Options{Redact: engine.Redact{Labels: []string{"book"}, Allow: func(context.Context, *graph.Scope, []graph.Node) ([]bool, error) {
		return []bool{true}, nil
	}}})
	res, err := eng.Run(t.Context(), books())
	require.NoError(t, err)
	require.Equal(t, graph.TruncatedBudget, res.TruncatedBy)
	require.Empty(t, res.NextCursor)
	require.Equal(t, 1, asked)
}
