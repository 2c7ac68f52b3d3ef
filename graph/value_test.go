package graph_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

var (
	noon   = time.Date(2026, 11, 21, 13, 0, 0, 250_000_999, time.FixedZone("", 3600))
	shared = "pointed at"
)

func TestValues(t *testing.T) {
	for _, c := range []struct {
		name  string
		value graph.Value
		kind  graph.Kind
		json  string
		text  string
		any   any
	}{
		{"zero", graph.Value{}, graph.KindNull, `null`, ``, nil},
		{"null", graph.Null(), graph.KindNull, `null`, ``, nil},
		{"true", graph.Bool(true), graph.KindBool, `true`, `true`, true},
		{"false", graph.Bool(false), graph.KindBool, `false`, `false`, false},
		{"least int", graph.Int(math.MinInt64), graph.KindInt, `-9223372036854775808`, `-9223372036854775808`, int64(math.MinInt64)},
		{"int beyond floats", graph.Int(1<<53 + 1), graph.KindInt, `9007199254740993`, `9007199254740993`, int64(1<<53 + 1)},
		{"float", graph.Float(0.1), graph.KindFloat, `0.1`, `0.1`, 0.1},
		{"whole float", graph.Float(3), graph.KindFloat, `3`, `3`, 3.0},
		{"no negative zero", graph.Float(math.Copysign(0, -1)), graph.KindFloat, `0`, `0`, 0.0},
		{"small float", graph.Float(1.5e-9), graph.KindFloat, `1.5e-9`, `1.5e-9`, 1.5e-9},
		{"large float", graph.Float(1e21), graph.KindFloat, `1e+21`, `1e+21`, 1e21},
		{"largest without exponent", graph.Float(1e20), graph.KindFloat, `100000000000000000000`, `100000000000000000000`, 1e20},
		{"not a number", graph.Float(math.NaN()), graph.KindInvalid, `"NaN"`, `NaN`, "NaN"},
		{"infinity", graph.Float(math.Inf(-1)), graph.KindInvalid, `"-Inf"`, `-Inf`, "-Inf"},
		{"number", graph.Number("1.50e+02"), graph.KindNumber, `1.50e+02`, `1.50e+02`, "1.50e+02"},
		{"decimal", graph.Decimal("12.50"), graph.KindDecimal, `"12.50"`, `12.50`, "12.50"},
		{"string", graph.String("a\"b\\c\n\t\r\x00\x7f\u2028\u2029<&>é😀"), graph.KindString,
			`"a\"b\\c\n\t\r\u0000\u007f\u2028\u2029<&>é😀"`, "a\"b\\c\n\t\r\x00\x7f\u2028\u2029<&>é😀", "a\"b\\c\n\t\r\x00\x7f\u2028\u2029<&>é😀"},
		{"broken UTF-8", graph.String("a\xffb\xe2\x80\uFFFD"), graph.KindString, "\"a\uFFFDb\uFFFD\uFFFD\uFFFD\"", "a\xffb\xe2\x80\uFFFD", "a\xffb\xe2\x80\uFFFD"},
		{"date", graph.Date(noon), graph.KindDate, `"2026-11-21"`, `2026-11-21`, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)},
		{"the first day", graph.Date(time.Date(1, 1, 1, 23, 0, 0, 0, time.UTC)), graph.KindDate, `"0001-01-01"`, `0001-01-01`, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"instant", graph.DateTime(noon), graph.KindDateTime, `"2026-11-21T12:00:00.25Z"`, `2026-11-21T12:00:00.25Z`, time.Date(2026, 11, 21, 12, 0, 0, 250_000_000, time.UTC)},
		{"instant before 1970", graph.DateTimeFromMicros(-1), graph.KindDateTime, `"1969-12-31T23:59:59.999999Z"`, `1969-12-31T23:59:59.999999Z`, time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)},
		{"uuid", graph.UUID("7f1b8c52-3f0e-4d29-9b57-0f6f3c1a2b44"), graph.KindUUID, `"7f1b8c52-3f0e-4d29-9b57-0f6f3c1a2b44"`, `7f1b8c52-3f0e-4d29-9b57-0f6f3c1a2b44`, "7f1b8c52-3f0e-4d29-9b57-0f6f3c1a2b44"},
		{"json", graph.JSON(`{"a":[1]}`), graph.KindJSON, `{"a":[1]}`, `{"a":[1]}`, json.RawMessage(`{"a":[1]}`)},
		{"list", graph.List(graph.Int(1), graph.Null(), graph.List(graph.String("x"))), graph.KindList, `[1,null,["x"]]`, `[1,null,["x"]]`, []any{int64(1), nil, []any{"x"}}},
		{"empty list", graph.List(), graph.KindList, `[]`, `[]`, []any{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.kind, c.value.Kind())
			require.Equal(t, c.kind == graph.KindNull, c.value.IsNull())
			require.Equal(t, "before "+c.json, string(c.value.AppendJSON([]byte("before "))))
			require.True(t, json.Valid([]byte(c.json)))
			require.Equal(t, c.json, c.value.String())
			require.Equal(t, c.text, c.value.Text())
			require.Equal(t, c.any, c.value.Any())
			require.True(t, c.value.Equal(c.value))
		})
	}
}

func TestOf(t *testing.T) {
	type name string
	type flag bool
	var nowhere *int
	var cycle []any
	cycle = append(cycle, &cycle)
	for _, c := range []struct {
		in   any
		want graph.Value
	}{
		{nil, graph.Null()},
		{nowhere, graph.Null()},
		{graph.Int(3), graph.Int(3)},
		{"a", graph.String("a")},
		{name("a"), graph.String("a")},
		{&shared, graph.String(shared)},
		{true, graph.Bool(true)},
		{flag(true), graph.Bool(true)},
		{7, graph.Int(7)},
		{int8(-7), graph.Int(-7)},
		{int64(7), graph.Int(7)},
		{time.Second, graph.Int(1_000_000_000)},
		{uint64(math.MaxUint64), graph.Number("18446744073709551615")},
		{1.5, graph.Float(1.5)},
		{float32(1.5), graph.Float(1.5)},
		{json.Number("1.50"), graph.Number("1.50")},
		{noon, graph.DateTime(noon)},
		{&noon, graph.DateTime(noon)},
		{[]any{1, "a", nil}, graph.List(graph.Int(1), graph.String("a"), graph.Null())},
		{[2]string{"a", "b"}, graph.List(graph.String("a"), graph.String("b"))},
		{[]string(nil), graph.List()},
	} {
		require.True(t, c.want.Equal(graph.Of(c.in)), "%T %v: %v", c.in, c.in, graph.Of(c.in))
	}
	for _, in := range []any{map[string]int{}, struct{}{}, make(chan int), func() {}, 1i, math.NaN()} {
		require.Equal(t, graph.KindInvalid, graph.Of(in).Kind(), "%T", in)
	}
	require.Contains(t, graph.Of(cycle).String(), `"`, "what holds itself ends somewhere, as invalid")
}

// Each accessor gives the zero of its type for other kinds.
func TestAccessors(t *testing.T) {
	require.True(t, graph.Bool(true).Bool())
	require.Equal(t, int64(-3), graph.Int(-3).Int())
	require.Equal(t, 2.5, graph.Float(2.5).Float())
	require.Equal(t, -3.0, graph.Int(-3).Float())
	require.Equal(t, int64(-1), graph.DateFromDays(-1).Days())
	require.Equal(t, time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), graph.DateFromDays(-1).Time())
	require.Equal(t, int64(1_500_000), graph.DateTimeFromMicros(1_500_000).Micros())
	require.Equal(t, []graph.Value{graph.Int(1)}, graph.List(graph.Int(1)).List())
	for _, v := range []graph.Value{graph.Null(), graph.String("1"), graph.List(graph.Int(1)), graph.JSON("1")} {
		require.False(t, v.Bool())
		require.Zero(t, v.Int())
		require.Zero(t, v.Float())
		require.Zero(t, v.Days())
		require.Zero(t, v.Micros())
		require.True(t, v.Time().IsZero())
	}
	require.Zero(t, graph.Float(2.5).Int(), "nothing is rounded")
	require.Zero(t, graph.DateFromDays(1).Micros())
	require.Zero(t, graph.DateTimeFromMicros(1).Days())
}

func TestEqual(t *testing.T) {
	different := []graph.Value{
		graph.Null(), graph.Bool(false), graph.Bool(true), graph.Int(0), graph.Int(1), graph.Float(1), graph.Number("1"), graph.Decimal("1"),
		graph.Decimal("1.0"), graph.String("1"), graph.String(""), graph.DateFromDays(1), graph.DateTimeFromMicros(1), graph.UUID("1"),
		graph.JSON("1"), graph.List(), graph.List(graph.Null()), graph.List(graph.Int(1)), graph.List(graph.Int(1), graph.Int(2)),
	}
	for i, a := range different {
		for j, b := range different {
			require.Equal(t, i == j, a.Equal(b), "%v %v", a, b)
		}
	}
}

// Each list stands in ascending order.
func TestCompare(t *testing.T) {
	for name, ordered := range map[string][]graph.Value{
		"bool":     {graph.Bool(false), graph.Bool(true), graph.Null()},
		"int":      {graph.Int(math.MinInt64), graph.Int(-1), graph.Int(0), graph.Int(math.MaxInt64), graph.Null()},
		"float":    {graph.Float(-math.MaxFloat64), graph.Float(-1.5), graph.Float(-1), graph.Float(0), graph.Float(5e-324), graph.Float(2), graph.Float(10)},
		"decimal":  {graph.Decimal("-12.5"), graph.Decimal("-2"), graph.Decimal("0.00"), graph.Decimal("9"), graph.Decimal("10.0"), graph.Decimal("12345678901234567890.1")},
		"string":   {graph.String(""), graph.String("A"), graph.String("B"), graph.String("a"), graph.String("a "), graph.String("é"), graph.String("\uFFFD"), graph.String("😀")},
		"date":     {graph.DateFromDays(-719162), graph.DateFromDays(-1), graph.DateFromDays(0), graph.Null()},
		"datetime": {graph.DateTimeFromMicros(-1), graph.DateTimeFromMicros(0), graph.DateTimeFromMicros(1)},
		"uuid":     {graph.UUID("0"), graph.UUID("a")},
		"list": {graph.List(), graph.List(graph.Int(1)), graph.List(graph.Int(1), graph.Int(9)), graph.List(graph.Int(2)),
			graph.List(graph.Int(10)), graph.List(graph.Null())},
	} {
		for i, a := range ordered {
			for j, b := range ordered {
				require.Equal(t, sign(i-j), a.Compare(b), "%s: %v %v", name, a, b)
			}
		}
	}
	require.Zero(t, graph.Decimal("1.50").Compare(graph.Decimal("1.5")), "the scale is not part of the size")
}

func sign(n int) int {
	return min(1, max(-1, n))
}

func TestKeyText(t *testing.T) {
	uuid := graph.UUID("7f1b8c52-3f0e-4d29-9b57-0f6f3c1a2b44")
	for want, parts := range map[string][]graph.Value{
		`7`:                   {graph.Int(7)},
		`a"b`:                 {graph.String(`a"b`)},
		``:                    {graph.String("")},
		`2026-11-21`:          {graph.Date(noon)},
		`12.50`:               {graph.Decimal("12.50")},
		uuid.Text():           {uuid},
		`["a","7"]`:           {graph.String("a"), graph.Int(7)},
		`["a\"b","é","true"]`: {graph.String(`a"b`), graph.String("é"), graph.Bool(true)},
		`["",""]`:             {graph.String(""), graph.String("")},
		`["a\",\"b","c"]`:     {graph.String(`a","b`), graph.String("c")},
	} {
		require.Equal(t, want, graph.KeyText(parts))
	}
}

func TestKinds(t *testing.T) {
	var names []string
	for k := graph.KindNull; k <= graph.KindInvalid; k++ {
		names = append(names, k.String())
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "each has a name of its own")
	require.Equal(t, "Kind(99)", graph.Kind(99).String())
}
