package engine

import (
	"sync/atomic"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A nameCache knows the names of the schema that was last asked for: the texts
// of a call's arguments that are no values, and need not be hidden. Its zero
// value is ready.
type nameCache struct{ last atomic.Pointer[schemaNames] }

type schemaNames struct {
	schema *schema.Schema
	names  map[string]bool
}

func (c *nameCache) of(s *schema.Schema) func(string) bool {
	n := c.last.Load()
	if n == nil || n.schema != s {
		n = &schemaNames{s, namesOf(s)}
		c.last.Store(n)
	}
	return func(text string) bool { return n.names[text] }
}

func namesOf(s *schema.Schema) map[string]bool {
	names := map[string]bool{}
	add := func(props []*schema.Property) {
		for _, p := range props {
			names[p.Name] = true
		}
	}
	for l := range s.Labels() {
		names[l.Name] = true
		add(l.Properties)
	}
	for t := range s.Relationships() {
		names[t.Name] = true
		for _, p := range t.Pairs {
			add(p.Properties)
		}
	}
	for _, op := range graph.Ops() {
		names[string(op)] = true
	}
	for _, word := range []string{
		string(graph.Outgoing), string(graph.Incoming), string(graph.Both), string(graph.Asc), string(graph.Desc),
		string(graph.Shortest), string(graph.AllShortest), string(graph.AllPaths), string(graph.KShortest),
	} {
		names[word] = true
	}
	return names
}
