package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

var errForeignPartition = errors.New("embedded: a partition of another table")

// statementsKept is how many parsed statements a session keeps.
const statementsKept = 512

// An engine runs SELECT statements over the tables of a graph.
type engine struct {
	sqle *sqle.Engine

	mu       sync.Mutex
	sessions []*session // idle
}

// A session is one connection's state. It serves one statement at a time.
type session struct {
	base       *sql.BaseSession
	statements map[string]sqlparser.Statement
}

func newEngine(c *catalog) (*engine, error) {
	if err := shutFiles(); err != nil {
		return nil, err
	}
	a := analyzer.NewDefaultWithVersion(c)
	return &engine{
		sqle: sqle.New(a, &sqle.Config{IsReadOnly: true}),
	}, nil
}

// close stops the engine, which reports that its own context has ended.
func (e *engine) close() error {
	if err := e.sqle.Close(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// noFolder is a folder that cannot exist: it lies below a file.
const noFolder = "/dev/null/none"

// shutFiles takes file access from the statements of this process: the
// engine's variable for it is a global of its own. It is left alone where the
// host has set it.
func shutFiles() error {
	_, value, ok := sql.SystemVariables.GetGlobal("secure_file_priv")
	if !ok {
		return errors.New("embedded: the engine has no variable secure_file_priv")
	}
	if value != "" {
		return nil
	}
	return sql.SystemVariables.AssignValues(map[string]any{"secure_file_priv": noFolder})
}

func (e *engine) acquire() *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.sessions); n > 0 {
		s := e.sessions[n-1]
		e.sessions = e.sessions[:n-1]
		return s
	}
	s := &session{base: sql.NewBaseSession(), statements: map[string]sqlparser.Statement{}}
	s.base.SetCurrentDatabase(defaultDatabase)
	return s
}

func (e *engine) release(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions = append(e.sessions, s)
}

// parse returns a session's parsed statement, which must be a plain SELECT.
func (e *engine) parse(ctx *sql.Context, s *session, text string) (sqlparser.Statement, error) {
	if statement, ok := s.statements[text]; ok {
		return statement, nil
	}
	statement, _, _, err := e.sqle.Parser.ParseWithOptions(ctx, text, ';', false, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, err
	}
	if err := onlySelect(statement); err != nil {
		return nil, err
	}
	if len(s.statements) >= statementsKept {
		clear(s.statements)
	}
	s.statements[text] = statement
	return statement, nil
}

// onlySelect refuses whatever is not a query, and queries into files and
// variables.
func onlySelect(statement sqlparser.Statement) error {
	var into *sqlparser.Into
	switch s := statement.(type) {
	case *sqlparser.Select:
		into = s.Into
	case *sqlparser.SetOp:
		into = s.Into
	case *sqlparser.ParenSelect:
		return onlySelect(s.Select)
	case *sqlparser.Explain:
		return onlySelect(s.Statement)
	default:
		return fmt.Errorf("embedded: only SELECT can be run, not %T", statement)
	}
	if into != nil {
		return errors.New("embedded: SELECT … INTO is shut")
	}
	return nil
}

// plan returns the engine's plan of a statement with its arguments.
func (e *engine) plan(ctx context.Context, s *session, text string, args []any) (*sql.Context, sql.Node, error) {
	sctx := sql.NewContext(ctx, sql.WithSession(s.base), sql.WithMemoryManager(e.sqle.MemoryManager))
	statement, err := e.parse(sctx, s, text)
	if err != nil {
		return nil, nil, err
	}
	literals, err := literalsOf(args)
	if err != nil {
		return nil, nil, err
	}
	binder := planbuilder.New(sctx, e.sqle.Analyzer.Catalog, nil, e.sqle.Parser)
	binder.SetBindingsWithExpr(literals)
	bound, flags, err := binder.BindOnly(statement, text, nil)
	if err != nil {
		return nil, nil, err
	}
	if unused := binder.BindCtx().UnusedBindings(); len(unused) > 0 {
		return nil, nil, fmt.Errorf("embedded: %d arguments too many", len(unused))
	}
	node, err := e.sqle.Analyzer.Analyze(sctx, bound, nil, flags)
	return sctx, node, err
}

// query runs a statement to its end.
func (e *engine) query(ctx context.Context, s *session, text string, args []any, most int) (rows []sql.Row, err error) {
	defer recovered(&err)
	sctx, node, err := e.plan(ctx, s, text, args)
	if err != nil {
		return nil, err
	}
	_, it, _, err := e.sqle.PrepQueryPlanForExecution(sctx, text, node, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close(sctx)) }()
	for {
		row, err := it.Next(sctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if len(rows) == most {
			return nil, fmt.Errorf("embedded: more than %d rows", most)
		}
		rows = append(rows, row)
	}
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("embedded: the engine panicked: %v\n%s", p, debug.Stack())
	}
}
