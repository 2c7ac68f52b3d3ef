package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// mostPrepared bounds the statements that a store keeps prepared, on each
// connection that has used them.
const mostPrepared = 256

// prepared keeps statements prepared that are run again and again, for engines
// in the process, where to prepare one takes as long as to run it. It has
// connections of the pool prepare them, but never while it holds one. Where there
// are too many texts, the one goes that was used longest ago.
type prepared struct {
	db *sql.DB

	clock atomic.Int64 // counts uses
	mu    sync.RWMutex
	kept  map[string]*preparedText
}

// A preparedText has no statement while it has run only once.
type preparedText struct {
	st   *sql.Stmt
	used atomic.Int64 // by the clock
}

// in returns a statement for a transaction, nil where it is not prepared yet. Its
// text may then be given to seen.
func (p *prepared) in(ctx context.Context, tx *sql.Tx, text string) *sql.Stmt {
	p.mu.RLock()
	defer p.mu.RUnlock() // a statement that the transaction has is closed when both have closed it
	t := p.kept[text]
	if t == nil || t.st == nil {
		return nil
	}
	t.used.Store(p.clock.Add(1))
	return tx.StmtContext(ctx, t.st)
}

// seen prepares a statement that has run twice. The caller holds no connection,
// which in a small pool might be the only one.
func (p *prepared) seen(ctx context.Context, text string) {
	if !p.again(text) {
		return
	}
	if pool := p.db.Stats(); pool.MaxOpenConnections > 0 && pool.InUse >= pool.MaxOpenConnections {
		return // not worth waiting for a connection
	}
	st, err := p.db.PrepareContext(ctx, text)
	if err != nil {
		return // it ran, and will again
	}
	p.mu.Lock()
	t := p.kept[text]
	if t != nil && t.st == nil {
		t.st, st = st, nil
		t.used.Store(p.clock.Add(1))
	}
	p.mu.Unlock()
	if st != nil { // another call was as fast, or the text has gone
		_ = st.Close()
	}
}

// again notes a text, and reports whether it was so before and is not prepared yet.
func (p *prepared) again(text string) bool {
	p.mu.Lock()
	if t := p.kept[text]; t != nil {
		wanted := t.st == nil
		p.mu.Unlock()
		return wanted
	}
	if p.kept == nil {
		p.kept = map[string]*preparedText{}
	}
	var gone *sql.Stmt
	if len(p.kept) >= mostPrepared {
		gone = p.forget()
	}
	t := &preparedText{}
	t.used.Store(p.clock.Add(1))
	p.kept[text] = t
	p.mu.Unlock()
	if gone != nil {
		_ = gone.Close()
	}
	return false
}

// forget takes out the text that was used longest ago, and returns its statement.
func (p *prepared) forget() *sql.Stmt {
	oldest, least := "", int64(math.MaxInt64)
	for text, t := range p.kept {
		if used := t.used.Load(); used < least {
			oldest, least = text, used
		}
	}
	st := p.kept[oldest].st
	delete(p.kept, oldest)
	return st
}

func (p *prepared) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var failures []error
	for _, t := range p.kept {
		if t.st != nil {
			failures = append(failures, t.st.Close())
		}
	}
	p.kept = nil
	return errors.Join(failures...)
}
