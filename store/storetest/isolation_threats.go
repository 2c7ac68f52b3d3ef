package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

// clinicScopes are one caller of each tenant of the clinic.
var clinicScopes = map[string]*graph.Scope{
	"north": {Tenant: "north", Claims: map[string]any{"role": "user", "grants": []any{map[string]any{"path": "/", "level": 99}}}},
	"North": {Tenant: "North", Claims: map[string]any{"grants": []any{map[string]any{"path": "/", "level": 99}}}},
	"south": {Tenant: "south", Claims: map[string]any{"role": "admin", "grants": []any{map[string]any{"path": "/", "level": 99}}}},
}

// clinicCalls are calls that every tenant may make.
var clinicCalls = [][2]string{
	{graph.ToolFindNodes, `{"node_label": "patient"}`},
	{graph.ToolFindNodes, `{"node_label": "doctor", "properties": ["name", "email", "phone"]}`},
	{graph.ToolFindNodes, `{"node_label": "note", "related": [{"relationships": [{"type": "HAS_NOTE", "direction": "incoming"}]}]}`},
	{graph.ToolTraverse, `{"from": {"label": "doctor"}, "relationships": [{"type": "TREATS"}], "to": {"label": "patient"}}`},
	{graph.ToolNeighbors, `{"start_node": {"label": "clinic", "node_id": 1}, "max_hops": 3}`},
	{graph.ToolPaths, `{"from": {"label": "clinic", "node_id": 1}, "to": {"label": "clinic", "node_id": 2}, "mode": "all", "max_hops": 4}`},
	{graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}, {"function": "avg", "property": "age"}], "group_by": [{"property": "risk"}]}`},
	{graph.ToolDescribe, describeAll},
}

// tenantThreats makes the calls by which one tenant of the clinic could learn
// of another.
func tenantThreats(t *testing.T, open Opener) {
	g := Fixture(t, "clinic")
	st := open(t, g)
	defer func() { require.NoError(t, st.Close()) }()
	with := func(opts engine.Options) *Caller { return newCaller(g.Schema(), st, opts) }
	c := with(engine.Options{})

	t.Run("T23 T30 what is hidden and what is absent are one", func(t *testing.T) { hiddenIsAbsent(t, c.As(clinicScopes["north"])) })
	t.Run("T33 tenants ask at the same time", func(t *testing.T) { tenantsTogether(t, c) })
	t.Run("T34 a cursor is its caller's", func(t *testing.T) { strangersCursor(t, c) })
	t.Run("T25 what is stored wrongly is not followed", func(t *testing.T) { tellsOnly(t, c.As(clinicScopes["north"]), poisoned) })
	t.Run("T27 figures and pages are of what is visible", func(t *testing.T) { tellsOnly(t, c.As(clinicScopes["north"]), visibleOnly) })
	t.Run("T26 groups are large enough", func(t *testing.T) {
		for least, want := range map[int]string{
			0: "row \"low\" 2, row \"high\" 2; row 4", 2: "row \"low\" 2, row \"high\" 2; row 4", 3: "; row 4", 4: "; row 4", 5: "; ",
		} {
			c := with(engine.Options{MinGroup: least}).As(clinicScopes["north"])
			var got []string
			for _, group := range []string{`, "group_by": [{"property": "risk"}]`, ""} {
				r := mustAnswer(t, c, graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}]`+group+`}`)
				var rows []string
				for _, row := range r.Rows {
					rows = append(rows, "row "+renderRow(row))
				}
				got = append(got, strings.Join(rows, ", "))
			}
			require.Equal(t, want, strings.Join(got, "; "), "groups of at least %d", least)
			_, err := c.Call(graph.ToolAggregate, []byte(`{"node_label": "patient", "aggregations": [{"function": "count", "filters": {"risk": "high"}}]}`))
			require.Equal(t, least > 1, errors.Is(err, graph.Unsupported), "%v", err)
		}
	})
	t.Run("T26 figures of few values", func(t *testing.T) { fewValues(t, open) })
	t.Run("a guard in Go", func(t *testing.T) { guardInGo(t, with) })
	t.Run("nodes are decided after the store", func(t *testing.T) { redactedNodes(t, with) })
}

// hiddenIsAbsent asks for ids of others and for ids of nobody: the answers say
// the same, and so do the statements, their parameters aside.
func hiddenIsAbsent(t *testing.T, c *Caller) {
	for _, call := range [][2]string{
		{graph.ToolFindNodes, `{"node_label": "patient", "ids": [10, %s]}`},
		{graph.ToolFindNodes, `{"node_label": "patient", "filters": {"id": %s}}`},
		{graph.ToolTraverse, `{"from": {"label": "patient", "ids": [%s]}, "relationships": [{"type": "REFERS", "direction": "both", "max_hops": 2}], "to": {"label": "patient"}}`},
		{graph.ToolTraverse, `{"from": {"label": "doctor"}, "relationships": [{"type": "TREATS"}], "to": {"label": "patient", "ids": [%s]}}`},
		{graph.ToolNeighbors, `{"start_node": {"label": "patient", "node_id": %s}}`},
		{graph.ToolPaths, `{"from": {"label": "patient", "node_id": %s}, "to": {"label": "patient", "node_id": 11}}`},
		{graph.ToolPaths, `{"from": {"label": "patient", "node_id": 11}, "to": {"label": "patient", "node_id": %s}, "mode": "all"}`},
		{graph.ToolPaths, `{"from": {"label": "patient", "node_id": %[1]s}, "to": {"label": "patient", "node_id": %[1]s}}`},
		{graph.ToolAggregate, `{"node_label": "patient", "ids": [%s], "aggregations": [{"function": "count"}]}`},
	} {
		var answers, statements []string
		for _, id := range []string{"15", "99"} {
			r := mustAnswer(t, c, call[0], fmt.Sprintf(call[1], id))
			ran := ""
			for _, s := range r.Statements {
				ran += fmt.Sprintf("%s\n%d parameters, %d times\n", s.SQL, len(s.Parameters), s.Executions)
			}
			r.Statements = nil
			answers = append(answers, strings.ReplaceAll(answerText(r), id, "ID"))
			statements = append(statements, ran)
		}
		require.Equal(t, answers[1], answers[0], call[1])
		require.Equal(t, statements[1], statements[0], call[1])
	}
}

// tenantsTogether makes the calls of three tenants at once, again and again:
// each gets what it got alone.
func tenantsTogether(t *testing.T, c *Caller) {
	alone := map[string]string{}
	for name, scope := range clinicScopes {
		for _, call := range clinicCalls {
			alone[name+call[1]] = c.As(scope).document(call[0], []byte(call[1]))
			require.NotContains(t, alone[name+call[1]], "error ", "%s: %s %s", name, call[1], c.log.take())
		}
	}
	var wg sync.WaitGroup
	for name, scope := range clinicScopes {
		for range 4 {
			wg.Go(func() {
				for i := range 5 * len(clinicCalls) {
					call := clinicCalls[i%len(clinicCalls)]
					if got := c.As(scope).document(call[0], []byte(call[1])); got != alone[name+call[1]] {
						t.Errorf("%s: %s%s", name, call[1], diff([]string{alone[name+call[1]]}, []string{got}))
					}
				}
			})
		}
	}
	wg.Wait()
}

// strangersCursor gives one caller the cursor of another.
func strangersCursor(t *testing.T, c *Caller) {
	call := `{"node_label": "doctor", "limit": 1%s}`
	cursor := mustAnswer(t, c.As(clinicScopes["north"]), graph.ToolFindNodes, fmt.Sprintf(call, "")).NextCursor
	require.NotEmpty(t, cursor)
	next := fmt.Sprintf(call, `, "cursor": `+quoteJSON(cursor))
	require.Equal(t, []string{`["north","2"]`}, ids(mustAnswer(t, c.As(clinicScopes["north"]), graph.ToolFindNodes, next)))
	other := *clinicScopes["north"]
	other.Claims = map[string]any{"role": "admin"}
	for _, scope := range []*graph.Scope{clinicScopes["North"], clinicScopes["south"], &other} {
		_, err := c.As(scope).Call(graph.ToolFindNodes, []byte(next))
		require.ErrorIs(t, err, graph.InvalidCursor, scopeJSON(scope))
	}
	_, err := c.Call(graph.ToolFindNodes, []byte(next))
	require.ErrorIs(t, err, graph.NoScope)
}

// guardInGo puts a host's own conditions beside the schema's policies.
func guardInGo(t *testing.T, with func(engine.Options) *Caller) {
	guard := func(_ *graph.Scope, on compile.Guarded) (graph.Filter, error) {
		switch {
		case on.Label == "patient":
			return graph.Compare{Property: "age", Op: graph.Lt, Value: graph.Int(55)}, nil
		case on.Type == "REFERS":
			return graph.Or{}, nil
		case on.Label == "incident":
			return nil, errors.New("the directory does not answer")
		}
		return nil, nil
	}
	c := with(engine.Options{Guard: guard}).As(clinicScopes["north"])
	require.Equal(t, []string{"10", "11", "12"}, ids(mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "patient"}`)))
	require.Empty(t, ids(mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "patient", "related": [{"relationships": [{"type": "REFERS"}]}]}`)))
	require.Equal(t, []string{"100", "102", "105"}, ids(mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "note"}`)), "who may see the patient")
	_, err := with(engine.Options{Guard: guard}).Call(graph.ToolFindNodes, []byte(`{"node_label": "clinic"}`))
	require.ErrorIs(t, err, graph.NoScope)
	_, err = with(engine.Options{Guard: guard}).As(clinicScopes["south"]).Call(graph.ToolFindNodes, []byte(`{"node_label": "incident"}`))
	require.ErrorIs(t, err, graph.Forbidden)
	require.NotContains(t, errorText(err), "directory")
}

// redactedNodes lets the host decide about single nodes: pages are full of
// what is allowed, and no other way leads to the rest.
func redactedNodes(t *testing.T, with func(engine.Options) *Caller) {
	c := with(engine.Options{Redact: engine.Redact{Labels: []string{"patient"}, Allow: func(_ context.Context, _ *graph.Scope, nodes []graph.Node) ([]bool, error) {
		out := make([]bool, len(nodes))
		for i := range nodes {
			out[i] = nodes[i].ID != "11" && nodes[i].ID != "12"
		}
		return out, nil
	}}}).As(clinicScopes["north"])
	page := mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "patient", "limit": 1}`)
	require.Equal(t, []string{"10"}, ids(page))
	require.NotEmpty(t, page.NextCursor)
	page = mustAnswer(t, c, graph.ToolFindNodes, `{"node_label": "patient", "limit": 1, "cursor": `+quoteJSON(page.NextCursor)+`}`)
	require.Equal(t, []string{"13"}, ids(page))
	require.Empty(t, page.NextCursor)
	require.Equal(t, []string{"10"}, ids(mustAnswer(t, c, graph.ToolTraverse,
		`{"from": {"label": "doctor"}, "relationships": [{"type": "TREATS"}], "to": {"label": "patient"}, "connections": false}`)))
	for _, call := range [][2]string{
		{graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}]}`},
		{graph.ToolNeighbors, `{"start_node": {"label": "patient", "node_id": 10}}`},
		{graph.ToolPaths, `{"from": {"label": "doctor", "node_id": ["north", 1]}, "to": {"label": "patient", "node_id": 10}}`},
		{graph.ToolFindNodes, `{"node_label": "doctor", "related": [{"relationships": [{"type": "TREATS", "to": {"label": "patient"}}]}]}`},
		{graph.ToolTraverse, `{"from": {"label": "doctor"}, "relationships": [{"type": "TREATS"}], "to": {"label": "patient"}}`},
	} {
		_, err := c.Call(call[0], []byte(call[1]))
		require.ErrorIs(t, err, graph.Unsupported, call[1])
	}
	walked := ids(mustAnswer(t, c, graph.ToolNeighbors, `{"start_node": {"label": "clinic", "node_id": 1}, "max_hops": 3}`))
	require.False(t, slices.Contains(walked, "10"), "a patient is walked to")
}
