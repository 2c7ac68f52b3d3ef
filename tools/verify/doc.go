// Package verify asks two stores the same random calls and tells where their
// answers differ.
//
//	report, err := verify.Stores(ctx, g, one, other, verify.Options{Calls: 1000})
//
// It is for a database that should hold what a graph does: after a load, behind
// a new version of a server, over shards. The calls are whole tool calls, from
// their JSON arguments to the JSON document, page after page, and are guided by
// what is in the graph, of any size, so that most find something. The same seed
// makes the same calls of the same graph.
//
// Documents are equal if they say the same, but for where they were executed and
// for sums and averages of floats, which stores add up in different orders:
// those may differ by 1e-12 of their size. Of errors the codes and places count.
package verify
