// Package duckdb opens files of DuckDB, which runs in this process. It links the
// engine, and needs cgo.
//
//	db, err := duckdb.Open("graph.duckdb", duckdb.Options{})
//	st, err := store.Checked(ctx, db, compile.DuckDB(), schema, nil)
package duckdb
