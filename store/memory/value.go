package memory

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// goValue returns the Value of a Go value that a property is to have.
func goValue(p *schema.Property, v any) (value graph.Value, fault string) {
	switch x := v.(type) {
	case nil:
		return graph.Null(), ""
	case graph.Value:
		return x, ""
	case time.Time:
		if !inYears(x) {
			return graph.Null(), quote(x.String()) + yearRange
		}
	}
	if p.Type == schema.JSON {
		text, err := json.Marshal(v)
		if err != nil {
			return graph.Null(), "cannot be written as JSON: " + err.Error()
		}
		return graph.JSON(string(text)), ""
	}
	return graph.Of(v), ""
}

// valueCell checks that a value has the type of a property, and says what is
// wrong with it, or nothing. Integer keys may also come as digits.
func valueCell(p *schema.Property, v graph.Value, key bool) (c cell, fault string) {
	k := v.Kind()
	if k == graph.KindNull {
		if !p.Nullable {
			return cell{}, "null, but the property is not nullable"
		}
		return cell{null: true}, ""
	}
	wrong := func() (cell, string) {
		return cell{}, "a " + describe(v) + " where " + article(p.Type) + " belongs"
	}
	switch p.Type {
	case schema.Int32, schema.Int64:
		switch {
		case k == graph.KindInt && p.Type == schema.Int64:
			return cell{num: v.Int()}, ""
		case k == graph.KindInt, k == graph.KindNumber, key && k == graph.KindString && v.Text() != "":
			return parseInt(p.Type, []byte(v.Text()))
		}
	case schema.Float:
		switch k {
		case graph.KindInt, graph.KindFloat:
			return floatCell(v.Float()), ""
		case graph.KindNumber:
			return parseFloat([]byte(v.Text()))
		}
	case schema.Bool:
		if k == graph.KindBool && v.Bool() {
			return cell{num: 1}, ""
		}
		if k == graph.KindBool {
			return cell{}, ""
		}
	case schema.Enum:
		if k == graph.KindString {
			return parseEnum(p, unwritten(v.Text()))
		}
	case schema.Date:
		switch {
		case k == graph.KindDate && (v.Days() < minDays || v.Days() > maxDays):
			return cell{}, "a date" + yearRange
		case k == graph.KindDate:
			return cell{num: v.Days()}, ""
		case k == graph.KindDateTime && v.Micros()%86_400_000_000 == 0:
			return valueCell(p, graph.DateFromDays(v.Micros()/86_400_000_000), key)
		case k == graph.KindString:
			return parseDate([]byte(v.Text()))
		}
	case schema.DateTime:
		switch {
		case k == graph.KindDateTime && (v.Micros() < minMicros || v.Micros() > maxMicros):
			return cell{}, "a datetime" + yearRange
		case k == graph.KindDateTime:
			return cell{num: v.Micros()}, ""
		case k == graph.KindString:
			return parseDateTime([]byte(v.Text()))
		}
	case schema.UUID:
		if k == graph.KindUUID || k == graph.KindString {
			return parseUUID([]byte(v.Text()))
		}
	case schema.Decimal:
		switch k {
		case graph.KindInt, graph.KindNumber, graph.KindDecimal, graph.KindString:
			if v.Text() != "" {
				return parseDecimal(p.Scale, []byte(v.Text()))
			}
		}
	case schema.JSON:
		if k == graph.KindJSON {
			return parseJSON(unwritten(v.Text()))
		}
	case schema.String:
		if k == graph.KindString {
			return stringCell(v.Text())
		}
	}
	return wrong()
}

func stringCell(text string) (cell, string) {
	if _, fault := parseString(unwritten(text)); fault != "" {
		return cell{}, fault
	}
	return cell{text: text}, ""
}

func describe(v graph.Value) string {
	switch v.Kind() {
	case graph.KindInvalid:
		if text := v.Text(); text == "NaN" || text == "+Inf" || text == "-Inf" {
			return text
		}
		return "Go value of type " + v.Text()
	case graph.KindInt, graph.KindNumber:
		return "number"
	case graph.KindJSON:
		if strings.HasPrefix(v.Text(), "{") {
			return "JSON object"
		}
		return "JSON array"
	}
	return v.Kind().String()
}

func article(t schema.Type) string {
	switch t {
	case schema.Int32, schema.Int64, schema.Enum:
		return "an " + t.String()
	}
	return "a " + t.String()
}
