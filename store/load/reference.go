package load

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/schema"
)

// A reference is a foreign key: columns that hold the key of another table's rows.
type reference struct {
	columns []*column
	to      *table
	key     []*column // the whole primary key of to
}

// A declaring says when a kind of database is told of foreign keys. Zero is never:
// ClickHouse has none. DuckDB takes none that is added later, no row that refers to
// a later one of its table, and no rows anew in the transaction that deleted them;
// and filling the tables takes several times as long.
type declaring int

const (
	// whenFull: when all tables are.
	whenFull declaring = iota + 1
	// whenMade: in CREATE TABLE, whether the other table is there or not.
	whenMade
)

// references finds the foreign keys that hold for all rows of their tables, each
// once. A column that refers to different labels in different rows is none, nor is
// one to a table of which a label is only a part.
func (p *planner) references() {
	type place struct {
		table   *table
		columns string
	}
	pairs := map[place][]*schema.Pair{}
	var order []place
	ends := map[place]*schema.Label{}
	add := func(pair *schema.Pair, t *table, to *schema.Label, columns []string) {
		at := place{t, strings.Join(columns, "\x00")}
		if pairs[at] == nil {
			order, ends[at] = append(order, at), to
		} else if ends[at] != to {
			ends[at] = nil
		}
		pairs[at] = append(pairs[at], pair)
	}
	for typ := range p.graph.Schema().Relationships() {
		for _, pair := range typ.Pairs {
			t := p.table(pair.Table)
			switch {
			case pair.Holder == nil:
				from, to := pair.From, pair.To
				if len(pair.Match) > 0 {
					from, to = nil, nil
				}
				add(pair, t, from, pair.FromColumns)
				add(pair, t, to, pair.ToColumns)
			case len(pair.Match) > len(pair.Holder.Match):
				add(pair, t, nil, heldColumns(pair))
			case pair.HolderIsTo:
				add(pair, t, pair.From, heldColumns(pair))
			default:
				add(pair, t, pair.To, heldColumns(pair))
			}
		}
	}
	for _, at := range order {
		if ends[at] == nil || len(ends[at].Match) > 0 {
			continue
		}
		to := p.table(ends[at].Table)
		r := reference{at.table.named(strings.Split(at.columns, "\x00")), to, keyColumns(to, ends[at].Key)}
		rows := 0
		for _, pair := range pairs[at] {
			rows += p.graph.RelCount(pair)
		}
		if slices.Equal(to.primary, r.key) && r.alike() && at.table.whole(r.columns) == rows {
			at.table.references = append(at.table.references, r)
		}
	}
}

// alike reports whether the columns have the types of the key, and are as many.
func (r reference) alike() bool {
	return len(distinct(r.columns)) == len(r.key) && slices.EqualFunc(r.columns, r.key, func(a, b *column) bool { return a.typ == b.typ })
}

// whole counts the rows that have values in all of these columns: a property may
// give a column values where there is no relationship.
func (t *table) whole(columns []*column) int {
	rows := 0
	for _, p := range t.parts {
		get := make([]func(uint32) bool, len(columns))
		for i, c := range columns {
			value := p.values[c]
			get[i] = func(row uint32) bool { return value != nil && !value(row).IsNull() }
		}
		for row := range uint32(p.rows) {
			if !slices.ContainsFunc(get, func(has func(uint32) bool) bool { return !has(row) }) {
				rows++
			}
		}
	}
	return rows
}

// foreign writes the foreign keys of a table, those that the database takes: of
// whole values, in columns of types that it compares.
func (d *dialect) foreign(t *table) (out []string) {
	for _, r := range t.references {
		columns, whole := d.indexed(d, r.columns)
		key, keyWhole := d.indexed(d, r.key)
		if !whole || !keyWhole || slices.ContainsFunc(r.columns, func(c *column) bool {
			return d.refers != nil && !d.refers(d.bare(t, c), d.bare(r.to, r.key[slices.Index(r.columns, c)]))
		}) {
			continue
		}
		out = append(out, "FOREIGN KEY ("+columns+") REFERENCES "+d.table(r.to)+" ("+key+")"+d.deferred)
	}
	return out
}

// declare declares the foreign keys of full tables, one after the other: each
// takes its tables from whoever else would change them. The graph has been
// checked, so MariaDB and MySQL, which would write the tables anew, need not.
func (w *writer) declare(ctx context.Context, db *sql.DB, tables []*table) error {
	d := w.dialect
	if d.declares != whenFull {
		return nil
	}
	return d.unforced(ctx, db, func(on handle) error {
		for _, t := range tables {
			if err := exec(ctx, on, t, d.addForeign(t)); err != nil {
				return err
			}
		}
		return nil
	})
}

// addForeign writes the statements that declare the foreign keys of a full table.
func (d *dialect) addForeign(t *table) []string {
	keys := d.constraints(t)
	if len(keys) == 0 || d.declares != whenFull {
		return nil
	}
	return []string{"ALTER TABLE " + d.table(t) + " ADD " + strings.Join(keys, ", ADD ")}
}

// constraints are the foreign keys of a table, with names of their own where the
// database would name them after the table as it is called until then.
func (d *dialect) constraints(t *table) []string {
	keys := d.foreign(t)
	if !d.ownNames {
		return keys
	}
	taken := map[string]bool{}
	for i, key := range keys {
		list, _, _ := strings.Cut(strings.TrimPrefix(key, "FOREIGN KEY ("), ") REFERENCES ")
		base := strings.NewReplacer(", ", "_", d.quote, "").Replace(list)
		for len(base) > 50 { // of 63 bytes
			_, size := utf8.DecodeLastRuneInString(base)
			base = base[:len(base)-size]
		}
		name := base + "_fkey"
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_fkey%d", base, n)
		}
		taken[name] = true
		keys[i] = "CONSTRAINT " + d.name(name) + " " + key
	}
	return keys
}
