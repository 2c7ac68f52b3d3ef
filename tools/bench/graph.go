package bench

import (
	"fmt"
	"time"

	"github.com/trellisgraph/trellis/store/memory"
)

// About counts a graph that took so long to make or to load.
func About(name string, g *memory.Graph, took time.Duration) Graph {
	out := Graph{Name: name, Seconds: took.Seconds()}
	out.Nodes, out.Relationships = g.Size()
	return out
}

// Title says in one line which graph it is.
func (g Graph) Title() string {
	return fmt.Sprintf("%s: %s nodes, %s relationships", g.Name, grouped(g.Nodes), grouped(g.Relationships))
}
