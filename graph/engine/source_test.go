package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// schemaOf is the schema of calls in no scope.
func schemaOf(t testing.TB, eng *engine.Engine) *schema.Schema {
	s, err := eng.Schema(t.Context())
	require.NoError(t, err)
	return s
}

// A stack is whose books they are.
type stack struct{ tenant, view string }

// shelves are a source with books of several tenants and views, that can be
// exchanged.
type shelves struct {
	mu      sync.Mutex
	kept    map[stack]engine.Snapshot
	changed map[stack]chan struct{}
}

func (s *shelves) Snapshot(_ context.Context, scope *graph.Scope) (engine.Snapshot, error) {
	if scope == nil {
		return engine.Snapshot{}, &graph.Error{Code: graph.NoScope, Message: "whose books?"}
	}
	if scope.Tenant == "broken" {
		return engine.Snapshot{}, errors.New("a secret reason")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot, ok := s.kept[stack{scope.Tenant, scope.View}]
	if !ok {
		return engine.Snapshot{}, &graph.Error{Code: graph.NoScope, Message: "there is nothing for this caller"}
	}
	return snapshot, nil
}

func (s *shelves) Changed(scope *graph.Scope) <-chan struct{} {
	if scope == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := stack{scope.Tenant, scope.View}
	if s.changed[k] == nil {
		s.changed[k] = make(chan struct{})
	}
	return s.changed[k]
}

// put exchanges a stack of books: so many, whose titles tell whose they are and
// of which revision. All have the same ids, and schemas that are the same but for
// the time of the revision.
func (s *shelves) put(t testing.TB, k stack, revision, books int) {
	def := schema.Definition{Revised: time.Unix(int64(revision), 0), Nodes: []schema.NodeDefinition{{Label: "book", Key: []string{"id"}, Properties: []schema.PropertyDefinition{
		{Name: "id", Type: schema.Int64}, {Name: "title", Type: schema.String, Required: true}, {Name: "shelf", Type: schema.String, Required: true, Search: true},
	}}}}
	sch, err := schema.New(def)
	require.NoError(t, err)
	b := memory.NewBuilder(sch)
	for i := range books {
		b.Node("book", memory.Values{"id": i, "title": fmt.Sprint(k.tenant, "/", k.view, "/", revision), "shelf": "x"})
	}
	g, err := b.Build()
	require.NoError(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept, s.changed = map[stack]engine.Snapshot{}, map[stack]chan struct{}{}
	}
	s.kept[k] = engine.Snapshot{Schema: sch, Store: native.New(g, native.Options{HideStatements: true})}
	if s.changed[k] != nil {
		close(s.changed[k])
		delete(s.changed, k)
	}
}

func (k stack) context(t testing.TB) context.Context {
	return graph.WithScope(t.Context(), &graph.Scope{Tenant: k.tenant, View: k.view, Principal: "ada"})
}

var shelvesOfAll = []stack{{"a", ""}, {"a", "b"}, {"ab", ""}, {"b", ""}, {"", "ab"}}

// T33, T58, T59: fifty callers of several tenants and views, whose labels, ids and
// calls are the same, while what is theirs is exchanged all the time: everybody
// gets their own, of one revision, and nothing of it is torn.
func TestT33SnapshotsOfTenantsNeverCross(t *testing.T) {
	source := &shelves{}
	for i, k := range shelvesOfAll {
		source.put(t, k, 0, 3+i)
	}
	for name, opts := range map[string]engine.Options{
		"watched": {Concurrency: 50}, "prompt": {Concurrency: 50, Prompt: true},
		"recorded": {Concurrency: 50, Prompt: true, Audit: &records{}, Rates: engine.Rates{PerTool: engine.Rate{PerSecond: 1e9}}},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Log = slog.New(slog.DiscardHandler)
			eng := engine.NewFrom(source, opts)
			stop := make(chan struct{})
			var exchange, callers sync.WaitGroup
			exchange.Go(func() {
				for i := 1; ; i++ {
					select {
					case <-stop:
						return
					default:
						source.put(t, shelvesOfAll[i%len(shelvesOfAll)], i, 3+i%len(shelvesOfAll))
					}
				}
			})
			for c := range 50 {
				i := c % len(shelvesOfAll)
				callers.Go(func() {
					k := shelvesOfAll[i]
					for n := range 60 {
						if err := ownBooks(eng, k.context(t), k, 3+i, n); err != nil {
							t.Errorf("%+v: %v", k, err)
							return
						}
					}
				})
			}
			callers.Wait()
			close(stop)
			exchange.Wait()
		})
	}
}

// ownBooks makes a call and says what is wrong with its answer.
func ownBooks(eng *engine.Engine, ctx context.Context, k stack, books, n int) error {
	var seen *schema.Schema
	q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book", Where: `shelf == "x"`}, Page: &graph.Page{}}
	request := engine.Request{Tool: graph.ToolFindNodes, Arguments: []byte(`{"node_label":"book"}`),
		Decode:  func(s *schema.Schema) (graph.Query, graph.Errors) { seen = s; return q, nil },
		Offered: func(*schema.Schema) bool { return true }}
	var document []byte
	var err error
	switch n % 3 {
	case 0:
		document, err = eng.CallJSON(ctx, nil, request)
	case 1:
		document, err = eng.RunJSON(ctx, nil, q)
	default:
		var res *graph.Result
		if res, err = eng.Call(ctx, request); err == nil {
			document, err = json.Marshal(res)
		}
	}
	if err != nil {
		return err
	}
	var answer struct {
		Total int
		Nodes []struct{ Properties struct{ Title string } }
	}
	if err := json.Unmarshal(document, &answer); err != nil {
		return err
	}
	if len(answer.Nodes) != books || answer.Total != books || n%3 != 1 && seen == nil {
		return fmt.Errorf("%d of %d books: %s", len(answer.Nodes), books, document)
	}
	if seen != nil { // the schema that the call was read with, and the graph that answered it
		_, revision, _ := strings.Cut(strings.TrimPrefix(answer.Nodes[0].Properties.Title, k.tenant+"/"), "/")
		n, err := strconv.ParseInt(revision, 10, 64)
		if err != nil || !strings.HasPrefix(seen.Revision(seen.Hash()), time.Unix(n, 0).UTC().Format(time.RFC3339)+"#") {
			return fmt.Errorf("a schema of %s, and books of %s", seen.Revision(seen.Hash()), revision)
		}
	}
	for _, node := range answer.Nodes {
		if node.Properties.Title != answer.Nodes[0].Properties.Title || !strings.HasPrefix(node.Properties.Title, k.tenant+"/"+k.view+"/") {
			return fmt.Errorf("a book of others, or of another revision: %s", document)
		}
	}
	return nil
}

// Where there is nothing for a caller, every way to ask says the same, and what
// made the source fail is for the log.
func TestCallersWithoutASnapshot(t *testing.T) {
	source := &shelves{}
	source.put(t, stack{"a", ""}, 0, 1)
	sink := &records{}
	eng := engine.NewFrom(source, engine.Options{Log: slog.New(slog.DiscardHandler), Audit: sink})
	for want, ctx := range map[graph.Code][]context.Context{
		graph.NoScope:  {t.Context(), stack{"b", ""}.context(t), stack{"a", "view"}.context(t), stack{"", ""}.context(t)},
		graph.Internal: {stack{"broken", ""}.context(t)},
	} {
		for _, ctx := range ctx {
			_, err := eng.Run(ctx, books())
			require.ErrorIs(t, err, want)
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, []graph.Code{want}, sink.last().Codes)
			require.Empty(t, sink.last().SchemaRevision)
			_, err = eng.View(ctx)
			require.ErrorIs(t, err, want)
			_, err = eng.Schema(ctx)
			require.ErrorIs(t, err, want)
			_, err = eng.Check(ctx, books())
			require.ErrorIs(t, err, want)
			_, err = eng.Pin(ctx)
			require.ErrorIs(t, err, want)
			_, err = eng.Explain(ctx, books())
			require.ErrorIs(t, err, want)
			_, err = eng.CallJSON(ctx, nil, engine.Request{Tool: "list_book", Decode: func(*schema.Schema) (graph.Query, graph.Errors) {
				t.Error("there is nothing to read the call with")
				return nil, nil
			}})
			require.ErrorIs(t, err, want)
		}
	}
	_, err := eng.Run(stack{"a", ""}.context(t), books())
	require.NoError(t, err)
	require.Equal(t, "a", sink.last().Tenant)
}

// The record of a call says in which view it was made.
func TestRecordsNameTheView(t *testing.T) {
	source := &shelves{}
	source.put(t, stack{"a", "shop"}, 0, 1)
	sink := &records{}
	eng := engine.NewFrom(source, engine.Options{Audit: sink})
	_, err := eng.Run(stack{"a", "shop"}.context(t), books())
	require.NoError(t, err)
	require.Equal(t, "shop", sink.last().View)
}

// A cursor serves the tenant, the view and the revision that it came from.
func TestCursorsOfSnapshots(t *testing.T) {
	source := &shelves{}
	for _, k := range shelvesOfAll {
		source.put(t, k, 0, 5)
	}
	eng := engine.NewFrom(source, engine.Options{})
	first := books()
	first.Limit = 2
	for _, k := range shelvesOfAll {
		res, err := eng.Run(k.context(t), first)
		require.NoError(t, err)
		next := *first
		next.Cursor = res.NextCursor
		for _, other := range shelvesOfAll {
			_, err := eng.Run(other.context(t), &next)
			if other == k {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, graph.InvalidCursor, "%+v reads on for %+v", other, k)
			}
		}
	}
	res, err := eng.Run(shelvesOfAll[0].context(t), first)
	require.NoError(t, err)
	first.Cursor = res.NextCursor
	s, err := schema.New(schema.Definition{Revised: time.Unix(1_000_000, 0), Nodes: []schema.NodeDefinition{{Label: "book", Key: []string{"id"},
		Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int64}, {Name: "title", Type: schema.String, Required: true}, {Name: "shelf", Type: schema.String, Required: true, Search: true}}}}})
	require.NoError(t, err)
	source.mu.Lock()
	source.kept[shelvesOfAll[0]] = engine.Snapshot{Schema: s, Store: source.kept[shelvesOfAll[0]].Store}
	source.mu.Unlock()
	_, err = eng.Run(shelvesOfAll[0].context(t), first)
	require.ErrorIs(t, err, graph.InvalidCursor, "it is of the revision before")
}

// A pinned context keeps its snapshot, for its own scope alone and for one engine.
func TestPin(t *testing.T) {
	source := &shelves{}
	a, b := stack{"a", ""}, stack{"b", ""}
	source.put(t, a, 1, 1)
	source.put(t, b, 1, 1)
	eng, other := engine.NewFrom(source, engine.Options{}), engine.NewFrom(source, engine.Options{})
	ctx, err := eng.Pin(a.context(t))
	require.NoError(t, err)
	before, err := eng.Schema(ctx)
	require.NoError(t, err)
	source.put(t, a, 2, 1)
	title := func(eng *engine.Engine, ctx context.Context) string {
		q := books()
		q.Properties = []string{"title"}
		res, err := eng.Run(ctx, q)
		require.NoError(t, err)
		return res.Nodes[0].Value("title").Text()
	}
	require.Equal(t, "a//1", title(eng, ctx))
	after, err := eng.Schema(ctx)
	require.NoError(t, err)
	require.Same(t, before, after)
	require.Equal(t, "a//2", title(eng, a.context(t)))
	require.Equal(t, "a//2", title(other, ctx))
	require.Equal(t, "b//1", title(eng, graph.WithScope(ctx, &graph.Scope{Tenant: "b"})))
	require.Equal(t, "a//2", title(eng, graph.WithScope(ctx, &graph.Scope{Tenant: "a"})), "another scope, though an equal one")
}

// Those of a tenant and a view are told of changes of theirs.
func TestChanged(t *testing.T) {
	source := &shelves{}
	a, b := stack{"a", ""}, stack{"b", ""}
	source.put(t, a, 1, 1)
	source.put(t, b, 1, 1)
	eng := engine.NewFrom(source, engine.Options{})
	ofA, ofB := eng.Changed(a.context(t)), eng.Changed(b.context(t))
	source.put(t, a, 2, 1)
	select {
	case <-ofA:
	default:
		t.Error("the change was not told")
	}
	select {
	case <-ofB:
		t.Error("nothing has changed")
	default:
	}
	require.Nil(t, eng.Changed(t.Context()))

	catalog := schema.NewCatalog(library(t, "book"))
	changed := engine.New(catalog, fake(empty), engine.Options{}).Changed(t.Context())
	catalog.Swap(library(t, "tome"))
	<-changed
}

// Calls are weighed with the statistics of their own snapshot.
func TestStatisticsOfSnapshots(t *testing.T) {
	source := &shelves{}
	small, large := stack{"small", ""}, stack{"large", ""}
	of := func(nodes int) *compile.Statistics {
		return &compile.Statistics{Labels: map[string]compile.LabelStatistics{"book": {Nodes: nodes}}}
	}
	for k, nodes := range map[stack]int{small: 10, large: 1_000_000_000} {
		source.put(t, k, 1, 1)
		s := source.kept[k]
		s.Statistics = of(nodes)
		source.kept[k] = s
	}
	source.put(t, stack{"none", ""}, 1, 1)
	for _, prompt := range []bool{false, true} {
		for _, common := range []*compile.Statistics{nil, of(1_000_000_000)} {
			opts := engine.Options{Prompt: prompt}
			if common != nil {
				opts.Cost.Statistics = func() *compile.Statistics { return common }
			}
			eng := engine.NewFrom(source, opts)
			q := books()
			q.Filter = graph.Where("title", "x")
			_, err := eng.Run(small.context(t), q)
			require.NoError(t, err)
			_, err = eng.Run(large.context(t), q)
			require.ErrorIs(t, err, graph.TooCostly)
			_, err = eng.Check(large.context(t), q)
			require.ErrorIs(t, err, graph.TooCostly)
			_, err = eng.Run(stack{"none", ""}.context(t), q)
			require.Equal(t, common != nil, errors.Is(err, graph.TooCostly))
			ex, err := eng.DryRun(small.context(t), q)
			require.NoError(t, err)
			require.Equal(t, 10.0, ex.Estimate.Rows)
		}
	}
}
