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
// invisible to a caller stands in no tool, no suggestion and no refusal, and neither
// does what refers to it: a property that holds ids of nodes of an invisible label
// is in no answer, no filter, no sort, no group, no aggregate and no where. Where
// a label is visible and some of its nodes are not, a property that says
// exposes_key holds their ids as any value; see Policies of package schema.
//
// A label whose nodes are records (Records of package schema) has tools of its
// own beside them: list_<label>, get_<label> and list_<label>_ids. They take a few
// arguments and no graph, and answer plain documents of whole records:
//
//	list_product {"filters": {"grade": "stage", "price": {"lt": 900}, "tag": "violin"}, "sort": "-price", "limit": 50, "offset": 0}
//	             {"items": [record, …], "total": 123}
//	get_product  {"id": "aria-1"}            record, or null
//	get_product  {"ids": ["aria-1", "x"]}    {"entities": [record], "not_found": ["x"]}
//	list_product_ids {…}                     {"ids": ["aria-1", …], "total": 123}, with a summary {"items": [{"id": …, …}], "total": 123}
//
// A list is a page of find_nodes by offset, its total is of the same state of the
// graph, and of what the caller may see. A bare value is equality, of an array
// that it contains the value; {"in": […]} is one of several; numbers, dates and
// times take gt, gte, lt and lte. Unsorted is by id, and so are ties. "warnings"
// and "truncated_by" (whole records that were too many bytes) are there only where
// there is something to say: such as which ids an empty list was asked for that
// nothing has, and which were meant. Refusals are those of the six tools, their
// messages begin with [INVALID_INPUT]. Workflow is a prompt for models that
// answer from records.
//
// The definitions of these tools say less, the more there are: first without the types
// and values of filters, then without their names. They are not left out, so those of
// many labels are larger than Limits.ToolBytes: of 100 labels with list and get, and a
// description of a line, about 105 KiB. A view of package store/bundles is how an agent
// is offered fewer.
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
