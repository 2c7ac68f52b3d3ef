package graph

// A Node is one node of an answer.
type Node struct {
	Label string
	// ID is the key's text.
	ID string
	// Distance is the least number of hops to an answer's node; 0, and not
	// shown, for nodes that were not walked to.
	Distance   int
	Properties []Property
	// Cut holds the full lengths, in bytes, of texts that were shortened.
	Cut []CutText
}

// A Property is a name and a value.
type Property struct {
	Name  string
	Value Value
}

// A CutText says how long a shortened text was.
type CutText struct {
	Name  string
	Bytes int
}

// Value returns the node's property of that name, null if it is not shown.
func (n *Node) Value(name string) Value { return valueOf(n.Properties, name) }

func valueOf(props []Property, name string) Value {
	for i := range props {
		if props[i].Name == name {
			return props[i].Value
		}
	}
	return Null()
}

// A NodeKey identifies a node of an answer.
type NodeKey struct {
	Label string
	ID    string
}

// A Relationship is one relationship of an answer, in its stored direction.
type Relationship struct {
	Type       string
	From, To   NodeKey
	Properties []Property
	// Cut holds the full lengths, in bytes, of texts that were shortened.
	Cut []CutText
}

// Value returns the relationship's property of that name, null if it is not shown.
func (r *Relationship) Value(name string) Value { return valueOf(r.Properties, name) }

// A Path is one path of an answer.
type Path struct {
	Nodes []NodeKey
	// Relationships are indexes into the answer's relationships.
	Relationships []int
	Length        int
	// Weight is the sum of the weights, null where none was asked for.
	Weight Value
}

// A Column describes one column of an aggregate.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// A Parameter is one bound argument of a statement.
type Parameter struct {
	Position int    `json:"position"` // from 1
	Type     string `json:"type"`
	Value    Value  `json:"value"`
}

// A Statement is one statement that a store ran.
type Statement struct {
	SQL        string      `json:"sql"`
	Parameters []Parameter `json:"parameters"`
	Executions int         `json:"executions"`
}

// A Warning tells of something a caller would want to know about an answer.
type Warning struct {
	Code    Code    `json:"code"`
	Path    string  `json:"path"`
	Message string  `json:"message"`
	Fix     []Patch `json:"fix,omitempty"`
}

// A Truncation says why an answer is not complete; the empty one says that it
// is.
type Truncation string

// The reasons for an incomplete answer.
const (
	Complete               Truncation = ""
	TruncatedRows          Truncation = "rows"
	TruncatedBytes         Truncation = "bytes"
	TruncatedRelationships Truncation = "relationships"
	TruncatedBudget        Truncation = "budget"
)

// A Summary is what an answer says beside its rows.
type Summary struct {
	Returned int
	// Total is how many nodes match and may be seen, of which the answer is a
	// page: of find_nodes with a Page, and nil of every other answer.
	Total       *int64
	TruncatedBy Truncation
	NextCursor  string
	Warnings    []Warning
	Executed    string
	Statements  []Statement
}

// ResultFormat names the format of an answer.
const ResultFormat = "knowledge_graph.result.v1"

// A Result is a collected answer. Nodes[:Returned] are what was asked for, in
// order; after them stand the nodes that connect them.
type Result struct {
	Tool          string
	Nodes         []Node
	Relationships []Relationship
	Paths         []Path
	Columns       []Column
	Rows          [][]Value
	Schema        *Description // of get_graph_schema
	// Records says that the document shows the nodes as records; nil for the
	// document of the tool.
	Records *RecordForm
	Summary
}

// A Writer receives an answer piece by piece, in the order in which the
// document shows it: all nodes, all relationships, all paths; or the columns
// and then the rows. What is passed by pointer or slice is only valid
// during the call. An error stops the producer, which returns it.
type Writer interface {
	Node(*Node) error
	Relationship(*Relationship) error
	Path(*Path) error
	Columns([]Column) error
	Row([]Value) error
	// JSON returns the writer of the document to which all this is only
	// appended, nil if something else becomes of it. A store may then append
	// there what it has encoded itself; it looks at the call's context itself.
	JSON() *JSONWriter
}
