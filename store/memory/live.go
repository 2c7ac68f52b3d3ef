package memory

import (
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/graph"
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
	// own is the newest graph, or the same one, in memory to which only this
	// Live appends; nil if there is none yet.
	own *Graph
	measures
}

// A state is what readers may get.
type state struct {
	newest *Graph
	before *Graph // the last graph of the schema before; nil if there was none
}

// NewLive returns a Live that starts with a graph. The graph itself stays as
// it is.
func NewLive(g *Graph) *Live {
	l := &Live{measures: measures{slack: defaultSlack, long: defaultLong, keeps: defaultKeeps}}
	l.state.Store(&state{newest: g})
	return l
}

// Graph returns the newest snapshot.
func (l *Live) Graph() *Graph { return l.state.Load().newest }

// Snapshot implements Source. It returns the newest graph; but for the schema
// that was replaced last, the last graph of that one, so that what was checked
// against it before the replacement still has its graph. Schemas of one hash are
// one schema.
func (l *Live) Snapshot(s *schema.Schema) *Graph {
	now := l.state.Load()
	if now.newest.schema != s && now.before != nil && now.newest.schema.Hash() != s.Hash() && now.before.schema.Hash() == s.Hash() {
		return now.before
	}
	return now.newest
}

// Apply makes the changes of a batch, all or none, and publishes and returns
// the graph with them; the newest graph itself if the batch changes nothing. A
// *LoadError tells every bad operation. A batch is checked as data that is
// loaded are: besides the values, that relationships have their ends at their
// turn, and once all is done that tables can hold the graph as the schema maps
// it, so that, say, a row leads to one node at most by a foreign key. A batch
// that was made for another schema than that of the newest graph, be it the same
// one read again, is a CONFLICT.
//
// The time is that of the batch: of its operations, and of the relationships of
// the nodes that it deletes. Two things make it grow with the graph besides. A list
// of relationships that changes is copied, eight bytes for each, unless what is
// added comes last. And where a node has so many relationships that it keeps its
// row, the columns that change are copied, and the indexes of those properties, four
// to eight bytes for each node of the label. In a label of 200,000 nodes, of which a
// hundred thousand were next to one, a change of one of these, or of a relationship
// between them, took 0.1 to 0.2 milliseconds, ten times that of an ordinary node, and
// a change of that one half a millisecond.
//
// Now and then a batch takes longer, when what batches have left behind is swept
// up, so that reading stays as fast as it is in a graph without batches; a small and
// constant part of that time falls on each operation.
func (l *Live) Apply(b *Batch) (*Graph, error) {
	l.write.Lock()
	defer l.write.Unlock()
	now := *l.state.Load()
	if b.schema != now.newest.schema {
		return nil, &graph.Error{Code: graph.Conflict, Message: "the batch was made for another schema than the graph has, or for the same one read again: make it with NewBatch of the graph's own Schema()"}
	}
	if l.own == nil {
		l.own = now.newest.Dense().clip()
	}
	g, err := l.own.apply(b, l.measures)
	if err != nil {
		return nil, err
	}
	if g == l.own {
		return now.newest, nil
	}
	l.own = g.tidy(l.slack)
	now.newest = l.own
	l.state.Store(&now)
	return l.own, nil
}

// Replace makes another graph the newest one, of the same schema or of
// another, and returns the one before.
//
// A host that brings a new schema with the graph replaces the graph first, and
// swaps the schema.Catalog of its engine then: calls that were checked against
// the schema before are answered from its last graph, which the Live keeps until
// the schema changes again, and calls checked against the new one from the new
// graph. In the other order, calls that are made between the two are refused as
// UNAVAILABLE, to be made again; so are those that two changes of schema
// overtake. With a graph of the same schema there is nothing else to do.
func (l *Live) Replace(g *Graph) (old *Graph) {
	l.write.Lock()
	defer l.write.Unlock()
	now := *l.state.Load()
	old = now.newest
	if old.schema.Hash() != g.schema.Hash() {
		now.before = old
	}
	now.newest, l.own = g, nil
	l.state.Store(&now)
	return old
}
