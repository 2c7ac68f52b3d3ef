package introspect

import (
	"encoding/json"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// postgresTables are the tables and views of the schemas that are asked for;
// not those that are parts of another table or belong to an extension.
const postgresTables = `WITH r AS (
	SELECT c.oid, n.nspname, c.relname, c.relkind
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
		AND n.nspname IN (SELECT json_array_elements_text(CAST($1 AS json)))
		AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
) `

// columnNames writes the names of the columns that an array numbers, as JSON.
func columnNames(numbers, table string) string {
	return `CAST((SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(` + numbers + `) WITH ORDINALITY AS k(num, n)
		JOIN pg_catalog.pg_attribute a ON a.attrelid = ` + table + ` AND a.attnum = k.num) AS text)`
}

// readPostgres reads the catalog of PostgreSQL.
func readPostgres(r *rows, schemas []string) *Catalog {
	own := ""
	r.each(func() {}, "SELECT COALESCE(current_schema(), '')", nil, &own)
	list, _ := json.Marshal(orOwn(schemas, own))
	args := []any{string(list)}
	name := func(namespace, table string) schema.Table {
		if namespace == own {
			namespace = ""
		}
		return schema.Table{Schema: namespace, Name: table}
	}

	c := &Catalog{}
	encoding := ""
	r.each(func() {
		if encoding != "UTF8" {
			c.Remark = "the database's encoding is " + encoding + ", in which texts are in another order, and not every one can be asked for: only UTF8 is"
		}
	}, "SELECT current_setting('server_encoding')", nil, &encoding)
	tables := map[int64]*Table{}
	var oid int64
	var namespace, table, kind, comment string
	r.each(func() {
		t := &Table{Name: name(namespace, table), Comment: comment, View: kind == "v" || kind == "m"}
		tables[oid], c.Tables = t, append(c.Tables, t)
	}, postgresTables+`SELECT CAST(oid AS bigint), nspname, relname, CAST(relkind AS text), COALESCE(obj_description(oid, 'pg_class'), '') FROM r ORDER BY nspname, relname`,
		args, &oid, &namespace, &table, &kind, &comment)

	enums := map[int64][]string{}
	var value string
	r.each(func() { enums[oid] = append(enums[oid], value) },
		`SELECT CAST(enumtypid AS bigint), enumlabel FROM pg_catalog.pg_enum ORDER BY enumtypid, enumsortorder`, nil, &oid, &value)

	var typ int64
	var column, declared, base, class, collation string
	var builtin, required bool
	var modifier int
	r.each(func() {
		col := &Column{Name: column, Declared: declared, Nullable: !required, Comment: comment}
		if class == "e" {
			col.Type, col.Values, col.Native = schema.Enum, enums[typ], true
		} else if builtin {
			postgresType(col, base, modifier)
		} else if base == "citext" {
			col.Why = "texts that differ may be the same in it: map a view with CAST(… AS text)"
		}
		if collation != "" {
			col.remark("texts that differ may be the same in its collation " + collation + `: map a view with … COLLATE "C"`)
		}
		if col.Type == 0 && col.Why == "" {
			col.Why = noType
		}
		t := tableOf(tables, oid)
		t.Columns = append(t.Columns, col)
	}, postgresTables+`SELECT CAST(r.oid AS bigint), a.attname, format_type(a.atttypid, a.atttypmod), b.typname, CAST(b.typtype AS text), CAST(b.oid AS bigint),
			b.typnamespace = 'pg_catalog'::regnamespace, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END,
			a.attnotnull OR t.typnotnull, COALESCE(col_description(r.oid, a.attnum), ''),
			COALESCE((SELECT o.collname FROM pg_catalog.pg_collation o WHERE o.oid = a.attcollation AND to_jsonb(o) ->> 'collisdeterministic' = 'false'), '')
		FROM r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
		JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
		JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
		ORDER BY r.oid, a.attnum`,
		args, &oid, &column, &declared, &base, &class, &typ, &builtin, &modifier, &required, &comment, &collation)

	var primary bool
	var columns string
	r.each(func() { tableOf(tables, oid).addKey(primary, names(columns)) },
		postgresTables+`SELECT CAST(r.oid AS bigint), i.indisprimary, `+columnNames("i.indkey[0:i.indnkeyatts-1]", "r.oid")+`
		FROM r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
		WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL ORDER BY r.oid, i.indexrelid`,
		args, &oid, &primary, &columns)

	var doubt, refers string
	r.each(func() {
		t := tableOf(tables, oid)
		t.Foreign = append(t.Foreign, ForeignKey{Columns: names(columns), Table: name(namespace, table), Refers: names(refers), Doubt: doubt})
	}, postgresTables+`SELECT CAST(r.oid AS bigint), n.nspname, f.relname, CASE WHEN k.convalidated THEN '' ELSE 'it is NOT VALID or NOT ENFORCED' END, `+columnNames("k.conkey", "r.oid")+`, `+columnNames("k.confkey", "f.oid")+`
		FROM r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid AND k.contype = 'f' AND k.conparentid = 0
		JOIN pg_catalog.pg_class f ON f.oid = k.confrelid JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace ORDER BY r.oid, k.oid`,
		args, &oid, &namespace, &table, &doubt, &columns, &refers)

	var check string
	r.each(func() {
		check = strings.TrimPrefix(check, "CHECK ")
		t := tableOf(tables, oid)
		t.Checks = append(t.Checks, domainCheck(column, check))
	}, postgresTables+`SELECT CAST(r.oid AS bigint), a.attname, pg_get_constraintdef(k.oid)
		FROM r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
		JOIN pg_catalog.pg_constraint k ON k.contypid = a.atttypid AND k.contype = 'c' AND k.convalidated ORDER BY r.oid, a.attnum, k.oid`,
		args, &oid, &column, &check)
	r.each(func() {
		check = strings.TrimPrefix(check, "CHECK ")
		t := tableOf(tables, oid)
		t.Checks = append(t.Checks, check)
	}, postgresTables+`SELECT CAST(r.oid AS bigint), pg_get_constraintdef(k.oid) FROM r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid AND k.contype = 'c' AND k.convalidated ORDER BY r.oid, k.oid`,
		args, &oid, &check)

	r.each(func() { // no key holds for a table and those that inherit it together
		t := tableOf(tables, oid)
		t.Primary, t.Unique, t.Partly, t.Foreign = nil, nil, nil, nil
		t.NoKey = "it shows the rows of tables that inherit it, too, for which its key does not hold: map a view with FROM ONLY, or with a key of all"
	}, postgresTables+`SELECT DISTINCT CAST(r.oid AS bigint) FROM r JOIN pg_catalog.pg_inherits i ON i.inhparent = r.oid WHERE r.relkind <> 'p'`, args, &oid)
	return c
}

// domainCheck writes the condition of a domain, which is about VALUE, as one of
// a column.
func domainCheck(column, check string) string {
	list, ok := tokens(check, false)
	if !ok {
		return check
	}
	var b strings.Builder
	last := 0
	for _, t := range list {
		if t.kind == 'w' && t.text == "VALUE" {
			b.WriteString(check[last:t.start] + `"` + strings.ReplaceAll(column, `"`, `""`) + `"`)
			last = t.end
		}
	}
	return b.String() + check[last:]
}

// noType says why a column is left out whose type no property has.
const noType = "no property type holds it"

// names reads a list of names written as JSON.
func names(list string) (out []string) {
	_ = json.Unmarshal([]byte(list), &out) // written by json_agg
	return out
}

// addKey adds a key. One with nulls tells no rows apart.
func (t *Table) addKey(primary bool, columns []string) {
	if primary {
		t.Primary = columns
		return
	}
	for _, name := range columns {
		if c := t.column(name); c == nil || c.Nullable {
			t.Partly = append(t.Partly, columns)
			return
		}
	}
	t.Unique = append(t.Unique, columns)
}

// postgresType finds the property type of a type of the system.
func postgresType(c *Column, base string, modifier int) {
	switch base {
	case "int2", "int4":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Enum}
	case "int8":
		c.Type, c.Others = schema.Int64, []schema.Type{schema.Enum}
	case "float4", "float8":
		c.Type = schema.Float
	case "bool":
		c.Type = schema.Bool
	case "text", "varchar":
		c.Type, c.Others = schema.String, []schema.Type{schema.Enum}
	case "bpchar":
		c.Type, c.Padded, c.Remark = schema.String, true, "spaces at the end are no part of its texts; as a key it needs an index on CAST(… AS text)"
	case "date":
		c.Type = schema.Date
	case "timestamp", "timestamptz":
		c.Type = schema.DateTime
	case "uuid":
		c.Type = schema.UUID
	case "json", "jsonb":
		c.Type = schema.JSON
	case "numeric":
		if modifier < 0 {
			c.Why = "it has no scale; with N digits at most after the point it is {type: decimal, scale: N}"
			c.Others = []schema.Type{schema.Decimal}
			return
		}
		// As numeric_out of the server takes a modifier apart.
		scale := (((modifier - 4) & 0x7ff) ^ 1024) - 1024
		decimal(c, scale)
	}
}

// decimal makes a decimal of a column, if a property can have the scale.
func decimal(c *Column, scale int) {
	const most = 30
	if scale < 0 || scale > most {
		c.Why = "a decimal has 0 to 30 digits after the point"
		return
	}
	c.Type, c.Scale = schema.Decimal, scale
}
