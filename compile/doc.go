// Package compile checks queries, plans them and writes their SQL.
//
//	c := compile.New(compile.Options{})
//	plan, err := c.Check(s, scope, query)           // all mistakes at once
//	prog, err := compile.SQL(plan, compile.MariaDB()) // statements, no values
//	text := prog.Main.Text(plan.Params)
//	args, _ := prog.Main.Bind(plan.Params)
//
// Three types keep three kinds of trust apart. A graph.Query is untrusted: its
// names are strings. A Plan is trusted: Check has resolved every name to a
// pointer into the schema and given every value the type of its property. A
// Statement is text, made from a plan's shape.
//
// A plan keeps its shape and its values apart: Root is the shape and names a
// value only by its Slot in Params. The emitter reads Root alone, so a caller's
// value cannot reach a statement's text; and a Program, which holds statements,
// serves every plan of the same shape. Lists enter the shape by the power of two
// that holds them, and on DuckDB a page's limit its text.
//
// # Guards
//
// A plan refers to a label's or a pair's table by a NodeRef or a RelRef, which
// only the checker's node and rel methods make: that is where a scope's policies
// are put on every reference. A last pass refuses a plan with a reference that
// was made in any other way.
//
// # Walking
//
// Expand is the one operator that walks: a step of a traversal, of a semi-join,
// of a grouping, and the whole walk of a search. Its moves are single hops, each
// along one pair of labels in one direction; its ends are where it may stop. It
// becomes SQL in four ways.
//
// Chains: the steps of a traversal are the union of their chains, each a join
// with one table reference for a hop. A step of several hops is a chain for each
// number of hops and each choice of moves, with its nodes kept distinct; too
// many chains, or tables in all, are TOO_COSTLY. A node's table is joined only
// where a condition or the answer needs more of it than its key, and a table
// that holds a relationship as a foreign key stands for both. Where one chain
// cannot reach a target twice, one statement has both the targets and what
// connects them; elsewhere one more for each chain finds what connects the
// page's targets.
//
// Semi-joins: a related condition is a derived table beside the node, of the
// keys that fulfil it: the distinct starts of the chains of its steps, with the
// number of distinct nodes reached where that is compared. It repeats the node's
// own conditions, so that it is made for candidates only, and is joined by the
// key: an inner join asks that a path exists, an outer join that none does or,
// as no row is a count of 0, how many. Of several chains to one target, all
// share what stands beside the target. Where a path need only exist, and the
// engine's planner knows several ways to find that out, the keys are asked for
// with IN (SELECT …) instead.
//
// Groups: without relationships the node's table is grouped as it is. Otherwise
// what is grouped is a derived table of the distinct pairs of a node, with what
// the aggregates read of it, and the values that its chains lead to: the union
// of all ways to walk all chains, so that a node counts once in each group,
// however many paths lead there.
//
// Levels: a search, which is explore_neighbors or find_paths, has a statement
// for each move and direction, which takes the keys of a whole frontier as one
// list parameter and returns pairs of keys, and statements that read the nodes
// and relationships of the answer by lists of their keys. How they are run is
// told in package store. The first of the shortest paths between near ends is asked
// for in one statement before, a Direct, where the engine does that well.
//
// # Order
//
// Every answer has a total order, which ends with the key. Page holds it, with
// the seek that a cursor asks for: the rows after a row, by the values of the
// order alone.
package compile
