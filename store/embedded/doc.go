// Package embedded answers from a graph in memory through SQL, with no server:
// go-mysql-server runs the statements in this process over tables that read
// the graph's columns and adjacency in place.
//
//	g, err := memory.Open(ctx, "data", memory.Options{})
//	s, err := embedded.New(g, embedded.Options{})
//
// The tables are those of the schema's mapping: a table for each label with
// its foreign keys, a table for each pair that has rows of its own, one table
// where labels or pairs share it. Each key, foreign key and indexed property
// is an index, so that joins are lookups.
package embedded
