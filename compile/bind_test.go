package compile

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

var (
	plainEnum  = []schema.EnumValue{{Name: "opened"}, {Name: "closed"}}
	storedInts = []schema.EnumValue{{Name: "high", IsInt: true, Int: 30}, {Name: "low", IsInt: true, Int: -1}}
)

func TestBind(t *testing.T) {
	at := time.Date(2024, 2, 29, 23, 30, 0, 120000, time.UTC)
	str := &schema.Property{Type: schema.String}
	enum := &schema.Property{Type: schema.Enum, Values: plainEnum}
	stored := &schema.Property{Type: schema.Enum, Values: storedInts}
	params := []graph.Value{
		graph.String("50%_a!b"), graph.String("closed"), graph.String("low"), graph.Int(30),
		graph.DateTime(at), graph.Date(at), graph.Bool(true), graph.Bool(false), graph.Decimal("1.50"), graph.String("né"),
	}
	for _, c := range []struct {
		name   string
		arg    Arg
		typ    string
		shown  string
		driver any // of MariaDB
	}{
		{"as it is", Arg{slot: 0, property: str}, "string", `"50%_a!b"`, "50%_a!b"},
		{"contains", Arg{slot: 0, property: str, use: useContains}, "string", `"%50!%!_a!!b%"`, "%50!%!_a!!b%"},
		{"starts", Arg{slot: 0, property: str, use: useStarts}, "string", `"50!%!_a!!b%"`, "50!%!_a!!b%"},
		{"ends", Arg{slot: 0, property: str, use: useEnds}, "string", `"%50!%!_a!!b"`, "%50!%!_a!!b"},
		{"with a backslash", Arg{slot: 0, property: str, use: useContains, backslash: true}, "string", `"%50\\%\\_a!b%"`, `%50\%\_a!b%`},
		{"length in characters", Arg{slot: 9, property: str, use: useLength}, "int64", "2", int64(2)},
		{"enum stored as text", Arg{slot: 1, property: enum}, "string", `"closed"`, "closed"},
		{"enum stored as integer", Arg{slot: 2, property: stored}, "int64", "-1", int64(-1)},
		{"enum's position", Arg{slot: 2, property: stored, use: useOrdinal}, "int64", "1", int64(1)},
		{"enum without values", Arg{slot: 1, property: &schema.Property{Type: schema.Enum}}, "string", `"closed"`, "closed"},
		{"probe", Arg{slot: 3, use: useProbe}, "int64", "31", int64(31)},
		{"instant", Arg{slot: 4, property: &schema.Property{Type: schema.DateTime}}, "datetime", `"2024-02-29T23:30:00.00012Z"`, "2024-02-29 23:30:00.00012"},
		{"date", Arg{slot: 5, property: &schema.Property{Type: schema.Date}}, "date", `"2024-02-29"`, "2024-02-29"},
		{"true", Arg{slot: 6, property: &schema.Property{Type: schema.Bool}}, "bool", "true", int64(1)},
		{"false", Arg{slot: 7, property: &schema.Property{Type: schema.Bool}}, "bool", "false", int64(0)},
		{"decimal", Arg{slot: 8, property: &schema.Property{Type: schema.Decimal}}, "decimal", `"1.50"`, "1.50"},
		{"constant", Arg{slot: noSlot, constant: graph.String("Task")}, "string", `"Task"`, "Task"},
		{"constant enum", Arg{slot: noSlot, constant: graph.String("high"), property: stored}, "int64", "30", int64(30)},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := &Statement{Args: []Arg{{slot: 3, property: intType}, c.arg}, dialect: MariaDB()}
			args, shown := st.Bind(params)
			require.Equal(t, []any{int64(30), c.driver}, args)
			require.Equal(t, 2, shown[1].Position)
			require.Equal(t, c.typ, shown[1].Type)
			require.Equal(t, c.shown, shown[1].Value.String())
		})
	}
	t.Run("dialects bind times as their engines compare them", func(t *testing.T) {
		args := []Arg{{slot: 4, property: &schema.Property{Type: schema.DateTime}}, {slot: 5, property: &schema.Property{Type: schema.Date}}, {slot: 6, property: &schema.Property{Type: schema.Bool}}}
		got, _ := (&Statement{Args: args, dialect: Postgres()}).Bind(params)
		require.Equal(t, []any{at, "2024-02-29", true}, got)
		got, _ = (&Statement{Args: args, dialect: Embedded()}).Bind(params)
		require.Equal(t, []any{at, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), int64(1)}, got)
	})
}

// Keys that a driver supplies fill a list up with the last of them, and come as
// one JSON text where a list parameter takes them.
func TestBindKeys(t *testing.T) {
	key := func(parts, n int) *Statement {
		st := &Statement{dialect: MariaDB()}
		for i := range n {
			st.Args = append(st.Args, Arg{slot: noSlot, use: useKey, key: i, parts: parts, property: intType})
		}
		return st
	}
	ints := func(list ...int64) (out []graph.Value) {
		for _, n := range list {
			out = append(out, graph.Int(n))
		}
		return out
	}
	args, _ := key(1, 4).Bind(nil, ints(7, 8, 9))
	require.Equal(t, []any{int64(7), int64(8), int64(9), int64(9)}, args)
	args, _ = key(1, 2).Bind(nil, ints(7, 8))
	require.Equal(t, []any{int64(7), int64(8)}, args)
	args, _ = key(2, 8).Bind(nil, ints(1, 2, 3, 4, 5, 6))
	require.Equal(t, []any{int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(5), int64(6)}, args)
	args, _ = key(2, 2).Bind(nil)
	require.Equal(t, []any{nil, nil}, args, "a statement that is only shown")

	list := func(parts int, keys ...graph.Value) string {
		st := &Statement{Args: []Arg{{slot: noSlot, use: useList, parts: parts, property: listType}}, dialect: Postgres()}
		args, shown := st.Bind(nil, keys)
		require.Equal(t, "list", shown[0].Type)
		require.True(t, json.Valid([]byte(args[0].(string))))
		return args[0].(string)
	}
	require.Equal(t, `[]`, list(1))
	require.Equal(t, `["7"]`, list(1, graph.Int(7)))
	require.Equal(t, `["a\"","b"]`, list(1, graph.String(`a"`), graph.String("b")))
	require.Equal(t, `[["a","1"],["b","2"]]`, list(2, graph.String("a"), graph.Int(1), graph.String("b"), graph.Int(2)))
	require.Equal(t, `[["1","2","3"]]`, list(3, ints(1, 2, 3)...))
}

// TestSlotsOfLists pins that a list is filled up to its class, so that what
// stands behind it keeps its slot.
func TestSlotsOfLists(t *testing.T) {
	s := valuesSchema(t)
	for n, class := range map[int]int{1: 1, 2: 2, 3: 4, 5: 8} {
		ids := make([]graph.Value, n)
		keys := make([]graph.Value, n)
		for i := range n {
			ids[i] = graph.Int(int64(i + 1))
			keys[i] = graph.List(graph.String("a"), graph.Int(int64(i+1)))
		}
		plan, err := New(Options{}).Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "one", IDs: ids, Filter: graph.Cmp("id", graph.In, graph.List(ids...))}})
		require.NoError(t, err)
		require.Len(t, plan.Params, 2*class+1)
		find := plan.Root.(*Find)
		require.Equal(t, Keys{First: 0, N: n}, find.Nodes.Keys)
		require.Equal(t, Slot(class), find.Nodes.Cond.(Compare).Slot)
		require.Equal(t, Slot(2*class), find.Page.Limit)
		require.Equal(t, graph.Int(int64(n)), plan.Params[class-1], "filled up with the last")

		plan, err = New(Options{}).Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "two", IDs: keys}})
		require.NoError(t, err)
		require.Len(t, plan.Params, 2*class+1)
		require.Equal(t, graph.Int(int64(n)), plan.Params[2*class-1])
		require.Equal(t, graph.String("a"), plan.Params[2*class-2])
	}
}

// valuesSchema has labels with keys of one part and of two, and properties to
// order by.
func valuesSchema(t testing.TB) *schema.Schema {
	s, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{
		{Label: "one", Key: []string{"id"}, Properties: []schema.PropertyDefinition{
			{Name: "id", Type: schema.Int64}, {Name: "s", Type: schema.String}, {Name: "n", Type: schema.Int32, Required: true},
			{Name: "e", Type: schema.Enum, Values: []schema.EnumValue{{Name: "opened"}, {Name: "closed"}}}}},
		{Label: "two", Key: []string{"a", "b"}, Properties: []schema.PropertyDefinition{
			{Name: "a", Type: schema.String}, {Name: "b", Type: schema.Int64}}},
	}})
	require.NoError(t, err)
	return s
}

// TestSeek pins the condition that a cursor becomes: equal in the first keys
// and behind it in the next; behind null there is nothing; nulls come last.
func TestSeek(t *testing.T) {
	asc, desc := graph.Asc, graph.Desc
	order := func(keys ...any) (out []graph.Order) {
		for i := 0; i < len(keys); i += 2 {
			out = append(out, graph.Order{Property: keys[i].(string), Direction: keys[i+1].(graph.SortDirection)})
		}
		return out
	}
	null, str, num, key := graph.Null(), graph.String("x"), graph.Int(7), graph.Int(8)
	const s, n = `n."s" COLLATE "C"`, `n."n"`
	for _, c := range []struct {
		label string
		order []graph.Order
		last  []graph.Value
		want  string
		args  []any
	}{
		{"one", nil, []graph.Value{num}, `((n."id" > $1::bigint))`, []any{int64(7)}},
		{"one", order("id", desc), []graph.Value{num}, `((n."id" < $1::bigint))`, []any{int64(7)}},
		{"one", order("n", asc), []graph.Value{num, key}, `((` + n + ` > $1::bigint) OR (` + n + ` = $2::bigint AND n."id" > $3::bigint))`, []any{int64(7), int64(7), int64(8)}},
		{"one", order("s", asc), []graph.Value{str, num}, `(((` + s + ` > $1::text OR ` + s + ` IS NULL)) OR (` + s + ` = $2::text AND n."id" > $3::bigint))`, []any{"x", "x", int64(7)}},
		{"one", order("s", desc), []graph.Value{str, num}, `(((` + s + ` < $1::text OR ` + s + ` IS NULL)) OR (` + s + ` = $2::text AND n."id" > $3::bigint))`, []any{"x", "x", int64(7)}},
		{"one", order("s", asc), []graph.Value{null, num}, `((` + s + ` IS NULL AND n."id" > $1::bigint))`, []any{int64(7)}},
		{"one", order("s", desc, "n", desc), []graph.Value{null, num, key},
			`((` + s + ` IS NULL AND ` + n + ` < $1::bigint) OR (` + s + ` IS NULL AND ` + n + ` = $2::bigint AND n."id" > $3::bigint))`, []any{int64(7), int64(7), int64(8)}},
		{"two", nil, []graph.Value{str, num}, `((n."a" COLLATE "C" > $1::text) OR (n."a" COLLATE "C" = $2::text AND n."b" > $3::bigint))`, []any{"x", "x", int64(7)}},
		{"two", order("b", desc), []graph.Value{num, str}, `((n."b" < $1::bigint) OR (n."b" = $2::bigint AND n."a" COLLATE "C" > $3::text))`, []any{int64(7), int64(7), "x"}},
	} {
		t.Run(fmt.Sprint(c.label, c.order, c.last), func(t *testing.T) {
			schm, compiler := valuesSchema(t), New(Options{})
			q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: c.label}, OrderBy: c.order}
			plan, err := compiler.Check(schm, nil, q)
			require.NoError(t, err)
			q.Cursor = compiler.Cursor(plan, c.last)
			plan, err = compiler.Check(schm, nil, q)
			require.NoError(t, err)
			prog, err := SQL(plan, Postgres())
			require.NoError(t, err)
			require.Contains(t, prog.Main.Text(plan.Params), ` WHERE `+c.want+` ORDER BY `)
			args, _ := prog.Main.Bind(plan.Params)
			require.Equal(t, append(c.args, int64(31)), args)
			require.Contains(t, plan.Shape(), " after")
			require.NotContains(t, plan.String(), " after")
		})
	}
	t.Run("an enum is ordered by its position", func(t *testing.T) {
		schm, compiler := valuesSchema(t), New(Options{})
		q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "one"}, OrderBy: order("e", asc)}
		plan, err := compiler.Check(schm, nil, q)
		require.NoError(t, err)
		prog, err := SQL(plan, Postgres())
		require.NoError(t, err)
		row := make([]graph.Value, len(prog.Main.Fields))
		row[prog.Order[0].Field], row[prog.Order[1].Field] = graph.String("closed"), num
		require.Equal(t, []graph.Value{graph.Int(1), num}, prog.AppendValues(nil, row))
		row[prog.Order[0].Field] = null
		require.Equal(t, []graph.Value{null, num}, prog.AppendValues(nil, row))
	})
	t.Run("a cursor of another order is refused", func(t *testing.T) {
		schm, compiler := valuesSchema(t), New(Options{})
		q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "two"}}
		plan, err := compiler.Check(schm, nil, q)
		require.NoError(t, err)
		q.Cursor = compiler.Cursor(plan, []graph.Value{num}) // one value too few
		_, err = compiler.Check(schm, nil, q)
		require.ErrorIs(t, err, graph.InvalidCursor)
		q.Cursor = compiler.Cursor(plan, []graph.Value{str, num})
		q.OrderBy = order("b", asc)
		_, err = compiler.Check(schm, nil, q)
		require.ErrorIs(t, err, graph.InvalidCursor)
	})
}
