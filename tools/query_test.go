package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/tools"
)

const libraryQueries = `
format: trellis.queries.v1
queries:
  books_of:
    title: Books of a person
    description: The books that a person wrote, and when.
    tool: traverse_relationships
    parameters:
      person: {type: int64, description: Whose books.}
      since: {type: int32, required: false}
      states: {type: enum, values: [in, lent], list: true, required: false}
      at_least: {type: int32, default: 10}
      next: {type: string, required: false}
    arguments:
      from: {label: person, ids: [{$parameter: person}], filters: {member: true}}
      relationships: [{type: WROTE, filters: {year: {gte: {$parameter: since}}}}]
      to: {label: book, filters: {state: {in: {$parameter: states}}, pages: {gte: {$parameter: at_least}}}}
      cursor: {$parameter: next}
  mine:
    description: The people of the caller's own list.
    tool: find_nodes
    arguments:
      node_label: person
      ids: {$caller: org.people}
      filters: {name: {ne: {$caller: principal}}}
`

func parseQueries(t testing.TB, text string) *tools.Queries {
	t.Helper()
	q, err := tools.ParseQueries("queries.yaml", []byte(text), library(t), graph.Limits{})
	require.NoError(t, err)
	return q
}

// libraryOffer are the library's tools with its named queries, over no store.
func libraryOffer(t testing.TB) *tools.Tools {
	t.Helper()
	eng := engine.New(schema.NewCatalog(library(t)), nil, engine.Options{})
	return tools.New(eng, tools.Options{Queries: parseQueries(t, libraryQueries)})
}

func TestQueriesAreTools(t *testing.T) {
	list, err := libraryOffer(t).List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 8)
	books := list[6]
	require.Equal(t, "books_of", books.Name)
	require.Equal(t, "Books of a person", books.Title)
	require.Equal(t, "mine", list[7].Title, "the name, where there is no title")
	require.JSONEq(t, `{"type": "object", "required": ["person"], "additionalProperties": false, "properties": {
		"person": {"type": "integer", "description": "Whose books."},
		"since": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
		"states": {"type": "array", "maxItems": 500, "items": {"type": "string", "enum": ["in", "lent"]}},
		"at_least": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647, "default": 10},
		"next": {"type": "string"}}}`, string(books.Parameters))
	require.JSONEq(t, `{"type": "object", "properties": {}, "additionalProperties": false}`, string(list[7].Parameters))
}

// What a query asks is the call that it stands for.
func TestQueriesStandForCalls(t *testing.T) {
	offer := libraryOffer(t)
	ada := graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme", Principal: "ada", Claims: map[string]any{
		"org": map[string]any{"people": []any{json.Number("1"), 2}},
	}})
	for _, tc := range []struct{ name, args, tool, want string }{
		{"books_of", `{"person": 7}`, "traverse_relationships",
			`{"from": {"label": "person", "ids": [7], "filters": {"member": true}}, "relationships": [{"type": "WROTE"}], "to": {"label": "book", "filters": {"pages": {"gte": 10}}}}`},
		{"books_of", `{"person": 7, "since": 1900, "states": ["in", "lent"], "at_least": 1}`, "traverse_relationships",
			`{"from": {"label": "person", "ids": [7], "filters": {"member": true}}, "relationships": [{"type": "WROTE", "filters": {"year": {"gte": 1900}}}], "to": {"label": "book", "filters": {"state": {"in": ["in", "lent"]}, "pages": {"gte": 1}}}}`},
		{"books_of", `{"person": 7, "states": []}`, "traverse_relationships",
			`{"from": {"label": "person", "ids": [7], "filters": {"member": true}}, "relationships": [{"type": "WROTE"}], "to": {"label": "book", "filters": {"state": {"in": []}, "pages": {"gte": 10}}}}`},
		{"mine", `{}`, "find_nodes", `{"node_label": "person", "ids": [1, 2], "filters": {"name": {"ne": "ada"}}}`},
	} {
		got, err := offer.Query(ada, tc.name, []byte(tc.args))
		require.NoError(t, err, tc.args)
		want, err := offer.Query(ada, tc.tool, []byte(tc.want))
		require.NoError(t, err)
		require.Equal(t, want, got, tc.args)
	}
}

// A refusal speaks of the parameters, and tells nothing of the template.
func TestQueriesRefuseInTheirOwnWords(t *testing.T) {
	offer := libraryOffer(t)
	registry, err := offer.Registry(t.Context())
	require.NoError(t, err)
	long := `[` + strings.TrimSuffix(strings.Repeat(`"in",`, 501), ",") + `]`
	for args, want := range map[string]string{
		`{}`:                                    "MISSING_FIELD /person",
		`{"person": "7"}`:                       "INVALID_TYPE /person",
		`{"person": 1.0}`:                       "INVALID_TYPE /person",
		`{"person": [7]}`:                       "INVALID_TYPE /person",
		`{"person": 9223372036854775808}`:       "OUT_OF_RANGE /person",
		`{"person": 7, "since": 3e9}`:           "INVALID_TYPE /since",
		`{"person": 7, "since": null}`:          "INVALID_TYPE /since",
		`{"person": 7, "person": 8}`:            "DUPLICATE_KEY /person",
		`{"person": 7, "Since": 1}`:             "UNKNOWN_FIELD /Since",
		`{"person": 7, "states": "in"}`:         "INVALID_TYPE /states",
		`{"person": 7, "states": ["out"]}`:      "INVALID_ENUM /states/0",
		`{"person": 7, "states": ` + long + `}`: "LIMIT_EXCEEDED /states",
		`{"person": 7, "next": "nonsense"}`:     "INVALID_CURSOR /next",
		`{"person": 7, "next": ""}`:             "INVALID_CURSOR /next",
		`{"person": {"$caller": "tenant"}}`:     "INVALID_TYPE /person",
		`{"person": {"$parameter": "since"}}`:   "INVALID_TYPE /person",
		`[]`:                                    "INVALID_TYPE ",
		`{`:                                     "SYNTAX ",
	} {
		q, err := offer.Query(t.Context(), "books_of", []byte(args))
		if err == nil {
			_, err = offer.Check(t.Context(), "books_of", []byte(args))
			require.NotNil(t, q)
		}
		require.Equal(t, want, summary(mistakes(err)), args)
		document, bad := json.Marshal(graph.NewErrorDocument("books_of", err))
		require.NoError(t, bad)
		for _, hidden := range []string{"WROTE", "book\"", "pages", "year", "member", "filters", "ids"} {
			require.NotContains(t, string(document), hidden, args)
		}
	}
	_, errs := registry.Decode("mine", []byte(`{}`))
	require.ErrorIs(t, errs, graph.NoScope)
}

// What the host caps is capped for a query too, at its parameter.
func TestQueriesKeepCaps(t *testing.T) {
	eng := engine.New(schema.NewCatalog(library(t)), nil, engine.Options{})
	offer := tools.New(eng, tools.Options{Queries: parseQueries(t, `
format: trellis.queries.v1
queries:
  q:
    description: Books.
    tool: find_nodes
    parameters:
      n: {type: int64, required: false}
      part: {type: string, required: false}
      words: {type: string, required: false}
      pages: {type: int64, required: false}
      of: {type: uuid, list: true, required: false}
    arguments:
      node_label: book
      ids: {$parameter: of}
      filters: {title: {contains: {$parameter: part}}, pages: {$parameter: pages}}
      search: {$parameter: words}
      limit: {$parameter: n}
`)})
	for args, want := range map[string]string{
		`{"n": 30}`:                "",
		`{"n": 31}`:                `LIMIT_EXCEEDED /n "n" is over the cap; use at most 30 [{"op":"replace","path":"/n","value":30}]`,
		`{"n": 99999999999999999}`: `LIMIT_EXCEEDED /n "n" is over the cap; use at most 30 [{"op":"replace","path":"/n","value":30}]`,
		`{"n": 0}`:                 `OUT_OF_RANGE /n "n" is out of range;  null`,
		`{"part": "` + strings.Repeat("x", 257) + `"}`: `LIMIT_EXCEEDED /part "part" is over the cap;  null`,
		`{"words": " "}`:        `OUT_OF_RANGE /words "words" is out of range;  null`,
		`{"pages": 9999999999}`: `OUT_OF_RANGE /pages "pages" is out of range;  null`,
		`{"of": []}`:            `OUT_OF_RANGE /of "of" is out of range;  null`,
	} {
		_, err := offer.Check(t.Context(), "q", []byte(args))
		got := ""
		for _, e := range mistakes(err) {
			fix, err := json.Marshal(e.Fix)
			require.NoError(t, err)
			got += string(e.Code) + " " + e.Path + " " + e.Message + "; " + e.Hint + " " + string(fix)
		}
		require.Equal(t, want, got, args)
	}
}

// What a query takes of the caller comes from the scope alone.
func TestQueriesOfTheCaller(t *testing.T) {
	offer := libraryOffer(t)
	people := func(v any) map[string]any { return map[string]any{"org": map[string]any{"people": v}} }
	for name, tc := range map[string]struct {
		scope *graph.Scope
		want  string
	}{
		"nobody":             {nil, "NO_SCOPE "},
		"no claim":           {&graph.Scope{Principal: "ada"}, "FORBIDDEN "},
		"no principal":       {&graph.Scope{Claims: people([]any{1})}, "FORBIDDEN "},
		"an object":          {&graph.Scope{Principal: "ada", Claims: people(map[string]any{"a": 1})}, "FORBIDDEN "},
		"a list of objects":  {&graph.Scope{Principal: "ada", Claims: people([]any{map[string]any{}})}, "FORBIDDEN "},
		"an empty text":      {&graph.Scope{Principal: "ada", Claims: people([]any{""})}, "FORBIDDEN "},
		"null":               {&graph.Scope{Principal: "ada", Claims: people(nil)}, "FORBIDDEN "},
		"not of the type":    {&graph.Scope{Principal: "ada", Claims: people([]any{"x"})}, "FORBIDDEN "},
		"no list":            {&graph.Scope{Principal: "ada", Claims: people(1)}, "FORBIDDEN "},
		"a text with NUL":    {&graph.Scope{Principal: "a\x00", Claims: people([]any{1})}, "FORBIDDEN "},
		"everything":         {&graph.Scope{Principal: "ada", Claims: people([]int{1, 2})}, ""},
		"claims of the call": {&graph.Scope{Principal: "ada", Claims: map[string]any{"org.people": []any{1}}}, "FORBIDDEN "},
	} {
		ctx := t.Context()
		if tc.scope != nil {
			ctx = graph.WithScope(ctx, tc.scope)
		}
		_, err := offer.Check(ctx, "mine", []byte(`{}`))
		require.Equal(t, tc.want, summary(mistakes(err)), name)
		_, err = offer.Check(ctx, "mine", []byte(`{"org": {"people": [1]}, "principal": "x"}`))
		require.Equal(t, "UNKNOWN_FIELD /org; UNKNOWN_FIELD /principal", summary(mistakes(err)), name)
	}
}

// What the published schema of a query accepts or refuses, so does the decoder.
func TestQuerySchemasAgree(t *testing.T) {
	offer := libraryOffer(t)
	list, err := offer.List(t.Context())
	require.NoError(t, err)
	v, err := tools.NewValidator(list[6])
	require.NoError(t, err)
	for args, good := range map[string]bool{
		`{"person": 7}`: true, `{"person": 7, "states": ["lent"], "since": -3, "at_least": 0}`: true,
		`{}`: false, `{"person": "7"}`: false, `{"person": 7, "x": 1}`: false, `{"person": 7, "states": ["out"]}`: false,
		`{"person": 7, "since": 2147483648}`: false, `{"person": 7, "states": "in"}`: false,
	} {
		_, err := offer.Query(t.Context(), "books_of", []byte(args))
		require.Equal(t, good, err == nil, args)
		require.Equal(t, good, v.Validate([]byte(args)) == nil, args)
	}
}

// A file of queries is refused with all its mistakes, at their places.
func TestQueriesAreChecked(t *testing.T) {
	find := func(rest string) string {
		return "format: trellis.queries.v1\nqueries:\n  q:\n    description: A query.\n    tool: find_nodes\n" + rest
	}
	for name, tc := range map[string]struct {
		text string
		want []string // LINE:COLUMN message, in part
	}{
		"not the format":       {"format: trellis.queries.v2\nqueries: {}\n", []string{`1:9: expected "trellis.queries.v1"`}},
		"no YAML":              {"format: [", []string{"no YAML"}},
		"aliases":              {find("    arguments: &a {node_label: book}\n"), []string{"anchors are not read"}},
		"unknown field":        {find("    argument: {}\n    arguments: {node_label: book}\n"), []string{`6:5: there is no field "argument" here`}},
		"unknown tool":         {"format: trellis.queries.v1\nqueries:\n  q: {description: A., tool: find_node, arguments: {}}\n", []string{`there is no tool "find_node"; did you mean "find_nodes"?`}},
		"a tool's name":        {"format: trellis.queries.v1\nqueries:\n  find_paths: {description: A., tool: find_nodes, arguments: {node_label: book}}\n", []string{`3:3: tool_name_collision_in_tenant: there is a tool "find_paths" already`}},
		"no name":              {"format: trellis.queries.v1\nqueries:\n  Q-1: {description: A., tool: find_nodes, arguments: {node_label: book}}\n", []string{`3:3: "Q-1" is no name for a query`}},
		"twice":                {"format: trellis.queries.v1\nqueries:\n  q: {description: A., tool: find_nodes, arguments: {node_label: book}}\n  q: {description: A., tool: find_nodes, arguments: {node_label: book}}\n", []string{`4:3: "q" is here twice`}},
		"unknown parameter":    {find("    parameters: {title: string}\n    arguments: {node_label: book, filters: {title: {$parameter: titel}}}\n"), []string{`the parameter "title" is not used`, `there is no parameter "titel"; did you mean "title"?`}},
		"unknown type":         {find("    parameters: {title: text}\n    arguments: {node_label: book, filters: {title: {$parameter: title}}}\n"), []string{"6:25: expected"}},
		"json":                 {find("    parameters: {title: json}\n    arguments: {node_label: book, filters: {title: {$parameter: title}}}\n"), []string{"6:25: expected"}},
		"a label":              {find("    parameters: {l: string}\n    arguments: {node_label: {$parameter: l}}\n"), []string{"7:17: a gap stands for a value only"}},
		"a property":           {find("    parameters: {l: string}\n    arguments: {node_label: book, order_by: [{property: {$parameter: l}}]}\n"), []string{"a gap stands for a value only"}},
		"shown properties":     {find("    parameters: {l: {type: string, list: true}}\n    arguments: {node_label: book, properties: {$parameter: l}}\n"), []string{"a gap stands for a value only"}},
		"an expression":        {find("    parameters: {l: string}\n    arguments: {node_label: book, where: {$parameter: l}}\n"), []string{"a gap stands for a value only"}},
		"an operator":          {find("    parameters: {l: string}\n    arguments: {node_label: book, filters: {title: {eq: {a: {$parameter: l}}}}}\n"), []string{"a gap stands for a value only"}},
		"a caller's label":     {find("    arguments: {node_label: {$caller: tenant}}\n"), []string{"6:17: a gap stands for a value only"}},
		"more than a gap":      {find("    parameters: {l: string}\n    arguments: {node_label: book, filters: {title: {$parameter: l, eq: x}}}\n"), []string{`a gap is {"$parameter": "name"}`}},
		"not the type":         {find("    parameters: {l: string}\n    arguments: {node_label: book, filters: {pages: {$parameter: l}}}\n"), []string{`7:45: `}},
		"not the enum":         {find("    parameters: {l: {type: enum, values: [in, out]}}\n    arguments: {node_label: book, filters: {state: {$parameter: l}}}\n"), []string{`"out" is not a value of "state"`}},
		"a list for a value":   {find("    parameters: {l: {type: string, list: true}}\n    arguments: {node_label: book, filters: {title: {$parameter: l}}}\n"), []string{"found a list"}},
		"an unknown property":  {find("    arguments: {node_label: book, filters: {titel: x}}\n"), []string{`6:52: no property "titel" of book; did you mean "title"?`}},
		"a hidden property":    {find("    arguments: {node_label: person, filters: {secret: x}}\n"), []string{`no property "secret" of person`}},
		"an unknown argument":  {find("    arguments: {node_label: book, filter: {title: x}, title: y}\n"), []string{`find_nodes has no field "filter"; did you mean "filters"?`, `find_nodes has no field "title"`}},
		"an unknown label":     {find("    arguments: {node_label: boook}\n"), []string{`6:29: no label "boook"; did you mean "book"?`}},
		"a default":            {find("    parameters: {l: {type: int32, default: many}}\n    arguments: {node_label: book, filters: {pages: {$parameter: l}}}\n"), []string{"6:44: "}},
		"a required cursor":    {find("    parameters: {c: string}\n    arguments: {node_label: book, cursor: {$parameter: c}}\n"), []string{"an optional string without default"}},
		"nothing without it":   {"format: trellis.queries.v1\nqueries:\n  q:\n    description: A.\n    tool: explore_neighbors\n    parameters: {id: {type: int64, required: false}}\n    arguments: {start_node: {label: person, node_id: {$parameter: id}}}\n", []string{`without "id": `}},
		"an invisible letter":  {"format: trellis.queries.v1\nqueries:\n  q: {description: \"A\\u202e.\", tool: find_nodes, arguments: {node_label: book}}\n", []string{"the description has control or invisible characters"}},
		"over the limit":       {find("    arguments: {node_label: book, limit: 31}\n"), []string{"6:42: limit: 31 is over the cap of 30"}},
		"all mistakes at once": {find("    parameters: {a: int32}\n    arguments: {}\n") + "  r: {description: B., tool: nothing, arguments: []}\n", []string{`the parameter "a" is not used`, `there is no tool "nothing"`, "expected a map"}},
		"schema as a query":    {"format: trellis.queries.v1\nqueries:\n  q: {description: A., tool: get_graph_schema, arguments: {}}\n", []string{"nothing that a query could ask for"}},
		"names nothing":        {find("    parameters: {p: int32}\n    arguments: {node_label: book, filters: {pages: {$parameter: }}}\n"), []string{`a gap is {"$parameter": "name"}`}},
		"no description":       {"format: trellis.queries.v1\nqueries:\n  q: {tool: find_nodes, arguments: {node_label: book}}\n", []string{`"description" is missing`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tools.ParseQueries("q.yaml", []byte(tc.text), library(t), graph.Limits{})
			var problems schema.Problems
			require.ErrorAs(t, err, &problems)
			for _, want := range tc.want {
				require.Contains(t, err.Error(), want)
			}
			for _, p := range problems {
				require.NotZero(t, p.Line, "%v", p)
			}
		})
	}
}

// The example of NamedQuery works as it stands, and a query answers.
func TestQueriesAnswer(t *testing.T) {
	g, err := memory.Open(t.Context(), "testdata/forge", memory.Options{})
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	defer st.Close()
	queries, err := tools.NewQueries(g.Schema(), graph.Limits{}, tools.NamedQuery{
		Name: "open_issues_of", Description: "The open issues that a user reported.",
		Tool:       graph.ToolTraverse,
		Parameters: []tools.QueryParameter{{Name: "user", Type: schema.Int64}, {Name: "title", Type: schema.String, Optional: true}},
		Arguments: json.RawMessage(`{
			"from": {"label": "gl_user", "ids": [{"$parameter": "user"}]},
			"relationships": [{"type": "AUTHORED_ISSUE"}],
			"to": {"label": "gl_issue", "filters": {"state": {"$caller": "state"}, "title": {"$parameter": "title"}}}}`),
	})
	require.NoError(t, err)
	offer := tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{}), tools.Options{Queries: queries})
	ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme", Claims: map[string]any{"state": "opened"}})
	answer, err := offer.Call(ctx, "open_issues_of", []byte(`{"user": 1}`))
	require.NoError(t, err)
	require.Contains(t, string(answer), `"returned":1,`)
	require.Contains(t, string(answer), `"id":"102"`)

	answer, err = offer.Call(ctx, "open_issues_of", []byte(`{"user": 999}`))
	require.NoError(t, err)
	require.Contains(t, string(answer), `"warnings":[{"code":"NOT_FOUND","path":"/user","message":"\"user\" names nothing that is there"}]`)

	answer, err = offer.Call(ctx, "open_issues_of", []byte(`{"user": "x"}`))
	require.ErrorIs(t, err, graph.InvalidType)
	require.Contains(t, string(answer), `"tool":"open_issues_of","errors":[{"code":"INVALID_TYPE","path":"/user"`)

	plan, err := offer.DryRun(ctx, "open_issues_of", []byte(`{"user": 1}`))
	require.NoError(t, err)
	require.Contains(t, plan.Plan, "traverse gl_user ids 1")

	_, err = offer.Call(ctx, "open_issues", []byte(`{"user": 1}`))
	require.ErrorIs(t, err, graph.UnknownTool)
	require.ErrorContains(t, err, `did you mean "open_issues_of"?`)
}

func mistakes(err error) graph.Errors {
	var list graph.Errors
	errors.As(err, &list)
	return list
}
