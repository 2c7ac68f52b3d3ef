package compile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// FuzzCheck checks queries that are made from bytes, as only Go code can make
// them: good ones, wrong ones, and such that no JSON would give. Check either
// names mistakes or returns a plan that every dialect has statements for.
func FuzzCheck(f *testing.F) {
	schemas := []*schema.Schema{fixtureSchema(f, "types"), fixtureSchema(f, "mapping"), fixtureSchema(f, "gitlab")}
	compiler := compile.New(compile.Options{})
	r := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		seed := make([]byte, 8+r.IntN(200))
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &maker{bytes: data}
		m.schema = schemas[m.pick(len(schemas))]
		q := m.query()
		plan, err := compiler.Check(m.schema, nil, q)
		if err != nil {
			requireMistakes(t, err)
			return
		}
		again, err := compiler.Check(m.schema, nil, q)
		require.NoError(t, err)
		require.Equal(t, plan.String(), again.String())
		require.Equal(t, plan.Shape(), again.Shape())
		require.Equal(t, plan.Params, again.Params)
		if q.Tool() == graph.ToolDescribe {
			return
		}
		for _, d := range compile.Dialects() {
			requireStatements(t, plan, d)
		}
	})
}

// requireMistakes holds what must be true of every refusal.
func requireMistakes(t *testing.T, err error) {
	var errs graph.Errors
	require.True(t, errors.As(err, &errs), "%v", err)
	require.NotEmpty(t, errs)
	for _, e := range errs {
		require.True(t, e.Code.Refusal(), e)
		require.NotEmpty(t, e.Message)
		require.True(t, e.Path == "" || strings.HasPrefix(e.Path, "/"), e.Path)
		require.LessOrEqual(t, len(e.Got), 90)
		for _, p := range e.Fix {
			require.Contains(t, []string{"add", "remove", "replace", "move"}, p.Op)
		}
		_, err := json.Marshal(e)
		require.NoError(t, err)
	}
}

// requireStatements lowers a plan: the statements have a placeholder for each
// argument, and every value of the plan's order has a place in their rows.
func requireStatements(t *testing.T, plan *compile.Plan, d *compile.Dialect) {
	prog, err := compile.SQL(plan, d)
	if err != nil {
		requireNoStatement(t, err)
		return
	}
	for _, st := range prog.Statements() {
		args, shown := st.Bind(plan.Params)
		require.Len(t, args, len(st.Args))
		require.Len(t, shown, len(st.Args))
		switch d.Name() {
		case "postgres":
		case "sqlite", "duckdb": // numbered: what a statement needs twice has one number in SQLite's
			sign := map[string]string{"sqlite": "?", "duckdb": "$"}[d.Name()]
			for i := range args {
				require.Contains(t, st.Text(plan.Params)+" ", fmt.Sprintf("%s%d", sign, i+1))
			}
			require.NotContains(t, st.Text(plan.Params), fmt.Sprintf("%s%d", sign, len(args)+1))
		case "clickhouse": // named: what a statement needs twice has one name
			for i := range args {
				require.Contains(t, st.Text(plan.Params), fmt.Sprintf("{p%d:", i+1))
			}
			require.NotContains(t, st.Text(plan.Params), fmt.Sprintf("{p%d:", len(args)+1))
		default:
			require.Equal(t, len(args), strings.Count(withoutNames(st.Text(plan.Params)), "?"), st.Text(plan.Params))
		}
		require.NotContains(t, st.Text(plan.Params), "@")
		require.NotContains(t, st.Text(plan.Params), "%!") // of fmt
	}
	if prog.Main != nil {
		for _, o := range prog.Order {
			require.Less(t, o.Field, len(prog.Main.Fields))
		}
		prog.AppendValues(nil, make([]graph.Value, len(prog.Main.Fields)))
	}
}

// requireNoStatement holds why a plan may have no statements: a store cannot do
// it, or it would be too large.
func requireNoStatement(t testing.TB, err error) {
	var e *graph.Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, []graph.Code{graph.Unsupported, graph.TooCostly}, e.Code)
}

// withoutNames is a statement without its quoted names.
func withoutNames(sql string) string {
	var b strings.Builder
	for i, part := range strings.Split(sql, "`") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}
