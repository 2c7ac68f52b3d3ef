package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// fill creates the tables and puts the graph into them.
func fill(ctx context.Context, db *sql.DB, g *memory.Graph) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, tables); err != nil {
		return err
	}
	l := &filler{graph: g}
	for _, t := range []struct {
		table   string
		columns int
		rows    iter.Seq[[]any]
	}{
		{"person", 9, l.nodes("person", []string{"id", "firstName", "lastName", "gender", "birthday", "creationDate", "locationIP", "browserUsed"}, "IS_LOCATED_IN", "place")},
		{"place", 2, l.nodes("place", []string{"id", "name"}, "", "")},
		{"tag", 2, l.nodes("tag", []string{"id", "name"}, "", "")},
		{"post", 5, l.nodes("post", []string{"id", "creationDate", "browserUsed", "content"}, "HAS_CREATOR", "person")},
		{"knows", 3, l.knows},
		{"has_tag", 2, l.hasTag},
		{"node", 3, l.numbered},
		{"edge", 2, l.edges},
	} {
		if err := insert(ctx, conn, t.table, t.columns, t.rows); err != nil {
			return fmt.Errorf("filling %s: %w", t.table, err)
		}
	}
	for _, text := range indexes {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// insert writes rows in one transaction, many with each statement.
func insert(ctx context.Context, conn *sql.Conn, table string, columns int, rows iter.Seq[[]any]) (err error) {
	const variables = 900 // fewer than any SQLite takes
	many := variables / columns
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + ")"
	text := func(rows int) string {
		return "INSERT INTO " + table + " VALUES " + strings.TrimSuffix(strings.Repeat(one+",", rows), ",")
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	st, err := tx.PrepareContext(ctx, text(many))
	if err != nil {
		return err
	}
	args := make([]any, 0, many*columns)
	for row := range rows {
		if args = append(args, row...); len(args) < many*columns {
			continue
		}
		if _, err := st.ExecContext(ctx, args...); err != nil {
			return err
		}
		args = args[:0]
	}
	if len(args) > 0 {
		if _, err := tx.ExecContext(ctx, text(len(args)/columns), args...); err != nil {
			return err
		}
	}
	if err := st.Close(); err != nil {
		return err
	}
	return tx.Commit()
}

// A filler reads a graph as rows of the tables. A row is valid until the next.
type filler struct{ graph *memory.Graph }

func (f *filler) pair(typ, from, to string) *schema.Pair {
	if t, ok := f.graph.Schema().Relationship(typ); ok {
		for _, p := range t.Pairs {
			if p.From.Name == from && p.To.Name == to {
				return p
			}
		}
	}
	return nil
}

// key returns a node's id.
func (f *filler) key(l *schema.Label, row uint32) any { return cell(f.graph.Value(l, row, l.Key[0])) }

// cell returns a value as it is bound.
func cell(v graph.Value) any {
	switch v.Kind() {
	case graph.KindNull:
		return nil
	case graph.KindInt:
		return v.Int()
	case graph.KindDateTime:
		return v.Micros()
	}
	return v.Text()
}

// nodes are those of a label, with the given properties and, if there is a
// type, the id of the one node to which it leads.
func (f *filler) nodes(label string, properties []string, typ, to string) iter.Seq[[]any] {
	g := f.graph
	l, _ := g.Schema().Label(label)
	return func(yield func([]any) bool) {
		var columns []memory.Column
		for _, name := range properties {
			p, _ := l.Property(name)
			columns = append(columns, g.Column(l, p))
		}
		pair := f.pair(typ, label, to)
		var out []any
		for row := range uint32(g.NodeCount(l)) {
			out = out[:0]
			for _, c := range columns {
				if c.Len() == 0 {
					out = append(out, nil)
					continue
				}
				out = append(out, cell(c.Value(row)))
			}
			if pair != nil {
				out = append(out, f.first(pair, row))
			}
			if !yield(out) {
				return
			}
		}
	}
}

// first returns the id of the first node to which a pair leads from a row.
func (f *filler) first(pair *schema.Pair, row uint32) any {
	if first, end := f.graph.Out(pair, row); first < end {
		return f.key(pair.To, f.graph.Targets(pair)[first])
	}
	return nil
}

func (f *filler) knows(yield func([]any) bool) {
	pair := f.pair("KNOWS", "person", "person")
	date, _ := pair.Property("creationDate")
	since := f.graph.RelColumn(pair, date)
	for rel := range uint32(f.graph.RelCount(pair)) {
		from, to := f.graph.Ends(pair, rel)
		if !yield([]any{f.key(pair.From, from), f.key(pair.To, to), cell(since.Value(rel))}) {
			return
		}
	}
}

func (f *filler) hasTag(yield func([]any) bool) {
	pair := f.pair("HAS_TAG", "post", "tag")
	for row := range uint32(f.graph.NodeCount(pair.To)) {
		tag := f.key(pair.To, row)
		for _, post := range f.graph.Sources(pair, row) {
			if !yield([]any{tag, f.key(pair.From, post)}) {
				return
			}
		}
	}
}

// labels returns the labels by name, and the number of each one's first node.
func (f *filler) labels() (sorted []*schema.Label, first map[*schema.Label]int64) {
	sorted = slices.SortedFunc(f.graph.Schema().Labels(), func(a, b *schema.Label) int { return strings.Compare(a.Name, b.Name) })
	first = map[*schema.Label]int64{}
	next := int64(0)
	for _, l := range sorted {
		first[l] = next
		next += int64(f.graph.NodeCount(l))
	}
	return sorted, first
}

func (f *filler) numbered(yield func([]any) bool) {
	sorted, first := f.labels()
	for _, l := range sorted {
		for row := range uint32(f.graph.NodeCount(l)) {
			if !yield([]any{first[l] + int64(row), l.Name, f.key(l, row)}) {
				return
			}
		}
	}
}

// edges are all relationships in both directions, each pair of nodes once, in
// order.
func (f *filler) edges(yield func([]any) bool) {
	sorted, first := f.labels()
	g := f.graph
	var ends []int64
	for _, l := range sorted {
		for row := range uint32(g.NodeCount(l)) {
			ends = ends[:0]
			for _, p := range g.Schema().Outgoing(l) {
				from, to := g.Out(p, row)
				for _, other := range g.Targets(p)[from:to] {
					ends = append(ends, first[p.To]+int64(other))
				}
			}
			for _, p := range g.Schema().Incoming(l) {
				for _, other := range g.Sources(p, row) {
					ends = append(ends, first[p.From]+int64(other))
				}
			}
			slices.Sort(ends)
			for _, other := range slices.Compact(ends) {
				if !yield([]any{first[l] + int64(row), other}) {
					return
				}
			}
		}
	}
}
