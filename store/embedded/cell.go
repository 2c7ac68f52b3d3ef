package embedded

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// textCollation orders by code point and does not pad: two texts are equal
// only if their bytes are.
const textCollation = sql.Collation_utf8mb4_0900_bin

var (
	textType     = types.MustCreateString(sqltypes.Text, types.LongTextBlobMax/4, textCollation)
	uuidType     = types.MustCreateString(sqltypes.Char, 36, textCollation)
	datetimeType = types.MustCreateDatetimeType(sqltypes.Datetime, 6)
)

// columnType is the SQL type of a property's column.
func columnType(p *schema.Property) sql.Type {
	switch p.Type {
	case schema.Int32:
		return types.Int32
	case schema.Int64:
		return types.Int64
	case schema.Float:
		return types.Float64
	case schema.Bool:
		return types.Boolean
	case schema.Date:
		return types.Date
	case schema.DateTime:
		return datetimeType
	case schema.UUID:
		return uuidType
	case schema.Decimal:
		return types.MustCreateDecimalType(65, uint8(min(p.Scale, 30)))
	case schema.JSON:
		return types.JSON
	case schema.Enum:
		if len(p.Values) > 0 && p.Values[0].IsInt {
			return types.Int64
		}
	}
	return textType
}

// cellOf returns a function that turns a property's value into a cell: the Go
// type that the engine expects in a column of columnType. Null becomes nil.
func cellOf(p *schema.Property) func(graph.Value) any {
	switch p.Type {
	case schema.Int32:
		return notNull(func(v graph.Value) any { return int32(v.Int()) })
	case schema.Int64:
		return notNull(func(v graph.Value) any { return v.Int() })
	case schema.Float:
		return notNull(func(v graph.Value) any { return v.Float() })
	case schema.Bool:
		return notNull(func(v graph.Value) any {
			if v.Bool() {
				return int8(1)
			}
			return int8(0)
		})
	case schema.Date, schema.DateTime:
		return notNull(func(v graph.Value) any { return v.Time() })
	case schema.Decimal:
		return notNull(func(v graph.Value) any {
			d, err := decimal.NewFromString(v.Text())
			if err != nil {
				return nil
			}
			return d
		})
	case schema.JSON:
		return notNull(func(v graph.Value) any { return types.NewLazyJSONDocument([]byte(v.Text())) })
	case schema.Enum:
		if len(p.Values) > 0 && p.Values[0].IsInt {
			numbers := make(map[string]int64, len(p.Values))
			for _, e := range p.Values {
				numbers[e.Name] = e.Int
			}
			return notNull(func(v graph.Value) any {
				if n, ok := numbers[v.Text()]; ok {
					return n
				}
				if n, err := strconv.ParseInt(v.Text(), 10, 64); err == nil {
					return n // a stored value that the schema does not list
				}
				return nil
			})
		}
	}
	return notNull(func(v graph.Value) any { return v.Text() })
}

func notNull(f func(graph.Value) any) func(graph.Value) any {
	return func(v graph.Value) any {
		if v.IsNull() {
			return nil
		}
		return f(v)
	}
}

// keyValue turns a cell back into the value of a key's part. It reports false
// where no key can have that value.
func keyValue(p *schema.Property, cell any) (graph.Value, bool) {
	switch p.Type {
	case schema.Int32, schema.Int64:
		switch n := cell.(type) {
		case int64:
			return graph.Int(n), true
		case int32:
			return graph.Int(int64(n)), true
		}
	case schema.String:
		if s, ok := cell.(string); ok {
			return graph.String(s), true
		}
	case schema.UUID:
		if s, ok := cell.(string); ok {
			return graph.UUID(s), true
		}
	}
	return graph.Value{}, false
}

// compareCells compares two cells of one column: null first, then as the
// column's type orders them.
func compareCells(a, b any) int {
	switch x := a.(type) {
	case nil:
		if b == nil {
			return 0
		}
		return -1
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case int32:
		if y, ok := b.(int32); ok {
			return cmp.Compare(x, y)
		}
	case int8:
		if y, ok := b.(int8); ok {
			return cmp.Compare(x, y)
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	case decimal.Decimal:
		if y, ok := b.(decimal.Decimal); ok {
			return x.Cmp(y)
		}
	}
	return 1 // null lies before everything; a column holds one type
}
