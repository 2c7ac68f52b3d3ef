package storetest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
)

var negatedWalk = regexp.MustCompile(`^!node\.(outgoing|incoming)`)

// Whoever loses claims sees a part of what he saw, in every world.
func TestFewerRightsShowLess(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out of short runs: one call after another")
	}
	less, pairs := 0, 0
	for seed := range uint64(60) {
		w := policyWorld(seed, false)
		d := newDice(seed, 7)
		for _, wide := range w.scopes {
			narrow := d.fewer(wide, w.negated)
			a, err := w.viewer(narrow, generous)
			require.NoError(t, err)
			b, err := w.viewer(wide, generous)
			require.NoError(t, err)
			require.NoError(t, a.within(b), "seed %d\nscope %s\nscope %s\n%s", seed, scopeJSON(narrow), scopeJSON(wide), w.schema.yaml())
			pairs++
			if len(a.world.nodes) < len(b.world.nodes) {
				less++
			}
		}
	}
	t.Logf("of %d callers %d saw fewer nodes", pairs, less)
	require.Greater(t, less, pairs/20)
}

// TestPolicyWorlds builds many worlds: what is generated is a schema that
// loads, with a graph in it, and policies that CEL itself reads.
func TestPolicyWorlds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out of short runs: one call after another")
	}
	visible, hidden, negated := 0, 0, 0
	for seed := range uint64(300) {
		w := policyWorld(seed, seed%2 == 0)
		for _, l := range w.schema.labels {
			if negatedWalk.MatchString(l.policy) {
				negated++
			}
		}
		g, err := w.build()
		require.NoError(t, err, "seed %d\n%s", seed, w.schema.yaml())
		require.True(t, g.Schema().HasPolicies())
		for _, scope := range w.scopes {
			o, err := newOracle(w, scope)
			require.NoError(t, err)
			for i := range w.nodes {
				if o.visibleNode(i) {
					visible++
				} else {
					hidden++
				}
			}
			for i := range w.rels {
				o.visibleRel(i)
			}
			require.NoError(t, o.broken)
		}
	}
	t.Logf("%d nodes are visible, %d are not; %d policies begin with a negated walk", visible, hidden, negated)
	require.Greater(t, negated, 5)
	require.Greater(t, visible, hidden/9)
	require.Greater(t, hidden, visible/9)
}

// TestIsolationBites gives stores a schema whose policies are weaker than those
// of the world that is judged: calls must be found to be answered wrongly.
func TestIsolationBites(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out of short runs: one call after another")
	}
	restricted := func(policy string) bool { return policy != "" && policy != "public" }
	weaknesses := map[string]func(s *schemaSpec){
		"labels are open": func(s *schemaSpec) {
			for _, l := range s.labels[1:] {
				l.policy = "public"
			}
		},
		"one label is open": func(s *schemaSpec) {
			for _, l := range s.labels[1:] {
				if restricted(l.policy) {
					l.policy = "public"
					return
				}
			}
		},
		"a tenant is told by the beginning of its name": func(s *schemaSpec) {
			for _, l := range s.labels {
				l.policy = regexp.MustCompile(`node\.(tenant|part) == caller\.tenant`).ReplaceAllString(l.policy, `node.${1}.startsWith(caller.tenant)`)
			}
		},
		"relationships are open": func(s *schemaSpec) {
			for _, typ := range s.types {
				for _, p := range typ.pairs {
					p.policy = ""
				}
			}
		},
		"masks are lifted": func(s *schemaSpec) {
			for _, l := range s.labels {
				for _, p := range l.props {
					if p.mask != "" {
						p.visibleIf, p.mask = "", ""
					}
				}
			}
		},
		"what is unknown is taken for true": func(s *schemaSpec) {
			for _, l := range s.labels {
				if restricted(l.policy) {
					l.policy = "!(!(" + l.policy + ") && " + l.policy + ") && (" + l.policy + " || node." + l.props[len(l.props)-1].name + " == null)"
				}
			}
		},
	}
	for what, weaken := range weaknesses {
		t.Run(what, func(t *testing.T) {
			wrong, calls := 0, 0
			for seed := uint64(0); seed < 40 && wrong == 0; seed++ {
				w := policyWorld(seed, false)
				weak := w.clone()
				weak.schema = w.schema.clone()
				weaken(weak.schema)
				g, err := weak.build()
				if err != nil || weak.schema.yaml() == w.schema.yaml() {
					continue
				}
				st, err := embedded.New(g, embedded.Options{})
				require.NoError(t, err)
				caller := w.caller(st, g.Schema(), compile.RandomCursorKeys(), w.limits)
				d := newDice(seed, 6)
				for _, scope := range w.scopes {
					v, err := w.viewer(scope, w.limits)
					require.NoError(t, err)
					for range 25 {
						if len(v.ref.vertices) == 0 {
							break
						}
						if a, ok := randomCall(d, v.ref, pickTool(d)); ok {
							calls++
							if verdict := (&differential{}).pages(caller.As(scope), v.ref, &a, true); verdict.wrong() {
								wrong++
							}
						}
					}
				}
				require.NoError(t, st.Close())
			}
			t.Logf("%d of %d calls are answered wrongly", wrong, calls)
			require.NotZero(t, wrong)
		})
	}
}

// TestCanariesBite looks for canaries where one label of three tenants is open.
func TestCanariesBite(t *testing.T) {
	for seed := uint64(0); seed < 40; seed++ {
		w := policyWorld(seed, true)
		weak := w.clone()
		weak.schema = w.schema.clone()
		for _, l := range weak.schema.labels[1:] {
			l.policy = "public"
		}
		g, err := weak.build()
		require.NoError(t, err)
		st, err := embedded.New(g, embedded.Options{})
		require.NoError(t, err)
		caller := w.caller(st, g.Schema(), compile.RandomCursorKeys(), w.limits).As(w.scopes[0])
		v, err := w.viewer(w.scopes[0], w.limits)
		require.NoError(t, err)
		d := newDice(seed, 6)
		for range 50 {
			if len(v.ref.vertices) == 0 {
				break
			}
			tool, args := v.call(d, w)
			if tool == "" {
				continue
			}
			if answer := caller.document(tool, args); strings.Contains(answer, canaryWord(1)) || strings.Contains(answer, canaryWord(2)) {
				return
			}
		}
		require.NoError(t, st.Close())
	}
	t.Error("no call finds a canary where policies are open")
}

// TestOracle holds the oracle to what the documentation of policies says, on
// rows of one label.
func TestOracle(t *testing.T) {
	scope := &graph.Scope{Tenant: "a", Principal: "p", Claims: map[string]any{
		"level": json.Number("20"), "teams": []string{"x"}, "none": []any{}, "empty": "", "path": "/a/",
		"grants": []any{map[string]any{"path": "/b", "level": 10}, map[string]any{"path": "/a/"}},
	}}
	for policy, want := range map[string]string{
		`public`:                                      "1 2 3",
		`node.tenant == caller.tenant`:                "1 2",
		`!(node.tenant == caller.tenant)`:             "3",
		`node.n > 1`:                                  "3",
		`!(node.n > 1)`:                               "1",
		`node.n == null`:                              "2",
		`node.n != null`:                              "1 3",
		`node.n != 1`:                                 "3",
		`node.n in [1]`:                               "1",
		`!(node.n in [1])`:                            "3",
		`node.s in caller.teams`:                      "1",
		`node.s in caller.none`:                       "",
		`node.s in caller.missing`:                    "",
		`!(node.s in caller.missing)`:                 "",
		`has(caller.missing) || node.n==1`:            "1",
		`caller.missing == "x" || node.tenant == "b"`: "3",
		`node.path.startsWith(caller.path)`:           "1",
		`node.path.startsWith(caller.empty)`:          "",
		`node.path.startsWith(caller.missing)`:        "",
		`caller.grants.exists(g, node.path.startsWith(g.path) && g.level >= 10)`:    "3",
		`caller.grants.exists(g, node.path.startsWith(g.path))`:                     "1 3",
		`node.outgoing("TO").exists(x, x.n == 2)`:                                   "1",
		`node.outgoing("TO", "row").exists(x, x.n == 2)`:                            "1",
		`node.incoming("TO").exists(x, x.tenant == "a")`:                            "3",
		`node.outgoing("TO").exists(x, x.outgoing("TO").exists(y, y.id > 0))`:       "",
		`node.n < 2 && node.d < date("2026-01-02") && node.d >= date("2026-01-01")`: "1",
	} {
		props := []*propSpec{{name: "id", typ: schema.Int64}, {name: "tenant", typ: schema.String}, {name: "n", typ: schema.Int32}, {name: "s", typ: schema.String},
			{name: "path", typ: schema.String}, {name: "d", typ: schema.Date}}
		row := func(name string, id int64, values map[string]graph.Value) nodeSpec {
			values["id"] = graph.Int(id)
			return nodeSpec{name, values}
		}
		text := graph.String
		w := &world{
			schema: &schemaSpec{
				labels: []*labelSpec{{name: "row", key: []string{"id"}, props: props, policy: "public"}, {name: "asked", key: []string{"id"}, props: props, policy: policy}},
				types:  []*typeSpec{{name: "TO", pairs: []*pairSpec{{from: "asked", to: "row"}, {from: "row", to: "asked", policy: "relationship.n == 1", props: []*propSpec{{name: "n", typ: schema.Int32}}}}}},
			},
			nodes: []nodeSpec{
				row("asked", 1, map[string]graph.Value{"tenant": text("a"), "n": graph.Int(1), "s": text("x"), "path": text("/a/1"), "d": graph.Date(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}),
				row("asked", 2, map[string]graph.Value{"tenant": text("a")}),
				row("asked", 3, map[string]graph.Value{"tenant": text("b"), "n": graph.Int(2), "s": text("y"), "path": text("/b/1")}),
				row("row", 1, map[string]graph.Value{"tenant": text("a"), "n": graph.Int(2)}),
			},
			rels: []relSpec{
				{typ: "TO", from: graph.ID("asked", 1), to: graph.ID("row", 1)},
				{typ: "TO", from: graph.ID("row", 1), to: graph.ID("asked", 3), values: map[string]graph.Value{"n": graph.Int(1)}},
				{typ: "TO", from: graph.ID("row", 1), to: graph.ID("asked", 2)},
			},
		}
		o, err := newOracle(w, scope)
		require.NoError(t, err)
		var got []string
		for i := range 3 {
			if o.visibleNode(i) {
				got = append(got, w.idOf(w.nodes[i]).ID.String())
			}
		}
		require.NoError(t, o.broken)
		require.Equal(t, want, strings.Join(got, " "), policy)
	}
}
