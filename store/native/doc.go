// Package native answers plans with the columns and the adjacency of a graph in
// memory, without SQL.
//
//	g, err := memory.Load(…)
//	st := native.New(g, native.Options{})
//	e := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Prompt: true})
//
// The store keeps engine.Options.Prompt's promise: a run looks at its context
// every few thousand rows, keeps nothing of it, and of a plan no more than its root.
// What is made once for a graph, and for all calls from then on, is made to its end:
// tables, and numberings of the columns that are grouped by. On graphs of millions
// of nodes the first calls can be late by that.
//
// # From plan to rows
//
// A plan's shape becomes a program, once: names are resolved to columns and
// adjacency, conditions become tests over rows, and every step becomes an
// expansion. A program holds no value of a call. It is kept by the schema's hash
// and the plan's shape, and serves all calls of that shape at the same time.
//
// A call is a run of its program. The run holds what differs between calls: the
// values that the tests compare with, made from the plan's parameters (bind),
// and memory to work in, which is taken from a pool and given back. A node is a
// row number of its label's table.
//
// # Snapshots
//
// Programs are of one graph, a snapshot (snapshots.go): after a batch they are
// made anew when they are met, over tables of which those are kept that the
// batch left alone (tables.go). A call takes the newest snapshot once and works
// on it to its end.
//
// Rows stand in key order, so that the order by key, which ends every order, is
// that of the numbers; but for the late rows that came with batches. So no answer
// is ordered by row: table.compare and its callers look at keys where a row is
// late, and at numbers otherwise. What goes over all rows leaves out the dead
// ones; a list of relationships stands wherever Span says; and the words of a
// dictionary out of order (lexicon.go) are equal where their codes are, but are
// compared as texts.
//
// # The pieces
//
//   - Tests (test.go and its neighbours) are conditions in negation normal form.
//     A test says whether a condition is true of a row; where it has to be false,
//     the comparison is turned round at its leaf, and null fulfils neither.
//     Tests narrow a batch of rows at a time.
//   - A node set (nodeset.go) is a label with keys, condition, guard and
//     semi-joins. Candidates (candidates.go) come from keys, from a range of keys
//     (access.go), from the index on a property (span.go), or from all rows,
//     whichever are fewest. Where an index alone, or one marked semi-join, says
//     which rows fulfil all, it says how many there are, and rows are looked at
//     only until the page is full.
//   - An expansion (expand.go) leads from a frontier, the nodes of some labels with
//     the hops to each, to the next. Semi-joins, groups by relationships,
//     traversals and neighbours all use it.
//     From many nodes at once a step of several hops is swept (sweep.go): level by
//     level, from whichever side has less to look at.
//   - An aggregate (aggregate.go) sorts nodes into groups (group.go), keeps figures
//     (figure.go) and writes rows (grouprows.go). What is only counted is counted in
//     shorter ways: all at once (number.go), from degrees (degrees.go), or by the
//     ends of the nodes' one relationship (ahead.go).
//   - A layer (layer.go) is where one may stand after some steps, with the least
//     hops to each node. A step leads from a layer to ends that are landed in
//     batches (lead.go): in the next layer, or among the targets. Connections
//     (connections.go) are found back from the targets that are shown, through
//     the layers.
//   - A path search (pathsearch.go) goes out from both ends and lists paths only
//     among nodes from which the end is known to be near enough; for the shortest
//     (paths_shortest.go) it stops one hop before the two sides meet, and looks for
//     that hop without spending the budget. With weights
//     (paths_weighted.go) beginnings of paths are extended by the least that the
//     whole can weigh, and sums are exact (amount.go).
//   - A drawing (draw.go) is an answer of nodes and relationships.
//   - Orders (order.go) compare rows; only the rows that the page shows, and one
//     more, are kept (top.go), or are met first in the index (inorder.go). What is shown is read at the very end (show.go),
//     as values or, for a document, straight into its JSON (encode.go).
//
// One file holds one operator. Loops look at the context at a fixed stride, see
// run.tick, and stop where the run has failed. The memory of a run that failed is
// not used again.
package native
