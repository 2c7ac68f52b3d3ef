package compile

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/schema"
)

// The limits of what a Compiler keeps: plans, and how many queries it remembers
// to have seen once. A plan is kept when its like comes a second time.
const (
	maxPrepared     = 4096
	seenPlaces      = 4096
	preparedBuckets = 1024
)

// A preparedKey is what a plan depends on beside values. The schema is that
// which has the policies; the view, which has their conditions, is nil where it
// has none.
type preparedKey struct {
	schema *schema.Schema
	view   *schema.View
}

// preparedPlans keeps plans: a hash table that is read without a lock, since
// every call reads it and few write. A chain is never changed but at its head.
type preparedPlans struct {
	seed maphash.Seed
	used sync.Pool // of *fingerprint

	// seen has the hashes of queries, each at the one place where it can stand:
	// a later one drives it out, and its query has to be seen again.
	seen  [seenPlaces]atomic.Uint64
	heads atomic.Pointer[[preparedBuckets]atomic.Pointer[prepared]]

	mu   sync.Mutex // of those who write
	kept int
}

// hash hashes a query that is asked with a key.
func (c *preparedPlans) hash(key preparedKey, fingerprint []byte) uint64 {
	return maphash.Comparable(c.seed, struct {
		key  preparedKey
		rest uint64
	}{key, maphash.Bytes(c.seed, fingerprint)})
}

// get returns what is kept of a query, nil if there is nothing.
func (c *preparedPlans) get(key preparedKey, hash uint64, fingerprint []byte) *prepared {
	heads := c.heads.Load()
	if heads == nil {
		return nil
	}
	p := heads[hash%preparedBuckets].Load()
	for p != nil && !(p.hash == hash && p.key == key && p.fingerprint == string(fingerprint)) {
		p = p.next
	}
	return p
}

// put keeps what was made of a query, with its hash, key and fingerprint.
func (c *preparedPlans) put(p *prepared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	heads := c.heads.Load()
	if heads == nil || c.kept >= maxPrepared { // begin anew: shapes are few in any real use
		heads, c.kept = new([preparedBuckets]atomic.Pointer[prepared]), 0
		c.heads.Store(heads)
	}
	head := &heads[p.hash%preparedBuckets]
	p.next = head.Load()
	head.Store(p)
	c.kept++
}

// note notes that a query was asked, and reports whether it was before.
func (c *preparedPlans) note(hash uint64) bool {
	place := &c.seen[hash%seenPlaces]
	if place.Load() == hash {
		return true
	}
	place.Store(hash)
	return false
}
