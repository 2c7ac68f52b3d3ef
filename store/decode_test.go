package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

var (
	opened = []schema.EnumValue{{Name: "opened"}, {Name: "closed"}}
	ranked = []schema.EnumValue{{Name: "high", IsInt: true, Int: 30}, {Name: "low", IsInt: true, Int: -1}}
)

// TestDecode tries the forms in which drivers return a column, and what does
// not fit the property's type.
func TestDecode(t *testing.T) {
	at := time.Date(2024, 2, 29, 23, 30, 0, 120000, time.UTC)
	const bad = "INVALID_DATA"
	uuid := "0a1b2c3d-0000-4000-8000-00000000000f"
	for _, c := range []struct {
		typ  schema.Type
		raw  any
		want string // kind and text
	}{
		{schema.Int64, int64(-7), "int -7"},
		{schema.Int64, int32(7), "int 7"},
		{schema.Int64, int16(7), "int 7"},
		{schema.Int64, int8(-7), "int -7"},
		{schema.Int64, int(7), "int 7"},
		{schema.Int64, uint64(math.MaxInt64), "int 9223372036854775807"},
		{schema.Int64, uint64(math.MaxInt64 + 1), bad},
		{schema.Int64, uint(7), "int 7"},
		{schema.Int64, uint32(7), "int 7"},
		{schema.Int64, uint16(7), "int 7"},
		{schema.Int64, uint8(7), "int 7"},
		{schema.Int64, true, "int 1"},
		{schema.Int64, false, "int 0"},
		{schema.Int64, []byte("-9223372036854775808"), "int -9223372036854775808"},
		{schema.Int64, "9223372036854775808", bad},
		{schema.Int64, "7.000", "int 7"},
		{schema.Int64, "7.001", bad},
		{schema.Int64, "", bad},
		{schema.Int64, "7a", bad},
		{schema.Int64, float64(1 << 53), "int 9007199254740992"},
		{schema.Int64, float64(1<<53) + 2, bad},
		{schema.Int64, -float64(1 << 53), "int -9007199254740992"},
		{schema.Int64, 0.5, bad},
		{schema.Int64, math.NaN(), bad},
		{schema.Int64, math.Inf(1), bad},
		{schema.Int64, at, bad},
		{schema.Int64, big.NewInt(math.MinInt64), "int -9223372036854775808"},
		{schema.Int64, new(big.Int).Lsh(big.NewInt(1), 63), bad},
		{schema.Int32, int64(math.MaxInt32), "int 2147483647"},
		{schema.Int32, int64(math.MaxInt32 + 1), bad},
		{schema.Int32, int64(math.MinInt32), "int -2147483648"},
		{schema.Int32, int64(math.MinInt32 - 1), bad},

		{schema.Float, 0.1, "float 0.1"},
		{schema.Float, float32(0.1), "float 0.10000000149011612"},
		{schema.Float, []byte("0.1"), "float 0.1"},
		{schema.Float, "-0", "float 0"},
		{schema.Float, int64(7), "float 7"},
		{schema.Float, math.NaN(), bad},
		{schema.Float, math.Inf(-1), bad},
		{schema.Float, float32(math.Inf(1)), bad},
		{schema.Float, "NaN", bad},
		{schema.Float, "x", bad},
		{schema.Float, at, bad},

		{schema.Bool, true, "bool true"},
		{schema.Bool, false, "bool false"},
		{schema.Bool, int64(1), "bool true"},
		{schema.Bool, []byte("0"), "bool false"},
		{schema.Bool, int64(2), bad},
		{schema.Bool, int64(-1), bad},
		{schema.Bool, "true", bad},

		{schema.String, "x", "string x"},
		{schema.String, []byte("x "), "string x "},
		{schema.String, int64(7), bad},

		{schema.UUID, uuid, "uuid " + uuid},
		{schema.UUID, []byte(strings.ToUpper(uuid)), "uuid " + uuid},
		{schema.UUID, [16]byte{0x0a, 0x1b, 0x2c, 0x3d, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x0f}, "uuid " + uuid},
		{schema.UUID, []byte{0x0a, 0x1b, 0x2c, 0x3d, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x0f}, "uuid " + uuid},
		{schema.UUID, "09af09af-09af-09af-09af-09af09af09af", "uuid 09af09af-09af-09af-09af-09af09af09af"},
		{schema.UUID, uuid[:35], bad},
		{schema.UUID, uuid + "0", bad},
		{schema.UUID, strings.Replace(uuid, "a", ":", 1), bad},
		{schema.UUID, strings.Replace(uuid, "a", "g", 1), bad},
		{schema.UUID, strings.Replace(uuid, "a", "`", 1), bad},
		{schema.UUID, strings.Repeat("x", 36), bad},
		{schema.UUID, strings.Repeat("-", 36), bad},
		{schema.UUID, strings.Repeat("0", 36), bad},
		{schema.UUID, strings.Replace(uuid, "a", "/", 1), bad},
		{schema.UUID, strings.Replace(uuid, "a", "é", 1)[:36], bad},
		{schema.UUID, int64(7), bad},

		{schema.Date, "2024-02-29", "date 2024-02-29"},
		{schema.Date, []byte("2024-02-29"), "date 2024-02-29"},
		{schema.Date, at, "date 2024-02-29"},
		{schema.Date, "2023-02-29", bad},
		{schema.Date, "0000-00-00", bad},
		{schema.Date, "0000-12-31", bad},
		{schema.Date, "0001-01-01", "date 0001-01-01"},
		{schema.Date, "9999-12-31", "date 9999-12-31"},
		{schema.Date, at.AddDate(7976, 0, 0), bad},
		{schema.Date, int64(7), bad},

		{schema.DateTime, at, "datetime 2024-02-29T23:30:00.00012Z"},
		{schema.DateTime, at.In(time.FixedZone("", 7200)), "datetime 2024-02-29T23:30:00.00012Z"},
		{schema.DateTime, "2024-02-29 23:30:00.00012", "datetime 2024-02-29T23:30:00.00012Z"},
		{schema.DateTime, []byte("2024-02-29 23:30:00"), "datetime 2024-02-29T23:30:00Z"},
		{schema.DateTime, "2024-02-29", "datetime 2024-02-29T00:00:00Z"},
		{schema.DateTime, "2024-03-01T01:30:00+02:00", "datetime 2024-02-29T23:30:00Z"},
		{schema.DateTime, "0000-00-00 00:00:00", bad},
		{schema.DateTime, time.Time{}.AddDate(-1, 0, 0), bad},
		{schema.DateTime, "infinity", bad},
		{schema.DateTime, 7.5, bad},

		{schema.Decimal, "12.5", "decimal 12.50"},
		{schema.Decimal, []byte("-12.5000"), "decimal -12.50"},
		{schema.Decimal, int64(12), "decimal 12.00"},
		{schema.Decimal, "12.505", bad},
		{schema.Decimal, "NaN", bad},
		{schema.Decimal, 12.5, "decimal 12.50"}, // SQLite's NUMERIC columns hold floats of up to 15 digits
		{schema.Decimal, -1234567890123.45, "decimal -1234567890123.45"},
		{schema.Decimal, 12345678901234.56, bad},
		{schema.Decimal, 12.505, bad},
		{schema.Decimal, math.Copysign(0, -1), "decimal 0.00"},
		{schema.Decimal, math.NaN(), bad},

		{schema.JSON, ` {"b": [1, 2], "a": "x"} `, ""},
		{schema.JSON, []byte(`7`), "json 7"},
		{schema.JSON, `{`, bad},
		{schema.JSON, int64(7), "json 7"},
		{schema.JSON, 1.5, "json 1.5"},
		{schema.JSON, math.Inf(1), bad},
		{schema.JSON, true, bad},
	} {
		t.Run(fmt.Sprintf("%s from %T %v", c.typ, c.raw, c.raw), func(t *testing.T) {
			v, err := decode(compile.Field{Type: &schema.Property{Name: "p", Type: c.typ, Scale: 2}}, c.raw)
			switch {
			case c.want == bad:
				require.ErrorContains(t, err, `property "p"`)
				require.True(t, v.IsNull())
			case c.want == "":
				require.NoError(t, err)
				require.JSONEq(t, c.raw.(string), v.Text())
			default:
				require.NoError(t, err)
				require.Equal(t, c.want, v.Kind().String()+" "+v.Text())
			}
		})
	}
}

func TestDecodeEnum(t *testing.T) {
	for _, c := range []struct {
		values  []schema.EnumValue
		ordinal bool
		raw     any
		want    string // "" for what does not fit
	}{
		{opened, false, "closed", "closed"},
		{opened, false, []byte("opened"), "opened"},
		{opened, false, "Closed", ""},
		{opened, false, int64(0), ""},
		{opened, true, int64(0), "opened"},
		{opened, true, int64(1), "closed"},
		{opened, true, int64(2), ""},
		{opened, true, int64(-1), ""},
		{opened, true, "x", ""},
		{ranked, false, int64(30), "high"},
		{ranked, false, "-1", "low"},
		{ranked, false, int64(0), ""},
		{ranked, false, "high", ""},
		{ranked, true, int64(1), "low"},
		{nil, false, "x", ""},
	} {
		p := &schema.Property{Name: "state", Type: schema.Enum, Values: c.values}
		v, err := decode(compile.Field{Type: p, Ordinal: c.ordinal}, c.raw)
		require.Equal(t, c.want == "", err != nil, c)
		require.Equal(t, c.want, v.Text())
	}
}

func TestDecodeNull(t *testing.T) {
	p := &schema.Property{Name: "p", Type: schema.Int64}
	_, err := decode(compile.Field{Type: p}, nil)
	require.ErrorContains(t, err, "null where none may be")
	p.Nullable = true
	v, err := decode(compile.Field{Type: p}, nil)
	require.NoError(t, err)
	require.True(t, v.IsNull())
	v, err = decode(compile.Field{Type: &schema.Property{Type: schema.Int64}}, nil)
	require.NoError(t, err, "a computed column has no name and may be null")
	require.True(t, v.IsNull())
}

// TestErrorsOfRows pins that errors about stored values name the node, and
// neither the value nor storage.
func TestErrorsOfRows(t *testing.T) {
	id := &schema.Property{Name: "id", Type: schema.Int64}
	n := &schema.Property{Name: "n", Type: schema.Int32}
	row := make([]graph.Value, 2)
	st := &compile.Statement{Fields: []compile.Field{{Type: id, Owner: "thing", Key: []int{0}}, {Type: n, Owner: "thing", Key: []int{0}}}}

	require.NoError(t, decodeRow(st, []any{int64(7), int64(8)}, row))
	require.Equal(t, []graph.Value{graph.Int(7), graph.Int(8)}, row)

	check := func(raw []any, want string) {
		err := decodeRow(st, raw, row)
		require.ErrorIs(t, err, graph.InvalidData)
		var e *graph.Error
		require.True(t, errors.As(err, &e))
		require.Equal(t, want, e.Message)
	}
	check([]any{int64(7), "secret"}, `thing "7": property "n": the stored value does not fit int32: it is a text that is no number`)
	check([]any{"x", int64(8)}, `thing: property "id": the stored value does not fit int64: it is a text that is no number`)
	st.Fields[1].Key = []int{0, 0}
	check([]any{int64(7), nil}, `thing ["7","7"]: property "n": null where none may be`)
	st.Fields[1].Key = nil
	check([]any{int64(7), nil}, `thing: property "n": null where none may be`)
	st.Fields[1].Owner = ""
	check([]any{int64(7), nil}, `property "n": null where none may be`)

	st.Fields[1] = compile.Field{Type: &schema.Property{Name: "sum", Type: schema.Int64}, Sum: "/aggregations/0"}
	err := decodeRow(st, []any{int64(7), "9223372036854775808"}, row)
	require.ErrorIs(t, err, graph.OutOfRange)
	var e *graph.Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, "/aggregations/0", e.Path)

	st.Fields[1].Type = &schema.Property{Name: "sum", Type: schema.Decimal}
	for _, raw := range []any{"NaN", []byte("NaN"), "-Infinity", math.NaN()} {
		require.ErrorIs(t, decodeRow(st, []any{int64(7), raw}, row), graph.InvalidData)
	}
	st.Fields[1].Type = &schema.Property{Name: "sum", Type: schema.Float}
	require.ErrorIs(t, decodeRow(st, []any{int64(7), math.NaN()}, row), graph.InvalidData)
	require.ErrorIs(t, decodeRow(st, []any{int64(7), math.Inf(1)}, row), graph.OutOfRange)
}

// What does not fit is told in words, without the value.
func TestMisfits(t *testing.T) {
	enum := []schema.EnumValue{{Name: "open"}}
	for _, c := range []struct {
		p    schema.Property
		raw  any
		want string
	}{
		{schema.Property{Type: schema.DateTime}, "0000-00-00 00:00:00", "a zero date"},
		{schema.Property{Type: schema.Date}, []byte("0000-00-00"), "a zero date"},
		{schema.Property{Type: schema.Date}, "0000-01-01", "of a year before 1 or after 9999"},
		{schema.Property{Type: schema.Date}, "10000-01-01", "of a year before 1 or after 9999"},
		{schema.Property{Type: schema.Date}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "of a year before 1 or after 9999"},
		{schema.Property{Type: schema.DateTime}, "-infinity", "infinity"},
		{schema.Property{Type: schema.DateTime}, "secret", "a text that is no datetime, or not in the form that is expected"},
		{schema.Property{Type: schema.Float}, math.NaN(), "NaN"},
		{schema.Property{Type: schema.Float}, math.Inf(-1), "infinity"},
		{schema.Property{Type: schema.Decimal, Scale: 2}, "NaN", "NaN"},
		{schema.Property{Type: schema.Decimal, Scale: 2}, "1.005", "a number with more than 2 digits after the point, or so many that some may be lost"},
		{schema.Property{Type: schema.Int32}, int64(1) << 40, "a number that is out of its range, or no whole one"},
		{schema.Property{Type: schema.Int32}, "secret", "a text that is no number"},
		{schema.Property{Type: schema.String}, "secret\xff", "a text that is not UTF-8"},
		{schema.Property{Type: schema.String}, int64(7), "a number"},
		{schema.Property{Type: schema.UUID}, "secret", "a text that is no UUID"},
		{schema.Property{Type: schema.JSON}, "{secret", "a text that is no JSON"},
		{schema.Property{Type: schema.Enum, Values: enum}, "secret", "none of the declared values"},
		{schema.Property{Type: schema.Bool}, int64(7), "a number other than 0 and 1"},
	} {
		_, err := decode(compile.Field{Type: &c.p}, c.raw)
		require.ErrorContains(t, err, "it is "+c.want, "%v", c.raw)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestDecimalText(t *testing.T) {
	for _, c := range []struct {
		text  string
		scale int
		want  string // "" for false
	}{
		{"1", 0, "1"}, {"1", 2, "1.00"}, {"1.5", 2, "1.50"}, {"1.50", 1, "1.5"}, {"1.500", 2, "1.50"}, {"1.55", 1, ""}, {"1.05", 1, ""},
		{"1.0", 0, "1"}, {"1.5", 0, ""}, {"-1.5", 2, "-1.50"}, {"-0", 0, "0"}, {"-0.00", 2, "0.00"}, {"-0.01", 2, "-0.01"},
		{"007", 0, "7"}, {"000", 1, "0.0"}, {"00.10", 1, "0.1"}, {"1.", 1, "1.0"},
		{"99999999999999999999999999999999999.999", 3, "99999999999999999999999999999999999.999"},
		{"", 0, ""}, {"-", 0, ""}, {".5", 1, ""}, {"+1", 0, ""}, {"1e3", 0, ""}, {"--1", 0, ""}, {"1.2.3", 3, ""}, {" 1", 0, ""}, {"NaN", 0, ""}, {"1,5", 1, ""},
	} {
		v, ok := DecimalText(c.text, c.scale)
		require.Equal(t, c.want != "", ok, "%+v", c)
		require.Equal(t, c.want, v.Text(), "%+v", c)
	}
}

// FuzzDecodeRow gives fields of every type whatever a driver may return: a value
// comes of it that has the type, or an error, and bytes are read as texts.
func FuzzDecodeRow(f *testing.F) {
	for typ := range uint8(16) {
		for form := range uint8(24) {
			f.Add(typ, form, []byte("2024-02-29 23:30:00"))
			f.Add(typ, form, []byte("0a1b2c3d-0000-4000-8000-00000000000f"))
			f.Add(typ, form, []byte{1})
			f.Add(typ, form, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		}
	}
	kinds := map[schema.Type]graph.Kind{
		schema.Int32: graph.KindInt, schema.Int64: graph.KindInt, schema.Float: graph.KindFloat, schema.Bool: graph.KindBool,
		schema.String: graph.KindString, schema.Enum: graph.KindString, schema.Date: graph.KindDate, schema.DateTime: graph.KindDateTime,
		schema.UUID: graph.KindUUID, schema.Decimal: graph.KindDecimal, schema.JSON: graph.KindJSON,
	}
	var types []schema.Type
	for typ := range schema.Type(64) {
		if _, ok := kinds[typ]; ok {
			types = append(types, typ)
		}
	}
	require.Len(f, types, len(kinds))
	f.Fuzz(func(t *testing.T, typ, form uint8, data []byte) {
		p := &schema.Property{Name: "p", Type: types[int(typ)%len(types)], Scale: int(form % 5), Nullable: form%2 == 0, Values: [][]schema.EnumValue{opened, ranked}[form%2]}
		field := compile.Field{Type: p, Ordinal: p.Type == schema.Enum && form%3 == 0}
		raw := driverValue(form, data)
		v, err := decode(field, raw)
		if err != nil {
			require.True(t, v.IsNull())
			require.NotEmpty(t, err.Error())
			return
		}
		if raw == nil {
			require.True(t, v.IsNull())
			require.True(t, p.Nullable)
			return
		}
		require.Equal(t, kinds[p.Type], v.Kind())
		switch p.Type {
		case schema.Int32:
			require.Equal(t, v.Int(), int64(int32(v.Int())))
		case schema.Enum:
			require.GreaterOrEqual(t, p.EnumIndex(v.Text()), 0)
		case schema.Date, schema.DateTime:
			require.True(t, v.Time().Year() >= 1 && v.Time().Year() <= 9999)
		case schema.Decimal:
			again, ok := DecimalText(v.Text(), p.Scale)
			require.True(t, ok)
			require.Equal(t, v, again)
		case schema.UUID:
			require.Len(t, v.Text(), 36)
			require.Equal(t, 4, strings.Count(v.Text(), "-"))
		}
		if s, ok := raw.(string); ok {
			same, err := decode(field, []byte(s))
			require.NoError(t, err)
			require.Equal(t, v, same)
		}
	})
}

// driverValue makes a value of one of the Go types that drivers return.
func driverValue(form uint8, data []byte) any {
	var raw [16]byte
	copy(raw[:], data)
	n := binary.LittleEndian.Uint64(raw[:8])
	values := []any{
		nil, string(data), data, int64(n), int32(n), int16(n), int8(n), int(n), n, uint32(n), uint8(n), n%2 == 0,
		math.Float64frombits(n), math.Float32frombits(uint32(n)), time.UnixMicro(int64(n)), time.Unix(int64(n), 0).UTC(), raw, struct{}{}, []string{"x"},
	}
	return values[int(form)%len(values)]
}
