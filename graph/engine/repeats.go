package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/trellisgraph/trellis/graph"
)

// repeats know the tool calls that failed, to tell a caller that repeats one:
// a model that goes round in circles reads nothing but what it is answered.
type repeats struct {
	mu   sync.Mutex
	kept *lru[[16]byte, *repeated]
}

// A repeated is a call that has failed times times, lately always with the same
// mistakes.
type repeated struct {
	mistakes [16]byte
	times    int
}

// keptRepeats bounds the failed calls that are known.
const keptRepeats = 10_000

func newRepeats() *repeats { return &repeats{kept: newLRU[[16]byte, *repeated](keptRepeats)} }

// told returns the mistakes of a call, with a hint if it has failed with the
// same before. What a call may well be repeated after stays as it is, and so does
// what comes from nobody in particular: others may have made the same call.
func (r *repeats) told(c *call, errs graph.Errors) graph.Errors {
	if c.scope == nil || c.scope.Principal == "" && c.scope.TokenID == "" {
		return errs
	}
	for _, err := range errs {
		if err.Retryable {
			return errs
		}
	}
	times := r.count(c, errs)
	if times < 2 {
		return errs
	}
	out := make(graph.Errors, len(errs))
	for i, err := range errs {
		e := *err
		if e.Hint != "" {
			e.Hint += "; "
		}
		e.Hint += fmt.Sprintf("this same call has failed %d times with the same errors: do not repeat it unchanged", times)
		out[i] = &e
	}
	return out
}

func (r *repeats) count(c *call, errs graph.Errors) int {
	arguments := string(c.request.Arguments)
	if text, ok := graph.CanonicalJSON(arguments); ok {
		arguments = text
	}
	key := digest(c.scope.Tenant, c.scope.View, c.scope.Principal, c.scope.TokenID, c.tool, arguments)
	var parts []string
	for _, err := range errs {
		parts = append(parts, string(err.Code), err.Path, err.Message)
	}
	mistakes := digest(parts...)
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.kept.get(key, func() *repeated { return &repeated{} })
	if seen.mistakes != mistakes {
		*seen = repeated{mistakes: mistakes}
	}
	seen.times++
	return seen.times
}

// digest hashes texts, each with its length in front: no two lists of texts
// read the same.
func digest(parts ...string) (sum [16]byte) {
	h := sha256.New()
	for _, p := range parts {
		part(h, p)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

func part(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	io.WriteString(h, s)
}
