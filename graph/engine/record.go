package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
)

// A recorder tells a sink and an observer of every call. Its zero value tells
// nobody.
type recorder struct {
	sink       audit.Sink
	observer   Observer
	failClosed bool
	timeout    time.Duration // of a write
	writes     *bounded
	arguments  *audit.Arguments
	names      nameCache
	lost       atomic.Int64
}

func (r *recorder) on() bool { return r.sink != nil || r.observer != nil }

// begin tells the observer. Whoever it panics at, the call goes on.
func (r *recorder) begin(ctx context.Context, tool string) (out context.Context, end func(*audit.Record)) {
	if r.observer == nil {
		return ctx, nil
	}
	defer func() {
		if recover() != nil || out == nil {
			out, end = ctx, nil
		}
	}()
	return r.observer.Begin(ctx, tool)
}

// write hands a record to the sink, even if the caller has left meanwhile, and
// waits for it until its time is over. The sink may have the record for longer.
func (r *recorder) write(ctx context.Context, rec *audit.Record) error {
	if r.sink == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.timeout)
	defer cancel()
	_, err := within(ctx, r.writes, func() (struct{}, error) { return struct{}{}, r.sink.Write(ctx, rec) })
	if err != nil {
		r.lost.Add(1)
	}
	return err
}

// recorded is do for an engine that somebody follows: exactly one record of
// each call is made and handed on, however the call ends.
func (e *Engine) recorded(ctx context.Context, c *call) (*graph.Result, graph.Errors) {
	begin := time.Now()
	ctx, end := e.recorder.begin(ctx, c.tool)
	res, errs := e.attempt(ctx, c)
	rec := e.record(c, res, errs)
	rec.Time, rec.Duration = begin, time.Since(begin)
	if err := e.recorder.write(ctx, rec); err != nil {
		unwritten := &graph.Error{Code: graph.Unavailable, Message: "the call cannot be recorded, and is not answered without", Retryable: true, Cause: err}
		told := e.reported(ctx, c, unwritten)
		if e.recorder.failClosed {
			res, errs = nil, told
			kept := *rec // the sink may still read the other
			rec = &kept
			rec.Outcome, rec.Codes, rec.ErrorID, rec.Rows = audit.Failed, []graph.Code{graph.Unavailable}, told[0].ErrorID, 0
		}
	}
	if end != nil {
		func() {
			defer func() { recover() }() // an observer's panic is no call's
			end(rec)
		}()
	}
	return res, errs
}

// record is what is kept of a call.
func (e *Engine) record(c *call, res *graph.Result, errs graph.Errors) *audit.Record {
	rec := &audit.Record{Tool: c.tool, Outcome: audit.OK, Explained: c.kind != answered}
	s := c.snapshot.Schema
	if s != nil {
		rec.SchemaRevision = s.Revision(s.Hash())
	}
	if c.scope != nil {
		rec.Tenant, rec.View, rec.Principal, rec.TokenID = c.scope.Tenant, c.scope.View, c.scope.Principal, c.scope.TokenID
	}
	if e.recorder.sink != nil {
		rec.Arguments = e.recorder.arguments.Text(c.asked(), e.recorder.names.of(s))
	}
	if c.plan != nil {
		sum := sha256.Sum256([]byte(c.plan.Shape()))
		rec.Fingerprint, rec.Guards = hex.EncodeToString(sum[:8]), c.plan.Guards()
	}
	for _, st := range c.statements {
		rec.Statements = append(rec.Statements, st.SQL)
	}
	if res != nil {
		rec.Rows, rec.TruncatedBy = res.Returned, res.TruncatedBy
	}
	for _, err := range errs {
		rec.Codes = append(rec.Codes, err.Code)
		if rec.ErrorID == "" {
			rec.ErrorID = err.ErrorID
		}
		switch {
		case !err.Code.Refusal() && err.Code != graph.Overloaded:
			rec.Outcome = audit.Failed
		case rec.Outcome == audit.OK:
			rec.Outcome = audit.Refused
		}
	}
	return rec
}
