package schema

import (
	"sync"
	"sync/atomic"
)

// A Catalog holds the schema in force. A call takes the current one once and
// keeps it to its end, so a swap never tears a call. One fixed schema is the
// simplest catalog. It is safe for concurrent use and must not be copied.
type Catalog struct {
	current atomic.Pointer[Schema]

	mu      sync.Mutex
	changed chan struct{} // which the next Swap closes; nil while nobody waits
}

// NewCatalog returns a catalog of a schema.
func NewCatalog(s *Schema) *Catalog {
	c := &Catalog{}
	c.current.Store(s)
	return c
}

// Current returns the schema in force.
func (c *Catalog) Current() *Schema { return c.current.Load() }

// Swap puts another schema in force and returns the one before.
func (c *Catalog) Swap(s *Schema) (old *Schema) {
	old = c.current.Swap(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	return old
}

// Changed returns a channel that the next Swap closes. Who asks for it before
// taking the current schema misses no swap.
func (c *Catalog) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}
