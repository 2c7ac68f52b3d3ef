package embedded

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// literalsOf turns arguments into typed literals under the names that the
// parser gives to question marks. A text has the collation of the tables, an
// instant is compared to the microsecond in UTC.
func literalsOf(args []any) (map[string]sql.Expression, error) {
	out := make(map[string]sql.Expression, len(args))
	for i, arg := range args {
		literal, err := literalOf(arg)
		if err != nil {
			return nil, fmt.Errorf("embedded: argument %d: %w", i+1, err)
		}
		out["v"+strconv.Itoa(i+1)] = literal
	}
	return out, nil
}

func literalOf(arg any) (sql.Expression, error) {
	switch v := arg.(type) {
	case nil:
		return expression.NewLiteral(nil, types.Null), nil
	case bool:
		if v {
			return expression.NewLiteral(int8(1), types.Boolean), nil
		}
		return expression.NewLiteral(int8(0), types.Boolean), nil
	case int:
		return expression.NewLiteral(int64(v), types.Int64), nil
	case int32:
		return expression.NewLiteral(int64(v), types.Int64), nil
	case int64:
		return expression.NewLiteral(v, types.Int64), nil
	case float64:
		return expression.NewLiteral(v, types.Float64), nil
	case string:
		return expression.NewLiteral(v, textType), nil
	case []byte:
		return expression.NewLiteral(string(v), textType), nil
	case time.Time:
		return expression.NewLiteral(v.UTC().Truncate(time.Microsecond), datetimeType), nil
	}
	return nil, fmt.Errorf("a %T cannot be bound", arg)
}
