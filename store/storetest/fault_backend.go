package storetest

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"

	"github.com/trellisgraph/trellis/store"
)

// A fault is what goes wrong at a call of a backend.
type fault string

// The faults.
const (
	fails    fault = "fails"    // an error with a secret in it
	panics   fault = "panics"   // a panic with a secret in it
	drops    fault = "drops"    // the connection is gone
	hangs    fault = "hangs"    // until the context ends, at its deadline
	cancels  fault = "cancels"  // the caller gives up just then
	faultNot fault = "is sound" // nothing goes wrong
)

// secret is what must not be told of a backend's troubles.
const secret = "user=admin password=hunter2"

// A faulty backend is one at whose nth call something goes wrong. It counts
// what is opened and closed.
type faulty struct {
	store.Backend

	mu      sync.Mutex
	fault   fault
	at      int
	calls   int
	struck  bool
	open    int    // sessions and rows
	give    func() // ends the caller's context
	onlyRun bool   // count statements, not rows
}

// arm says at which call what goes wrong.
func (f *faulty) arm(what fault, at int, give func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.at, f.calls, f.struck, f.give = what, at, 0, false, give
	f.onlyRun = what == hangs
}

// strike is called at every call of the backend; row says that it reads a row.
func (f *faulty) strike(ctx context.Context, row bool) error {
	f.mu.Lock()
	if f.onlyRun && row {
		f.mu.Unlock()
		return nil
	}
	f.calls++
	now := f.calls == f.at && f.fault != faultNot
	f.struck = f.struck || now
	what, give := f.fault, f.give
	f.mu.Unlock()
	if !now {
		return nil
	}
	switch what {
	case panics:
		panic(secret)
	case drops:
		return driver.ErrBadConn
	case hangs:
		give()
		<-ctx.Done()
		return ctx.Err()
	case cancels:
		give()
		return nil
	}
	return errors.New(secret)
}

func (f *faulty) opened(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open += n
}

func (f *faulty) Begin(ctx context.Context) (store.Session, error) {
	if err := f.strike(ctx, false); err != nil {
		return nil, err
	}
	s, err := f.Backend.Begin(ctx)
	if err != nil {
		return nil, err
	}
	f.opened(1)
	return &faultySession{s, f, ctx}, nil
}

type faultySession struct {
	store.Session
	f   *faulty
	ctx context.Context
}

func (s *faultySession) Query(ctx context.Context, text string, args []any) (store.Rows, error) {
	if err := s.f.strike(ctx, false); err != nil {
		return nil, err
	}
	r, err := s.Session.Query(ctx, text, args)
	if err != nil {
		return nil, err
	}
	s.f.opened(1)
	return &faultyRows{Rows: r, f: s.f, ctx: ctx}, nil
}

func (s *faultySession) Close() error {
	s.f.opened(-1)
	return errors.Join(s.Session.Close(), s.f.strike(s.ctx, true))
}

type faultyRows struct {
	store.Rows
	f   *faulty
	ctx context.Context
	err error
}

func (r *faultyRows) Next() bool {
	if r.err = r.f.strike(r.ctx, true); r.err != nil {
		return false
	}
	return r.Rows.Next()
}

func (r *faultyRows) Values() ([]any, error) {
	if err := r.f.strike(r.ctx, true); err != nil {
		return nil, err
	}
	return r.Rows.Values()
}

func (r *faultyRows) Err() error { return errors.Join(r.err, r.Rows.Err()) }

func (r *faultyRows) Close() error {
	r.f.opened(-1)
	return r.Rows.Close()
}
