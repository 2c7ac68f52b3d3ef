package tools

import "github.com/trellisgraph/trellis/graph"

// decode reads the arguments of a tool. The query is nil if the text could not
// be read to its end; otherwise it holds all that could be read.
func decode(tool string, args []byte, limits *graph.Limits, c *conditions) (graph.Query, graph.Errors) {
	if len(args) > limits.ArgumentBytes {
		return nil, graph.Errors{tooLarge(args, limits)}
	}
	d := &decoder{reader: reader{src: string(args), maxDepth: limits.ArgumentDepth}, limits: limits, conditions: c}
	var q graph.Query
	switch tool {
	case graph.ToolDescribe:
		q = d.describe()
	case graph.ToolFindNodes:
		q = d.findNodes()
	case graph.ToolTraverse:
		q = d.traverse()
	case graph.ToolNeighbors:
		q = d.neighbors()
	case graph.ToolPaths:
		q = d.paths()
	case graph.ToolAggregate:
		q = d.aggregate()
	}
	d.end()
	if d.failed != nil {
		return nil, graph.Errors{d.failed}
	}
	return q, d.errs
}
