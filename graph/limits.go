package graph

import "time"

// highest is the highest bound there is: so high that it bounds nothing, and so
// low that whoever adds to it or doubles it has an integer still.
const highest = 1_000_000_000

// Limits are the bounds of one call. A field that is zero or negative means its
// default, and a number over 1,000,000,000 means that. The tool schemas, the
// checks and get_graph_schema all read the same value, so what is published is
// what holds.
//
// What a caller selects is refused over a limit, before anything runs; what
// a store finds is clipped at Rows, Groups, ListRows, Connections, Budget and Bytes, and
// the answer says so. Budget counts what a search walks, not what it looks at to see
// whether its two sides meet: the native store finds the last hop of shortest
// paths so.
type Limits struct {
	Rows         int `json:"rows"`          // nodes or paths of an answer; 30
	Groups       int `json:"groups"`        // rows of an aggregate; 100
	ListRows     int `json:"list_rows"`     // nodes of a page of a list, which has an offset; 500
	StepHops     int `json:"step_hops"`     // hops of one step, and of explore_neighbors; 3
	PathHops     int `json:"path_hops"`     // hops of find_paths; 6
	TotalHops    int `json:"total_hops"`    // hops of all steps of a call; 8
	Steps        int `json:"steps"`         // steps of a traversal; 5
	IDs          int `json:"ids"`           // ids of a node; 500
	ListValues   int `json:"list_values"`   // values of in and not_in; 500
	Filters      int `json:"filters"`       // properties filtered in one place; 32
	Related      int `json:"related"`       // related conditions of a node; 4
	Aggregations int `json:"aggregations"`  // aggregations of a call; 10
	GroupKeys    int `json:"group_keys"`    // keys of group_by; 4
	OrderKeys    int `json:"order_keys"`    // keys of order_by; 4
	StepTypes    int `json:"step_types"`    // relationship types of a step; 10
	PatternBytes int `json:"pattern_bytes"` // contains, starts_with, ends_with; 256
	WhereBytes   int `json:"where_bytes"`   // length of where; 4096
	WhereNodes   int `json:"where_nodes"`   // nodes of where's syntax tree; 200
	Connections  int `json:"connections"`   // connecting relationships of an answer; 300
	Budget       int `json:"budget"`        // relationships expanded by a call; 1,000,000
	Bytes        int `json:"bytes"`         // size of an answer's nodes, relationships, paths and rows; 1048576

	ArgumentBytes int           `json:"argument_bytes"` // size of a call's arguments; 65536
	ArgumentDepth int           `json:"argument_depth"` // nesting of a call's arguments; 32
	ToolBytes     int           `json:"-"`              // size of the six tools' definitions, which list less of a large schema; 65536
	Timeout       time.Duration `json:"-"`              // of a call; 10 s
}

// WithDefaults returns l with every field that is zero or negative set to its
// default, and every number that is too high to what it means.
func (l Limits) WithDefaults() Limits {
	def := func(p *int, n int) {
		if *p <= 0 {
			*p = n
		}
		*p = min(*p, highest)
	}
	def(&l.Rows, 30)
	def(&l.Groups, 100)
	def(&l.ListRows, 500)
	def(&l.StepHops, 3)
	def(&l.PathHops, 6)
	def(&l.TotalHops, 8)
	def(&l.Steps, 5)
	def(&l.IDs, 500)
	def(&l.ListValues, 500)
	def(&l.Filters, 32)
	def(&l.Related, 4)
	def(&l.Aggregations, 10)
	def(&l.GroupKeys, 4)
	def(&l.OrderKeys, 4)
	def(&l.StepTypes, 10)
	def(&l.PatternBytes, 256)
	def(&l.WhereBytes, 4096)
	def(&l.WhereNodes, 200)
	def(&l.Connections, 300)
	def(&l.Budget, 1_000_000)
	def(&l.Bytes, 1<<20)
	def(&l.ArgumentBytes, 64<<10)
	def(&l.ArgumentDepth, 32)
	def(&l.ToolBytes, 64<<10)
	if l.Timeout <= 0 {
		l.Timeout = 10 * time.Second
	}
	return l
}
