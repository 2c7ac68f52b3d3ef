// Package memory holds a property graph in this process: typed columns for
// properties and compressed adjacency in both directions for relationships.
//
//	b := memory.NewBuilder(s)
//	b.Node("person", memory.Values{"id": "ada", "name": "Ada"})
//	b.Node("person", memory.Values{"id": "grace", "name": "Grace"})
//	b.Relationship("KNOWS", graph.ID("person", "ada"), graph.ID("person", "grace"), nil)
//	g, err := b.Build()
//
// Open and Load read a graph directory instead. A graph is complete or it is
// not there: every bad row is reported in a LoadError, and nothing is built.
//
// Nodes of a label are numbered 0 to NodeCount-1 in the order of their keys:
// numbers numerically, text by its bytes, composite keys part by part. So rows
// can be compared instead of keys. Relationships of a pair are numbered
// likewise, by (from, to, key).
package memory
