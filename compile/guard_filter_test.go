package compile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// hostGuards are a host's guards by the label, or the type, that they are put on.
type hostGuards map[string]graph.Filter

// check plans a query of the ward for an administrator under a host's guards.
func (g hostGuards) check(t testing.TB, q graph.Query) (*compile.Plan, error) {
	c := compile.New(compile.Options{Guard: func(_ *graph.Scope, on compile.Guarded) (graph.Filter, error) {
		if f, ok := g[on.Label+on.Type]; ok {
			return f, nil
		}
		return nil, nil
	}})
	return c.Check(fixtureSchema(t, "ward"), admin, q)
}

// way is a walk of single hops, each "TYPE>label", "TYPE<label" or "TYPE-label",
// with a condition on the last node.
func way(f graph.Filter, hops ...string) graph.Filter {
	var steps []graph.Step
	for _, hop := range hops {
		at := strings.IndexAny(hop, "<>-")
		s := graph.Step{Types: []string{hop[:at]}, Direction: map[byte]graph.Direction{'>': graph.Outgoing, '<': graph.Incoming, '-': graph.Both}[hop[at]]}
		if label := hop[at+1:]; label != "" {
			s.To = &graph.NodePattern{Label: label}
		}
		steps = append(steps, s)
	}
	if last := steps[len(steps)-1]; last.To != nil {
		last.To.Filter = f
	}
	return graph.Exists{Relationships: steps}
}

// TestGuardsSayWhatTheHostAsked lowers every kind of condition that a host can
// put on a label.
func TestGuardsSayWhatTheHostAsked(t *testing.T) {
	one := graph.Cmp("id", graph.Gt, 1)
	two := graph.Cmp("city", graph.Eq, "A")
	never, always := graph.Or{}, graph.And{}
	for _, c := range []struct {
		name   string
		on     string
		filter graph.Filter
		want   string
	}{
		{"both", "clinic", graph.And{one, two}, "id > ? and city = ?"},
		{"either", "clinic", graph.Or{one, two}, "id > ? or city = ?"},
		{"one within another", "clinic", graph.And{graph.Or{one, two}, two}, "(id > ? or city = ?) and city = ?"},
		{"not", "clinic", graph.Not{Filter: one}, "not (id > ?)"},
		{"not never", "clinic", graph.Not{Filter: never}, "true"},
		{"not always", "clinic", graph.Not{Filter: always}, "false"},
		{"never", "clinic", never, "false"},
		{"always", "clinic", always, "true"},
		{"what follows always", "clinic", graph.And{always, one, always, two}, "id > ? and city = ?"},
		{"what follows never", "clinic", graph.Or{never, one, never, two}, "id > ? or city = ?"},
		{"never and more", "clinic", graph.And{one, never, two}, "false"},
		{"always or more", "clinic", graph.Or{one, always, two}, "true"},
		{"no operator is equality", "clinic", graph.Compare{Property: "id", Value: graph.Int(1)}, "id = ?"},
		{"null", "clinic", graph.Cmp("city", graph.IsNull, true), "city is null"},
		{"not null", "clinic", graph.Cmp("city", graph.IsNull, false), "city is not null"},
		{"an empty list", "clinic", graph.Cmp("id", graph.In, []int{}), "id in (0)"},
		{"an exact list", "clinic", graph.OneOf("id", 1, 2), "id in (2)"},

		{"a label's own policy stays", "doctor", graph.Cmp("no", graph.Gt, 1), "tenant = ? and no > ?"},
		{"a label's own policy alone", "doctor", always, "tenant = ?"},
		{"none in spite of a policy", "doctor", never, "tenant = ? and false"},

		{"a walk", "clinic", way(graph.Cmp("no", graph.Gt, 1), "WORKS_AT<doctor"), "exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor where no > ?)"},
		{"two hops that differ", "clinic", way(graph.Cmp("age", graph.Gt, 1), "WORKS_AT<doctor", "TREATS>patient"),
			"exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor -TREATS(doctor,patient)-> 1..1 to patient where age > ?)"},
		{"three hops", "clinic", way(nil, "WORKS_AT<doctor", "KNOWS>doctor", "KNOWS<doctor"),
			"exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor -KNOWS(doctor,doctor)-> 1..1 to doctor <-KNOWS(doctor,doctor)- 1..1 to doctor)"},
		{"no walk", "clinic", graph.Not{Filter: way(nil, "WORKS_AT<doctor")}, "not (exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor))"},
		{"a walk to whatever there is", "clinic", way(nil, "WORKS_AT<"), "exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor)"},
		{"one of the labels that a type leads to", "incident", way(nil, "ABOUT>patient"), "tenant = ? and exists (-ABOUT(incident,patient)-> 1..1 to patient)"},
		{"a type that is none", "clinic", way(nil, "WORKS<doctor"), "false"},
		{"a label that is none", "clinic", way(nil, "WORKS_AT<docter"), "false"},
		{"the wrong way", "clinic", way(nil, "WORKS_AT>doctor"), "false"},
		{"outgoing unless told", "clinic", graph.Exists{Relationships: []graph.Step{{Types: []string{"WORKS_AT"}, Direction: graph.Incoming}, {Types: []string{"KNOWS"}, MinHops: 1, MaxHops: 1}}},
			"exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor -KNOWS(doctor,doctor)-> 1..1 to doctor)"},
		{"on what it goes along", "doctor", graph.Exists{Relationships: []graph.Step{{Types: []string{"TREATS"}, Filter: graph.Cmp("fee", graph.Lt, 9)}}},
			"tenant = ? and exists (-TREATS(doctor,patient)-> where fee < ? 1..1 to patient)"},
		{"both ways", "clinic", way(nil, "WORKS_AT<doctor", "KNOWS-doctor"), "exists (<-WORKS_AT(doctor,clinic)- 1..1 to doctor -KNOWS(doctor,doctor)-> | <-KNOWS(doctor,doctor)- 1..1 to doctor)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := hostGuards{c.on: c.filter}.check(t, find(c.on))
			require.NoError(t, err)
			require.Equal(t, c.on+": "+c.want, plan.Guards()[len(plan.Guards())-1], "a guard comes behind those that it goes over")
			require.NoError(t, plan.Verify())
			for _, d := range compile.Dialects() {
				_, err := compile.SQL(plan, d)
				require.NoError(t, err)
			}
		})
	}
}

// TestGuardsThatAreNoneRefuse has what is no condition, in every place where one
// can stand.
func TestGuardsThatAreNoneRefuse(t *testing.T) {
	bad := graph.Cmp("nothing", graph.Eq, 1)
	step := func(s graph.Step) graph.Filter {
		if s.Types == nil {
			s.Types = []string{"WORKS_AT"}
		}
		s.Direction = graph.Incoming
		return graph.Exists{Relationships: []graph.Step{s}}
	}
	nested := func(levels int) graph.Filter {
		f := graph.Filter(graph.Cmp("id", graph.Gt, 1))
		for range levels - 1 {
			f = graph.Not{Filter: f}
		}
		return f
	}
	plan, err := hostGuards{"clinic": nested(64)}.check(t, find("clinic"))
	require.NoError(t, err, "as deep as may be")
	require.Contains(t, plan.Guards()[0], "id > ?")

	to := func(n graph.NodePattern) graph.Filter { n.Label = "doctor"; return step(graph.Step{To: &n}) }
	traverse := &graph.Traverse{From: graph.NodePattern{Label: "doctor"}, Relationships: []graph.Step{{Types: []string{"TREATS"}}}, To: graph.NodePattern{Label: "patient"}}
	for _, c := range []struct {
		name   string
		guards hostGuards
		q      graph.Query
		cause  string
	}{
		{"too deep", hostGuards{"clinic": nested(65)}, nil, "more than 64 levels"},
		{"in and", hostGuards{"clinic": graph.And{bad}}, nil, `no property "nothing"`},
		{"in not", hostGuards{"clinic": graph.Not{Filter: bad}}, nil, `no property "nothing"`},
		{"in a list", hostGuards{"clinic": graph.OneOf("id", "x", 1)}, nil, `"id"`},
		{"a number as a text", hostGuards{"clinic": graph.Cmp("id", graph.Eq, "1")}, nil, `"id"`},
		{"order of what has none", hostGuards{"doctor": graph.Cmp("rank", graph.Gt, "junior")}, find("doctor"), "operator"},
		{"at the end of a walk", hostGuards{"clinic": to(graph.NodePattern{Filter: bad})}, nil, `no property "nothing"`},
		{"on the relationship of a walk", hostGuards{"clinic": step(graph.Step{Filter: bad})}, nil, `no property "nothing"`},
		{"ids", hostGuards{"clinic": to(graph.NodePattern{IDs: []graph.Value{graph.Int(1)}})}, nil, "no other conditions"},
		{"no ids", hostGuards{"clinic": to(graph.NodePattern{IDs: []graph.Value{}})}, nil, "no other conditions"},
		{"where", hostGuards{"clinic": to(graph.NodePattern{Where: "no > 1"})}, nil, "no other conditions"},
		{"search", hostGuards{"clinic": to(graph.NodePattern{Search: "a"})}, nil, "no other conditions"},
		{"related", hostGuards{"clinic": to(graph.NodePattern{Related: []graph.Related{}})}, nil, "no other conditions"},
		{"two hops in a step", hostGuards{"clinic": step(graph.Step{MaxHops: 2})}, nil, "single hops"},
		{"two hops at least", hostGuards{"clinic": step(graph.Step{MinHops: 2})}, nil, "single hops"},
		{"four hops", hostGuards{"clinic": way(nil, "WORKS_AT<doctor", "KNOWS>doctor", "KNOWS>doctor", "KNOWS>doctor")}, nil, "1 to 3 hops"},
		{"four hops in two walks", hostGuards{"clinic": way(way(nil, "KNOWS>doctor", "KNOWS>doctor"), "WORKS_AT<doctor", "KNOWS>doctor")}, nil, "1 to 3 hops"},
		{"a walk from a relationship", hostGuards{"TREATS": way(nil, "TREATS>patient")}, traverse, "leads nowhere by itself"},
		{"a walk from the relationship of a walk", hostGuards{"clinic": step(graph.Step{Filter: way(nil, "KNOWS>doctor")})}, nil, "leads nowhere by itself"},
		{"over itself", hostGuards{"doctor": way(nil, "KNOWS>doctor")}, find("doctor"), "walks over itself"},
		{"over a walk not asked for yet", hostGuards{"clinic": way(nil, "WORKS_AT<doctor"), "doctor": way(nil, "TREATS>patient")}, nil, "a guard that walks goes over it"},
		{"over a walk asked for before", hostGuards{"doctor": way(nil, "WORKS_AT>clinic"), "patient": way(nil, "TREATS<doctor")}, traverse, "a guard that walks goes over it"},
		{"over a walk behind another label", hostGuards{"incident": way(nil, "ABOUT>bed")}, find("incident"), "a guard that walks goes over it"},
		{"over a walk that must fail", hostGuards{"doctor": graph.Not{Filter: way(nil, "WORKS_AT>clinic")}, "patient": way(nil, "TREATS<doctor")}, traverse, "a guard that walks goes over it"},
		{"over a walk within another condition", hostGuards{"doctor": graph.Or{graph.Cmp("no", graph.Eq, 1), way(nil, "WORKS_AT>clinic")}, "patient": way(nil, "TREATS<doctor")}, traverse, "a guard that walks goes over it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.q == nil {
				c.q = find("clinic")
			}
			_, err := c.guards.check(t, c.q)
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Len(t, errs, 1)
			require.Equal(t, graph.Internal, errs[0].Code)
			require.NotContains(t, errs[0].Message, c.cause)
			require.ErrorContains(t, errs[0].Cause, c.cause)
		})
	}
}

// TestADeniedCallAsksNoMore has a host that denies everything: the call is
// refused once, whatever else it refers to.
func TestADeniedCallAsksNoMore(t *testing.T) {
	asked := 0
	c := compile.New(compile.Options{Guard: func(*graph.Scope, compile.Guarded) (graph.Filter, error) {
		asked++
		return nil, errors.New("no")
	}})
	require.Equal(t, []string{"FORBIDDEN "}, checked(t, c, "ward", admin,
		&graph.Traverse{From: graph.NodePattern{Label: "doctor"}, Relationships: []graph.Step{{Types: []string{"TREATS"}}}, To: graph.NodePattern{Label: "patient"}}))
	require.Equal(t, 1, asked)
}

// TestGuardsAreNilWhereNothingDependsOnWhoAsks tells apart a plan whose
// references are open from one that nobody's rights decide.
func TestGuardsAreNilWhereNothingDependsOnWhoAsks(t *testing.T) {
	c := compile.New(compile.Options{})
	plan, err := c.Check(fixtureSchema(t, "gitlab"), nil, find("gl_user"))
	require.NoError(t, err)
	require.Nil(t, plan.Guards())
	plan, err = c.Check(fixtureSchema(t, "ward"), tenant, find("clinic"))
	require.NoError(t, err)
	require.Equal(t, []string{"clinic: true"}, plan.Guards())
}

// TestListsOfGuardsHaveClasses compares a list of three with one of four: one
// shape, and a value in every slot.
func TestListsOfGuardsHaveClasses(t *testing.T) {
	three, err := hostGuards{"clinic": graph.And{graph.OneOf("id", 1, 2, 3), graph.Cmp("city", graph.Eq, "A")}}.check(t, find("clinic"))
	require.NoError(t, err)
	four, err := hostGuards{"clinic": graph.And{graph.OneOf("id", 1, 2, 3, 4), graph.Cmp("city", graph.Eq, "A")}}.check(t, find("clinic"))
	require.NoError(t, err)
	require.Equal(t, four.Shape(), three.Shape())
	require.Len(t, three.Params, len(four.Params))
}

// TestGuardsThatWalkInTooManyWays refuses a statement that would hold more
// subqueries than a database takes.
func TestGuardsThatWalkInTooManyWays(t *testing.T) {
	types := strings.Split("PQRSTUVWX", "")
	text := "format: trellis.schema.v1\nnodes:\n  a: {key: id, properties: {id: int64}}\n  b: {key: id, properties: {id: int64}}\nrelationships:\n  OF: {from: b, to: a}\n"
	for _, name := range types {
		text += "  " + name + ": {from: a, to: a}\n"
	}
	s, err := schema.Parse("ways.yaml", []byte(text))
	require.NoError(t, err)
	for n, want := range map[int]int{1: 1, 3: 9, 9: 0} {
		c := compile.New(compile.Options{Guard: func(_ *graph.Scope, on compile.Guarded) (graph.Filter, error) {
			if on.Label != "b" {
				return nil, nil
			}
			return graph.Exists{Relationships: []graph.Step{{Types: []string{"OF"}}, {Types: types[:n]}, {Types: types[:n]}}}, nil
		}})
		plan, err := c.Check(s, admin, find("b"))
		require.NoError(t, err)
		for _, d := range compile.Dialects() {
			prog, err := compile.SQL(plan, d)
			if want == 0 {
				require.ErrorIs(t, err, graph.TooCostly, d.Name)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, want-1, strings.Count(prog.Main.Text(plan.Params), " OR EXISTS (SELECT 1")+strings.Count(prog.Main.Text(plan.Params), " OR CASE WHEN "), prog.Main.Text(plan.Params))
		}
	}
}

// TestGuardsThatWalkFromSeveralColumns writes the key of several columns from
// which a guard walks, with the walk's own statement beside it or within it.
func TestGuardsThatWalkFromSeveralColumns(t *testing.T) {
	plan, err := hostGuards{"doctor": way(nil, "TREATS>patient")}.check(t, find("doctor"))
	require.NoError(t, err)
	for _, d := range compile.Dialects() {
		prog, err := compile.SQL(plan, d)
		require.NoError(t, err)
		text := strings.NewReplacer("`", "", `"`, "", " COLLATE BINARY", "", ` COLLATE "binary"`, "").Replace(prog.Main.Text(plan.Params))
		if strings.Contains(text, "CASE WHEN ") {
			require.Contains(t, text, "CASE WHEN n.tenant IS NULL OR n.no IS NULL THEN 1 = 0 ELSE (n.tenant, n.no) IN (SELECT ")
			require.Contains(t, text, "x1r1.doctor_tenant, x1r1.doctor_no FROM ")
			continue
		}
		require.Contains(t, text, "EXISTS (SELECT 1 FROM ")
		require.Regexp(t, `x1r1\.doctor_tenant = (BINARY )?n\.tenant|n\.tenant = (BINARY )?x1r1\.doctor_tenant`, text)
	}
}
