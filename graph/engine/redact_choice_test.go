package engine_test

import (
	"context"
	"log/slog"
	"math"
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
	"github.com/trellisgraph/trellis/store/native"
)

// archives returns engines over documents of classes, on two stores.
func archives(t *testing.T, fill func(b *memory.Builder), opts engine.Options) map[string]*engine.Engine {
	s, err := schema.Parse("archive.yaml", []byte(`
format: trellis.schema.v1
nodes:
  person: {key: id, policy: public, properties: {id: int64}}
  doc:
    key: id
    policy: public
    properties:
      id: int64
      class: {type: string, visible: caller.role == "boss", mask: "null"}
      owner: {type: string, visible: caller.role == "boss"}
      text: string
relationships:
  WROTE: {from: person, to: doc, policy: public}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	fill(b)
	g, err := b.Build()
	require.NoError(t, err)
	sql, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	own := native.New(g, native.Options{})
	opts.Log = slog.New(slog.DiscardHandler)
	out := map[string]*engine.Engine{}
	for name, st := range map[string]store.Store{"embedded": sql, "native": own} {
		t.Cleanup(func() { st.Close() })
		out[name] = engine.New(schema.NewCatalog(s), st, opts)
	}
	return out
}

// byClass shows what is not secret, or one's own.
var byClass = engine.Redact{
	Labels: []string{"doc"}, Properties: map[string][]string{"doc": {"class", "owner"}},
	Allow: func(_ context.Context, scope *graph.Scope, nodes []graph.Node) ([]bool, error) {
		out := make([]bool, len(nodes))
		for i := range nodes {
			out[i] = nodes[i].Value("class").Text() != "secret" || nodes[i].Value("owner").Text() == scope.Principal
		}
		return out, nil
	},
}

func secrets(b *memory.Builder) {
	b.Node("person", memory.Values{"id": 1})
	for i, class := range []string{"secret", "open", "secret"} {
		b.Node("doc", memory.Values{"id": 10 + i, "class": class, "owner": []string{"ada", "ada", "bob"}[i], "text": class + " text"})
		b.Relationship("WROTE", graph.ID("person", 1), graph.ID("doc", 10+i), memory.Values{})
	}
}

// What a caller asks for, and sees masked or not at all, does not change what
// the decision is made by, and what the decision needs is not shown.
func TestRedactionReadsWhatTheHostSays(t *testing.T) {
	doc, wrote := graph.NodePattern{Label: "doc"}, []graph.Step{{Types: []string{"WROTE"}}}
	person := graph.NodePattern{Label: "person"}
	for name, eng := range archives(t, secrets, engine.Options{Redact: byClass}) {
		for role, all := range map[string][]string{"clerk": {"id", "class", "text"}, "boss": {"id", "class", "owner", "text"}} {
			ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "a", Principal: "bob", Claims: map[string]any{"role": role}})
			for _, properties := range [][]string{nil, {}, {"id"}, {"text"}, {"class"}, {"text", "class", "id"}} {
				asked := properties
				if properties == nil {
					asked = all
				}
				queries := []graph.Query{
					&graph.FindNodes{NodePattern: doc, Properties: properties},
					&graph.FindNodes{NodePattern: graph.NodePattern{Label: "doc", IDs: graph.IDs(10, 11, 12)}, Properties: properties},
					&graph.Traverse{From: person, Relationships: wrote, To: doc, Properties: map[string][]string{"doc": asked}, OmitConnections: true},
				}
				for _, q := range queries {
					res, err := eng.Run(ctx, q)
					require.NoError(t, err)
					require.Len(t, res.Nodes, 2, "%s, %s, %v", name, role, properties)
					for i, want := range []map[string]graph.Value{
						{"id": graph.Int(11), "class": graph.String("open"), "owner": graph.String("ada"), "text": graph.String("open text")},
						{"id": graph.Int(12), "class": graph.String("secret"), "owner": graph.String("bob"), "text": graph.String("secret text")},
					} {
						if role == "clerk" {
							want["class"] = graph.Null()
						}
						var names []string
						for _, p := range res.Nodes[i].Properties {
							names = append(names, p.Name)
							require.Equal(t, want[p.Name], p.Value, p.Name)
						}
						require.ElementsMatch(t, asked, names)
					}
				}
			}
		}
	}
}

// Without Properties the decision is about labels and ids, whatever the call
// shows.
func TestRedactionWithoutPropertiesGetsIDs(t *testing.T) {
	redact := byClass
	redact.Properties = map[string][]string{"person": {"id"}}
	redact.Allow = func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
		for _, n := range nodes {
			require.Equal(t, graph.Node{Label: "doc", ID: n.ID}, n)
		}
		return make([]bool, len(nodes)), nil
	}
	ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "a"})
	for _, eng := range archives(t, secrets, engine.Options{Redact: redact}) {
		res, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "doc"}})
		require.NoError(t, err)
		require.Empty(t, res.Nodes)
	}
}

// A property that is not there decides nothing: the call fails, with and without
// an answer.
func TestRedactionByAnUnknownProperty(t *testing.T) {
	redact := byClass
	redact.Properties = map[string][]string{"doc": {"clas"}}
	ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "a"})
	for _, eng := range archives(t, secrets, engine.Options{Redact: redact}) {
		q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "doc"}}
		_, err := eng.Run(ctx, q)
		require.Equal(t, graph.Internal, failed(t, err).Code)
		require.NotContains(t, err.Error(), "clas")
		_, err = eng.Explain(ctx, q)
		require.Equal(t, graph.Internal, failed(t, err).Code)
		_, err = eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person"}})
		require.NoError(t, err, "a label that is not redacted")
	}
}

// Explain tells of the statement that runs.
func TestRedactionIsExplained(t *testing.T) {
	eng := archives(t, secrets, engine.Options{Redact: byClass})["embedded"]
	ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "a", Principal: "bob"})
	q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "doc"}, Properties: []string{"id"}}
	ex, err := eng.Explain(ctx, q)
	require.NoError(t, err)
	res, err := eng.Run(ctx, q)
	require.NoError(t, err)
	require.Equal(t, res.Statements[0].SQL, ex.Statements[0].SQL)
	require.Contains(t, ex.Statements[0].SQL, "owner")
}

// Texts are shortened for what is shown, not for what is hidden.
func TestRedactedTextsTakeNoRoom(t *testing.T) {
	documents := map[string]bool{}
	for _, hidden := range []int{0, 1, 7} {
		fill := func(b *memory.Builder) {
			for i := range 2 {
				b.Node("doc", memory.Values{"id": 100 * i, "class": "open", "text": strings.Repeat("open", 700)})
			}
			for i := range hidden {
				b.Node("doc", memory.Values{"id": 1 + i, "class": "secret", "owner": "ada", "text": strings.Repeat("hide", 2000)})
			}
		}
		for _, eng := range archives(t, fill, engine.Options{Redact: byClass, Limits: graph.Limits{Bytes: 8000}, Statements: engine.HideStatements}) {
			ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "a", Principal: "bob"})
			res, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "doc"}})
			require.NoError(t, err)
			require.Equal(t, graph.Complete, res.TruncatedBy)
			res.Executed = ""
			document, err := res.AppendJSON(nil)
			require.NoError(t, err)
			require.NotContains(t, string(document), `"cut"`)
			documents[string(document)] = true
		}
	}
	require.Len(t, documents, 1, "answers differ by what is hidden")
}

// shelf is a store of twenty books of which it can read so many at once before
// it shortens texts, and of which one that is asked for alone is any size.
func shelf(room int, asked *int) fake {
	return func(_ context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
		*asked++
		page := p.Root.(*compile.Find).Page
		id, limit := int64(0), p.Params[page.Limit].Int()
		if page.Seek != nil {
			id = p.Params[page.Seek.First].Int() + 1
		}
		var out store.Outcome
		for ; id < 20 && out.Returned < int(limit); id++ {
			n := graph.Node{Label: "book", ID: graph.Int(id).String(), Properties: []graph.Property{{Name: "title", Value: graph.String("whole")}}}
			if limit > int64(room) && p.Limits.Bytes < math.MaxInt {
				n.Properties[0].Value, n.Cut = graph.String("w"), []graph.CutText{{Name: "title", Bytes: 5}}
			}
			if err := w.Node(&n); err != nil {
				return out, err
			}
			out.Returned++
			out.Next = []graph.Value{graph.Int(id)}
		}
		if out.TruncatedBy = graph.TruncatedRows; id == 20 {
			out.Next, out.TruncatedBy = nil, graph.Complete
		}
		return out, nil
	}
}

// A round that is too large for the memory is asked again for less: the decision
// is never about texts that the store has shortened.
func TestRedactionSeesWholeTexts(t *testing.T) {
	for _, room := range []int{0, 1, 3, 20} {
		asked := 0
		decided := map[string]bool{}
		eng, _ := newEngine(t, shelf(room, &asked), engine.Options{Redact: engine.Redact{
			Labels: []string{"book"}, Properties: map[string][]string{"book": {"title"}},
			Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
				out := make([]bool, len(nodes))
				for i, n := range nodes {
					require.Equal(t, "whole", n.Value("title").Text())
					require.Empty(t, n.Cut)
					require.False(t, decided[n.ID])
					decided[n.ID], out[i] = true, true
				}
				return out, nil
			}}})
		res, err := eng.Run(t.Context(), books())
		require.NoError(t, err)
		require.Len(t, res.Nodes, 20)
		require.Equal(t, graph.Complete, res.TruncatedBy)
		require.LessOrEqual(t, asked, 30)
	}
}

// A graph that changes between two questions of one call does not make the
// cursor skip nodes.
func TestRedactionOfAChangingGraph(t *testing.T) {
	asked, changes := 0, false
	still := shelf(30, new(int))
	f := fake(func(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
		if asked++; asked == 2 && changes {
			return store.Outcome{}, nil
		}
		return still(ctx, p, w)
	})
	for _, changes = range []bool{false, true} {
		asked = 0
		eng, _ := newEngine(t, f, engine.Options{Limits: graph.Limits{Bytes: 500}, Redact: engine.Redact{Labels: []string{"book"},
			Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
				out := make([]bool, len(nodes))
				for i := range out {
					out[i] = true
				}
				return out, nil
			}}})
		res, err := eng.Run(t.Context(), books())
		if changes {
			require.Equal(t, graph.Unavailable, failed(t, err).Code)
			require.True(t, failed(t, err).Retryable)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, graph.TruncatedBytes, res.TruncatedBy)
		q := books()
		q.Cursor = res.NextCursor
		next, err := eng.Run(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, graph.Int(int64(res.Returned)).String(), next.Nodes[0].ID)
	}
}

// Bad data in what only the decision reads is no news for the caller.
func TestRedactionKeepsBadDataToItself(t *testing.T) {
	eng, log := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
		return store.Outcome{}, &graph.Error{Code: graph.InvalidData, Message: `book "583": property "title": null where none may be`}
	}, engine.Options{Redact: engine.Redact{Labels: []string{"book"}}})
	_, err := eng.Run(t.Context(), books())
	e := failed(t, err)
	require.Equal(t, graph.InvalidData, e.Code)
	require.NotContains(t, e.Message, "583")
	require.NotContains(t, e.Message, "title")
	require.Contains(t, log.String(), "583")
}
