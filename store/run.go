package store

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// New returns a store that runs a dialect's statements on a backend.
func New(b Backend, d *compile.Dialect) Store {
	s := &sqlStore{backend: b, dialect: d, programs: &programs{}, single: b.Begin}
	if own, ok := b.(interface {
		single(context.Context) (Session, error)
	}); ok {
		s.single = own.single
	}
	return s
}

type sqlStore struct {
	backend  Backend
	dialect  *compile.Dialect
	programs *programs
	// single opens a session for a call of one statement.
	single func(context.Context) (Session, error)
}

// begin opens the session of a program.
func (s *sqlStore) begin(ctx context.Context, p *compile.Program) (Session, error) {
	if p.Main != nil && p.Count == nil && len(p.Paths) == 0 {
		return s.single(ctx)
	}
	return s.backend.Begin(ctx)
}

func (s *sqlStore) Close() error { return s.backend.Close() }

// Run implements Store.
func (s *sqlStore) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (Outcome, error) {
	prog, err := s.programs.of(p, s.dialect)
	if err != nil {
		return Outcome{}, err
	}
	session, err := s.begin(ctx, prog)
	if err != nil {
		return Outcome{}, Failure(ctx, err)
	}
	r := &run{ctx: ctx, backend: s.backend, plan: p, prog: prog, session: session, writer: w}
	r.out.Executed = s.dialect.Executed()
	if err := r.answerAndClose(); err != nil {
		return Outcome{}, Failure(ctx, err)
	}
	return r.out, nil
}

// run is one execution of a program.
type run struct {
	ctx     context.Context
	backend Backend
	plan    *compile.Plan
	prog    *compile.Program
	session Session // nil where the statement's connection was given up and no other was had
	writer  graph.Writer
	out     Outcome
	// What the answer is made of.
	values   slab[graph.Value]
	shown    slab[graph.Property]
	answered slab[graph.Node]
	// ahead is how many rows of a statement may still come when it is left.
	ahead int
	// renewed says that the session is not the first: what it sees may be newer.
	renewed bool
}

// answerAndClose answers and closes the session, also when the backend panics.
func (r *run) answerAndClose() (err error) {
	defer func() {
		if r.session == nil {
			return
		}
		if closing := r.session.Close(); err == nil {
			err = closing
		}
	}()
	return r.answer()
}

func (r *run) answer() error {
	switch root := r.plan.Root.(type) {
	case *compile.Aggregate:
		return r.rows()
	case *compile.Neighbors:
		return r.neighbors(root)
	case *compile.Paths:
		return r.paths(root)
	}
	return r.nodes()
}

// limit is the number of rows asked for.
func (r *run) limit() int { return int(r.plan.Params[r.prog.Limit].Int()) }

// execute runs a statement and hands every row, decoded, to each until that
// returns false. The row is valid during the call only.
func (r *run) execute(st *compile.Statement, keys []graph.Value, each func(row []graph.Value) (bool, error)) error {
	return r.executeLists(st, math.MaxInt, each, keys)
}

// executeLists is execute for who has several lists of keys, or wants so many rows,
// and to know whether there are more: the row after them comes as nil, for what
// stands in it is nobody's mistake.
func (r *run) executeLists(st *compile.Statement, wanted int, each func(row []graph.Value) (bool, error), lists ...[]graph.Value) error {
	if r.session == nil {
		var err error
		if r.session, err = r.backend.Begin(r.ctx); err != nil {
			return err
		}
	}
	text := st.Text(r.plan.Params)
	args, shown := st.Bind(r.plan.Params, lists...)
	r.record(text, shown)
	ctx, give := context.WithCancel(r.ctx)
	defer give()
	rows, err := r.session.Query(ctx, text, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]graph.Value, len(st.Fields))
	for rows.Next() {
		if err := r.ctx.Err(); err != nil { // a backend that does not look at it must not hold on to the call
			return err
		}
		raw, err := rows.Values()
		if err != nil {
			return err
		}
		if wanted--; wanted < 0 {
			row = nil
		} else if err := decodeRow(st, raw, row); err != nil {
			return err
		}
		more, err := each(row)
		if err == nil && !more && r.ahead > drained {
			give()
			r.abandon()
		}
		if err != nil || !more {
			return err
		}
	}
	return rows.Err()
}

// drained is how many rows of a statement that is left early are read to its
// end: drivers do so before the connection can be used again.
const drained = 1000

// abandon gives up the session of a statement with very many rows ahead. What
// else the answer needs is read in another one, and so perhaps from newer data:
// to read on could take until the deadline.
func (r *run) abandon() {
	_ = r.session.Close() // the statement broke it off: that is no failure
	r.session, r.ahead, r.renewed = nil, 0, true
}

func decodeRow(st *compile.Statement, raw []any, row []graph.Value) error {
	if len(raw) != len(st.Fields) {
		return fmt.Errorf("a row has %d columns in place of %d", len(raw), len(st.Fields))
	}
	for i, f := range st.Fields {
		v, err := decode(f, raw[i])
		if err != nil {
			return invalid(st, i, raw, err)
		}
		row[i] = v
	}
	return nil
}

// invalid reports a stored value that does not fit, with the node that has it.
func invalid(st *compile.Statement, field int, raw []any, err error) error {
	f := st.Fields[field]
	if f.Sum != "" && !notANumber(f.Type, raw[field]) {
		return &graph.Error{Code: graph.OutOfRange, Path: f.Sum, Message: "the sum does not fit into " + f.Type.Type.String(),
			Hint: "sum over fewer nodes, or group them"}
	}
	e := &graph.Error{Code: graph.InvalidData, Message: err.Error()}
	if f.Owner == "" {
		return e
	}
	e.Message = f.Owner + ": " + e.Message
	key := make([]graph.Value, len(f.Key))
	for i, k := range f.Key {
		v, bad := decode(st.Fields[k], raw[k])
		if bad != nil || k == field {
			return e
		}
		key[i] = v
	}
	if len(key) > 0 {
		e.Message = f.Owner + " " + shownID(graph.KeyText(key), len(key)) + ": " + err.Error()
	}
	return e
}

// record notes that a statement ran; the same text again counts as another
// execution.
func (r *run) record(text string, shown []graph.Parameter) {
	for i := range r.out.Statements {
		if s := &r.out.Statements[i]; s.SQL == text {
			s.Executions++
			return
		}
	}
	r.out.Statements = append(r.out.Statements, graph.Statement{SQL: text, Parameters: shown, Executions: 1})
}

// rows answers an aggregate.
func (r *run) rows() error {
	cols := make([]graph.Column, len(r.prog.Columns))
	for i, c := range r.prog.Columns {
		cols[i] = graph.Column{Name: c.Name, Type: c.Type.Type.String()}
	}
	if err := r.writer.Columns(cols); err != nil {
		return err
	}
	limit := r.limit()
	fit := NewFitter(r.plan.Limits.Bytes)
	var last []graph.Value
	values := make([]graph.Value, len(cols))
	err := r.executeLists(r.prog.Main, limit, func(row []graph.Value) (bool, error) {
		if row == nil {
			r.out.TruncatedBy, r.out.Next = graph.TruncatedRows, last
			return false, nil
		}
		for i, fields := range r.prog.Outputs {
			values[i] = output(row, fields)
		}
		if !fit.Fit(Piece{Bytes: RowBytes(cols, values), Always: r.out.Returned == 0}) {
			r.out.TruncatedBy, r.out.Next = graph.TruncatedBytes, last
			r.ahead = limit - r.out.Returned
			return false, nil
		}
		r.out.Returned++
		last = r.prog.AppendValues(last[:0], row)
		return true, r.writer.Row(values)
	})
	if says := r.prog.Dialect.Overflow(); err != nil && says != "" && strings.Contains(err.Error(), says) {
		return overflow(r.plan.Root.(*compile.Aggregate), err)
	}
	return err
}

// overflow is the error of a sum that is too long for the engine to go on adding.
// Which one of several it is it does not say.
func overflow(a *compile.Aggregate, cause error) error {
	e := &graph.Error{Code: graph.OutOfRange, Path: "/aggregations", Message: "a sum has more digits than the store can add", Hint: "sum over fewer nodes, or group them", Cause: cause}
	var at []int
	for i, v := range a.Values {
		if v.Function == graph.Sum || v.Function == graph.Avg {
			at = append(at, i)
		}
	}
	if len(at) == 1 {
		e.Path += "/" + strconv.Itoa(at[0])
	}
	return e
}

// output makes a column's value: a field's, or the text of a composite key.
func output(row []graph.Value, fields []int) graph.Value {
	if len(fields) == 1 {
		return row[fields[0]]
	}
	key := make([]graph.Value, len(fields))
	for i, f := range fields {
		key[i] = row[f]
	}
	return graph.String(graph.KeyText(key))
}

// Explain implements Store.
func (s *sqlStore) Explain(ctx context.Context, p *compile.Plan) (Explanation, error) {
	prog, err := s.programs.of(p, s.dialect)
	if err != nil {
		return Explanation{}, err
	}
	session, err := s.backend.Begin(ctx)
	if err != nil {
		return Explanation{}, Failure(ctx, err)
	}
	defer session.Close()
	e := Explanation{Executed: s.dialect.Executed()}
	for _, st := range prog.Statements() {
		text := st.Text(p.Params)
		args, shown := st.Bind(p.Params)
		known := func(s graph.Statement) bool { return s.SQL == text && reflect.DeepEqual(s.Parameters, shown) }
		if slices.ContainsFunc(e.Statements, known) { // a search from both ends goes the same ways
			continue
		}
		e.Statements = append(e.Statements, graph.Statement{SQL: text, Parameters: shown})
		rows, err := session.Query(ctx, s.dialect.Explain()+text, args)
		if err != nil {
			return Explanation{}, Failure(ctx, err)
		}
		plan, err := explained(rows)
		rows.Close()
		if err != nil {
			return Explanation{}, Failure(ctx, err)
		}
		e.Database = append(e.Database, plan)
	}
	return e, nil
}

// explained reads an engine's plan, a line for each row.
func explained(rows Rows) (string, error) {
	var b strings.Builder
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return "", err
		}
		for i, v := range values {
			if i > 0 {
				b.WriteString(" | ")
			}
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			if v == nil {
				v = "-"
			}
			fmt.Fprint(&b, v)
		}
		b.WriteByte('\n')
	}
	return b.String(), rows.Err()
}
