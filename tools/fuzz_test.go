package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// FuzzDecode: whatever the bytes, nothing panics; what is accepted is JSON that
// the published schema accepts; every pointer and every fix of a mistake fits the
// arguments.
func FuzzDecode(f *testing.F) {
	for _, c := range good {
		f.Add(c.want.Tool(), []byte(c.args))
	}
	for _, c := range bad {
		f.Add(c.tool, []byte(c.args))
	}
	for _, c := range onlyTrellis {
		f.Add(c.tool, []byte(c.args))
	}
	j := newJudge(f)
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		q, errs := j.registry.Decode(tool, args)
		if len(errs) == 0 {
			require.NotNil(t, q)
			require.True(t, json.Valid(args), "%q", args)
			if len(j.trellis(tool, args)) == 0 {
				require.Empty(t, j.published(tool, args), "%q", args)
			}
			return
		}
		if q == nil {
			require.Len(t, errs, 1)
			return
		}
		for _, e := range errs {
			require.NotEmpty(t, e.Message)
			if e.Fix != nil && !hasDuplicate(errs) {
				mended, err := graph.ApplyFix(args, e.Fix)
				require.NoError(t, err, "%q: %v", args, e)
				require.True(t, json.Valid(mended))
			}
		}
	})
}

// FuzzNamedQuery: whatever the bytes, nothing panics, and a refusal shows nothing
// of the template that the caller has not sent.
func FuzzNamedQuery(f *testing.F) {
	for _, args := range []string{`{"person": 7}`, `{"person": 7, "since": 1900, "states": ["in", "lent"], "at_least": 1, "next": "x"}`,
		`{"person": "7", "states": [[]]}`, `{"person": {"$caller": "tenant"}}`, `{"person": 7, "next": ""}`, `[`, ``} {
		f.Add([]byte(args))
	}
	offer := libraryOffer(f)
	f.Fuzz(func(t *testing.T, args []byte) {
		_, err := offer.Check(t.Context(), "books_of", args)
		if err == nil {
			return
		}
		document, bad := json.Marshal(graph.NewErrorDocument("books_of", err))
		require.NoError(t, bad)
		for _, word := range []string{"WROTE", "pages", "year", "filters", "relationships"} {
			if !strings.Contains(string(args), word) && !strings.Contains(string(args), "\\") {
				require.NotContains(t, string(document), word)
			}
		}
	})
}

// FuzzQueriesFile: whatever the file, nothing panics; what is read is offered as
// tools whose schemas are sound.
func FuzzQueriesFile(f *testing.F) {
	f.Add(libraryQueries)
	f.Add("format: trellis.queries.v1\nqueries:\n  q: {description: A., tool: find_nodes, arguments: {node_label: book, ids: [{$caller: a.b}]}}\n")
	f.Add(`{"format": "trellis.queries.v1", "queries": {"q": {"description": "A.", "tool": "find_nodes", "parameters": {"p": {"type": "enum", "values": ["in"], "list": true, "default": []}}, "arguments": {"node_label": "book", "filters": {"state": {"in": {"$parameter": "p"}}}}}}}`)
	s := library(f)
	eng := engine.New(schema.NewCatalog(s), nil, engine.Options{})
	f.Fuzz(func(t *testing.T, text string) {
		queries, err := tools.ParseQueries("q.yaml", []byte(text), s, graph.Limits{})
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		list, err := tools.New(eng, tools.Options{Queries: queries}).List(t.Context())
		require.NoError(t, err)
		for _, tool := range list[6:] {
			_, err := tools.NewValidator(tool)
			require.NoError(t, err)
		}
	})
}

// hasDuplicate reports whether pointers may mean several members, or members
// whose names cannot be written.
func hasDuplicate(errs graph.Errors) bool {
	for _, e := range errs {
		if e.Code == graph.DuplicateKey || e.Code == graph.InvalidString {
			return true
		}
	}
	return false
}
