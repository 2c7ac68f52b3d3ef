package load

import (
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func duckdbDialect() *dialect {
	return &dialect{
		quote:      `"`,
		makeSchema: "CREATE SCHEMA IF NOT EXISTS ",
		types: map[schema.Type]string{
			schema.Int32: "INTEGER", schema.Int64: "BIGINT", schema.Float: "DOUBLE", schema.Bool: "BOOLEAN", schema.Date: "DATE",
			schema.DateTime: "TIMESTAMP", schema.UUID: "UUID", schema.JSON: "JSON", schema.Decimal: "DECIMAL(38,%d)",
		},
		text:     func(*table, *column) string { return "VARCHAR" },
		keyFirst: true, // one that is added counts from the next transaction on
		single:   true,
		analyze:  "ANALYZE ",
		addIndex: sqliteIndex,
		indexed:  sqliteIndexed,
		fill:     documents{},
	}
}

// documents is the filler that binds each column as one JSON array of texts.
type documents struct{}

func (documents) rows(int) int { return 20_000 }

func (documents) insert(b *batch) (string, []any) {
	lists := make([]string, len(b.columns))
	args := make([]any, len(b.columns))
	for i, c := range b.columns {
		lists[i] = "CAST(unnest(from_json($" + strconv.Itoa(i+1) + `::VARCHAR, '["VARCHAR"]')) AS ` + b.dialect.typ(b.table, c) + ")"
		args[i] = document(b.values[i])
	}
	return b.into() + "SELECT " + strings.Join(lists, ", "), args
}

// document writes values as a JSON array of texts and nulls.
func document(values []graph.Value) string {
	out := make([]byte, 0, 16*len(values))
	out = append(out, '[')
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		switch v.Kind() {
		case graph.KindNull:
			out = append(out, "null"...)
		default:
			out = graph.AppendJSONString(out, v.Text())
		}
	}
	return string(append(out, ']'))
}
