package engine

import (
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
)

// A nameCache knows the names of the schemas that were last asked for and, beside
// them, the words of the tools: what of a call's arguments is no value, and need
// not be hidden. Its zero value is ready.
type nameCache struct {
	last atomic.Pointer[schemaNames]

	mu   sync.Mutex
	kept map[*schema.Schema]*schemaNames
}

// keptNames bounds the schemas whose names are known: as many as there are
// tenants with calls at a time.
const keptNames = 256

type schemaNames struct {
	schema     *schema.Schema
	names      map[string]bool
	properties map[string]bool
}

func (c *nameCache) of(s *schema.Schema) audit.Known {
	if s == nil { // of a call that nothing is there for
		return audit.Known{}
	}
	n := c.last.Load()
	if n == nil || n.schema != s {
		n = c.find(s)
		c.last.Store(n)
	}
	return audit.Known{
		Word: func(text string) bool { return n.names[text] || words[text] },
		// a property of that name has values
		Flag: func(member string) bool { return flags[member] && !n.properties[member] },
	}
}

// find returns the names of a schema from those that are kept.
func (c *nameCache) find(s *schema.Schema) *schemaNames {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.kept[s]
	if n == nil {
		if c.kept == nil || len(c.kept) >= keptNames { // begin anew: schemas that were replaced are let go
			c.kept = map[*schema.Schema]*schemaNames{}
		}
		n = namesOf(s)
		c.kept[s] = n
	}
	return n
}

func namesOf(s *schema.Schema) *schemaNames {
	names, properties := map[string]bool{}, map[string]bool{}
	add := func(props []*schema.Property) {
		for _, p := range props {
			names[p.Name], properties[p.Name] = true, true
		}
	}
	for l := range s.Labels() {
		names[l.Name] = true
		add(l.Properties)
		if l.Records != nil {
			for _, p := range l.Properties {
				names["-"+p.Name] = true // sorts from the greatest
			}
		}
	}
	for t := range s.Relationships() {
		names[t.Name] = true
		for _, p := range t.Pairs {
			add(p.Properties)
		}
	}
	return &schemaNames{s, names, properties}
}

// words are the texts that arguments choose from in any schema.
var words = func() map[string]bool {
	words := map[string]bool{"*": true}
	for _, op := range graph.Ops() {
		words[string(op)] = true
	}
	for _, f := range []graph.Function{graph.Count, graph.CountDistinct, graph.Sum, graph.Avg, graph.Min, graph.Max} {
		words[string(f)] = true
	}
	for _, u := range []graph.TimeUnit{graph.Minute, graph.Hour, graph.Day, graph.Week, graph.Month, graph.Quarter, graph.Year} {
		words[string(u)] = true
	}
	for _, m := range []graph.PathMode{graph.Shortest, graph.AllShortest, graph.AllPaths, graph.KShortest} {
		words[string(m)] = true
	}
	for _, d := range []string{string(graph.Outgoing), string(graph.Incoming), string(graph.Both), string(graph.Asc), string(graph.Desc)} {
		words[d] = true
	}
	return words
}()

// flags are the members that are true or false in any schema: of tool calls, and
// of queries.
var flags = map[string]bool{
	"connections": true, "exists": true, "is_null": true, "expand_schema": true,
	"OmitConnections": true, "None": true, "Expand": true,
}
