package introspect

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// asker answers questions by statements. A table that cannot be read, as its
// rights may say, is told so; only the end of ctx is an error.
func (e *engine) asker(ctx context.Context, db *sql.DB) ask {
	return func(q question) (answer, error) {
		a, err := answer{}, error(nil)
		if q.target == (schema.Table{}) {
			err = e.distinct(ctx, db, q, &a)
		} else {
			var args []any
			if q.where != "" {
				args = []any{e.argument(q.value)}
			}
			err = db.QueryRowContext(ctx, e.hits(q), args...).Scan(&a.asked, &a.found)
		}
		switch {
		case ctx.Err() != nil:
			return answer{}, fmt.Errorf("introspect: reading values of %s: %w", q.table, context.Cause(ctx))
		case err != nil:
			return answer{failed: true}, nil
		}
		return a, nil
	}
}

// distinct reads the values of a column, in order.
func (e *engine) distinct(ctx context.Context, db *sql.DB, q question, a *answer) error {
	column := e.quoted(q.column)
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE %s IS NOT NULL LIMIT %d",
		strings.ReplaceAll(e.exact, "@", column), e.table(q.table), column, maxTargets+1))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return err
		}
		a.values = append(a.values, v)
	}
	if len(a.values) > maxTargets {
		a.values, a.more = nil, true
	}
	slices.Sort(a.values)
	return rows.Err()
}

// hits counts values of a column, the first ones by the key of their table, and
// those of them that are keys of another.
func (e *engine) hits(q question) string {
	order := make([]string, len(q.order))
	for i, c := range q.order {
		order[i] = e.quoted(c)
	}
	condition := e.quoted(q.column) + " IS NOT NULL"
	if q.where != "" {
		condition += " AND " + strings.ReplaceAll(e.exact, "@", e.quoted(q.where)) + " = " + e.placeholder
	}
	if e.loose {
		// The column itself settles which values are the first where the key does not.
		// Of the keys only those are read that are among the values.
		values := fmt.Sprintf("SELECT %[1]s AS v FROM %[2]s WHERE %[5]s ORDER BY %[3]s, %[1]s LIMIT %[4]d",
			e.quoted(q.column), e.table(q.table), strings.Join(order, ", "), sample, condition)
		key := e.quoted(q.key)
		return fmt.Sprintf("SELECT toInt64(count()), toInt64(countIf(v IN (SELECT %[1]s FROM %[2]s WHERE %[1]s IN (%[3]s)))) FROM (%[3]s)", key, e.table(q.target), values)
	}
	return fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(CASE WHEN EXISTS (SELECT 1 FROM %s AS k WHERE k.%s = s.v) THEN 1 ELSE 0 END), 0)"+
		" FROM (SELECT %s AS v FROM %s WHERE %s ORDER BY %s LIMIT %d) AS s",
		e.table(q.target), e.quoted(q.key), e.quoted(q.column), e.table(q.table), condition, strings.Join(order, ", "), sample)
}

// argument is a text as the value of the placeholder.
func (e *engine) argument(text string) any {
	if e.loose {
		return sql.Named("p1", text)
	}
	return text
}

// quoted quotes a name.
func (e *engine) quoted(name string) string {
	if e.escaped {
		name = strings.ReplaceAll(name, `\`, `\\`)
	}
	return e.quote + strings.ReplaceAll(name, e.quote, e.quote+e.quote) + e.quote
}

func (e *engine) table(t schema.Table) string {
	if t.Schema == "" || e.flat {
		return e.quoted(t.String())
	}
	return e.quoted(t.Schema) + "." + e.quoted(t.Name)
}
