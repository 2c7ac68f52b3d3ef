package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// mostPrepared bounds the statements that a store keeps prepared, on each
// connection that has used them.
const mostPrepared = 256

// prepared keeps statements prepared that are run again and again, for engines
// in the process, where to prepare one takes as long as to run it. It has
// connections of the pool prepare them, but never while it holds one.
type prepared struct {
	db *sql.DB

	mu   sync.RWMutex
	kept map[string]*sql.Stmt // nil for a text that ran once
}

// of returns a statement, nil where it is not prepared yet. Its text may then be
// given to seen.
func (p *prepared) of(text string) *sql.Stmt {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.kept[text]
}

// seen prepares a statement that has run twice, unless there are too many. The
// caller holds no connection, which in a small pool might be the only one.
func (p *prepared) seen(ctx context.Context, text string) {
	p.mu.Lock()
	st, again := p.kept[text]
	if !again && len(p.kept) < mostPrepared {
		if p.kept == nil {
			p.kept = map[string]*sql.Stmt{}
		}
		p.kept[text] = nil
	}
	p.mu.Unlock()
	if pool := p.db.Stats(); !again || st != nil || pool.MaxOpenConnections > 0 && pool.InUse >= pool.MaxOpenConnections {
		return // not worth waiting for a connection
	}
	st, err := p.db.PrepareContext(ctx, text)
	if err != nil {
		return // it ran, and will again
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept[text] != nil { // another call was as fast
		_ = st.Close()
		return
	}
	p.kept[text] = st
}

func (p *prepared) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var failures []error
	for _, st := range p.kept {
		if st != nil {
			failures = append(failures, st.Close())
		}
	}
	p.kept = nil
	return errors.Join(failures...)
}
