package compile

import (
	"container/list"
	"strings"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A whereCache keeps the filters of expressions read before, the least
// recently used one given up for a new one. It is safe for concurrent use.
//
// Only what was accepted is kept: a flood of wrong expressions costs their
// reading and drives out nothing.
type whereCache struct {
	most int

	mu      sync.Mutex
	entries map[whereKey]*list.Element
	recent  *list.List // of *whereEntry, the most recent in front
}

type whereKey struct {
	of                                   any
	text                                 string
	bytes, nodes, listValues, patternLen int
}

type whereEntry struct {
	key    whereKey
	filter graph.Filter
}

// newWhereCache returns a cache of at most so many expressions, at least one.
func newWhereCache(most int) *whereCache {
	return &whereCache{most: max(most, 1), entries: map[whereKey]*list.Element{}, recent: list.New()}
}

// parse is parseWhere, remembered. of stands for props: equal values, mostly
// pointers to a label or a pair, must come with equal properties. The filter
// is shared and must not be modified.
func (c *whereCache) parse(of any, props []*schema.Property, text string, limits graph.Limits) (graph.Filter, []*graph.Error) {
	limits = limits.WithDefaults()
	key := whereKey{of, text, limits.WhereBytes, limits.WhereNodes, limits.ListValues, limits.PatternBytes}
	if f, ok := c.lookup(key); ok {
		return f, nil
	}
	// Outside the lock: reading one expression must not hold up the others. Two
	// callers may both read a new text; they get equal filters.
	f, errs := parseWhere(props, text, limits)
	if len(errs) > 0 {
		return nil, errs
	}
	key.text = strings.Clone(text) // not the arguments that it is a part of
	c.keep(key, f)
	return f, nil
}

func (c *whereCache) lookup(key whereKey) (graph.Filter, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(el)
	return el.Value.(*whereEntry).filter, true
}

func (c *whereCache) keep(key whereKey, f graph.Filter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[key]; ok {
		c.recent.MoveToFront(el)
		return
	}
	if c.recent.Len() >= c.most {
		last := c.recent.Back()
		c.recent.Remove(last)
		delete(c.entries, last.Value.(*whereEntry).key)
	}
	c.entries[key] = c.recent.PushFront(&whereEntry{key, f})
}
