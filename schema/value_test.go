package schema_test

import (
	"encoding/json"
	"strings"
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

// outcome writes what became of a value: its kind and text, or the code of the
// mistake, with the value of its fix.
func outcome(t testing.TB, v graph.Value, e *graph.Error) string {
	if e == nil {
		return v.Kind().String() + " " + v.Text()
	}
	require.NotEmpty(t, e.Message)
	if len(e.Fix) == 0 {
		return string(e.Code)
	}
	require.Len(t, e.Fix, 1)
	require.Equal(t, "replace", e.Fix[0].Op)
	fix, err := json.Marshal(e.Fix[0].Value)
	require.NoError(t, err)
	return string(e.Code) + " fix " + string(fix)
}

// A caller's value is a JSON text here: a number keeps its digits.
func callersValue(text string) graph.Value {
	if !json.Valid([]byte(text)) {
		return graph.Number(text) // made by hand
	}
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&v)
	return graph.Of(v)
}

func TestCoerce(t *testing.T) {
	whole35, fraction30 := strings.Repeat("9", 35), strings.Repeat("3", 30)
	uuid := "0a1b2c3d-0000-4000-8000-00000000000f"
	for _, c := range []struct {
		typ  schema.Type
		give string
		want string
	}{
		{schema.Int64, `7`, "int 7"},
		{schema.Int64, `-7`, "int -7"},
		{schema.Int64, `0`, "int 0"},
		{schema.Int64, `9223372036854775807`, "int 9223372036854775807"},
		{schema.Int64, `-9223372036854775808`, "int -9223372036854775808"},
		{schema.Int64, `9223372036854775808`, "OUT_OF_RANGE"},
		{schema.Int64, `-9223372036854775809`, "OUT_OF_RANGE"},
		{schema.Int64, `1.0`, "INVALID_TYPE fix 1"},
		{schema.Int64, `1e2`, "INVALID_TYPE fix 100"},
		{schema.Int64, `-0`, "INVALID_TYPE fix 0"},
		{schema.Int64, `1.5`, "INVALID_TYPE"},
		{schema.Int64, `9007199254740991.0`, "INVALID_TYPE fix 9007199254740991"},
		{schema.Int64, `9007199254740992.0`, "INVALID_TYPE"}, // a float may have lost digits
		{schema.Int64, `1e400`, "INVALID_TYPE"},
		{schema.Int64, `007`, "INVALID_TYPE fix 7"},
		{schema.Int64, `-`, "INVALID_TYPE"},
		{schema.Int64, `"7"`, "INVALID_TYPE fix 7"},
		{schema.Int64, `"-7"`, "INVALID_TYPE fix -7"},
		{schema.Int64, `"07"`, "INVALID_TYPE"},
		{schema.Int64, `"7a"`, "INVALID_TYPE"},
		{schema.Int64, `""`, "INVALID_TYPE"},
		{schema.Int64, `true`, "INVALID_TYPE"},
		{schema.Int64, `[7]`, "INVALID_TYPE"},
		{schema.Int32, `2147483647`, "int 2147483647"},
		{schema.Int32, `-2147483648`, "int -2147483648"},
		{schema.Int32, `2147483648`, "OUT_OF_RANGE"},
		{schema.Int32, `-2147483649`, "OUT_OF_RANGE"},
		{schema.Int32, `9223372036854775808`, "OUT_OF_RANGE"},

		{schema.Float, `1`, "float 1"},
		{schema.Float, `-0.0`, "float 0"},
		{schema.Float, `1.5e3`, "float 1500"},
		{schema.Float, `1.7976931348623157e308`, "float 1.7976931348623157e+308"},
		{schema.Float, `1e309`, "OUT_OF_RANGE"},
		{schema.Float, `-1e309`, "OUT_OF_RANGE"},
		{schema.Float, `nan`, "INVALID_TYPE"},
		{schema.Float, `abc`, "INVALID_TYPE"},
		{schema.Float, `"1.5"`, "INVALID_TYPE fix 1.5"},
		{schema.Float, `" 2 "`, "INVALID_TYPE fix 2"},
		{schema.Float, `"true"`, "INVALID_TYPE"},
		{schema.Float, `"null"`, "INVALID_TYPE"},
		{schema.Float, `"[1]"`, "INVALID_TYPE"},
		{schema.Float, `"x"`, "INVALID_TYPE"},
		{schema.Float, `false`, "INVALID_TYPE"},

		{schema.Decimal, `12`, "decimal 12"},
		{schema.Decimal, `12.50`, "decimal 12.50"},
		{schema.Decimal, `"12.50"`, "decimal 12.50"},
		{schema.Decimal, `-0.00`, "decimal 0.00"},
		{schema.Decimal, `-0`, "decimal 0"},
		{schema.Decimal, `-0.01`, "decimal -0.01"},
		{schema.Decimal, `1e3`, "decimal 1000"},
		{schema.Decimal, `1E+3`, "decimal 1000"},
		{schema.Decimal, `-1.25e-2`, "decimal -0.0125"},
		{schema.Decimal, `0e0`, "decimal 0"},
		{schema.Decimal, `-0e5`, "decimal 0"},
		{schema.Decimal, `1e34`, "decimal 1" + strings.Repeat("0", 34)},
		{schema.Decimal, `1e35`, "OUT_OF_RANGE"},
		{schema.Decimal, `0.1e35`, "decimal 1" + strings.Repeat("0", 34)},
		{schema.Decimal, `0.1e36`, "OUT_OF_RANGE"},
		{schema.Decimal, `1e-30`, "decimal 0." + strings.Repeat("0", 29) + "1"},
		{schema.Decimal, `10e-31`, "OUT_OF_RANGE"},
		{schema.Decimal, `1e-31`, "OUT_OF_RANGE"},
		{schema.Decimal, `1e999999999999999999999`, "OUT_OF_RANGE"},
		{schema.Decimal, whole35 + "." + fraction30, "decimal " + whole35 + "." + fraction30},
		{schema.Decimal, "-" + whole35, "decimal -" + whole35},
		{schema.Decimal, "1" + whole35, "OUT_OF_RANGE"},
		{schema.Decimal, "0." + fraction30 + "3", "OUT_OF_RANGE"},
		{schema.Decimal, "0." + fraction30 + "0", "decimal 0." + fraction30 + "0"},
		{schema.Decimal, `"1e3"`, "INVALID_TYPE"},
		{schema.Decimal, `"+1"`, "INVALID_TYPE"},
		{schema.Decimal, `"1/2"`, "INVALID_TYPE"},
		{schema.Decimal, `" 1"`, "INVALID_TYPE"},
		{schema.Decimal, `""`, "INVALID_TYPE"},
		{schema.Decimal, `true`, "INVALID_TYPE"},

		{schema.Bool, `true`, "bool true"},
		{schema.Bool, `false`, "bool false"},
		{schema.Bool, `"true"`, "INVALID_TYPE fix true"},
		{schema.Bool, `"false"`, "INVALID_TYPE fix false"},
		{schema.Bool, `"yes"`, "INVALID_TYPE fix true"},
		{schema.Bool, `1`, "INVALID_TYPE fix true"},
		{schema.Bool, `2`, "INVALID_TYPE"},
		{schema.Bool, `"False"`, "INVALID_TYPE fix false"},

		{schema.String, `"x"`, "string x"},
		{schema.String, `""`, "string "},
		{schema.String, "\"\\u0000\"", "INVALID_STRING"},
		{schema.String, `7`, `INVALID_TYPE fix "7"`},
		{schema.String, `true`, `INVALID_TYPE fix "true"`},
		{schema.String, `["x"]`, "INVALID_TYPE"},

		{schema.UUID, `"` + uuid + `"`, "uuid " + uuid},
		{schema.UUID, `"` + strings.ToUpper(uuid) + `"`, `INVALID_TYPE fix "` + uuid + `"`},
		{schema.UUID, `"` + uuid[:35] + `"`, "INVALID_TYPE"},
		{schema.UUID, `"` + uuid + `0"`, "INVALID_TYPE"},
		{schema.UUID, `"0a1b2c3d-0000-4000-80000-0000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"0a1b2c3d00000-4000-8000-00000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"0a1b2c3d-000004000-8000-00000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"0a1b2c3d-0000-400008000-00000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"0a1b2c3d-0000-4000-8000000000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"0a1b2c3g-0000-4000-8000-00000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"/a1b2c3d-0000-4000-8000-00000000000f"`, "INVALID_TYPE"},
		{schema.UUID, `"9:1b2c3d-0000-4000-8000-00000000000f"`, "INVALID_TYPE"},
		{schema.UUID, "\"`a1b2c3d-0000-4000-8000-00000000000f\"", "INVALID_TYPE"},
		{schema.UUID, `"00000000-9999-4000-8000-ffffffffffff"`, "uuid 00000000-9999-4000-8000-ffffffffffff"},
		{schema.UUID, `7`, "INVALID_TYPE"},

		{schema.Date, `"2024-02-29"`, "date 2024-02-29"},
		{schema.Date, `"0001-01-01"`, "date 0001-01-01"},
		{schema.Date, `"9999-12-31"`, "date 9999-12-31"},
		{schema.Date, `"0000-12-31"`, "INVALID_TYPE"},
		{schema.Date, `"2023-02-29"`, "INVALID_TYPE"},
		{schema.Date, `"2024-2-9"`, `INVALID_TYPE fix "2024-02-09"`},
		{schema.Date, `"20240209"`, `INVALID_TYPE fix "2024-02-09"`},
		{schema.Date, `"Feb 9, 2024"`, `INVALID_TYPE fix "2024-02-09"`},
		{schema.Date, `"2024-02-09T10:00:00Z"`, `INVALID_TYPE fix "2024-02-09"`},
		{schema.Date, `"13/2/2024"`, `INVALID_TYPE fix "2024-02-13"`},
		{schema.Date, `"2/13/2024"`, `INVALID_TYPE fix "2024-02-13"`},
		{schema.Date, `"2/3/2024"`, "INVALID_TYPE"}, // February or March
		{schema.Date, `"13/13/2024"`, "INVALID_TYPE"},
		{schema.Date, `"tomorrow"`, "INVALID_TYPE"},
		{schema.Date, `"` + strings.Repeat(" ", 54) + `2024-02-09"`, `INVALID_TYPE fix "2024-02-09"`},
		{schema.Date, `"` + strings.Repeat(" ", 55) + `2024-02-09"`, "INVALID_TYPE"},
		{schema.Date, `20240209`, "INVALID_TYPE"},

		{schema.DateTime, `"2024-02-29T23:59:59Z"`, "datetime 2024-02-29T23:59:59Z"},
		{schema.DateTime, `"2024-02-29T23:59:59.123456Z"`, "datetime 2024-02-29T23:59:59.123456Z"},
		{schema.DateTime, `"2024-02-29T23:59:59.1200Z"`, "datetime 2024-02-29T23:59:59.12Z"},
		{schema.DateTime, `"2024-02-29T23:59:59.1234567Z"`, `INVALID_TYPE fix "2024-02-29T23:59:59Z"`},
		{schema.DateTime, `"2024-02-29T23:59:59.0000000Z"`, `INVALID_TYPE fix "2024-02-29T23:59:59Z"`},
		{schema.DateTime, `"2024-02-29T23:59:59.9999999Z"`, `INVALID_TYPE fix "2024-02-29T23:59:59Z"`},
		{schema.DateTime, `"2024-03-01T01:30:00+02:00"`, "datetime 2024-02-29T23:30:00Z"},
		{schema.DateTime, `"2024-03-01t01:30:00z"`, "INVALID_TYPE"},
		{schema.DateTime, `"2024-03-01T01:30:00,5Z"`, `INVALID_TYPE fix "2024-03-01T01:30:00Z"`},
		{schema.DateTime, `"2024-03-01 01:30:00"`, `INVALID_TYPE fix "2024-03-01T01:30:00Z"`},
		{schema.DateTime, `"2024-03-01 01:30:00+02:00"`, `INVALID_TYPE fix "2024-02-29T23:30:00Z"`},
		{schema.DateTime, `"2024-03-01T01:30"`, `INVALID_TYPE fix "2024-03-01T01:30:00Z"`},
		{schema.DateTime, `"2024-03-01"`, `INVALID_TYPE fix "2024-03-01T00:00:00Z"`},
		{schema.DateTime, `"0001-01-01T00:00:00Z"`, "datetime 0001-01-01T00:00:00Z"},
		{schema.DateTime, `"0001-01-01T00:00:00+01:00"`, "OUT_OF_RANGE"},
		{schema.DateTime, `"9999-12-31T23:59:59.999999Z"`, "datetime 9999-12-31T23:59:59.999999Z"},
		{schema.DateTime, `"9999-12-31T23:59:59-01:00"`, "OUT_OF_RANGE"},
		{schema.DateTime, `"now"`, "INVALID_TYPE"},
		{schema.DateTime, `1700000000`, `INVALID_TYPE fix "2023-11-14T22:13:20Z"`},
		{schema.DateTime, `1700000000500`, `INVALID_TYPE fix "2023-11-14T22:13:20.5Z"`},
		{schema.DateTime, `17000000`, "INVALID_TYPE"},
		{schema.DateTime, `"3 Jan 2026 09:00"`, `INVALID_TYPE fix "2026-01-03T09:00:00Z"`},

		{schema.JSON, `"{}"`, "INVALID_TYPE"},
	} {
		t.Run(c.typ.String()+" "+c.give, func(t *testing.T) {
			v, e := (&schema.Property{Name: "p", Type: c.typ}).Coerce(callersValue(c.give), false)
			require.Equal(t, c.want, outcome(t, v, e))
		})
	}
}

func TestCoerceEnum(t *testing.T) {
	for _, c := range []struct {
		values     []schema.EnumValue
		give, want string
	}{
		{plainEnum, `"opened"`, "string opened"},
		{plainEnum, `"Opened"`, `INVALID_ENUM fix "opened"`},
		{plainEnum, `"green"`, "INVALID_ENUM"},
		{plainEnum, `1`, "INVALID_TYPE"},
		{storedInts, `"low"`, "string low"},
		{storedInts, `-1`, `INVALID_TYPE fix "low"`},
		{storedInts, `30`, `INVALID_TYPE fix "high"`},
		{storedInts, `31`, "INVALID_TYPE"},
		{storedInts, `"30"`, "INVALID_ENUM"},
	} {
		v, e := (&schema.Property{Name: "state", Type: schema.Enum, Values: c.values}).Coerce(callersValue(c.give), false)
		require.Equal(t, c.want, outcome(t, v, e), c.give)
	}
}

// A query made in Go has typed values.
func TestCoerceGoValues(t *testing.T) {
	at := time.Date(2024, 2, 29, 23, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		typ  schema.Type
		give graph.Value
		want string
	}{
		{schema.Int64, graph.Int(7), "int 7"},
		{schema.Int32, graph.Int(1 << 31), "OUT_OF_RANGE"},
		{schema.Int64, graph.Float(7), "INVALID_TYPE"},
		{schema.Float, graph.Int(7), "float 7"},
		{schema.Float, graph.Float(0.5), "float 0.5"},
		{schema.Decimal, graph.Int(7), "decimal 7"},
		{schema.Decimal, graph.Float(2.5), "decimal 2.5"},
		{schema.Decimal, graph.Float(1e21), "decimal 1" + strings.Repeat("0", 21)},
		{schema.Decimal, graph.Decimal("2.50"), "decimal 2.50"},
		{schema.String, graph.Int(7), `INVALID_TYPE fix "7"`},
		{schema.Date, graph.Date(at), "date 2024-02-29"},
		{schema.Date, graph.DateTime(at), "INVALID_TYPE"}, // not a day of its own
		{schema.DateTime, graph.DateTime(at), "datetime 2024-02-29T23:30:00Z"},
		{schema.DateTime, graph.DateTime(at.AddDate(8000, 0, 0)), "OUT_OF_RANGE"},
		{schema.DateTime, graph.DateTime(at.AddDate(-2024, 0, 0)), "OUT_OF_RANGE"},
		{schema.DateTime, graph.DateTime(at.AddDate(-2023, 0, 0)), "datetime 0001-03-01T23:30:00Z"},
		{schema.DateTime, graph.DateTime(at.AddDate(7975, 0, 0)), "datetime 9999-03-01T23:30:00Z"},
		{schema.DateTime, graph.Date(at), "INVALID_TYPE"},
		{schema.UUID, graph.UUID("0a1b2c3d-0000-4000-8000-00000000000f"), "uuid 0a1b2c3d-0000-4000-8000-00000000000f"},
		{schema.Bool, graph.Of(struct{}{}), "INVALID_TYPE"},
		{schema.Float, graph.Of(struct{}{}), "INVALID_TYPE"},
		{schema.Date, graph.Of(struct{}{}), "INVALID_TYPE"},
	} {
		v, e := (&schema.Property{Name: "p", Type: c.typ}).Coerce(c.give, false)
		require.Equal(t, c.want, outcome(t, v, e), "%s %s", c.typ, c.give)
	}
}

// keyLabel has a key of properties of the given types.
func keyLabel(types ...schema.Type) *schema.Label {
	l := &schema.Label{Name: "slot"}
	for _, typ := range types {
		l.Key = append(l.Key, &schema.Property{Name: "k", Type: typ})
	}
	return l
}

func TestKeyParts(t *testing.T) {
	one, two := keyLabel(schema.Int64), keyLabel(schema.String, schema.Int32)
	for _, c := range []struct {
		label      *schema.Label
		give, want string
	}{
		{one, `7`, "int 7"},
		{one, `"7"`, "int 7"},
		{one, `"-7"`, "int -7"},
		{one, `"07"`, "INVALID_TYPE"},
		{one, `"-0"`, "INVALID_TYPE fix 0"},
		{one, `"+7"`, "INVALID_TYPE fix 7"},
		{one, `"#7"`, "INVALID_TYPE fix 7"},
		{one, `"issue:7"`, "INVALID_TYPE fix 7"},
		{one, `"7 or 8"`, "INVALID_TYPE"},
		{one, `"9223372036854775808"`, "OUT_OF_RANGE"},
		{one, `7.0`, "INVALID_TYPE fix 7"},
		{one, `null`, "INVALID_TYPE"},
		{one, `[7]`, "INVALID_TYPE"},
		{keyLabel(schema.Bool), `"true"`, "bool true"},
		{keyLabel(schema.Bool), `"false"`, "bool false"},
		{keyLabel(schema.Float), `"1.5"`, "float 1.5"},
		{two, `["a", 7]`, "string a, int 7"},
		{two, `["a", "7"]`, "string a, int 7"},
		{two, `"[\"a\",\"7\"]"`, "string a, int 7"},
		{two, `"[\"a\", \"7\"]"`, "INVALID_TYPE"}, // not compact
		{two, `"[\"\\u0061\",\"7\"]"`, "INVALID_TYPE"},
		{two, `"[\"a\",\"7\"] "`, "INVALID_TYPE"},
		{two, `"[\"a\",\"7\"][]"`, "INVALID_TYPE"},
		{two, `"[\"a\"]"`, "INVALID_TYPE"},
		{two, `"[\"a\",\"7\",\"8\"]"`, "INVALID_TYPE"},
		{two, `"[\"a\",\"07\"]"`, "INVALID_TYPE"},
		{two, `"a"`, "INVALID_TYPE"},
		{two, `7`, "INVALID_TYPE"},
		{two, `["a"]`, "INVALID_TYPE"},
		{two, `["a", 7, 8]`, "INVALID_TYPE"},
		{two, `[]`, "INVALID_TYPE"},
		{two, `[null, 7]`, "INVALID_TYPE at /0"},
		{two, `[["a"], 7]`, "INVALID_TYPE at /0"},
		{two, `["a", 7.0]`, "INVALID_TYPE at /1 fix 7"},
		{two, `"[\"a\",7.0]"`, "INVALID_TYPE"}, // a fix inside of a text would replace the whole
		{two, `[7, 7]`, `INVALID_TYPE at /0 fix "7"`},
		{two, `["a", 2147483648]`, "OUT_OF_RANGE at /1"},
	} {
		t.Run(c.give, func(t *testing.T) {
			parts, e := c.label.CoerceKey(callersValue(c.give))
			if e == nil {
				texts := make([]string, len(parts))
				for i, p := range parts {
					texts[i] = outcome(t, p, nil)
				}
				require.Equal(t, c.want, strings.Join(texts, ", "))
				return
			}
			got := outcome(t, graph.Value{}, e)
			if e.Path != "" {
				got = strings.Replace(got, string(e.Code), string(e.Code)+" at "+e.Path, 1)
				for _, f := range e.Fix {
					require.Equal(t, e.Path, f.Path)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestCoerceKeyText reads the ids of answers back.
func TestCoerceKeyText(t *testing.T) {
	day := graph.Date(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC))
	uuid := graph.UUID("0a1b2c3d-0000-4000-8000-00000000000f")
	for _, c := range []struct {
		types []schema.Type
		key   []graph.Value
	}{
		{[]schema.Type{schema.Int64}, []graph.Value{graph.Int(-1 << 63)}},
		{[]schema.Type{schema.Int32}, []graph.Value{graph.Int(0)}},
		{[]schema.Type{schema.String}, []graph.Value{graph.String("")}},
		{[]schema.Type{schema.String}, []graph.Value{graph.String(`["a"]`)}},
		{[]schema.Type{schema.UUID}, []graph.Value{uuid}},
		{[]schema.Type{schema.Date}, []graph.Value{day}},
		{[]schema.Type{schema.Bool}, []graph.Value{graph.Bool(true)}},
		{[]schema.Type{schema.String, schema.Int64}, []graph.Value{graph.String("\"\\\n\u2028é\x7f,"), graph.Int(7)}},
		{[]schema.Type{schema.Date, schema.UUID, schema.String}, []graph.Value{day, uuid, graph.String("7")}},
	} {
		text := graph.KeyText(c.key)
		got, bad := keyLabel(c.types...).CoerceKey(graph.String(text))
		require.Nil(t, bad, text)
		require.Equal(t, c.key, got)
	}
	for _, text := range []string{"", "x", "07", "1.0", "[1]"} {
		_, bad := keyLabel(schema.Int64).CoerceKey(graph.String(text))
		require.NotNil(t, bad, text)
	}
}
