// Package tools makes a graph callable by language models and other programs
// that speak JSON.
//
//	offered := tools.New(eng, tools.Options{})
//	ctx := graph.WithScope(ctx, &graph.Scope{Tenant: "acme", Principal: "ada"})
//
//	list, err := offered.List(ctx)
//	for _, tool := range list {
//		publish(tool.Name, tool.Description, tool.Parameters)
//	}
//	answer, err := offered.Call(ctx, "find_nodes", []byte(`{"node_label": "person", "filters": {"age": {"gte": 30}}}`))
//
// There are six tools: get_graph_schema, find_nodes, traverse_relationships,
// explore_neighbors, find_paths and aggregate_nodes. Each is data: a name, a
// description and a JSON Schema of its arguments, made from the graph's schema
// and limits: of that part of the schema which the caller may see. What is
// invisible to a caller stands in no tool, no suggestion and no refusal.
//
// A host may add named queries (NamedQuery): calls that it has written, with
// gaps that a caller fills in. Each is a tool of its own.
//
// Arguments are decoded strictly. Duplicate names, unknown fields, fields in
// another case, bad UTF-8, half surrogates, NUL characters, anything after the
// arguments, too much depth and too much text are refused; a number stays as it
// was written; nothing is repaired or converted. All mistakes of a call are
// reported together, each with its place, what would have been right and, where
// there is a remedy, a patch that ApplyFix of package graph applies.
//
// The published schemas and the decoder agree: what the decoder and the check
// accept, the schema accepts too. A host that wants to check arguments against
// the published schema itself uses a Validator.
package tools
