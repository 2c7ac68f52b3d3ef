// Package store answers plans.
//
//	db, err := sql.Open("pgx", dsn) // a driver of your choice
//	st := store.SQL(db, compile.Postgres())
//	defer st.Close()
//	eng := engine.New(schema.NewCatalog(s), st, engine.Options{})
//
// A Store takes a compile.Plan and writes an answer to a graph.Writer. Whoever
// implements it, whatever keeps the graph, has a backend; package storetest
// tells whether it is right.
//
// For SQL engines most of the work is done: New runs the programs of a dialect
// on a Backend, which only has to run statements. SQL is New over database/sql;
// package embedded is New over an engine in this process. Stored values come
// back with the types that the schema declares, whatever a driver makes of them;
// a value that does not fit is INVALID_DATA.
//
// A float of 32 bits (FLOAT, REAL, float4, Float32) is shown as the number that it
// is, so that conditions, orders and pages meet what was shown: what was stored as
// 0.1 in so few bits is 0.10000000149011612, and not equal to 0.1. Whoever wants
// the shorter number maps a view that makes it, such as CAST(CAST(f AS CHAR) AS
// DOUBLE).
//
// # The connection
//
// Sessions of SQL are read-only, and statements hold nothing of a caller's text.
// The last word is the database's: CheckConnection finds what the account may do
// beyond its work (write, read other tables, reach files, administer), and
// whether the driver takes several statements in one text. Checked refuses such
// a connection, or warns of it.
//
// # Searches
//
// explore_neighbors and find_paths go out from their ends level by level, all in
// one session. A level takes one statement for each kind of hop that leaves the
// frontier, with the frontier's keys as one list parameter; only a frontier of
// over ten thousand keys is asked for in parts. A node that was met before is not
// expanded again on the same side. Limits.Budget bounds the relationships that
// come back and the hops that are tried while paths are listed.
//
// explore_neighbors stops with the level that has the first node after the page.
// find_paths searches from both ends, the smaller frontier first, and stops as
// soon as they meet: whether there is a path, and of what length, is known from
// the levels alone. Mode all searches on to max_hops. Only then are paths
// listed, in the order of the answer and no more than its limit, over hops from
// which the end can still be reached in time. What the answer shows of nodes and
// relationships is read last, by their keys. Where the plan has a Direct, and the budget
// is not small, that is asked first, and there may be nothing to search for.
//
// # Size
//
// Answers keep to Limits.Bytes: long texts are shortened first, then whole rows
// are left out. Fitter has the rule, which every store keeps to.
package store
