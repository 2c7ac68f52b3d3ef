package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// filterText writes a filter as the tables of these tests have it.
func filterText(f graph.Filter) string {
	join := func(list []graph.Filter, between, none string) string {
		if len(list) == 0 {
			return none
		}
		parts := make([]string, len(list))
		for i, p := range list {
			parts[i] = filterText(p)
		}
		return "(" + strings.Join(parts, between) + ")"
	}
	switch f := f.(type) {
	case nil:
		return "open"
	case graph.And:
		return join(f, " & ", "always")
	case graph.Or:
		return join(f, " | ", "never")
	case graph.Not:
		return "!" + filterText(f.Filter)
	case graph.Compare:
		return f.Property + " " + string(f.Op) + " " + f.Value.String()
	case graph.Exists:
		steps := make([]string, len(f.Relationships))
		for i, s := range f.Relationships {
			steps[i] = string(s.Direction) + " " + s.Types[0] + " " + s.To.Label
			if s.To.Filter != nil {
				steps[i] += ": " + filterText(s.To.Filter)
			}
		}
		return "{" + strings.Join(steps, ", ") + "}"
	}
	return "?"
}

// policed is a schema of one kind of every property, with a policy for its
// document.
func policed(policy string) string {
	return `
format: trellis.schema.v1
nodes:
  doc:
    key: id
    display: title
    policy: >-
      ` + strings.ReplaceAll(policy, "\n", "\n      ") + `
    properties:
      id: int64
      title: {type: string, search: true}
      tenant: {type: string, visible: false}
      path: string
      level: int32
      score: float
      price: {type: decimal, scale: 2}
      open: bool
      state: {type: enum, values: {1: draft, 2: live}}
      token: uuid
      day: date
      at: datetime
      notes: json
      bio: {type: string, patterns: false}
  folder: {key: id, policy: public, properties: {id: int64, path: string, owner: string, open: bool}}
  user: {key: id, policy: public, properties: {id: string, name: string}}
relationships:
  IN: {from: doc, to: folder, foreign_key: folder_id}
  PART_OF: {from: folder, to: folder, foreign_key: parent_id}
  OWNS: {from: user, to: folder}
  LINKED:
    - {from: doc, to: folder, table: links}
    - {from: doc, to: user, table: links2}
`
}

func guardOf(t testing.TB, policy string, scope *graph.Scope) string {
	s, err := Parse("p.yaml", []byte(policed(policy)))
	require.NoError(t, err, policy)
	v, err := s.View(scope)
	require.NoError(t, err, policy)
	doc, ok := v.Schema().Label("doc")
	if !ok {
		return "never"
	}
	return filterText(v.Guard(doc))
}

func claims(list ...any) *graph.Scope {
	s := &graph.Scope{Tenant: "acme", Principal: "ann", Claims: map[string]any{}}
	for i := 0; i+1 < len(list); i += 2 {
		s.Claims[list[i].(string)] = list[i+1]
	}
	return s
}

func TestPolicyGuards(t *testing.T) {
	grants := []any{map[string]any{"path": "a/", "level": 20.0}, map[string]any{"path": "a/b/", "level": 30}, map[string]any{"path": "c/", "level": 5}, map[string]any{"level": 50}}
	for _, c := range []struct {
		policy string
		scope  *graph.Scope
		want   string
	}{
		{`node.tenant == caller.tenant`, claims(), `tenant eq "acme"`},
		{`caller.tenant == node.tenant`, claims(), `tenant eq "acme"`},
		{`!(node.tenant == caller.tenant)`, claims(), `tenant ne "acme"`},
		{`node.tenant in [caller.tenant, "all"]`, claims(), `tenant in ["acme","all"]`},
		{`node.tenant == "all" || node.tenant == caller.tenant`, claims(), `tenant in ["acme","all"]`},
		{`caller.role == "admin" || node.tenant == caller.tenant`, claims("role", "admin"), `open`},
		{`caller.role == "admin" || node.tenant == caller.tenant`, claims("role", "user"), `tenant eq "acme"`},
		{`caller.role == "admin" || node.tenant == caller.tenant`, claims(), `tenant eq "acme"`},
		{`caller.role != "admin" && node.open`, claims(), `never`},
		{`!(caller.role == "admin") && node.open`, claims(), `never`},
		{`node.open && caller.staff`, claims("staff", true), `open eq true`},
		{`node.open && caller.staff`, claims("staff", false), `never`},
		{`node.open && caller.staff`, claims("staff", "true"), `never`},
		{`node.open && !caller.staff`, claims("staff", false), `open eq true`},
		{`!node.open`, claims(), `open ne true`},
		{`node.path in caller.paths`, claims("paths", []string{"b", "a", "b"}), `path in ["a","b"]`},
		{`node.path in caller.paths`, claims("paths", []string{}), `never`},
		{`node.path in caller.paths`, claims("paths", "b"), `never`},
		{`node.path in caller.paths`, claims("paths", []any{"b", 7, nil}), `path eq "b"`},
		{`!(node.path in caller.paths)`, claims("paths", []any{"b", 7}), `never`},
		{`!(node.path in caller.paths)`, claims("paths", []any{"b", nil}), `never`},
		{`!(node.path in caller.paths)`, claims("paths", []any{"b", "a"}), `path not_in ["a","b"]`},
		{`!(node.path in caller.paths)`, claims("paths", []any{}), `path is_null false`},
		{`"x" in caller.paths`, claims("paths", []any{"x"}), `open`},
		{`"x" in caller.paths`, claims("paths", []any{"y"}), `never`},
		{`!("x" in caller.paths)`, claims("paths", []any{"y"}), `open`},
		{`!("x" in caller.paths)`, claims("paths", []any{"y", nil}), `never`},
		{`caller.tier in ["a", "b"]`, claims("tier", "b"), `open`},
		{`caller.org.tier in ["a", "b"]`, claims("org", map[string]string{"tier": "b"}), `open`},
		{`caller.org.tier in ["a", "b"]`, claims("org", []string{"b"}), `never`},
		{`node.path.startsWith(caller.prefix)`, claims("prefix", "a/"), `path starts_with "a/"`},
		{`node.path.startsWith(caller.prefix)`, claims("prefix", ""), `never`},
		{`!node.path.startsWith(caller.prefix)`, claims("prefix", ""), `never`},
		{`!node.path.startsWith(caller.prefix)`, claims("prefix", "a"), `!path starts_with "a"`},
		{`node.path.startsWith(caller.prefix)`, claims("prefix", 7), `never`},
		{`node.bio.contains("a")`, claims(), `bio contains "a"`},
		{`caller.prefix.endsWith("/x") && node.open`, claims("prefix", "a/x"), `open eq true`},
		{`caller.grants.exists(g, node.path.startsWith(g.path) && g.level >= 20)`, claims("grants", grants), `path starts_with "a/"`},
		{`caller.grants.exists(g, node.path.startsWith(g.path))`, claims("grants", grants), `(path starts_with "a/" | path starts_with "c/")`},
		{`!caller.grants.exists(g, node.path.startsWith(g.path))`, claims("grants", grants), `never`},
		{`!caller.grants.exists(g, g.level > 50)`, claims("grants", grants), `open`},
		{`caller.orgs.exists(o, o.teams.exists(x, node.path == x && o.on))`, claims("orgs", []any{
			map[string]any{"on": true, "teams": []string{"b", "a"}}, map[string]any{"on": false, "teams": []string{"c"}}}), `path in ["a","b"]`},
		{`node.level >= caller.level`, claims("level", 20.0), `level gte 20`},
		{`caller.level > node.level`, claims("level", int8(20)), `level lt 20`},
		{`node.level >= caller.level`, claims("level", 20.5), `never`},
		{`node.level >= caller.level`, claims("level", "20"), `never`},
		{`node.level >= caller.level`, claims("level", int64(1<<40)), `never`},
		{`node.score < caller.level`, claims("level", 20), `score lt 20`},
		{`node.price < 0.10`, claims(), `price lt "0.10"`},
		{`node.price < -1.5`, claims(), `price lt "-1.5"`},
		{`node.state == caller.state`, claims("state", "live"), `state eq "live"`},
		{`node.state == caller.state`, claims("state", "gone"), `never`},
		{`node.state in caller.states`, claims("states", []string{"live", "gone"}), `state eq "live"`},
		{`node.day >= date("2026-01-02") && node.at < timestamp("2026-01-02T00:00:00Z")`, claims(), `(day gte "2026-01-02" & at lt "2026-01-02T00:00:00Z")`},
		{`node.day >= caller.since`, claims("since", "2026-01-02"), `day gte "2026-01-02"`},
		{`node.day >= caller.since`, claims("since", "2026"), `never`},
		{`node.notes == null`, claims(), `notes is_null true`},
		{`node.level != null && !(node.level != null)`, claims(), `(level is_null false & level is_null true)`},
		{`caller.ends == null`, claims(), `never`},
		{`caller.ends == null`, claims("ends", nil), `open`},
		{`caller.ends != null`, claims("ends", "x"), `open`},
		{`node.path == caller.ends`, claims("ends", nil), `never`},
		{`has(caller.ends)`, claims("ends", nil), `open`},
		{`!has(caller.ends) && node.open`, claims(), `open eq true`},
		{`!has(caller.a.b)`, claims(), `never`},
		{`!has(caller.a.b)`, claims("a", map[string]any{}), `open`},
		{`has(caller.token_id)`, claims(), `never`},
		{`caller.principal == "ann"`, claims("principal", "bob"), `open`},
		{`node.path != "a" && node.path != "b"`, claims(), `path not_in ["a","b"]`},
		{`caller.n == 1.0 && caller.n < 1.5 && caller.m == caller.n`, claims("n", 1, "m", 1.0), `open`},
		{`caller.n == "1"`, claims("n", 1), `never`},
		{`caller.n != "1"`, claims("n", 1), `never`},
		{`!(caller.n == "1")`, claims("n", 1), `never`},
		{`!(caller.n in ["1"])`, claims("n", 1), `never`},
		{`caller.l.exists(x, node.path.startsWith(x))`, claims("l", []string{"c/d", "a/", "c/", "a/b", "d", "c/e"}), `(path starts_with "a/" | path starts_with "c/" | path starts_with "d")`},
		{`node.outgoing("IN").exists(f, f.path.startsWith(caller.prefix))`, claims("prefix", "a/"), `{outgoing IN folder: path starts_with "a/"}`},
		{`node.outgoing("IN").exists(f, f.path.startsWith(caller.prefix))`, claims(), `never`},
		{`node.outgoing("IN").exists(f, true)`, claims(), `{outgoing IN folder}`},
		{`node.outgoing("LINKED", "user").exists(u, u.id == caller.principal)`, claims(), `{outgoing LINKED user: id eq "ann"}`},
		{`node.outgoing("IN").exists(f, f.open && f.incoming("OWNS").exists(u, u.id == caller.principal))`, claims(), `{outgoing IN folder: open eq true, incoming OWNS user: id eq "ann"}`},
		{`node.outgoing("IN").exists(f, f.incoming("OWNS").exists(u, u.id == caller.principal))`, claims(), `{outgoing IN folder, incoming OWNS user: id eq "ann"}`},
		{`node.outgoing("IN").exists(f, f.open || f.incoming("OWNS").exists(u, u.id == caller.principal))`, claims(), `{outgoing IN folder: (open eq true | {incoming OWNS user: id eq "ann"})}`},
		{`!node.outgoing("IN").exists(f, f.open)`, claims(), `!{outgoing IN folder: (open eq true | open is_null true)}`},
		{`!node.outgoing("IN").exists(f, f.path.startsWith("a"))`, claims(), `!{outgoing IN folder: (path starts_with "a" | path is_null true)}`},
		{`node.outgoing("IN").exists(f, f.incoming("OWNS").exists(u, u.id == "a") && f.outgoing("PART_OF").exists(p, p.open))`, claims(),
			`{outgoing IN folder: ({incoming OWNS user: id eq "a"} & {outgoing PART_OF folder: open eq true})}`},
		{`!node.outgoing("IN").exists(f, f.path == caller.x)`, claims(), `!{outgoing IN folder}`},
		{`caller.grants.exists(g, node.outgoing("IN").exists(f, f.path.startsWith(g.path)))`, claims("grants", grants), `{outgoing IN folder: (path starts_with "a/" | path starts_with "c/")}`},
		{`node.outgoing("IN").exists(f, !f.path.startsWith("a") && f.outgoing("PART_OF").exists(p, !p.incoming("OWNS").exists(u, u.name == "x")))`, claims(),
			`{outgoing IN folder: !path starts_with "a", outgoing PART_OF folder: !{incoming OWNS user: (name eq "x" | name is_null true)}}`},
	} {
		require.Equal(t, c.want, guardOf(t, c.policy, c.scope), "%s with %v", c.policy, c.scope.Claims)
	}
}

// A view's schema knows which one it shows a part of.
func TestBase(t *testing.T) {
	s, err := Parse("p.yaml", []byte(policed(`caller.role == "admin"`)))
	require.NoError(t, err)
	v, err := s.View(claims())
	require.NoError(t, err)
	require.NotSame(t, s, v.Schema())
	require.Same(t, s, v.Schema().Base())
	require.Same(t, s, s.Base())
}
