package bundles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/httpapi"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

// A hiding is tools as a caller has them who must learn nothing of some types.
type hiding struct {
	*testing.T
	rnd    *rand.Rand
	whole  *schema.Schema
	ids    map[string][]string // by label
	marks  []string            // of all types, in order
	offers *tools.Tools
	ctx    context.Context
	hidden []string // marks
	// plain are calls that were answered, told those that named what is hidden.
	plain, told int
}

func newHiding(t *testing.T, seed uint64, b *bundle.Bundle) *hiding {
	s, err := bundle.Schema(time.Time{}, b)
	require.NoError(t, err)
	h := &hiding{T: t, rnd: rand.New(rand.NewPCG(seed, 7)), whole: s, ids: map[string][]string{}, marks: slices.Sorted(maps.Values(marks))}
	for _, typ := range b.Types() {
		for _, e := range typ.Entities {
			h.ids[typ.Name] = append(h.ids[typ.Name], e.ID)
		}
	}
	return h
}

func any1[T any](h *hiding, list []T) T { return list[h.rnd.IntN(len(list))] }

// clean requires that a text tells nothing of what is hidden, but for what its
// reader has said.
func (h *hiding) clean(text, said string) {
	h.Helper()
	text, said = strings.ToLower(text), strings.ToLower(said)
	for _, mark := range h.hidden {
		if i := strings.Index(text, mark); i >= 0 && !strings.Contains(said, mark) {
			require.Failf(h, "told of what is hidden", "%s\nof %v\n… %s …", said, h.hidden, text[max(0, i-300):min(len(text), i+100)])
		}
	}
}

// documents are clean: tools, prompts, OpenAPI, the guide, the schema.
func (h *hiding) documents() {
	list, err := h.offers.List(h.ctx)
	require.NoError(h, err)
	for _, tool := range list {
		h.clean(tool.Name+tool.Description+string(tool.Parameters), "")
	}
	text, err := h.offers.Workflow(h.ctx)
	require.NoError(h, err)
	require.Contains(h, text, "MANDATORY")
	h.clean(text, "")
	mux := http.NewServeMux()
	httpapi.New(h.offers, httpapi.Options{}).Mount(mux)
	mcpserver.New(h.offers, mcpserver.Options{}).Mount(mux, mcpserver.HTTPOptions{})
	get := func(r *http.Request) {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r.WithContext(h.ctx))
		body, err := io.ReadAll(w.Result().Body)
		require.NoError(h, err)
		require.Equal(h, http.StatusOK, w.Code, string(body))
		require.Contains(h, strings.ToLower(string(body)), "zq", r.URL)
		h.clean(string(body), "")
	}
	for _, path := range []string{"/tools", "/schema", "/openapi.json", "/llms.txt"} {
		get(httptest.NewRequest(http.MethodGet, path, nil))
	}
	for _, call := range []string{`"tools/list"`, `"prompts/get","params":{"name":"grounded_answer","arguments":{"question":"Who?"}}`,
		`"completion/complete","params":{"ref":{"type":"ref/prompt","name":"grounded_answer"},"argument":{"name":"label","value":""}}`} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":`+call+`}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		get(r)
	}
}

// calls makes random calls with names and ids of the whole graph. Their answers tell
// nothing of what is hidden; and a call that names such a thing is answered, byte by
// byte, as one that names something that nobody ever had.
func (h *hiding) calls(n int) {
	for range n {
		tool, arguments := h.call()
		args, err := json.Marshal(arguments)
		require.NoError(h, err)
		answer, err := h.offers.Call(h.ctx, tool, args)
		said := tool + string(args)
		h.clean(string(answer), said)
		names := func(mark string) bool { return strings.Contains(strings.ToLower(said), mark) }
		if !slices.ContainsFunc(h.hidden, names) {
			if err == nil {
				h.plain++
			}
			continue
		}
		h.told++
		var never []string
		for _, mark := range h.hidden {
			never = append(never, mark, noMark, strings.ToUpper(mark), strings.ToUpper(noMark))
		}
		rename := strings.NewReplacer(never...)
		twin, _ := h.offers.Call(h.ctx, rename.Replace(tool), []byte(rename.Replace(string(args))))
		require.Equal(h, string(twin), rename.Replace(string(answer)), "%s of %v", said, h.hidden)
	}
}

type object = map[string]any

func (h *hiding) label() *schema.Label {
	return any1(h, slices.Collect(h.whole.Labels()))
}

func (h *hiding) property(l *schema.Label) *schema.Property { return any1(h, l.Properties) }

// id is one of a label's, or of any, or one that is not there.
func (h *hiding) id(label string) string {
	if h.rnd.IntN(9) == 0 || len(h.ids[label]) == 0 {
		label = any1(h, h.marks)
	}
	id := any1(h, h.ids[label])
	if h.rnd.IntN(12) == 0 {
		id += "x"
	}
	return id
}

// value is one that a property might have; of a reference the id of anything.
func (h *hiding) value(l *schema.Label, p *schema.Property) any {
	if pair := h.whole.Reference(l, p); pair != nil {
		return h.id(pair.To.Name)
	}
	switch {
	case l.IsKey(p):
		return h.id(l.Name)
	case p.Type == schema.Enum:
		return any1(h, p.EnumNames())
	case p.Type == schema.String || p.Type == schema.JSON:
		return h.id(any1(h, h.marks))
	case p.Type == schema.Bool:
		return h.rnd.IntN(2) == 0
	case p.Type == schema.Date:
		return "2019-01-01"
	}
	return h.rnd.IntN(100)
}

// filters are conditions on properties, or on the filters of lists, which have the
// names of these.
func (h *hiding) filters(l *schema.Label) object {
	out := object{}
	for range h.rnd.IntN(3) {
		p := h.property(l)
		v := h.value(l, p)
		switch h.rnd.IntN(3) {
		case 0:
			v = object{"in": []any{v, h.value(l, p)}}
		case 1:
			if p.Type.Numeric() {
				v = object{"gte": v}
			}
		}
		out[p.Name] = v
	}
	return out
}

func (h *hiding) step(to *schema.Label) object {
	t := any1(h, slices.Collect(h.whole.Relationships()))
	step := object{"type": t.Name, "direction": any1(h, []string{"outgoing", "incoming", "both"})}
	if to != nil {
		step["to"] = object{"label": to.Name}
	}
	return step
}

// leads is a step that the schema has, and the labels at its ends.
func (h *hiding) leads() (from, to *schema.Label, step object) {
	p := any1(h, any1(h, slices.Collect(h.whole.Relationships())).Pairs)
	if h.rnd.IntN(2) == 0 {
		return p.To, p.From, object{"type": p.Type.Name, "direction": "incoming"}
	}
	return p.From, p.To, object{"type": p.Type.Name}
}

func (h *hiding) call() (string, object) {
	l := h.label()
	from, to, step := h.leads()
	start := object{"label": l.Name, "node_id": h.id(l.Name)}
	node := object{"node_label": l.Name, "filters": h.filters(l)}
	switch h.rnd.IntN(12) {
	case 0, 1, 2:
		args := object{"filters": h.filters(l), "limit": 1 + h.rnd.IntN(20)}
		if h.rnd.IntN(3) == 0 {
			args["sort"] = any1(h, []string{"", "-"}) + h.property(l).Name
		}
		return any1(h, []string{l.ListTool(), l.ListTool(), l.ListIDsTool()}), args
	case 3:
		return l.GetTool(), object{"id": h.id(l.Name)}
	case 4:
		return l.GetTool(), object{"ids": []string{h.id(l.Name), h.id(l.Name), h.id(l.Name)}}
	case 5, 6:
		switch p := h.property(l); h.rnd.IntN(6) {
		case 0:
			node["where"] = fmt.Sprintf("%s != null || %s == %q", p.Name, h.property(l).Name, h.id(l.Name))
		case 1:
			node["search"] = any1(h, h.marks)
		case 2:
			node["properties"] = []string{p.Name, h.property(l).Name}
		case 3:
			node["order_by"] = []object{{"property": p.Name}}
		case 4:
			node["related"] = []object{{"relationships": []object{h.step(h.label())}}}
		case 5:
			node = object{"node_label": from.Name, "related": []object{{"relationships": []object{step}, "count": object{"gte": 0}}}}
		}
		return "find_nodes", node
	case 7:
		return "traverse_relationships", object{"from": object{"label": from.Name, "filters": h.filters(from)}, "relationships": []object{step},
			"to": object{"label": to.Name, "filters": h.filters(to)}, "properties": object{to.Name: []string{h.property(to).Name}}}
	case 8:
		return "explore_neighbors", object{"start_node": start, "max_hops": 1 + h.rnd.IntN(2)}
	case 9:
		return "find_paths", object{"from": start, "to": object{"label": to.Name, "node_id": h.id(to.Name)}}
	case 10:
		key := object{"property": h.property(l).Name}
		aggregation := object{"function": any1(h, []string{"count", "min", "max", "count_distinct"})}
		if aggregation["function"] != "count" {
			aggregation["property"] = h.property(l).Name
		}
		if h.rnd.IntN(2) == 0 {
			node, key = object{"node_label": from.Name}, object{"relationships": []object{step}, "property": h.property(to).Name}
			step["to"], aggregation = object{"label": to.Name}, object{"function": "count"}
		}
		node["aggregations"], node["group_by"] = []object{aggregation}, []object{key}
		return "aggregate_nodes", node
	}
	return "get_graph_schema", any1(h, []object{{"expand_schema": true}, {"expand_nodes": []string{l.Name}}, {"search": any1(h, h.marks)},
		{"expand_relationship_types": []string{step["type"].(string)}}, {}})
}

// some are some of the types, of which others are hidden.
func (h *hiding) some() (shown []string) {
	h.hidden = nil
	for _, mark := range h.marks {
		if h.rnd.IntN(2) == 0 {
			shown = append(shown, mark)
		} else {
			h.hidden = append(h.hidden, mark)
		}
	}
	if len(shown) == 0 {
		return h.some()
	}
	return shown
}

// In random views of a bundle, what is not in the view is in no answer, no refusal
// and no document. (T23, T26, T28, T29)
func TestViewsTellNothing(t *testing.T) {
	b := marked(t)
	h := newHiding(t, 1, b)
	w := newWorld(t, bundles.Options{})
	w.apply("acme", b)
	var hidden [][]string
	doc := "format: trellis.views.v1\nviews:\n"
	const views = 16
	for i := range views {
		doc += fmt.Sprintf("  v%d: {bundles: [marked], labels: [%s]}\n", i, strings.Join(h.some(), ", "))
		hidden = append(hidden, h.hidden)
	}
	_, err := w.lib.ApplyViews(t.Context(), "acme", []byte(doc), bundles.ChangeOptions{})
	require.NoError(t, err)
	h.offers = w.tools
	for i := range views {
		h.ctx, h.hidden = scoped("acme", fmt.Sprintf("v%d", i)), hidden[i]
		h.documents()
		h.calls(250)
	}
	require.Greater(t, h.plain, views*30)
	require.Greater(t, h.told, views*30)
}

// The same under random policies: types are for some callers only, and what refers
// to them is shown to those who see them, whatever says exposes_key.
func TestPoliciesOfTypesTellNothing(t *testing.T) {
	b := marked(t)
	h := newHiding(t, 2, b)
	def, err := bundle.Definition(time.Time{}, b)
	require.NoError(t, err)
	for i := range def.Nodes {
		n := &def.Nodes[i]
		l, _ := h.whole.Label(n.Label)
		n.Policy = "caller." + n.Label[:len(noMark)] // also of the values of a type's lists
		for j := range n.Properties {
			n.Properties[j].ExposesKey = h.refers(l, l.Properties[j])
		}
	}
	h.over(b, def)
	const callers = 16
	for range callers {
		claims := map[string]any{}
		for _, mark := range h.some() {
			claims[mark] = true
		}
		h.ctx = graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme", Claims: claims})
		h.documents()
		h.calls(250)
	}
	require.Greater(t, h.plain, callers*30)
	require.Greater(t, h.told, callers*30)
}

// refers reports whether a property tells ids of other nodes.
func (h *hiding) refers(l *schema.Label, p *schema.Property) bool {
	return p.Refers != "" || h.whole.Reference(l, p) != nil || l.Records != nil && l.Records.Document == p
}

// Under random policies of rows, and without properties that say exposes_key, no id
// of a hidden entity is in any answer, but for that of its own call.
func TestPoliciesOfRowsTellNothing(t *testing.T) {
	b := marked(t)
	h := newHiding(t, 3, b)
	def, err := bundle.Definition(time.Time{}, b)
	require.NoError(t, err)
	for i := range def.Nodes {
		n := &def.Nodes[i]
		l, _ := h.whole.Label(n.Label)
		if n.Policy = "public"; n.Records == nil {
			continue
		}
		n.Policy, n.Records.Document = "node."+n.Key[0]+" in caller.seen", ""
		var left []schema.PropertyDefinition
		for j, p := range n.Properties {
			if !h.refers(l, l.Properties[j]) {
				left = append(left, p)
			}
		}
		gone := func(name string) bool {
			return !slices.ContainsFunc(left, func(p schema.PropertyDefinition) bool { return p.Name == name })
		}
		n.Properties, n.DefaultProperties, n.Records.Summary = left, slices.DeleteFunc(n.DefaultProperties, gone), slices.DeleteFunc(slices.Clone(n.Records.Summary), gone)
	}
	h.over(b, def)
	const callers = 4
	for range callers {
		var seen []any
		var hidden []string
		for _, mark := range h.marks {
			for _, id := range h.ids[mark] {
				if h.rnd.IntN(2) == 0 {
					seen = append(seen, id)
				} else {
					hidden = append(hidden, fmt.Sprintf("%q", id))
				}
			}
		}
		h.ctx = graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme", Claims: map[string]any{"seen": seen}})
		for range 250 {
			tool, arguments := h.call()
			args, err := json.Marshal(arguments)
			require.NoError(t, err)
			answer, err := h.offers.Call(h.ctx, tool, args)
			if err == nil {
				h.plain++
			}
			text := strings.ReplaceAll(string(answer), `\"`, `"`)
			for _, id := range hidden {
				if strings.Contains(text, id) {
					require.Contains(t, string(args), id[1:len(id)-1], "%s %s: %s", tool, args, answer)
				}
			}
		}
	}
	require.Greater(t, h.plain, callers*100)
}

// over offers the tools of a schema over the graph of a bundle.
func (h *hiding) over(b *bundle.Bundle, def schema.Definition) {
	s, err := schema.New(def)
	require.NoError(h, err)
	g, err := bundles.Graph(time.Time{}, b)
	require.NoError(h, err)
	st := native.New(g, native.Options{})
	h.Cleanup(func() { st.Close() })
	h.offers = tools.New(engine.New(schema.NewCatalog(s), st, engine.Options{Statements: engine.HideStatements, Prompt: true}), tools.Options{})
}
