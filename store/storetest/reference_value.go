package storetest

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// typed reads an argument as a value of a property.
func typed(p *schema.Property, v graph.Value) graph.Value {
	text := v.Text()
	switch p.Type {
	case schema.Int32, schema.Int64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return graph.Int(n)
		}
	case schema.Float:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return graph.Float(f)
		}
	case schema.Decimal:
		return graph.Decimal(text)
	case schema.UUID:
		return graph.UUID(strings.ToLower(text))
	case schema.Date:
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			return graph.Date(t)
		}
	case schema.DateTime:
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return graph.DateTime(t)
		}
	}
	return v
}

// compareTyped orders two values of a property that are not null.
func compareTyped(p *schema.Property, a, b graph.Value) int {
	switch p.Type {
	case schema.Int32, schema.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case schema.Float:
		return cmp.Compare(a.Float(), b.Float())
	case schema.Decimal:
		return rational(a).Cmp(rational(b))
	case schema.Bool:
		switch {
		case a.Bool() == b.Bool():
			return 0
		case b.Bool():
			return -1
		}
		return 1
	case schema.Enum:
		return cmp.Compare(p.EnumIndex(a.Text()), p.EnumIndex(b.Text()))
	case schema.Date, schema.DateTime:
		return a.Time().Compare(b.Time())
	}
	return strings.Compare(a.Text(), b.Text()) // UTF-8 sorts as its code points do
}

// compareNullsLast orders two values of a property, either of which may be null.
func compareNullsLast(p *schema.Property, a, b graph.Value, desc bool) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return 1
	case b.IsNull():
		return -1
	case desc:
		return -compareTyped(p, a, b)
	}
	return compareTyped(p, a, b)
}

// rational is the exact value of a number, 0 for what is none.
func rational(v graph.Value) *big.Rat {
	switch v.Kind() {
	case graph.KindInt:
		return new(big.Rat).SetInt64(v.Int())
	case graph.KindFloat:
		return new(big.Rat).SetFloat64(v.Float())
	}
	if r, ok := new(big.Rat).SetString(v.Text()); ok {
		return r
	}
	return new(big.Rat)
}

// idText is the text of an id given as an argument: of a composite key also as
// a list or as the text of a JSON array.
func idText(l *schema.Label, id graph.Value) string {
	if len(l.Key) == 1 {
		return typed(l.Key[0], id).Text()
	}
	parts := id.List()
	if id.Kind() != graph.KindList {
		var texts []string
		if json.Unmarshal([]byte(id.Text()), &texts) != nil {
			return id.Text()
		}
		for _, t := range texts {
			parts = append(parts, graph.String(t))
		}
	}
	key := make([]graph.Value, len(parts))
	for i, part := range parts {
		key[i] = typed(l.Key[i], part)
	}
	return graph.KeyText(key)
}

// bucket is the beginning of the stretch of time in which a value lies: a date
// for a day and coarser.
func bucket(v graph.Value, unit graph.TimeUnit) graph.Value {
	if unit == "" || v.IsNull() {
		return v
	}
	t := v.Time()
	y, m, d := t.Date()
	day := func(y int, m time.Month, d int) graph.Value {
		return graph.Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	}
	switch unit {
	case graph.Minute:
		return graph.DateTime(time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, time.UTC))
	case graph.Hour:
		return graph.DateTime(time.Date(y, m, d, t.Hour(), 0, 0, 0, time.UTC))
	case graph.Week:
		return day(y, m, d-(int(t.Weekday())+6)%7)
	case graph.Month:
		return day(y, m, 1)
	case graph.Quarter:
		return day(y, m-(m-1)%3, 1)
	case graph.Year:
		return day(y, 1, 1)
	}
	return day(y, m, d)
}
