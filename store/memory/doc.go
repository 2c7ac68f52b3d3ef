// Package memory holds a property graph in this process: typed columns for
// properties and compressed adjacency in both directions for relationships.
//
//	b := memory.NewBuilder(s)
//	b.Node("person", memory.Values{"id": "ada", "name": "Ada"})
//	b.Node("person", memory.Values{"id": "grace", "name": "Grace"})
//	b.Relationship("KNOWS", graph.ID("person", "ada"), graph.ID("person", "grace"), nil)
//	g, err := b.Build()
//
// Open and Load read a graph directory instead, and OpenFile a file that
// WriteFile wrote, which takes a fraction of the time. A graph is complete or it is
// not there: every bad row is reported in a LoadError, and nothing is built.
//
// In a dense graph, which is what these make, nodes of a label are numbered 0 to
// NodeCount-1 in the order of their keys: numbers numerically, text by its
// bytes, composite keys part by part. So rows can be compared instead of keys.
// Relationships of a pair are numbered likewise, by (from, to, key).
//
// # Batches
//
// A Live takes batches of changes, and publishes after each a new Graph, a
// snapshot, while readers keep those that they have:
//
//	live := memory.NewLive(g)
//	c := memory.NewBatch(s)
//	c.Node("person", memory.Values{"id": "ada", "name": "Ada King"})
//	c.DeleteNode(graph.ID("person", "grace"))
//	g, err := live.Apply(c)
//
// Snapshots share their memory. Columns grow at their end, and an older snapshot
// sees the shorter part of them. A node that changes gets a new row, and its old
// one is dead (Dead). Rows that batches brought are not in key order (Ordered);
// Late lists them so. A node that so many are next to that they would cost more
// keeps its row instead: what changes of the label's columns, and the index of
// such a property, is copied. A list of relationships that changes is written
// anew behind all others, or grows in place where what is added comes last and
// there is room; from 1,024 relationships on in memory of its own. Pages of 256
// rows, which are copied before they change, tell where each list stands
// (Adjacency.Span). A relationship that changes gets a new number. A dictionary
// takes new words at its end, and is then not in order (Vector.Unsorted). The
// indexes stay those of the dense graph, with a short sorted list beside each for
// the late rows. Bitmaps and these lists are copied by each batch that changes
// them: an eighth of a byte for each row, and four bytes for each late one.
//
// What batches leave behind is swept up before it is much (Graph.Dense): label by
// label and pair by pair, when as many rows or relationships are late or dead as
// a 64th of those that have to be gone through; earlier, from 4,096 on, if
// they are a quarter, or 65,536. Changes of nodes that keep their rows count, too.
package memory
