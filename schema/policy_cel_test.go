package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cel.dev/cel-go/cel"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// A testRow is a row of policed's labels: values, and the rows that it is
// related to.
type testRow struct {
	label   string
	values  map[string]graph.Value
	related map[string][]testRow // by direction and type
}

// truth evaluates a filter over a row: 1 true, 0 unknown, -1 false.
func (row testRow) truth(t testing.TB, s *Schema, f graph.Filter) int {
	switch f := f.(type) {
	case nil:
		return 1
	case graph.And:
		least := 1
		for _, p := range f {
			least = min(least, row.truth(t, s, p))
		}
		return least
	case graph.Or:
		most := -1
		for _, p := range f {
			most = max(most, row.truth(t, s, p))
		}
		return most
	case graph.Not:
		switch c := f.Filter.(type) {
		case graph.Exists:
		case graph.Compare:
			require.Contains(t, []graph.Op{graph.Contains, graph.StartsWith, graph.EndsWith}, c.Op, "negation normal form")
		default:
			t.Fatalf("negation normal form: %s", filterText(f))
		}
		return -row.truth(t, s, f.Filter)
	case graph.Exists:
		if row.leads(t, s, f.Relationships) {
			return 1
		}
		return -1
	case graph.Compare:
		return row.compare(t, s, f)
	}
	t.Fatalf("no filter: %T", f)
	return 0
}

func (row testRow) leads(t testing.TB, s *Schema, steps []graph.Step) bool {
	if len(steps) == 0 {
		return true
	}
	for _, next := range row.related[string(steps[0].Direction)+" "+steps[0].Types[0]] {
		if next.label == steps[0].To.Label && next.truth(t, s, steps[0].To.Filter) == 1 && next.leads(t, s, steps[1:]) {
			return true
		}
	}
	return false
}

func (row testRow) compare(t testing.TB, s *Schema, f graph.Compare) int {
	p, ok := s.byLabel[row.label].Property(f.Property)
	require.True(t, ok, f.Property)
	v := row.values[f.Property]
	sign := func(b bool) int {
		if b {
			return 1
		}
		return -1
	}
	if f.Op == graph.IsNull {
		return sign(v.IsNull() == f.Value.Bool())
	}
	if v.IsNull() {
		return 0
	}
	typed := func(w graph.Value) graph.Value {
		again, e := p.Coerce(w, false)
		require.Nil(t, e, "guards have typed values")
		require.Equal(t, w, again)
		return w
	}
	if f.Op == graph.In || f.Op == graph.NotIn {
		found := false
		for _, w := range f.Value.List() {
			found = found || v.Compare(typed(w)) == 0
		}
		return sign(found == (f.Op == graph.In))
	}
	holds, known := compareValues(v, f.Op, typed(f.Value))
	if !known {
		c := v.Compare(f.Value)
		holds = map[graph.Op]bool{graph.Eq: c == 0, graph.Ne: c != 0, graph.Lt: c < 0, graph.Lte: c <= 0, graph.Gt: c > 0, graph.Gte: c >= 0}[f.Op]
	}
	return sign(holds)
}

// A policyMaker makes policies at random, in the language and as CEL has them.
// CEL has other ideas about null, empty patterns and unequal types, so what is
// unknown to a policy is made missing there: comparing it is an error.
type policyMaker struct {
	*rand.Rand
	hops, depth int
}

func (m *policyMaker) pick(list ...string) string { return list[m.IntN(len(list))] }

// cond makes a condition on a label's node, called subject; items are the
// variables of lists of the caller around it.
func (m *policyMaker) cond(label, subject string, items []string) (text, asCEL string) {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth < 5 {
		switch m.IntN(10) {
		case 0, 1, 2:
			return m.join(" && ", label, subject, items)
		case 3, 4, 5:
			return m.join(" || ", label, subject, items)
		case 6:
			a, b := m.cond(label, subject, items)
			return "!(" + a + ")", "!(" + b + ")"
		case 7:
			if label == "doc" && m.hops < 3 {
				return m.walk(items)
			}
		case 8:
			if len(items) < 2 {
				item := fmt.Sprintf("g%d", len(items))
				list := "caller.lo"
				if len(items) > 0 {
					list = items[0] + ".lo"
				}
				a, b := m.cond(label, subject, append(items[:len(items):len(items)], item))
				return list + ".exists(" + item + ", " + a + ")", list + ".exists(" + item + ", " + b + ")"
			}
		}
	}
	return m.leaf(label, subject, items)
}

func (m *policyMaker) join(op, label, subject string, items []string) (string, string) {
	a, b := make([]string, 2+m.IntN(2)), make([]string, 3)
	for i := range a {
		a[i], b[i] = m.cond(label, subject, items)
	}
	return "(" + strings.Join(a, op) + ")", "(" + strings.Join(b[:len(a)], op) + ")"
}

// walk makes a walk from a doc to folders, and perhaps on from there.
func (m *policyMaker) walk(items []string) (string, string) {
	m.hops++
	name := fmt.Sprintf("x%d", m.hops)
	a, b := m.cond("folder", name, items)
	if m.hops < 3 && m.IntN(3) == 0 {
		m.hops++
		further := fmt.Sprintf("x%d", m.hops)
		walk, to := `outgoing("PART_OF")`, "folder"
		if m.IntN(2) == 0 {
			walk, to = `incoming("OWNS")`, "user"
		}
		c, d := m.cond(to, further, items)
		op := m.pick(" && ", " || ", " && !")
		a += op + name + "." + walk + ".exists(" + further + ", " + c + ")"
		b += op + name + "." + inCEL.Replace(walk) + ".exists(" + further + ", " + d + ")"
	}
	return `node.outgoing("IN").exists(` + name + ", " + a + ")", "node.outgoing_IN.exists(" + name + ", " + b + ")"
}

// inCEL makes a walk into a list of rows.
var inCEL = strings.NewReplacer(`("`, "_", `")`, "")

func (m *policyMaker) leaf(label, subject string, items []string) (string, string) {
	claim := func(name string) (string, string) {
		if len(items) > 0 && m.IntN(3) > 0 {
			item := items[m.IntN(len(items))]
			return item + "." + name, item + "." + name
		}
		return "caller." + name, "caller." + name
	}
	texts := map[string][]string{"doc": {"path", "title"}, "folder": {"path", "owner"}, "user": {"name", "id"}}[label]
	text := subject + "." + texts[m.IntN(2)]
	equal := m.pick(" == ", " != ")
	order := m.pick(" == ", " != ", " < ", " <= ", " > ", " >= ")
	switch m.IntN(16) {
	case 0, 1:
		a, b := claim("s")
		return text + order + a, text + order + b
	case 2:
		lit := m.pick(`"a"`, `"a/b"`, `"c"`, `"A"`)
		return text + order + lit, text + order + lit
	case 3, 4:
		a, b := claim("s")
		op := m.pick("startsWith", "contains", "endsWith")
		return text + "." + op + "(" + a + ")", text + "." + op + "(" + strings.Replace(b, ".s", ".s_filled", 1) + ")"
	case 5:
		a, b := claim("ls")
		return text + " in " + a, "(" + text + " == " + text + " ? " + b + ".exists(e, e.v == " + text + ") : false)"
	case 6:
		a, b := claim("s")
		return text + " in [" + a + `, "c"]`, `(` + text + " == " + b + " || " + text + ` == "c")`
	case 7:
		return text + equal + "null", map[string]string{" == ": "!", " != ": ""}[equal] + "has(" + text + ")"
	case 8:
		name := m.pick("s", "i", "b")
		if m.IntN(2) == 0 {
			return "caller." + name + equal + "null", "nulls." + name + equal + "true"
		}
		return "has(caller." + name + ")", "has(nulls." + name + ")"
	case 9:
		if len(items) > 0 {
			return "has(" + items[0] + ".s)", "has(" + items[0] + ".s)"
		}
		return "has(caller.o.s)", "has(caller.o.s)"
	case 10:
		a, b := claim("b")
		return a, b
	case 11:
		a, b := claim("i")
		lit := m.pick("1", "2", "1.5", "-1")
		return a + order + lit, b + order + lit
	case 12:
		a, b := claim("s")
		c, d := claim("s")
		return a + order + c, b + order + d
	case 13:
		a, b := claim("ls")
		return `"a" in ` + a, b + `.exists(e, e.v == "a")`
	}
	if label == "user" {
		return text + ` == "a"`, text + ` == "a"`
	}
	if label == "folder" || m.IntN(5) == 0 {
		a, b := claim("b")
		switch m.IntN(3) {
		case 0:
			return subject + ".open" + equal + a, subject + ".open" + equal + b
		}
		return subject + ".open", subject + ".open"
	}
	a, b := claim("i")
	switch m.IntN(6) {
	case 0, 1:
		return subject + ".level" + order + a, subject + ".level" + order + b
	case 2:
		return subject + ".score" + order + a, subject + ".score" + order + b
	case 3:
		return subject + ".price" + order + "1.5", subject + ".price" + order + "1.5"
	case 4:
		return subject + ".day" + order + `date("2026-01-02")`, subject + ".day" + order + `timestamp("2026-01-02T00:00:00Z")`
	}
	return subject + `.state in ["live"]`, subject + `.state == "live"`
}

// scope makes a caller, as Trellis and as CEL have him.
func (m *policyMaker) scope() (*graph.Scope, map[string]any, map[string]any) {
	nulls := map[string]any{}
	ours, theirs := m.object(2)
	for _, name := range []string{"s", "i", "b"} {
		switch m.IntN(8) {
		case 0:
			ours[name] = nil
			delete(theirs, name)
			delete(theirs, name+"_filled")
		case 1:
			ours[name] = []any{"wrong"}
			delete(theirs, name)
			delete(theirs, name+"_filled")
		}
		if v, ok := ours[name]; ok {
			nulls[name] = v == nil
		}
	}
	if m.IntN(3) > 0 {
		ours["o"], theirs["o"] = m.object(0)
	}
	return &graph.Scope{Tenant: "t", Claims: ours}, theirs, nulls
}

func (m *policyMaker) object(depth int) (ours, theirs map[string]any) {
	ours, theirs = map[string]any{}, map[string]any{}
	if m.IntN(5) > 0 {
		s := m.pick("a", "a/b", "b", "A", "", "c")
		ours["s"], theirs["s"] = s, s
		if s != "" {
			theirs["s_filled"] = s
		}
	}
	if m.IntN(5) > 0 {
		n := int64(m.IntN(4)) - 1
		ours["i"], theirs["i"] = []any{n, int8(n), float64(n), json.Number(fmt.Sprint(n)), json.Number(fmt.Sprintf("%d.0", n))}[m.IntN(5)], n
	}
	if m.IntN(5) > 0 {
		b := m.IntN(2) == 0
		ours["b"], theirs["b"] = b, b
	}
	if m.IntN(5) > 0 {
		var list, wrapped []any
		for range m.IntN(4) {
			s := m.pick("a", "a/b", "b", "c")
			list, wrapped = append(list, s), append(wrapped, map[string]any{"v": s})
		}
		if m.IntN(6) == 0 {
			list, wrapped = append(list, []any{nil, 7, true}[m.IntN(3)]), append(wrapped, map[string]any{})
		}
		ours["ls"], theirs["ls"] = list, wrapped
	}
	if depth > 0 && m.IntN(5) > 0 {
		var a, b []any
		for range m.IntN(4) {
			x, y := m.object(depth - 1)
			a, b = append(a, x), append(b, y)
		}
		ours["lo"], theirs["lo"] = a, b
	}
	return ours, theirs
}

// row makes a row of a label, as Trellis and as CEL have it.
func (m *policyMaker) row(label string, depth int) (testRow, map[string]any) {
	row := testRow{label, map[string]graph.Value{}, map[string][]testRow{}}
	theirs := map[string]any{}
	set := func(name string, v graph.Value, same any) {
		if m.IntN(5) > 0 {
			row.values[name], theirs[name] = v, same
		}
	}
	text := func(name string) {
		s := m.pick("a", "a/b", "b", "A", "c", "a/bc")
		set(name, graph.String(s), s)
	}
	relate := func(direction, kind, to string) {
		var list []any
		for range m.IntN(2 + depth) {
			r, same := m.row(to, depth-1)
			key := direction + " " + kind
			row.related[key] = append(row.related[key], r)
			list = append(list, same)
		}
		theirs[direction+"_"+kind] = list
	}
	open := m.IntN(2) == 0
	switch label {
	case "doc":
		text("path")
		text("title")
		set("open", graph.Bool(open), open)
		n := int64(m.IntN(4)) - 1
		set("level", graph.Int(n), n)
		f := float64(m.IntN(6))/2 - 1
		set("score", graph.Float(f), f)
		set("price", graph.Decimal(fmt.Sprintf("%.2f", f)), f)
		day := time.Date(2026, 1, 1+m.IntN(3), 0, 0, 0, 0, time.UTC)
		set("day", graph.Date(day), day)
		state := m.pick("draft", "live")
		set("state", graph.String(state), state)
		relate("outgoing", "IN", "folder")
	case "folder":
		text("path")
		text("owner")
		set("open", graph.Bool(open), open)
		relate("incoming", "OWNS", "user")
		if depth > 0 {
			relate("outgoing", "PART_OF", "folder")
		} else {
			theirs["outgoing_PART_OF"] = []any{}
		}
	case "user":
		text("id")
		text("name")
	}
	return row, theirs
}

// Whether a policy shows a row is what CEL's own evaluator says.
func TestPoliciesAgreeWithCEL(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	m := &policyMaker{Rand: rand.New(rand.NewPCG(seed, 1))}
	env, err := cel.NewEnv()
	require.NoError(t, err)
	def, err := definitionOf(policed("public"))
	require.NoError(t, err)
	shown, cases, walks := 0, 0, 0
	for cases < 8_000 {
		m.hops = 0
		text, asCEL := m.cond("doc", "node", nil)
		if len(text) > maxPolicy {
			continue
		}
		def.Nodes[0].Policy = text
		s, err := New(def)
		if err != nil && strings.Contains(err.Error(), "are the most") {
			continue
		}
		require.NoError(t, err, "%s\nseed %d", text, seed)
		parsed, issues := env.Parse(asCEL)
		require.NoError(t, issues.Err(), asCEL)
		program, err := env.Program(parsed)
		require.NoError(t, err)
		if len(s.policySet.labels[s.byLabel["doc"]].walks) > 0 {
			walks++
		}
		for range 4 {
			scope, caller, nulls := m.scope()
			v, err := s.View(scope)
			require.NoError(t, err, text)
			for range 4 {
				cases++
				row, node := m.row("doc", 2)
				out, _, err := program.Eval(map[string]any{"node": node, "caller": caller, "nulls": nulls})
				want := err == nil && out.Value() == true
				got := false
				if l, ok := v.Schema().Label("doc"); ok {
					got = row.truth(t, v.Schema(), v.Guard(l)) == 1
				}
				require.Equal(t, want, got, "%s\nas CEL: %s\ncaller: %v\nrow: %v\nguard: %s\nCEL says: %v %v\nseed %d", text, asCEL, scope.Claims, node, func() string {
					l, _ := v.Schema().Label("doc")
					return filterText(v.Guard(l))
				}(), out, err, seed)
				if got {
					shown++
				}
			}
		}
	}
	require.Greater(t, shown, cases/10)
	require.Less(t, shown, cases*9/10)
	require.Greater(t, walks, 50)
}
