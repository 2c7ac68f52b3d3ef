package store

import (
	"context"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// A Store answers plans. It is safe for concurrent use.
type Store interface {
	// Run writes the answer of a plan to w, in the order that graph.Writer
	// asks for, and returns what the answer says beside its rows. Errors are
	// of type *graph.Error, with the store's own error as their cause. The plan
	// and its Params are the call's: they are kept no longer than Run, though the
	// plan's Root may be, and the values.
	Run(ctx context.Context, p *compile.Plan, w graph.Writer) (Outcome, error)
	// Explain tells how Run would answer, without answering.
	Explain(ctx context.Context, p *compile.Plan) (Explanation, error)
	// Close frees what the store holds. It leaves a database that was handed
	// to the store open.
	Close() error
}

// An Outcome is what a store knows of an answer beside its rows.
type Outcome struct {
	// Returned counts the nodes, paths or rows asked for, without context.
	Returned int
	// Total counts the nodes that match and that the caller may see, of a plan
	// with an offset (see compile.Page), whichever of them are on the page; nil
	// of every other plan.
	Total       *int64
	TruncatedBy graph.Truncation
	// Next holds the order's values of the last row returned; nil if no row
	// follows.
	Next     []graph.Value
	Warnings []graph.Warning
	Executed string
	// Statements are those that ran; a plan with HideStatements needs none.
	Statements []graph.Statement
}

// An Explanation tells how a store answers a plan.
type Explanation struct {
	Executed   string
	Statements []graph.Statement
	// Database is the database's own plan of each statement, a text.
	Database []string
}

// A Backend runs statements of one SQL dialect: a database/sql driver's or an
// engine's in this process.
type Backend interface {
	// Begin opens a session, whose statements all see the same data where the
	// engine can do so.
	Begin(ctx context.Context) (Session, error)
	Close() error
}

// A Session runs statements one after the other.
type Session interface {
	Query(ctx context.Context, sql string, args []any) (Rows, error)
	Close() error
}

// Rows are the rows of one statement.
type Rows interface {
	Next() bool
	// Values returns the current row as the driver's own values. It is valid
	// until the next call of Next.
	Values() ([]any, error)
	Err() error
	Close() error
}
