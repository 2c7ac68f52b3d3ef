package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// clickhouseDialect keeps tables in the order of their keys. What is looked up
// otherwise has a projection: tables of relationships have all their rows in
// another order, too, those of nodes only where the rows are.
func clickhouseDialect() *dialect {
	return &dialect{
		quote: "`", backslash: true,
		makeSchema: "CREATE DATABASE IF NOT EXISTS ",
		types: map[schema.Type]string{
			schema.Int32: "Int32", schema.Int64: "Int64", schema.Float: "Float64", schema.Bool: "Bool", schema.Date: "Date32",
			schema.DateTime: "DateTime64(6, 'UTC')", schema.UUID: "UUID", schema.JSON: "String", schema.Decimal: "Decimal(38, %d)",
		},
		text:      func(*table, *column) string { return "String" },
		farDate:   "DateTime64(6, 'UTC')",
		nullable:  "Nullable(@)",
		inCreate:  clickhouseOrder,
		indexed:   clickhouseIndexed,
		swap:      clickhouseSwap{},
		fill:      jsonLists{},
		stateless: true,
	}
}

func clickhouseIndexed(d *dialect, columns []*column) (list string, whole bool) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = d.name(c.name)
	}
	return strings.Join(names, ", "), true
}

// clickhouseOrder ends CREATE TABLE: its projections, and the order of its rows.
func clickhouseOrder(d *dialect, t *table) string {
	var b strings.Builder
	shown := "*"
	if t.node {
		shown = "_part_offset"
	}
	for i, columns := range t.indexes {
		list, _ := d.indexed(d, columns)
		fmt.Fprintf(&b, ", PROJECTION by_%d (SELECT %s ORDER BY %s)", i+1, shown, list)
	}
	list, _ := d.indexed(d, t.primary)
	return b.String() + ") ENGINE = MergeTree ORDER BY (" + list + ") SETTINGS allow_nullable_key = 1"
}

// farFrom and farTo are the first day that a Date32 holds, and the first that it
// does not hold any more.
var (
	farFrom = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	farTo   = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)
)

// jsonLists is the filler that binds each column as a JSON array of texts.
type jsonLists struct{}

func (jsonLists) rows(int) int { return 50_000 }

func (jsonLists) insert(b *batch) (string, []any) {
	var values, lists, joined []string
	args := make([]any, len(b.columns))
	for i, c := range b.columns {
		n := strconv.Itoa(i + 1)
		values = append(values, clickhouseValue("v"+n, b.dialect.bare(b.table, c), c.typ))
		lists = append(lists, "JSONExtract({p"+n+":String}, 'Array(Nullable(String))') AS l"+n)
		joined = append(joined, "l"+n+" AS v"+n)
		args[i] = sql.Named("p"+n, jsonList(b.values[i]))
	}
	return b.into() + "SELECT " + strings.Join(values, ", ") + " FROM (SELECT " + strings.Join(lists, ", ") + ") ARRAY JOIN " + strings.Join(joined, ", ") +
		" SETTINGS precise_float_parsing = 1", args
}

// clickhouseValue reads a value of a column's type from the text of it. Instants
// are numbers of microseconds, which may be of any year.
func clickhouseValue(text, typ string, c columnType) string {
	switch c.kind {
	case schema.String, schema.JSON:
		return text
	case schema.Decimal:
		return fmt.Sprintf("toDecimal128(%s, %d)", text, c.scale)
	case schema.Date, schema.DateTime:
		text = "fromUnixTimestamp64Micro(toInt64(" + text + "), 'UTC')"
		if typ != "Date32" {
			return text
		}
	case schema.Bool:
		return text + " = 'true'"
	}
	return "to" + typ + "(" + text + ")"
}

// jsonList writes values as a JSON array of texts and nulls.
func jsonList(values []graph.Value) string {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		switch v.Kind() {
		case graph.KindNull:
			b = append(b, "null"...)
		case graph.KindFloat:
			b = graph.AppendJSONString(b, strconv.FormatFloat(v.Float(), 'g', -1, 64))
		case graph.KindBool:
			b = graph.AppendJSONString(b, strconv.FormatBool(v.Bool()))
		case graph.KindDate, graph.KindDateTime:
			b = graph.AppendJSONString(b, strconv.FormatInt(v.Time().UnixMicro(), 10))
		default:
			b = graph.AppendJSONString(b, v.Text())
		}
	}
	return string(append(b, ']'))
}

// clickhouseSwap exchanges one table after the other: no statement exchanges
// several at once.
type clickhouseSwap struct{}

func (clickhouseSwap) prepare(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error {
	for _, t := range tables {
		var engine string
		err := db.QueryRowContext(ctx, "SELECT engine FROM system.tables WHERE database = if({p1:String} = '', currentDatabase(), {p1:String}) AND name = {p2:String}",
			sql.Named("p1", t.name.Schema), sql.Named("p2", t.name.Name)).Scan(&engine)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return fmt.Errorf("load: looking for table %q: %w", t, err)
		case strings.HasSuffix(engine, "View"):
			return fmt.Errorf("load: making table %q: there is a view of that name", t)
		}
	}
	return nil
}

func (s clickhouseSwap) swap(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error {
	for _, t := range tables {
		var there bool
		if err := db.QueryRowContext(ctx, "EXISTS TABLE "+d.named(t.name)).Scan(&there); err != nil {
			return fmt.Errorf("load: looking for table %q: %w", t, err)
		}
		statement := "RENAME TABLE " + d.named(t.fresh) + " TO " + d.named(t.name)
		if there {
			statement = "EXCHANGE TABLES " + d.named(t.fresh) + " AND " + d.named(t.name)
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("load: giving table %q its name: %w", t, err)
		}
		if !there {
			continue
		}
		if err := s.drop(ctx, db, []string{d.named(t.fresh)}); err != nil {
			return fmt.Errorf("load: table %q is in place, but the one before it is still there as %s: %w", t, d.named(t.fresh), err)
		}
	}
	return nil
}

func (clickhouseSwap) drop(ctx context.Context, db *sql.DB, names []string) error {
	for _, name := range names {
		if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+name+" SYNC"); err != nil {
			return err
		}
	}
	return nil
}
