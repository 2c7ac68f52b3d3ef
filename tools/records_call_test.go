package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// A notebook is a sink that keeps records of calls.
type notebook struct {
	mu   sync.Mutex
	list []*audit.Record
}

func (n *notebook) Write(_ context.Context, r *audit.Record) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, r)
	return nil
}

// T60, P10: a call is one record, under its own name, whatever it had to ask
// beside: with all that ran.
func TestRecordCallsAreRecordedOnce(t *testing.T) {
	var sink notebook
	tt := catalogTools(t, engine.Options{Audit: &sink})
	_, err := tt.Call(t.Context(), "list_product", []byte(`{"filters":{"maker_id":"acne","tag":"cellos"},"sort":"-price"}`))
	require.NoError(t, err)
	require.Len(t, sink.list, 1)
	r := sink.list[0]
	require.Equal(t, "list_product", r.Tool)
	require.Zero(t, r.Rows)
	require.Greater(t, len(r.Statements), 2, "of what was asked beside, too")
	require.Contains(t, r.Arguments, `"-price"`, "a name is no value")
	require.NotContains(t, r.Arguments, "acne")

	_, err = tt.Call(t.Context(), "list_product", []byte(`{"limit":0}`))
	require.Error(t, err)
	require.Len(t, sink.list, 2)
	require.Equal(t, []graph.Code{graph.OutOfRange}, sink.list[1].Codes)
	require.Equal(t, audit.Refused, sink.list[1].Outcome)
}

// A record that is too large for an answer is refused, on every way of a call, and
// its record says so.
func TestRecordsThatAreTooLarge(t *testing.T) {
	redacting := engine.Redact{Labels: []string{"product"}, Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
		return slices.Repeat([]bool{true}, len(nodes)), nil
	}}
	for name, opts := range map[string]engine.Options{"prompt": {}, "redacted": {Redact: redacting}} {
		t.Run(name, func(t *testing.T) {
			var sink notebook
			opts.Audit, opts.Limits.Bytes = &sink, 512
			tt := largeRecord(t, opts)
			refused := func(err error) {
				require.ErrorIs(t, err, graph.LimitExceeded)
				r := sink.list[len(sink.list)-1]
				require.Equal(t, audit.Refused, r.Outcome)
				require.Equal(t, []graph.Code{graph.LimitExceeded}, r.Codes)
				require.Zero(t, r.Rows)
			}
			doc, err := tt.Call(t.Context(), "get_product", []byte(`{"id":"large"}`))
			refused(err)
			require.Contains(t, string(doc), `the record is larger than an answer may be`)
			_, err = tt.Result(t.Context(), "get_product", []byte(`{"id":"large"}`))
			refused(err)
			doc, err = tt.Call(t.Context(), "get_product", []byte(`{"id":"small"}`))
			require.NoError(t, err)
			require.Equal(t, `{"id":"small","text":"x"}`, string(doc))
			require.Equal(t, audit.OK, sink.list[2].Outcome)
			require.Len(t, sink.list, 3)
		})
	}
}

// largeRecord are the tools of two records, of which one is large.
func largeRecord(t *testing.T, opts engine.Options) *tools.Tools {
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {product: {key: id, records: {}, properties: {id: string, text: string}}}}`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	b.Node("product", memory.Values{"id": "large", "text": strings.Repeat("x", 5000)})
	b.Node("product", memory.Values{"id": "small", "text": "x"})
	g, err := b.Build()
	require.NoError(t, err)
	opts.Prompt = true
	return tools.New(engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), opts), tools.Options{})
}

// All ways of a call know the tools of records, and tell the same.
func TestAllWaysOfARecordCall(t *testing.T) {
	for name, opts := range map[string]engine.Options{"prompt": {Prompt: true}, "watched": {}, "recorded": {Audit: &notebook{}}} {
		tt := catalogTools(t, opts)
		for _, c := range goodRecords {
			doc, err := tt.Call(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err)
			res, err := tt.Result(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err)
			again, err := res.AppendJSON(nil)
			require.NoError(t, err)
			require.Equal(t, string(doc), string(again), name)
			room, err := tt.AppendCall(t.Context(), []byte("kept"), c.tool, []byte(c.args))
			require.NoError(t, err)
			require.Equal(t, "kept"+string(doc), string(room), name)

			q, err := tt.Query(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err)
			require.IsType(t, &graph.FindNodes{}, q)
			_, err = tt.Check(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err)
			ex, err := tt.Explain(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err)
			require.NotEmpty(t, ex.Statements)
			_, err = tt.DryRun(t.Context(), c.tool, []byte(c.args))
			require.NoError(t, err)
		}
		for _, ask := range []func(string, string) error{
			func(tool, args string) error { _, err := tt.Query(t.Context(), tool, []byte(args)); return err },
			func(tool, args string) error { _, err := tt.Explain(t.Context(), tool, []byte(args)); return err },
			func(tool, args string) error { _, err := tt.DryRun(t.Context(), tool, []byte(args)); return err },
		} {
			require.ErrorContains(t, ask("list_product", `{"limit":501}`), "[INVALID_INPUT] limit must be between 1 and 500")
		}
	}
}

// Many callers at once get their own answers: of what one call used, the next
// takes nothing over.
func TestRecordCallsAtOnce(t *testing.T) {
	tt := catalogTools(t, engine.Options{})
	want := map[int][]byte{}
	for i, c := range goodRecords {
		doc, err := tt.Call(t.Context(), c.tool, []byte(c.args))
		require.NoError(t, err)
		want[i] = doc
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for n := range 200 {
				i := (n*7 + g) % len(goodRecords)
				c := goodRecords[i]
				doc, err := tt.Call(context.Background(), c.tool, []byte(c.args))
				if err != nil || !bytes.Equal(want[i], doc) {
					t.Errorf("%s %s: %s %v", c.tool, c.args, doc, err)
					return
				}
				if _, err := tt.Call(context.Background(), "list_product", []byte(`{"limit":0}`)); err == nil || !strings.Contains(err.Error(), "INVALID_INPUT") {
					t.Error(err)
				}
				if _, err := tt.Call(context.Background(), "find_nodes", []byte(`{"node_label":"tag"}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// Of labels that the host decides about node by node, nobody knows a total; a
// record by its id is answered if the host allows it.
func TestRecordsThatTheHostDecidesAbout(t *testing.T) {
	tt := catalogTools(t, engine.Options{Redact: engine.Redact{Labels: []string{"maker"}, Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
		out := make([]bool, len(nodes))
		for i, n := range nodes {
			out[i] = n.ID != "acme"
		}
		return out, nil
	}}})
	_, err := tt.Call(t.Context(), "list_maker", []byte(`{}`))
	require.ErrorIs(t, err, graph.Unsupported)
	for id, want := range map[string]string{"acme": `null`, "nobody": `null`, "bear": `{"id":"bear","name":"Bear & Sons","founded":1890}`} {
		doc, err := tt.Call(t.Context(), "get_maker", []byte(`{"id":"`+id+`"}`))
		require.NoError(t, err)
		require.Equal(t, want, string(doc))
	}
	doc, err := tt.Call(t.Context(), "get_maker", []byte(`{"ids":["cedar","acme","bear"]}`))
	require.NoError(t, err)
	require.Equal(t, `{"entities":[{"id":"cedar","name":"Cedar","founded":null},{"id":"bear","name":"Bear & Sons","founded":1890}],"not_found":["acme"]}`, string(doc))
	// What it does not allow is no advice either.
	doc, err = tt.Call(t.Context(), "list_product", []byte(`{"filters":{"maker_id":"acne"}}`))
	require.NoError(t, err)
	require.NotContains(t, string(doc), `"acme"`)
}

// Records that have no room in an answer are named, and the fix asks for them: so
// nothing is lost on the way.
func TestRecordsThatHaveNoRoomAreAskedForAgain(t *testing.T) {
	whole := catalogTools(t, engine.Options{})
	list, err := whole.Call(t.Context(), "list_product_ids", []byte(`{"limit":500}`))
	require.NoError(t, err)
	var all struct {
		Items []struct{ ID string }
	}
	require.NoError(t, json.Unmarshal(list, &all))
	asked := []string{"nobody"}
	for _, item := range all.Items {
		asked = append(asked, item.ID)
	}
	require.Greater(t, len(asked), 4)
	args, err := json.Marshal(map[string]any{"ids": asked})
	require.NoError(t, err)

	small := catalogTools(t, engine.Options{Limits: graph.Limits{Bytes: 700}})
	var got []string
	for calls := 1; ; calls++ {
		require.LessOrEqual(t, calls, len(asked))
		doc, err := small.Call(t.Context(), "get_product", args)
		require.NoError(t, err)
		var answer struct {
			Entities []struct{ ID string }
			NotFound []string `json:"not_found"`
			Warnings []graph.Warning
		}
		require.NoError(t, json.Unmarshal(doc, &answer))
		for _, e := range answer.Entities {
			got = append(got, e.ID)
		}
		if calls == 1 {
			require.Equal(t, []string{"nobody"}, answer.NotFound)
		} else {
			require.Empty(t, answer.NotFound)
		}
		if len(answer.Warnings) == 0 {
			require.Greater(t, calls, 1)
			break
		}
		w := answer.Warnings[0]
		require.Equal(t, graph.LimitExceeded, w.Code)
		require.Equal(t, "/ids", w.Path)
		require.Contains(t, w.Message, `"`+asked[len(asked)-1]+`"`)
		args, err = graph.ApplyFix(args, w.Fix)
		require.NoError(t, err)
	}
	require.Equal(t, asked[1:], got)
}
