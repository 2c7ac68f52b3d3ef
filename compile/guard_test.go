package compile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// owned is a hidden property that withPolicies gives to everything.
const owned = "belongs_to"

// withPolicies is a fixture's schema in which every label and every pair
// belongs to a tenant. Labels are open besides to those who have a neighbour in
// the label that walks says, by the type that it says.
func withPolicies(t testing.TB, fixture string, walks map[string]string) *schema.Schema {
	text, err := os.ReadFile(filepath.Join(storetest, "fixtures", fixture, "schema.yaml"))
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal(text, &doc))
	own := func(of map[string]any, who string) {
		props, _ := of["properties"].(map[string]any)
		if props == nil {
			props = map[string]any{}
			of["properties"] = props
		}
		props[owned] = map[string]any{"type": "string", "visible": false}
		of["policy"] = who + "." + owned + " == caller.tenant"
	}
	for name, n := range doc["nodes"].(map[string]any) {
		label := n.(map[string]any)
		own(label, "node")
		if walk := walks[name]; walk != "" {
			label["policy"] = walk
		}
		for _, p := range label["properties"].(map[string]any) {
			if p, ok := p.(map[string]any); ok && p["column"] == "owner_id" {
				p["exposes_key"] = true
			}
		}
		if records, ok := label["records"].(map[string]any); ok {
			delete(records, "document") // no policy allows it
			if p, ok := label["properties"].(map[string]any)["maker_id"].(map[string]any); ok {
				p["exposes_key"] = true
			}
		}
	}
	for _, r := range doc["relationships"].(map[string]any) {
		switch r := r.(type) {
		case []any:
			for _, pair := range r {
				own(pair.(map[string]any), "relationship")
			}
		case map[string]any:
			pairs, ok := r["pairs"].([]any)
			if !ok {
				own(r, "relationship")
			}
			for _, pair := range pairs {
				own(pair.(map[string]any), "relationship")
			}
		}
	}
	text, err = yaml.Marshal(doc)
	require.NoError(t, err)
	s, err := schema.Parse("schema.yaml", text)
	require.NoError(t, err)
	return s
}

// guardedFixtures are the fixtures' schemas with policies. Some of them walk.
func guardedFixtures(t testing.TB) map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"gitlab": withPolicies(t, "gitlab", map[string]string{
			"gl_issue": `node.outgoing("ISSUE_IN_PROJECT").exists(p, p.belongs_to == caller.tenant && !p.archived)`,
			"gl_note":  `node.belongs_to == caller.tenant || node.incoming("AUTHORED_NOTE").exists(u, u.bot)`,
		}),
		"figures": withPolicies(t, "figures", nil),
		"mapping": withPolicies(t, "mapping", map[string]string{
			"note": `node.outgoing("NOTED", "bug").exists(b, b.belongs_to == caller.tenant)`,
			"mark": `node.outgoing("MARKS").exists(c, c.outgoing("NEXT_TO").exists(d, d.belongs_to == caller.tenant))`,
		}),
		"records": withPolicies(t, "records", map[string]string{
			"product": `node.outgoing("MAKER").exists(m, m.belongs_to == caller.tenant)`,
		}),
		"types": withPolicies(t, "types", nil),
		"ward":  fixtureSchema(t, "ward"),
	}
}

var tenant = &graph.Scope{Tenant: "north", Claims: map[string]any{"role": "user", "grants": []any{map[string]any{"path": "/a/", "level": 20}}}}

// guardedPlans are the plans of all calls of the scripts, each shape once, under
// policies.
func guardedPlans(t testing.TB) []*compile.Plan {
	paths, err := filepath.Glob(filepath.Join(storetest, "scripts", "*.txt"))
	require.NoError(t, err)
	paths = append(paths, filepath.Join("testdata", "policies.txt"))
	schemas, fixtures := guardedFixtures(t), readers{}
	seen := map[string]bool{}
	var plans []*compile.Plan
	records := 0
	for _, path := range paths {
		for _, c := range scriptCalls(t, path) {
			require.Contains(t, schemas, c.fixture)
			r := *fixtures.of(t, c)
			r.schema = schemas[c.fixture]
			if c.scope == nil {
				c.scope = tenant
			}
			plan, err := r.plan(c)
			if err != nil || c.tool == graph.ToolDescribe || seen[c.fixture+plan.Shape()] {
				continue
			}
			seen[c.fixture+plan.Shape()] = true
			plans = append(plans, plan)
			if strings.HasPrefix(c.tool, "list_") || strings.HasPrefix(c.tool, "get_") {
				records++
			}
		}
	}
	require.Greater(t, records, 20, "of the tools of records")
	require.Greater(t, len(plans), 400)
	return plans
}

// TestNoReferenceWithoutGuard takes the guard off every reference of the plans
// of all scripts, one after the other, in every way there is: none may reach a
// store. The references are found by reflection, so that new kinds of them are
// found, too.
func TestNoReferenceWithoutGuard(t *testing.T) {
	d := compile.Postgres()
	references, walked := 0, 0
	for _, plan := range guardedPlans(t) {
		refs := compile.References(plan)
		require.NotEmpty(t, refs, plan)
		require.NoError(t, plan.Verify(), plan)
		references += len(refs)
		for i, r := range refs {
			if strings.Contains(r.At, ".guard.") {
				walked++
			}
			refuse := func(what string, undo func()) {
				_, err := compile.SQL(plan, d)
				require.ErrorIs(t, err, graph.Internal, "%s %s\n%s", what, r.At, plan)
				undo()
			}
			refuse("unsealed", r.Unseal())
			refuse("without a guard", r.Unguard())
			refuse("with an empty guard", r.Open())
			if other := refs[(i+1)%len(refs)]; !r.Shares(other) {
				refuse("with another's guard", r.Exchange(other))
			}
		}
		require.NoError(t, plan.Verify(), plan)
	}
	require.Greater(t, references, 5000)
	require.Greater(t, walked, 100, "too few references within guards")
}

var (
	tableRef = regexp.MustCompile("(?:FROM|JOIN) ((?:[\"`](?:[^\"`]|\"\"|``)+[\"`]\\.)?[\"`](?:[^\"`]|\"\"|``)+[\"`]) AS ([a-z0-9]+)")
	nodeRef  = regexp.MustCompile(`^(g[0-9]+|x[0-9]+)?n[0-9]*$`)
)

// TestEveryTableIsGuarded reads the statements of all plans: wherever a table
// stands, its guard does.
func TestEveryTableIsGuarded(t *testing.T) {
	checked := 0
	for _, plan := range guardedPlans(t) {
		labels := map[string][]*schema.Label{}
		for l := range plan.Schema.Labels() {
			labels[l.Table.Name] = append(labels[l.Table.Name], l)
		}
		for _, d := range compile.Dialects() {
			prog, err := compile.SQL(plan, d)
			if err != nil {
				requireNoStatement(t, err)
				continue
			}
			for _, st := range prog.Statements() {
				aliases := map[string]bool{}
				for _, m := range tableRef.FindAllStringSubmatch(st.Text(plan.Params), -1) {
					table, alias := strings.Trim(m[1], "\"`"), m[2]
					table = strings.ReplaceAll(table, "``", "`")
					if strings.HasPrefix(alias, "x") {
						require.False(t, aliases[alias], "%s twice in %s", alias, st.Text(plan.Params))
						aliases[alias] = true
					}
					if !guardedAlias(plan, st.Text(plan.Params), table, alias, labels[table]) {
						t.Fatalf("%s of %s has no guard\n%s\n%s", alias, table, plan, st.Text(plan.Params))
					}
					checked++
				}
			}
		}
	}
	require.Greater(t, checked, 10_000)
}

// guardedAlias reports whether the guard of a table stands in a statement under
// an alias: a comparison of the tenant, or a subquery that starts at its key.
func guardedAlias(plan *compile.Plan, text, table, alias string, labels []*schema.Label) bool {
	for _, q := range []string{`"`, "`"} {
		for _, column := range []string{owned, "tenant"} {
			if strings.Contains(text, alias+"."+q+column+q) {
				return true
			}
		}
	}
	open := func(name string) bool {
		return slices.ContainsFunc(plan.Guards(), func(g string) bool { return g == name+": true" })
	}
	walks := func(name string) bool {
		return slices.ContainsFunc(plan.Guards(), func(g string) bool { return strings.HasPrefix(g, name+": exists") })
	}
	for _, l := range labels {
		if nodeRef.MatchString(alias) && (open(l.Name) || walks(l.Name) && (strings.Contains(text, "EXISTS (SELECT ") || strings.Contains(text, " IN (SELECT "))) {
			return true
		}
	}
	if nodeRef.MatchString(alias) {
		return false
	}
	// a relationship's table: its own guard, or none
	for r := range plan.Schema.Relationships() {
		for _, p := range r.Pairs {
			if p.Table.Name == table && open(fmt.Sprintf("%s(%s,%s)", r.Name, p.From.Name, p.To.Name)) {
				return true
			}
			if p.Table.Name == table && p.Policy == `relationship.active || caller.role == "admin"` && strings.Contains(text, alias+"."+`"active"`) || strings.Contains(text, alias+".`active`") {
				return true
			}
		}
	}
	return false
}
