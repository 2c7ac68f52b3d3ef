package embedded

import (
	"context"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// rows are the rows of a statement that has ended.
type rows struct {
	ctx    context.Context
	list   []sql.Row
	at     int
	values []any
}

func (r *rows) Next() bool {
	r.at++
	return r.at < len(r.list)
}

func (r *rows) Values() ([]any, error) {
	row := r.list[r.at]
	r.values = r.values[:0]
	for _, cell := range row {
		v, err := normal(r.ctx, cell)
		if err != nil {
			return nil, err
		}
		r.values = append(r.values, v)
	}
	return r.values, nil
}

func (r *rows) Err() error   { return nil }
func (r *rows) Close() error { return nil }

// normal gives a cell one of the Go types that Backend promises, however wide
// the engine made it.
func normal(ctx context.Context, cell any) (any, error) {
	switch v := cell.(type) {
	case nil, int64, float64, string, time.Time:
		return cell, nil
	case int:
		return int64(v), nil
	case int8:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case uint8:
		return int64(v), nil
	case uint16:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint64:
		if v > 1<<63-1 {
			return nil, fmt.Errorf("embedded: the integer %d does not fit", v)
		}
		return int64(v), nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case float32:
		return float64(v), nil
	case []byte:
		return string(v), nil
	case decimal.Decimal:
		return v.StringFixed(max(0, -v.Exponent())), nil
	case *types.LazyJSONDocument: // as stored, with all digits of its numbers
		return string(v.Bytes), nil
	case sql.JSONWrapper:
		return types.JsonToMySqlString(v)
	case sql.AnyWrapper:
		inner, err := v.UnwrapAny(ctx)
		if err != nil {
			return nil, err
		}
		return normal(ctx, inner)
	}
	return nil, fmt.Errorf("embedded: the engine returned a %T", cell)
}
