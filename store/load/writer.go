package load

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A writer makes and fills tables.
type writer struct {
	dialect *dialect
	teller
}

// A teller tells of progress, never twice at the same time.
type teller struct {
	mu       sync.Mutex
	progress func(Progress) // nil where nobody asks
}

func (t *teller) tell(p Progress) {
	if t.progress != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.progress(p)
	}
}

// An execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// A preparer prepares statements, too.
type preparer interface {
	execer
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// table makes a table anew, has it filled, and makes its indexes.
func (w *writer) table(ctx context.Context, db execer, t *table, fill func() error) error {
	d := w.dialect
	if err := w.schemas(ctx, db, []*table{t}); err != nil {
		return err
	}
	if err := exec(ctx, db, t, []string{"DROP TABLE IF EXISTS " + d.table(t), d.create(t)}); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	if err := exec(ctx, db, t, d.finish(t)); err != nil {
		return err
	}
	_, unkept := d.uniques(t)
	w.tell(Progress{Table: t.String(), Rows: t.rows(), Total: t.rows(), Done: true, Unkept: unkept})
	return nil
}

// schemas makes the schemas of tables, where there are such.
func (w *writer) schemas(ctx context.Context, db execer, tables []*table) error {
	for _, t := range tables {
		if t.name.Schema != "" && !w.dialect.flat {
			if err := exec(ctx, db, t, []string{w.dialect.makeSchema + w.dialect.name(t.name.Schema)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func exec(ctx context.Context, db execer, t *table, statements []string) error {
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("load: making table %q: %w", t, err)
		}
	}
	return nil
}

// fill inserts all rows of a table.
func (w *writer) fill(ctx context.Context, tx preparer, t *table) error {
	progress := Progress{Table: t.String(), Total: t.rows()}
	for _, p := range t.parts {
		err := w.part(ctx, tx, t, p, func(rows int) {
			progress.Rows += rows
			w.tell(progress)
		})
		if err != nil {
			return fmt.Errorf("load: filling table %q: %w", t, err)
		}
	}
	return nil
}

// A batch is some rows of a part, column by column.
type batch struct {
	table   *table
	dialect *dialect
	columns []*column
	values  [][]graph.Value
}

// A filler writes the statement that inserts a batch.
type filler interface {
	// rows is how many rows of that many columns one statement takes.
	rows(columns int) int
	insert(b *batch) (sql string, args []any)
}

// batchBytes is about how many bytes of text one statement takes.
const batchBytes = 2 << 20

func (w *writer) part(ctx context.Context, tx preparer, t *table, p *part, done func(rows int)) error {
	b := &batch{table: t, dialect: w.dialect}
	var get []func(uint32) graph.Value
	for _, c := range t.columns {
		if value := p.values[c]; value != nil {
			b.columns = append(b.columns, c)
			get = append(get, value)
		}
	}
	b.values = make([][]graph.Value, len(b.columns))
	most := w.dialect.fill.rows(len(b.columns))
	// Whole batches have one statement, which is prepared once.
	var prepared *sql.Stmt
	defer func() {
		if prepared != nil {
			prepared.Close()
		}
	}()
	for row := 0; row < p.rows; {
		rows, bytes := 0, 0
		for i := range b.values {
			b.values[i] = b.values[i][:0]
		}
		for ; row < p.rows && rows < most && bytes < batchBytes; row++ {
			for i, value := range get {
				v := value(uint32(row))
				bytes += 8
				if k := b.columns[i].typ.kind; k == schema.String || k == schema.JSON {
					bytes += len(v.Text())
				}
				b.values[i] = append(b.values[i], v)
			}
			rows++
		}
		statement, args := w.dialect.fill.insert(b)
		var err error
		if rows < most || w.dialect.stateless {
			_, err = tx.ExecContext(ctx, statement, args...)
		} else {
			if prepared == nil {
				if prepared, err = tx.PrepareContext(ctx, statement); err != nil {
					return err
				}
			}
			_, err = prepared.ExecContext(ctx, args...)
		}
		if err != nil {
			return err
		}
		done(rows)
	}
	return nil
}

// into writes the head of an INSERT statement.
func (b *batch) into() string {
	names := make([]string, len(b.columns))
	for i, c := range b.columns {
		names[i] = b.dialect.name(c.name)
	}
	return "INSERT INTO " + b.dialect.table(b.table) + " (" + strings.Join(names, ", ") + ") "
}

// placeholders is the filler that binds every value of its own, in statements of
// so many rows and parameters at most.
type placeholders struct{ mostRows, mostParameters int }

func (f placeholders) rows(columns int) int {
	return max(1, min(f.mostRows, f.mostParameters/max(columns, 1)))
}

func (placeholders) insert(b *batch) (string, []any) {
	rows := len(b.values[0])
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(b.columns)), ", ") + ")"
	args := make([]any, 0, rows*len(b.columns))
	for r := range rows {
		for i := range b.columns {
			args = append(args, argument(b.values[i][r]))
		}
	}
	return b.into() + "VALUES " + strings.TrimSuffix(strings.Repeat(row+", ", rows), ", "), args
}

// argument is a value as drivers bind it. Instants are bound as text, so that
// no driver shifts them.
func argument(v graph.Value) any {
	switch v.Kind() {
	case graph.KindNull:
		return nil
	case graph.KindBool:
		return v.Bool()
	case graph.KindInt:
		return v.Int()
	case graph.KindFloat:
		return v.Float()
	case graph.KindDateTime:
		return v.Time().Format("2006-01-02 15:04:05.000000")
	}
	return v.Text()
}

// arrays is the filler that binds each column as one array, written as text.
type arrays struct{}

func (arrays) rows(int) int { return 10_000 }

func (arrays) insert(b *batch) (string, []any) {
	lists := make([]string, len(b.columns))
	args := make([]any, len(b.columns))
	for i, c := range b.columns {
		typ, _, _ := strings.Cut(b.dialect.typ(b.table, c), " COLLATE")
		lists[i] = "$" + strconv.Itoa(i+1) + "::text::" + typ + "[]"
		args[i] = array(b.values[i])
	}
	return b.into() + "SELECT * FROM unnest(" + strings.Join(lists, ", ") + ")", args
}

// array writes values as PostgreSQL reads an array.
func array(values []graph.Value) string {
	out := make([]byte, 0, 16*len(values))
	out = append(out, '{')
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		switch v.Kind() {
		case graph.KindNull:
			out = append(out, "NULL"...)
		case graph.KindInt:
			out = strconv.AppendInt(out, v.Int(), 10)
		case graph.KindBool:
			out = strconv.AppendBool(out, v.Bool())
		case graph.KindFloat:
			out = strconv.AppendFloat(out, v.Float(), 'g', -1, 64)
		default:
			out = append(out, '"')
			for _, c := range []byte(v.Text()) {
				if c == '"' || c == '\\' {
					out = append(out, '\\')
				}
				out = append(out, c)
			}
			out = append(out, '"')
		}
	}
	return string(append(out, '}'))
}
