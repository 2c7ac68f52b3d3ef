package store

import (
	"database/sql"
	"reflect"
	"sync"
)

// perConnection keeps what is known of the connections of a pool, by the
// driver's own connections.
type perConnection[V any] struct {
	db *sql.DB // the pool
	mu sync.Mutex
	// known are those that were used of late, before those that were before.
	known, before map[any]V
}

// mostKnown bounds, with twice as many as are open, the connections that were used of
// late. When there are so many, those that were not used since the last time are
// forgotten: the pool has closed them, and they would stay in memory with all that they
// have prepared.
const mostKnown = 16

// of returns what is known of a connection, and otherwise finds it out.
func (p *perConnection[V]) of(conn *sql.Conn, find func() (V, error)) (V, error) {
	var key any
	err := conn.Raw(func(driverConn any) error {
		if reflect.TypeOf(driverConn).Comparable() {
			key = driverConn
		}
		return nil
	})
	if err != nil {
		var v V
		return v, err
	}
	p.mu.Lock()
	v, ok := p.known[key]
	if ok {
		p.mu.Unlock()
		return v, nil
	}
	v, ok = p.before[key]
	p.mu.Unlock()
	if !ok {
		if v, err = find(); err != nil || key == nil {
			return v, err
		}
	}
	most := mostKnown + 2*p.db.Stats().OpenConnections
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= most {
		p.known, p.before = map[any]V{}, p.known
	}
	p.known[key] = v
	return v, nil
}
