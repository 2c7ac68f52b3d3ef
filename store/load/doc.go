// Package load writes a graph in memory into a SQL database, and reads one out
// of it, as its schema maps it: tables of labels, foreign keys on either side,
// join tables, tables shared by several labels or types, polymorphic references.
//
//	g, err := memory.Open(ctx, dir, memory.Options{})
//	...
//	err = load.Load(ctx, db, g, load.Options{})
//	...
//	g, err = load.Read(ctx, db, g.Schema(), load.ReadOptions{})
//
// It uses database/sql alone; the driver is the caller's choice. Every value
// is bound as an argument.
package load
