package compile_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

var admin = &graph.Scope{Tenant: "north", Claims: map[string]any{"role": "admin", "name": "Ada", "grants": []any{map[string]any{"path": "/", "level": 99}}}}

// checked are the codes and places of what a query is refused for.
func checked(t *testing.T, c *compile.Compiler, fixture string, scope *graph.Scope, q graph.Query) []string {
	_, err := c.Check(fixtureSchema(t, fixture), scope, q)
	if err == nil {
		return nil
	}
	var errs graph.Errors
	require.ErrorAs(t, err, &errs)
	var out []string
	for _, e := range errs {
		out = append(out, string(e.Code)+" "+e.Path)
	}
	return out
}

func find(label string) *graph.FindNodes {
	return &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}}
}

// TestNoScope refuses everything that depends on who asks, where nobody does.
func TestNoScope(t *testing.T) {
	c := compile.New(compile.Options{})
	for _, q := range []graph.Query{find("clinic"), find("nothing"), &graph.Describe{}, &graph.Neighbors{Start: graph.ID("clinic", 1)}} {
		require.Equal(t, []string{"NO_SCOPE "}, checked(t, c, "ward", nil, q))
		require.Equal(t, []string{"NO_SCOPE "}, checked(t, c, "ward", &graph.Scope{Claims: map[string]any{"tenant": "north"}}, q))
	}
	open := compile.New(compile.Options{Guard: func(*graph.Scope, compile.Guarded) (graph.Filter, error) { return nil, nil }})
	require.Equal(t, []string{"NO_SCOPE "}, checked(t, open, "gitlab", nil, find("gl_user")))
	require.Empty(t, checked(t, open, "gitlab", &graph.Scope{}, find("gl_user")))
}

// TestT26HiddenPropertiesAreNotComputedWith tries to learn of values that the
// caller may not see by figures, groups and conditions on them.
func TestT26HiddenPropertiesAreNotComputedWith(t *testing.T) {
	c := compile.New(compile.Options{})
	count := []graph.Aggregation{{Function: graph.Count}}
	for _, hidden := range []string{"pin", "salary", "email", "phone", "born", "rank"} {
		of := func(a graph.Aggregate) *graph.Aggregate { a.Label = "doctor"; return &a }
		for path, q := range map[string]*graph.Aggregate{
			"/aggregations/0/property":          of(graph.Aggregate{Aggregations: []graph.Aggregation{{Function: graph.CountDistinct, Property: hidden}}}),
			"/aggregations/1/property":          of(graph.Aggregate{Aggregations: append(count[:1:1], graph.Aggregation{Function: graph.Max, Property: hidden})}),
			"/aggregations/0/filters/" + hidden: of(graph.Aggregate{Aggregations: []graph.Aggregation{{Function: graph.Count, Filter: graph.Cmp(hidden, graph.IsNull, false)}}}),
			"/aggregations/0/where":             of(graph.Aggregate{Aggregations: []graph.Aggregation{{Function: graph.Count, Where: hidden + " != null"}}}),
			"/group_by/0/property":              of(graph.Aggregate{Aggregations: count, GroupBy: []graph.GroupKey{{Property: hidden}}}),
			"/having/0/as":                      of(graph.Aggregate{Aggregations: count, Having: []graph.Having{{As: hidden, Op: graph.Gt, Value: graph.Int(1)}}}),
		} {
			require.Equal(t, []string{"UNKNOWN_PROPERTY " + path}, checked(t, c, "ward", tenant, q), hidden)
			if hidden != "pin" && !strings.Contains(path, "having") {
				require.Empty(t, checked(t, c, "ward", admin, q), "%s for who may see %s", path, hidden)
			}
		}
		for path, q := range map[string]*graph.FindNodes{
			"/filters/" + hidden: {NodePattern: graph.NodePattern{Label: "doctor", Filter: graph.Cmp(hidden, graph.IsNull, true)}},
			"/where":             {NodePattern: graph.NodePattern{Label: "doctor", Where: hidden + " == null"}},
		} {
			require.Equal(t, []string{"UNKNOWN_PROPERTY " + path}, checked(t, c, "ward", tenant, q), hidden)
		}
	}
	steps := []graph.Step{{Types: []string{"TREATS"}, Filter: graph.Cmp("fee", graph.Gt, 1)}}
	require.Equal(t, []string{"UNKNOWN_PROPERTY /relationships/0/filters/fee"},
		checked(t, c, "ward", tenant, &graph.Traverse{From: graph.NodePattern{Label: "doctor"}, Relationships: steps, To: graph.NodePattern{Label: "patient"}}))
	require.Equal(t, []string{"UNKNOWN_PROPERTY /weight"},
		checked(t, c, "ward", tenant, &graph.Paths{From: graph.ID("patient", 1), To: graph.ID("patient", 2), Weight: "fee"}))
}

// TestT28NoOrderByWhatIsNotSeen refuses to order by hidden and masked
// properties.
func TestT28NoOrderByWhatIsNotSeen(t *testing.T) {
	c := compile.New(compile.Options{})
	for _, hidden := range []string{"pin", "salary", "email", "phone", "born", "rank"} {
		q := find("doctor")
		q.OrderBy = []graph.Order{{Property: hidden}}
		require.Equal(t, []string{"UNKNOWN_PROPERTY /order_by/0/property"}, checked(t, c, "ward", tenant, q), hidden)
	}
	q := find("doctor") // nor by how well it matches
	q.Search = "0001"
	plan, err := c.Check(fixtureSchema(t, "ward"), tenant, q)
	require.NoError(t, err)
	require.NotContains(t, plan.String(), "phone match")
	require.NotContains(t, plan.String(), "name, phone")
}

// TestNothingInvisibleIsNamed makes calls with every mistake there is and looks
// for what the caller cannot see in what comes back.
func TestNothingInvisibleIsNamed(t *testing.T) {
	c := compile.New(compile.Options{})
	s := fixtureSchema(t, "ward")
	traverse := func(from, typ, to string) graph.Query {
		return &graph.Traverse{From: graph.NodePattern{Label: from}, Relationships: []graph.Step{{Types: []string{typ}}}, To: graph.NodePattern{Label: to}}
	}
	show := func(label, name string) graph.Query {
		q := find(label)
		q.Properties = []string{name}
		return q
	}
	queries := []graph.Query{
		find("incidents"), find("Incident"), find("insident"), show("doctor", "salry"), show("doctor", "Pin"), show("patient", "tenants"), show("note", "sealedd"),
		traverse("patient", "ABOUTS", "note"), traverse("patient", "TREATS", "clinic"), traverse("patient", "HAS_NOTE", "incidnt"), traverse("bed", "TREATS", "patient"),
		&graph.Describe{ExpandNodes: []string{"incidents"}}, &graph.Describe{ExpandRelationshipTypes: []string{"ABOUT"}}, &graph.Describe{Search: "administrators"}, &graph.Describe{Expand: true},
		&graph.Neighbors{Start: graph.ID("patient", 1), NodeTypes: []string{"incidents"}, RelationshipTypes: []string{"about"}},
		&graph.Paths{From: graph.ID("patient", 1), To: graph.ID("incidnt", 2)},
		&graph.Aggregate{NodePattern: graph.NodePattern{Label: "doctor"}, Aggregations: []graph.Aggregation{{Function: graph.Sum, Property: "salarys"}}},
	}
	for _, q := range queries {
		plan, err := c.Check(s, tenant, q)
		var shown []byte
		if err != nil {
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			for _, e := range errs {
				e.Got, e.Message = "", strings.ReplaceAll(e.Message, `"`+e.Got+`"`, "") // what the caller wrote
			}
			shown, err = json.Marshal(errs)
		} else {
			require.IsType(t, &compile.Describe{}, plan.Root)
			shown, err = json.Marshal(plan.Root.(*compile.Describe).Description)
		}
		require.NoError(t, err)
		for _, name := range []string{`"incident"`, `"ABOUT"`, "ABOUT outgoing", "ABOUT incoming", `"salary"`, `"pin"`, `"sealed"`, `"ward"`, `"fee"`, "administrators", "caller"} {
			require.NotContains(t, string(shown), name)
		}
	}
}

// TestMaskedPropertiesAreDescribed describes masks as what is shown in their
// place.
func TestMaskedPropertiesAreDescribed(t *testing.T) {
	c := compile.New(compile.Options{})
	describe := func(scope *graph.Scope) (*graph.Description, string) {
		plan, err := c.Check(fixtureSchema(t, "ward"), scope, &graph.Describe{ExpandNodes: []string{"doctor"}})
		require.NoError(t, err)
		d := plan.Root.(*compile.Describe).Description
		for _, n := range d.NodeTypes {
			if n.Name == "doctor" {
				text, err := json.Marshal(n.Properties)
				require.NoError(t, err)
				return d, string(text)
			}
		}
		return nil, ""
	}
	user, shown := describe(tenant)
	require.Equal(t, `[{"name":"tenant","type":"string","nullable":false},{"name":"no","type":"int32","nullable":false},{"name":"name","type":"string","nullable":false},`+
		`{"name":"email","type":"string","filterable":false},{"name":"phone","type":"string","filterable":false},{"name":"born","type":"date","filterable":false},{"name":"rank","type":"enum","filterable":false}]`, shown)
	all, shown := describe(admin)
	require.Contains(t, shown, `{"name":"rank","type":"enum","nullable":false,"values":["junior","senior"]}`)
	require.Contains(t, shown, `"salary"`)
	require.NotEqual(t, user.Revision, all.Revision)
}

// TestMask shows what stands in the place of values.
func TestMask(t *testing.T) {
	key := []byte("0123456789abcdef")
	s := fixtureSchema(t, "ward")
	plan := func(c *compile.Compiler, scope *graph.Scope) *compile.Plan {
		p, err := c.Check(s, scope, find("doctor"))
		require.NoError(t, err)
		return p
	}
	mask := func(p *compile.Plan, name string, v graph.Value) graph.Value {
		l, _ := p.Schema.Label("doctor")
		prop, ok := l.Property(name)
		require.True(t, ok)
		return p.Mask(prop, v)
	}
	p := plan(compile.New(compile.Options{MaskKey: key}), tenant)
	for _, c := range []struct{ property, value, want string }{
		{"name", "Ada", "Ada"},
		{"email", "ada@example.org", "h:99a7fe8b14a8a0a847ee5bd9939b3f13"},
		{"phone", "5550001", "****0001"}, {"phone", "123", "****"}, {"phone", "1234", "****"}, {"phone", "日本語四文", "****本語四文"}, {"phone", "", "****"},
	} {
		require.Equal(t, graph.String(c.want), mask(p, c.property, graph.String(c.value)), c.value)
	}
	require.True(t, mask(p, "born", graph.DateFromDays(1)).IsNull())
	for _, name := range []string{"phone", "email", "born", "name"} {
		require.True(t, mask(p, name, graph.Null()).IsNull())
		require.Equal(t, graph.String("a"), mask(plan(compile.New(compile.Options{}), admin), name, graph.String("a")))
	}
	email := mask(p, "email", graph.String("ada@example.org"))
	require.Equal(t, email, mask(plan(compile.New(compile.Options{MaskKey: key}), tenant), "email", graph.String("ada@example.org")), "one key, one hash")
	require.NotEqual(t, email, mask(plan(compile.New(compile.Options{MaskKey: []byte("another")}), tenant), "email", graph.String("ada@example.org")))
	require.NotEqual(t, email, mask(plan(compile.New(compile.Options{}), tenant), "email", graph.String("ada@example.org")))
	require.NotEqual(t, email, mask(p, "email", graph.String("bob@example.org")))
	south := *tenant
	south.Tenant = "south"
	require.NotEqual(t, email, mask(plan(compile.New(compile.Options{MaskKey: key}), &south), "email", graph.String("ada@example.org")), "tenants cannot compare")
}

// TestHostGuard has policies in Go beside those of the schema, which fail in
// every way.
func TestHostGuard(t *testing.T) {
	deep := graph.Filter(graph.Cmp("id", graph.Gt, 1))
	for range 100 {
		deep = graph.And{deep, graph.Cmp("id", graph.Gt, 1)}
	}
	walk := func(typ, to string, f graph.Filter) graph.Filter {
		return graph.Exists{Relationships: []graph.Step{{Types: []string{typ}, Direction: graph.Both, To: &graph.NodePattern{Label: to, Filter: f}}}}
	}
	for _, c := range []struct {
		name   string
		filter graph.Filter
		err    error
		panics bool
		want   string // the guard of clinic, or a code
	}{
		{name: "open", want: "true"},
		{name: "closed", filter: graph.Or{}, want: "false"},
		{name: "compared", filter: graph.Cmp("city", graph.StartsWith, "A"), want: "city starts with ?"},
		{name: "any list", filter: graph.OneOf("id", 1, 2, 3), want: "id in (4)"},
		{name: "constants fold", filter: graph.And{graph.Or{graph.And{}, graph.Cmp("id", graph.Gt, 1)}, graph.Not{Filter: graph.Or{}}}, want: "true"},
		{name: "a walk", filter: walk("WORKS_AT", "doctor", graph.Cmp("pin", graph.Eq, "1")), want: "exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor where pin = ?)"},
		{name: "a walk along what is not seen", filter: graph.Not{Filter: walk("ABOUT", "incident", nil)}, want: "true"},
		{name: "an error", err: errors.New("secret"), want: "FORBIDDEN"},
		{name: "a panic", panics: true, want: "FORBIDDEN"},
		{name: "no such property", filter: graph.Cmp("nothing", graph.Eq, 1), want: "INTERNAL"},
		{name: "a wrong type", filter: graph.Cmp("id", graph.Eq, "x"), want: "INTERNAL"},
		{name: "a wrong operator", filter: graph.Cmp("id", graph.Contains, "1"), want: "INTERNAL"},
		{name: "null", filter: graph.Cmp("id", graph.Eq, nil), want: "INTERNAL"},
		{name: "no list", filter: graph.Cmp("id", graph.In, 1), want: "INTERNAL"},
		{name: "no boolean", filter: graph.Cmp("id", graph.IsNull, 1), want: "INTERNAL"},
		{name: "not of nothing", filter: graph.Not{}, want: "INTERNAL"},
		{name: "too deep", filter: deep, want: "INTERNAL"},
		{name: "a walk over what walks", filter: walk("STANDS_IN", "bed", nil), want: "INTERNAL"},
		{name: "too many hops", filter: walk("WORKS_AT", "doctor", walk("KNOWS", "doctor", walk("KNOWS", "doctor", walk("KNOWS", "doctor", nil)))), want: "INTERNAL"},
		{name: "an empty walk", filter: graph.Exists{}, want: "INTERNAL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			guard := func(scope *graph.Scope, on compile.Guarded) (graph.Filter, error) {
				require.Same(t, admin, scope)
				if on.Label != "clinic" {
					return nil, nil
				}
				if asked++; c.panics {
					panic("secret")
				}
				return c.filter, c.err
			}
			plan, err := compile.New(compile.Options{Guard: guard}).Check(fixtureSchema(t, "ward"), admin, find("clinic"))
			require.Equal(t, 1, asked)
			if c.want == strings.ToUpper(c.want) {
				var errs graph.Errors
				require.ErrorAs(t, err, &errs)
				require.Len(t, errs, 1)
				require.Equal(t, graph.Code(c.want), errs[0].Code)
				require.NotContains(t, errs[0].Message+errs[0].Hint, "secret")
				require.Error(t, errs[0].Cause)
				return
			}
			require.NoError(t, err)
			require.Contains(t, plan.Guards(), "clinic: "+c.want)
			for _, d := range compile.Dialects() {
				_, err := compile.SQL(plan, d)
				require.NoError(t, err)
			}
		})
	}
}

// TestMinGroup shows no figure of few nodes.
func TestMinGroup(t *testing.T) {
	c := compile.New(compile.Options{MinGroup: 5})
	count := []graph.Aggregation{{Function: graph.Count}}
	q := &graph.Aggregate{NodePattern: graph.NodePattern{Label: "gl_issue"}, Aggregations: count, GroupBy: []graph.GroupKey{{Property: "state"}}}
	plan, err := c.Check(fixtureSchema(t, "gitlab"), nil, q)
	require.NoError(t, err)
	require.Contains(t, plan.Shape(), "of 5 nodes or more")
	prog, err := compile.SQL(plan, compile.Postgres())
	require.NoError(t, err)
	require.Contains(t, prog.Main.Text(plan.Params), "COUNT(*) AS g FROM")
	require.Contains(t, prog.Main.Text(plan.Params), "AS a WHERE g >= $1::bigint ORDER BY")
	q.GroupBy = nil
	plan, err = c.Check(fixtureSchema(t, "gitlab"), nil, q)
	require.NoError(t, err)
	prog, err = compile.SQL(plan, compile.Postgres())
	require.NoError(t, err)
	require.Contains(t, prog.Main.Text(plan.Params), "AS a WHERE g >= $1::bigint LIMIT")
	q.Aggregations = []graph.Aggregation{{Function: graph.Count, Filter: graph.Cmp("weight", graph.Gt, 1), As: "a"}, {Function: graph.Count, Where: "weight > 1", As: "b"}}
	require.Equal(t, []string{"UNSUPPORTED /aggregations/0/filters", "UNSUPPORTED /aggregations/1/where"}, checked(t, c, "gitlab", nil, q))
	// A property that not every node has: figures of few values are null.
	q.Aggregations = []graph.Aggregation{{Function: graph.CountDistinct, Property: "weight"}, {Function: graph.Max, Property: "iid"}}
	q.OrderBy = []graph.ColumnOrder{{As: "count_distinct_weight"}}
	plan, err = c.Check(fixtureSchema(t, "gitlab"), nil, q)
	require.NoError(t, err)
	require.Contains(t, plan.Shape(), "count_distinct weight of 5 values or more as count_distinct_weight, max iid as")
	prog, err = compile.SQL(plan, compile.Postgres())
	require.NoError(t, err)
	require.Contains(t, prog.Main.Text(plan.Params), `CASE WHEN COUNT(n."weight") >= $1::bigint THEN COUNT(DISTINCT n."weight") END AS c1, MAX(n."iid") AS c2`)
	require.Contains(t, prog.Main.Text(plan.Params), `ORDER BY "c1" NULLS LAST`)
	q.Aggregations, q.OrderBy = []graph.Aggregation{{Function: graph.Count}}, nil
	for _, off := range []int{0, 1} {
		require.Empty(t, checked(t, compile.New(compile.Options{MinGroup: off}), "gitlab", nil, q))
	}
}

// TestRedacted keeps labels of which the host decides out of everything but
// being what is asked for.
func TestRedacted(t *testing.T) {
	c := compile.New(compile.Options{Redacted: []string{"gl_issue"}})
	issue, user := graph.NodePattern{Label: "gl_issue"}, graph.NodePattern{Label: "gl_user"}
	count := []graph.Aggregation{{Function: graph.Count}}
	authored := graph.Step{Types: []string{"AUTHORED_ISSUE"}}
	to := func(s graph.Step, n *graph.NodePattern) graph.Step { s.To = n; return s }
	for name, test := range map[string]struct {
		q    graph.Query
		want string
	}{
		"find":                  {find("gl_issue"), ""},
		"target":                {&graph.Traverse{From: user, Relationships: []graph.Step{authored}, To: issue, OmitConnections: true}, ""},
		"with connections":      {&graph.Traverse{From: user, Relationships: []graph.Step{authored}, To: issue}, "UNSUPPORTED /connections"},
		"a long last step":      {&graph.Traverse{From: user, Relationships: []graph.Step{{Types: []string{"AUTHORED_ISSUE", "FOLLOWS"}, MaxHops: 2}}, To: issue, OmitConnections: true}, "UNSUPPORTED /relationships/0/max_hops"},
		"start":                 {&graph.Traverse{From: issue, Relationships: []graph.Step{{Types: []string{"ISSUE_IN_PROJECT"}}}, To: graph.NodePattern{Label: "gl_project"}}, "UNSUPPORTED /from/label"},
		"between":               {&graph.Traverse{From: user, Relationships: []graph.Step{to(authored, &issue), {Types: []string{"ISSUE_IN_PROJECT"}}}, To: graph.NodePattern{Label: "gl_project"}}, "UNSUPPORTED /relationships/0/to/label"},
		"unnamed between":       {&graph.Traverse{From: user, Relationships: []graph.Step{authored, {Types: []string{"ISSUE_IN_PROJECT"}}}, To: graph.NodePattern{Label: "gl_project"}}, "UNSUPPORTED /relationships/0/type"},
		"related":               {&graph.FindNodes{NodePattern: graph.NodePattern{Label: "gl_user", Related: []graph.Related{{Relationships: []graph.Step{to(authored, &issue)}}}}}, "UNSUPPORTED /related/0/relationships/0/to/label"},
		"related to whatever":   {&graph.FindNodes{NodePattern: graph.NodePattern{Label: "gl_user", Related: []graph.Related{{Relationships: []graph.Step{authored}}}}}, "UNSUPPORTED /related/0/relationships/0/type"},
		"related, of two types": {&graph.FindNodes{NodePattern: graph.NodePattern{Label: "gl_user", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"FOLLOWS", "AUTHORED_ISSUE"}}}}}}}, "UNSUPPORTED /related/0/relationships/0/type/1"},
		"related, not at once":  {&graph.FindNodes{NodePattern: graph.NodePattern{Label: "gl_user", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"AUTHORED_NOTE", "MENTIONED_IN_NOTE"}, MaxHops: 2}}}}}}, "UNSUPPORTED /related/0/relationships/0/type/1"},
		"explored along":        {&graph.Neighbors{Start: graph.ID("gl_user", 1), RelationshipTypes: []string{"AUTHORED_ISSUE"}}, "UNSUPPORTED /relationship_types"},
		"path along":            {&graph.Paths{From: graph.ID("gl_user", 1), To: graph.ID("gl_project", 1), RelationshipTypes: []string{"FOLLOWS", "ISSUE_IN_PROJECT"}}, "UNSUPPORTED /relationship_types"},
		"aggregate":             {&graph.Aggregate{NodePattern: issue, Aggregations: count}, "UNSUPPORTED /node_label"},
		"group chain":           {&graph.Aggregate{NodePattern: user, Aggregations: count, GroupBy: []graph.GroupKey{{Relationships: []graph.Step{to(authored, &issue)}}}}, "UNSUPPORTED /group_by/0/relationships/0/to/label"},
		"explored from":         {&graph.Neighbors{Start: graph.ID("gl_issue", 1)}, "UNSUPPORTED /start_node/label"},
		"explored":              {&graph.Neighbors{Start: graph.ID("gl_user", 1), NodeTypes: []string{"gl_user", "gl_issue"}}, "UNSUPPORTED /node_types/1"},
		"path to":               {&graph.Paths{From: graph.ID("gl_user", 1), To: graph.ID("gl_issue", 1)}, "UNSUPPORTED /to/label"},
		"path from":             {&graph.Paths{From: graph.ID("gl_issue", 1), To: graph.ID("gl_user", 1)}, "UNSUPPORTED /from/label"},
		"path over":             {&graph.Paths{From: graph.ID("gl_user", 1), To: graph.ID("gl_user", 2), NodeTypes: []string{"gl_issue"}}, "UNSUPPORTED /node_types/0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := checked(t, c, "gitlab", nil, test.q)
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.Contains(t, got, test.want)
			require.Empty(t, checked(t, compile.New(compile.Options{}), "gitlab", nil, test.q))
		})
	}
	// What does not name it goes round it.
	for _, q := range []graph.Query{&graph.Neighbors{Start: graph.ID("gl_user", 1)}, &graph.Paths{From: graph.ID("gl_user", 1), To: graph.ID("gl_project", 2)}} {
		plan, err := c.Check(fixtureSchema(t, "gitlab"), nil, q)
		require.NoError(t, err)
		text, _, _ := strings.Cut(plan.Shape(), "\n  show ")
		require.NotContains(t, text, "gl_issue")
		require.Contains(t, text, "gl_user")
	}
}

// TestT33CursorsKnowTheirScope takes a cursor to other scopes that could be
// mistaken for its own.
func TestT33CursorsKnowTheirScope(t *testing.T) {
	c := compile.New(compile.Options{})
	s := fixtureSchema(t, "gitlab")
	own := &graph.Scope{Tenant: "a", Principal: "bc", TokenID: "1", Claims: map[string]any{"x": []any{"1", "2"}, "y": "3"}}
	page := func(scope *graph.Scope, cursor string) error {
		q := find("gl_user")
		q.Cursor = cursor
		_, err := c.Check(s, scope, q)
		return err
	}
	plan, err := c.Check(s, own, find("gl_user"))
	require.NoError(t, err)
	cursor := c.Cursor(plan, []graph.Value{graph.Int(1)})
	require.NoError(t, page(own, cursor))
	renewed := *own
	renewed.TokenID = "2"
	require.NoError(t, page(&renewed, cursor), "a renewed token keeps its pages")
	same := *own
	same.Claims = map[string]any{"y": "3", "x": []string{"1", "2"}}
	require.NoError(t, page(&same, cursor))
	for _, other := range []*graph.Scope{
		nil, {}, {Tenant: "ab", Principal: "c", Claims: own.Claims}, {Tenant: "", Principal: "abc", Claims: own.Claims}, {Tenant: "a", Principal: "bc"},
		{Tenant: "a", Principal: "bc", Claims: map[string]any{"x": []any{"12"}, "y": "3"}},
		{Tenant: "a", Principal: "bc", Claims: map[string]any{"x": []any{1, 2}, "y": "3"}},
		{Tenant: "a", Principal: "bc", Claims: map[string]any{"x": []any{"1", "2"}, "y": 3}},
		{Tenant: "a", Principal: "bc", Claims: map[string]any{"x": []any{"1", "2"}, "y": nil}},
		{Tenant: "a", Principal: "bc", Claims: map[string]any{"x": map[string]any{"1": "2"}, "y": "3"}},
		{Tenant: "a", Principal: "bc", Claims: map[string]any{"x": []any{"1", "2", "y"}}},
	} {
		require.ErrorIs(t, page(other, cursor), graph.InvalidCursor, "%+v", other)
	}
}
