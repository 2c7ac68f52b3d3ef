// Package load writes a graph in memory into a SQL database, as its schema
// maps it: tables of labels, foreign keys on either side, join tables, tables
// shared by several labels or types, polymorphic references.
//
//	g, err := memory.Open(ctx, dir, memory.Options{})
//	...
//	err = load.Load(ctx, db, g, load.Options{})
//
// It uses database/sql alone; the driver is the caller's choice. Every value
// is bound as an argument.
package load
