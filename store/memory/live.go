package memory

import (
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/schema"
)

// A Source has the graph to answer from. A Graph is its own Source; that of a
// Live changes.
type Source interface {
	// Snapshot returns the newest graph of a schema. See Live.Snapshot for a
	// schema that the newest graph is not of.
	Snapshot(s *schema.Schema) *Graph
}

// Snapshot implements Source: it returns the graph itself, whatever the schema.
func (g *Graph) Snapshot(*schema.Schema) *Graph { return g }

// A Live is a graph that changes by batches and by replacement. Readers take
// the newest snapshot and keep it as long as they like: it is a Graph, and so
// never changes. They are never blocked. Writers wait for each other.
type Live struct {
	state atomic.Pointer[state]
	write sync.Mutex
}

// A state is what readers may get.
type state struct {
	newest *Graph
	before *Graph // the last graph of the schema before; nil if there was none
}

// NewLive returns a Live that starts with a graph. The graph itself stays as
// it is.
func NewLive(g *Graph) *Live {
	l := &Live{}
	l.state.Store(&state{newest: g})
	return l
}

// Graph returns the newest snapshot.
func (l *Live) Graph() *Graph { return l.state.Load().newest }

// Snapshot implements Source. It returns the newest graph; but for the schema
// that was replaced last, the last graph of that one, so that what was checked
// against it before the replacement still has its graph.
func (l *Live) Snapshot(s *schema.Schema) *Graph {
	now := l.state.Load()
	if now.newest.schema != s && now.before != nil && now.before.schema == s {
		return now.before
	}
	return now.newest
}

// Replace makes another graph the newest one, of the same schema or of
// another, and returns the one before.
func (l *Live) Replace(g *Graph) (old *Graph) {
	l.write.Lock()
	defer l.write.Unlock()
	now := *l.state.Load()
	old = now.newest
	if old.schema != g.schema {
		now.before = old
	}
	now.newest = g
	l.state.Store(&now)
	return old
}
