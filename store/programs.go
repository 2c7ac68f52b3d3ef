package store

import (
	"sync"

	"github.com/trellisgraph/trellis/compile"
)

// maxPrograms bounds the programs that a store keeps.
const maxPrograms = 4096

// programs keeps what plans were lowered to, by schema, shape and the budget,
// which bounds statements. Programs hold no values, so that what one caller
// asked can serve any other.
type programs struct {
	mu   sync.RWMutex
	kept map[programKey]*compile.Program
}

type programKey struct {
	schema, shape string
	budget        int
}

func (c *programs) of(p *compile.Plan, d *compile.Dialect) (*compile.Program, error) {
	key := programKey{p.Schema.Hash(), p.Shape(), p.Limits.Budget}
	c.mu.RLock()
	prog := c.kept[key]
	c.mu.RUnlock()
	if prog != nil {
		return prog, nil
	}
	prog, err := compile.SQL(p, d)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxPrograms { // begin anew: shapes are few in any real use
		c.kept = make(map[programKey]*compile.Program)
	}
	c.kept[key] = prog
	return prog, nil
}
