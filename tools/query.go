package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A NamedQuery is a call that the host has written, with gaps that a caller
// fills in: a tool of its own, which asks one question and no other.
//
//	tools.NamedQuery{
//		Name: "open_issues_of", Description: "The open issues that a user reported.",
//		Tool:       "traverse_relationships",
//		Parameters: []tools.QueryParameter{{Name: "user", Type: schema.Int64}},
//		Arguments: json.RawMessage(`{
//			"from": {"label": "gl_user", "ids": [{"$parameter": "user"}]},
//			"relationships": [{"type": "AUTHORED_ISSUE"}],
//			"to": {"label": "gl_issue", "filters": {"state": "opened", "team": {"$caller": "team"}}}}`),
//	}
type NamedQuery struct {
	// Name is what the tool is called: lower-case letters, digits and
	// underscores, at most 63, a letter first.
	Name string
	// Title is a name for people; the Name by default.
	Title string
	// Description says what the query answers and when to ask it; at most 2,000
	// characters, none of them invisible.
	Description string
	// Tool is which of the six tools answers.
	Tool       string
	Parameters []QueryParameter
	// Arguments are the arguments of that tool, a JSON object, in which
	// {"$parameter": "name"} stands for what the caller gives and
	// {"$caller": "tenant"} for what the call's scope has: tenant, principal,
	// token_id, or a claim such as "team" or "org.id", a value or a list of
	// values. Both stand only where a value is wanted: ids, operands, search,
	// limit, cursor, bounds; never for a label, a type, a property, an operator
	// or an expression.
	//
	// Where an optional parameter is not given, its member or element is left
	// out; so is then an object or a list that has lost all that it had.
	Arguments json.RawMessage
}

// A QueryParameter is a gap in a NamedQuery.
type QueryParameter struct {
	Name        string
	Description string
	// Type is the type of the value, any but json. A property that the value is
	// compared with has the same type.
	Type schema.Type
	// Values are the names that an enum takes.
	Values []string
	// List says that the parameter is a list of such values.
	List bool
	// Optional says that the parameter may be left out. Default is the value
	// that it has then, as JSON; with a Default a parameter is optional.
	Optional bool
	Default  json.RawMessage
}

// Queries are named queries that were checked. They are immutable and safe for
// concurrent use; nil is none.
type Queries struct {
	list   []*query
	limits graph.Limits
}

// Names are the names of the queries, in the order in which they were defined.
func (q *Queries) Names() []string {
	var names []string
	if q != nil {
		for _, one := range q.list {
			names = append(names, one.Name)
		}
	}
	return names
}

// Unfit tells which of the queries a schema cannot answer, in their order, and why:
// it lacks what they ask about, or has tools of records of their names. Those are
// not offered over it.
func (q *Queries) Unfit(s *schema.Schema) (names []string, why schema.Problems) {
	if q == nil {
		return nil, nil
	}
	c := &queryLoader{schema: s, limits: q.limits}
	taken := map[string]bool{}
	for _, t := range recordTools(s) {
		taken[t.name] = true
	}
	for _, one := range q.list {
		c.at = graph.Pointer("/queries", one.Name)
		n := len(c.problems)
		if taken[one.Name] {
			c.taken(one.Name)
		} else {
			c.try(one)
		}
		if len(c.problems) > n {
			names = append(names, one.Name)
		}
	}
	return names, c.problems
}

// NewQueries checks named queries against a schema and the limits that calls
// will have. The error is a schema.Problems, with all mistakes of all queries:
// names that clash or are not allowed, parameters that are unknown, unused or in
// the wrong place, and whatever would make the call a refusal.
//
// A schema with policies is taken as one sees it who may see everything. Who may
// see too little for a query is not offered it.
//
// A nil schema stands for those of many tenants: what needs no schema is checked,
// and each query is offered over the schemas that have all that it asks about. See
// Unfit.
func NewQueries(s *schema.Schema, l graph.Limits, queries ...NamedQuery) (*Queries, error) {
	out, problems := loadQueries(s, l, queries)
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}

// A query is a NamedQuery made ready for calls.
type query struct {
	NamedQuery
	template   *template
	parameters []*parameter // the required ones first, as in shape
	shape      *shape
	// order has the parameters as they were defined, for the published schema.
	order []*parameter
}

// A parameter is a QueryParameter with what reads its values.
type parameter struct {
	QueryParameter
	property *schema.Property // of the same type, for Coerce and the published schema
	def      graph.Value      // null if there is none
	used     bool
	cursor   bool // it stands for a cursor, which nobody has before the first call
}

func (p *parameter) optional() bool { return p.Optional || !p.def.IsNull() }

func loadQueries(s *schema.Schema, l graph.Limits, queries []NamedQuery) (*Queries, schema.Problems) {
	c := &queryLoader{schema: s, limits: l.WithDefaults()}
	registry := &Registry{byName: map[string]*Tool{}}
	if s != nil {
		registry = Graph(s, l)
	} else {
		for _, sh := range []*shape{describeShape, findShape, traverseShape, neighborsShape, pathsShape, aggregateShape} {
			registry.add(&Tool{Name: sh.noun})
		}
	}
	names := map[string]bool{}
	out := &Queries{limits: c.limits}
	if len(queries) > maxQueries {
		c.at = "/queries"
		c.report("", fmt.Sprintf("there are %d queries, over the cap of %d", len(queries), maxQueries))
		queries = queries[:maxQueries]
	}
	for i := range queries {
		q := &query{NamedQuery: queries[i]}
		q.Parameters, q.Arguments = slices.Clone(q.Parameters), slices.Clone(q.Arguments)
		c.at = graph.Pointer("/queries", q.Name)
		n := len(c.problems)
		c.head(q, registry, names)
		c.parametersOf(q)
		c.templateOf(q)
		if len(c.problems) == n {
			c.try(q)
		}
		out.list = append(out.list, q)
	}
	return out, c.problems
}

// A queryLoader checks queries and collects what is wrong with them.
type queryLoader struct {
	schema   *schema.Schema // nil where there is none yet
	limits   graph.Limits
	at       string // the pointer of the query being checked
	problems schema.Problems
}

func (c *queryLoader) report(path, message string) *schema.Problem {
	c.problems = append(c.problems, schema.Problem{Path: c.at + path, Message: message})
	return &c.problems[len(c.problems)-1]
}

func (c *queryLoader) taken(name string) {
	c.report("", schema.ToolCollision+`: there is a tool "`+name+`" already`)
}

var (
	queryName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)
	parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)
)

// head checks what a query is called and which tool it asks.
func (c *queryLoader) head(q *query, registry *Registry, names map[string]bool) {
	_, taken := registry.Lookup(q.Name)
	switch {
	case !queryName.MatchString(q.Name):
		c.report("", `"`+short(q.Name)+`" is no name for a query`).Hint = "lower-case letters, digits and underscores, at most 63, a letter first"
	case taken:
		c.taken(q.Name)
	case names[q.Name]:
		c.report("", `the query "`+q.Name+`" is defined twice`)
	}
	names[q.Name] = true
	if q.Title == "" {
		q.Title = q.Name
	}
	c.text("/title", "the title", q.Title)
	if q.Description == "" {
		c.report("/description", `the query "`+short(q.Name)+`" has no description`).Hint = "a model chooses a tool by it"
	}
	c.text("/description", "the description", q.Description)
	tool, ok := registry.Lookup(q.Tool)
	if _, record := registry.records[q.Tool]; record {
		c.report("/tool", `"`+q.Tool+`" lists records, and a named query asks one of the six tools`).Hint = "find_nodes lists them too"
	} else if !ok {
		e := registry.unknownTool(q.Tool)
		p := c.report("/tool", `there is no tool "`+short(q.Tool)+`"`)
		p.DidYouMean, p.Hint = e.DidYouMean, "one of "+strings.Join(e.Allowed, ", ")
	} else if tool.Name == graph.ToolDescribe {
		c.report("/tool", "get_graph_schema has nothing that a query could ask for")
	}
}

// text checks a text that models read: nothing in it may be invisible.
func (c *queryLoader) text(path, what, text string) {
	switch {
	case !utf8.ValidString(text) || printable(text) != strings.NewReplacer("\n", " ", "\t", " ").Replace(text):
		c.report(path, what+" has control or invisible characters or is not UTF-8")
	case utf8.RuneCountInString(text) > maxDescription:
		c.report(path, what+" is longer than 2,000 characters")
	}
}

// What a query may have, and how many there may be: a caller's registry makes
// typical calls of each.
const (
	maxQueries    = 500
	maxParameters = 32
	maxValues     = 200 // of an enum
)

// parametersOf checks the parameters of a query and makes what reads them.
func (c *queryLoader) parametersOf(q *query) {
	if len(q.Parameters) > maxParameters {
		c.report("/parameters", "a query has 32 parameters at most")
		q.Parameters = q.Parameters[:maxParameters]
	}
	seen := map[string]bool{}
	for _, def := range q.Parameters {
		at := graph.Pointer("/parameters", def.Name)
		switch {
		case !parameterName.MatchString(def.Name):
			c.report(at, `"`+short(def.Name)+`" is no name for a parameter`).Hint = "letters, digits and underscores, at most 63, no digit first"
		case seen[def.Name]:
			c.report(at, `the parameter "`+def.Name+`" is defined twice`)
			continue
		}
		seen[def.Name] = true
		q.order = append(q.order, c.parameter(at, def))
	}
	q.shape = &shape{noun: q.Name}
	for _, optional := range []bool{false, true} {
		for _, p := range q.order {
			if p.optional() != optional {
				continue
			}
			q.parameters = append(q.parameters, p)
			q.shape.fields = append(q.shape.fields, p.Name)
			if !optional {
				q.shape.required++
			}
		}
	}
	if q.shape.fields == nil {
		q.shape.fields = []string{} // a shape of no names at all would take any
	}
}

func (c *queryLoader) parameter(at string, def QueryParameter) *parameter {
	p := &parameter{QueryParameter: def, property: &schema.Property{Name: def.Name, Type: def.Type}}
	c.text(at+"/description", "the description", def.Description)
	switch {
	case def.Type.String() == "":
		c.report(at+"/type", `the parameter "`+short(def.Name)+`" has no type`)
		return p
	case def.Type == schema.JSON:
		c.report(at+"/type", "a parameter cannot be json: nothing is compared with it")
		return p
	case def.Type == schema.Enum && len(def.Values) == 0:
		c.report(at+"/values", `the enum "`+short(def.Name)+`" has no values`)
	case def.Type != schema.Enum && len(def.Values) > 0:
		c.report(at+"/values", "only an enum has values")
	case len(def.Values) > maxValues:
		c.report(at+"/values", fmt.Sprintf("the enum %q has %d values, over the cap of %d", short(def.Name), len(def.Values), maxValues))
		return p
	}
	for i, v := range def.Values {
		if v == "" || strings.ContainsFunc(v, unicode.IsControl) || slices.Contains(def.Values[:i], v) {
			c.report(at+"/values", `the value "`+short(v)+`" is empty, listed twice or has control characters`)
		}
		p.property.Values = append(p.property.Values, schema.EnumValue{Name: v})
	}
	if def.Default == nil {
		return p
	}
	limits := c.limits
	d := &decoder{reader: reader{src: string(def.Default), maxDepth: 2}, limits: &limits, conditions: &conditions{}}
	d.push(segment{key: "default", index: -1})
	v := p.read(d)
	d.end()
	switch {
	case d.failed != nil:
		c.report(at+"/default", d.failed.Message)
	case len(d.errs) > 0:
		c.report(at+"/default", d.errs[0].Message)
	default:
		p.def = v
	}
	return p
}
