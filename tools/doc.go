// Package tools makes a graph callable by language models and other programs
// that speak JSON.
//
//	registry := tools.Graph(schema, graph.Limits{})
//
//	for tool := range registry.Tools() {
//		publish(tool.Name, tool.Description, tool.Parameters)
//	}
//
//	query, mistakes := registry.Decode("find_nodes", []byte(`{"node_label": "person", "filters": {"age": {"gte": 30}}}`))
//	if len(mistakes) == 0 {
//		plan, err := compiler.Check(schema, scope, query)
//		...
//	}
//
// There are six tools: get_graph_schema, find_nodes, traverse_relationships,
// explore_neighbors, find_paths and aggregate_nodes. Each is data: a name, a
// description and a JSON Schema of its arguments, made from the graph's schema
// and limits.
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
