package schema

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"github.com/trellisgraph/trellis/graph"
)

// The limits of what is kept of the views of a schema.
const (
	maxViews       = 4_096
	maxViewWeight  = 400_000 // comparisons and values in the guards of all
	maxViewSchemas = 256
)

// A viewMemo keeps the views made before, and the schemas that they share; the
// least recently used ones are given up for new ones. It is safe for
// concurrent use.
type viewMemo struct {
	mu      sync.Mutex
	views   recent[[sha256.Size]byte, *View]
	schemas recent[string, *Schema]
}

// view returns the view of a caller. Its key is made of exactly the claims
// that policies read, each with its kind and length, so that no two callers
// share a view whose claims differ.
func (ps *policySet) view(s *Schema, scope *graph.Scope) (*View, error) {
	var room [512]byte
	claims, ok := appendClaims(room[:0], (*caller)(scope), &ps.claims)
	if !ok || len(claims) > maxClaimBytes {
		e := errClaims
		return nil, &e
	}
	key := sha256.Sum256(claims)
	ps.views.mu.Lock()
	v, ok := ps.views.views.get(key)
	ps.views.mu.Unlock()
	if ok {
		return v, nil
	}
	// Outside the lock: one caller with many claims must not hold up the others.
	v, err := ps.evaluate(s, scope)
	if err != nil {
		return nil, err
	}
	ps.views.mu.Lock()
	defer ps.views.mu.Unlock()
	return ps.views.views.keep(key, v, v.weight, maxViews, maxViewWeight), nil
}

// schema returns the schema of a structure, made if it is not kept.
func (m *viewMemo) schema(structure string, part func() *Schema) *Schema {
	m.mu.Lock()
	s, ok := m.schemas.get(structure)
	m.mu.Unlock()
	if ok {
		return s
	}
	s = part()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.schemas.keep(structure, s, 1, maxViewSchemas, maxViewSchemas)
}

// A recent holds values by key, in the order of their last use.
type recent[K comparable, V any] struct {
	byKey  map[K]*list.Element
	order  list.List // of recentEntry, the last used in front
	weight int
}

type recentEntry[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

func (r *recent[K, V]) get(key K) (v V, ok bool) {
	el, ok := r.byKey[key]
	if !ok {
		return v, false
	}
	r.order.MoveToFront(el)
	return el.Value.(*recentEntry[K, V]).value, true
}

// keep keeps a value, and returns the one to use: that kept first.
func (r *recent[K, V]) keep(key K, v V, weight, most, mostWeight int) V {
	if kept, ok := r.get(key); ok {
		return kept
	}
	if r.byKey == nil {
		r.byKey = map[K]*list.Element{}
	}
	r.byKey[key] = r.order.PushFront(&recentEntry[K, V]{key, v, weight})
	r.weight += weight
	for r.order.Len() > 1 && (r.order.Len() > most || r.weight > mostWeight) {
		last := r.order.Remove(r.order.Back()).(*recentEntry[K, V])
		delete(r.byKey, last.key)
		r.weight -= last.weight
	}
	return v
}
