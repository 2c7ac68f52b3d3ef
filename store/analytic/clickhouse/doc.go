// Package clickhouse opens databases of ClickHouse 25.8 and newer for stores,
// for load and for the check of connections:
//
//	db, err := clickhouse.Open("clickhouse://reader:secret@host:9000/shop")
//	st, err := store.Checked(ctx, db, compile.ClickHouse(), s, nil)
//
// The driver is clickhouse-go, whose ways of putting arguments into the text of
// a statement cannot be reached: a connection takes arguments as the server's own
// typed parameters or not at all.
//
// ClickHouse has no transactions. Each statement sees its tables as they are when
// it begins: a call of several statements may see different states of tables that
// change meanwhile, and is then answered from both, or fails as UNAVAILABLE where
// what it met is gone.
package clickhouse
