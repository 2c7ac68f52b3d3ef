package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
)

// Options configure an Engine. The zero value is a sound default for a program
// of its own; a server sets Cursors, Statements, Rates and Audit.
type Options struct {
	Limits graph.Limits
	// Cursors sign the cursors of answers. Nil means random keys: the cursors
	// work with this Engine only.
	Cursors    *compile.CursorKeys
	Statements Statements
	// Cost refuses calls that would cost too much, before they run. The zero
	// Cost estimates nothing.
	Cost compile.Cost
	// Log gets the details of failures that callers must not see. Nil means
	// slog.Default().
	Log *slog.Logger

	// Guard is a policy in Go, beside those of the schema, MaskKey the key of
	// masked values, MinGroup the least number of nodes that a row of an
	// aggregate stands for: see compile.Options.
	//
	// Where Guard is set, Limits.Timeout holds for the reading and the check of a
	// call too: one that Guard, or Request.Decode, keeps is TIMEOUT or CANCELED
	// 200 ms after its context is done, and what they still do is abandoned. So
	// the query, or the request's arguments, must not be changed even after the
	// call. While four calls are abandoned so, whoever made them, all others are
	// UNAVAILABLE; at most 256 are checked at once.
	Guard    func(scope *graph.Scope, on compile.Guarded) (graph.Filter, error)
	MaskKey  []byte
	MinGroup int
	// Redact decides about single nodes after the store.
	Redact Redact

	// Rates bound how often calls may come. The zero value bounds nothing.
	Rates Rates
	// Concurrency is how many calls the store runs at once; 64 if it is zero
	// or negative. The calls over it wait, first come, first served: MaxQueue of
	// them (16 for each that runs) for at most QueueTimeout (1 s) and never
	// longer than Limits.Timeout, which the waiting is part of. What cannot wait
	// is refused as OVERLOADED, and so is what would be more than MaxPerTenant
	// calls of one tenant, running and waiting. Zero or less bounds no tenant.
	//
	// All tenants share the places, the queue and the circuit that opens at four
	// abandoned calls (see Stats). A host of several tenants sets MaxPerTenant,
	// lower than Concurrency: without it one tenant can take all the places, and
	// fill the queue. Abandoned calls count until the store returns, so that at
	// 3 or less no tenant can open the circuit alone.
	Concurrency  int
	MaxQueue     int
	MaxPerTenant int
	QueueTimeout time.Duration
	// Prompt promises that the store returns within 200 ms once a call's context
	// is done, whatever happens, and keeps neither the plan nor the context: the
	// next call may have the plan's memory. Without the promise every call of the store is
	// watched: its caller gets TIMEOUT or CANCELED 200 ms after the context is
	// done, and what the store still does is abandoned. Watching costs a
	// microsecond or two a call. Calls that Redact decides about are watched
	// either way.
	Prompt bool

	// Audit gets one record of each call, once its answer is ready. Nil means
	// no records.
	Audit audit.Sink
	// AuditTimeout is how long a call waits, beside its own time, for its record
	// to be written; 1 s if it is zero or negative. Then the context of the write
	// is done, and 200 ms later the record counts as lost, even if it is written
	// after all. While four writes have not returned, records are lost at once,
	// and never more than 256 writes are under way.
	AuditTimeout time.Duration
	// AuditValues say how records show the values of arguments; the zero value
	// hides them.
	AuditValues audit.Values
	// AuditFailClosed withholds the answer of a call, as UNAVAILABLE, whose
	// record was not written in time. Otherwise the loss is logged and counted.
	AuditFailClosed bool
	// Observer is told of each call's begin and end. Nil means nobody.
	Observer Observer
}

// An Observer follows calls, to trace and to measure them. It is safe for
// concurrent use. Calls wait for it however long it takes, so that it must not
// wait for anything itself.
type Observer interface {
	// Begin is told of a call before anything else is done about it, and
	// returns the context of the call. The function gets the call's record when
	// the answer is ready; it must neither keep nor change it.
	Begin(ctx context.Context, tool string) (context.Context, func(*audit.Record))
}

// Statements says what answers tell of the statements that ran.
type Statements uint8

// The ways to show statements.
const (
	ShowStatements Statements = iota // text and parameters
	HideValues                       // text, and parameters without their values
	HideStatements                   // nothing
)
