package graph

// A Query is one question to a graph: *FindNodes, *Traverse, *Neighbors,
// *Paths, *Aggregate or *Describe. It is untrusted data, whoever wrote it:
// names are plain strings and values have no type until compile.Check has
// resolved them in a schema.
//
// The field names follow the JSON arguments of the tools, and so do the
// pointers in errors: a mistake in q.Relationships[1].Types is reported at
// "/relationships/1/type". Zero values mean the documented defaults.
type Query interface {
	// Tool is the name of the tool that asks this question.
	Tool() string
	query()
}

// The names of the six tools.
const (
	ToolDescribe  = "get_graph_schema"
	ToolFindNodes = "find_nodes"
	ToolTraverse  = "traverse_relationships"
	ToolNeighbors = "explore_neighbors"
	ToolPaths     = "find_paths"
	ToolAggregate = "aggregate_nodes"
)

// A NodePattern says which nodes of one label are meant. All its conditions
// must hold.
type NodePattern struct {
	Label string
	// IDs are the keys looked for: integers or texts, or lists of these for a
	// composite key. Nil means no condition on the key.
	IDs []Value
	// Filter is a condition on the properties, nil for none.
	Filter Filter
	// Where is a further condition, as a CEL expression over the properties.
	Where string
	// Search holds up to eight terms, separated by white space, each of which
	// must occur in a property that the schema marks as searchable.
	Search string
	// Related are conditions on what the node is connected to.
	Related []Related
}

// A Direction says along which relationships a step walks. The zero Direction
// is the default of the place where it stands.
type Direction string

// The directions.
const (
	Outgoing Direction = "outgoing"
	Incoming Direction = "incoming"
	Both     Direction = "both"
)

// A Step walks relationships from a set of nodes to the next.
type Step struct {
	// Types are the relationship types that the step follows; at least one.
	Types []string
	// Direction is Outgoing by default.
	Direction Direction
	// MinHops and MaxHops bound how many relationships the step walks: 1 and
	// the greater of 1 and MinHops by default. A path of several hops repeats
	// no node.
	MinHops, MaxHops int
	// Filter is a condition on the properties of every relationship walked.
	Filter Filter
	// To constrains the node where the step ends. The last step of a Traverse
	// has none: Traverse.To stands for it.
	To *NodePattern
}

// Related is a condition on a node: that a path of the given steps leads from
// it to some node.
type Related struct {
	Relationships []Step // one to three
	// None turns the condition round: there must be no such path.
	None bool
	// Count bounds how many distinct nodes the path reaches; all bounds must
	// hold. Zero nodes count.
	Count []CountBound
}

// A CountBound compares a number of nodes, such as "gte 3".
type CountBound struct {
	Op Op // Eq, Ne, Lt, Lte, Gt or Gte
	N  int
}

// An Order is one key of the order of nodes. Nulls come last either way.
type Order struct {
	Property  string
	Direction SortDirection
}

// A SortDirection is Asc by default.
type SortDirection string

// The sort directions.
const (
	Asc  SortDirection = "asc"
	Desc SortDirection = "desc"
)

// FindNodes asks for nodes of one label.
type FindNodes struct {
	NodePattern
	// Properties are the properties shown. Nil means the label's default
	// properties, an empty list none.
	Properties []string
	OrderBy    []Order
	// Limit is the number of nodes answered, by default Limits.Rows. With a Page
	// it may be up to Limits.ListRows, and is 50 by default.
	Limit  int
	Cursor string
	// Page, if it is not nil, asks for a page by its offset, and for the total,
	// in the place of cursors.
	Page *Page
}

// A Page is a part of an ordered answer that is found by counting, for lists
// that people and models leaf through: the nodes after the first Offset of all
// that match, in the order of the answer. The answer has a Total: how many match
// and may be seen by the caller, whatever the offset and the limit, in the same
// state of the graph as the page where the store has such states. It has no
// cursor, and a page beyond the end is empty.
//
// It is for programs: the arguments of find_nodes have none. A query with a Page
// and a Cursor is UNSUPPORTED, and so is a Page of a label of whose nodes the
// host decides one by one (compile.Options.Redacted), for nobody knows their
// number. An offset costs what it costs to find all that is before it.
type Page struct {
	// Offset is how many nodes are passed over, 0 to MaxOffset; another is
	// OUT_OF_RANGE at "/offset".
	Offset int
}

// MaxOffset is the highest offset of a Page.
const MaxOffset = highest

// Traverse asks for the distinct nodes to which a chain of steps leads.
type Traverse struct {
	From          NodePattern
	Relationships []Step
	To            NodePattern
	// Properties are the properties shown, by label. A label that is not named shows its
	// default properties.
	Properties map[string][]string
	OrderBy    []Order
	// OmitConnections leaves out the relationships and nodes that connect the
	// starts with the targets.
	OmitConnections bool
	Limit           int
	Cursor          string
}

// A NodeID names one node.
type NodeID struct {
	Label string
	ID    Value
}

// Neighbors asks for the nodes around a node, breadth first. An answer has the
// relationships among its own nodes and the start: of those between nodes of
// different pages, neither page tells.
type Neighbors struct {
	Start NodeID
	// MaxHops is 2 by default.
	MaxHops int
	// Direction is Both by default.
	Direction Direction
	// NodeTypes and RelationshipTypes restrict what is walked through and
	// returned; nil means every visible one.
	NodeTypes         []string
	RelationshipTypes []string
	// Filters holds conditions by label.
	Filters    map[string]Filter
	Properties map[string][]string
	Limit      int
	Cursor     string
}

// A PathMode says which paths are wanted.
type PathMode string

// The path modes; Shortest is the default.
const (
	Shortest    PathMode = "shortest"
	AllShortest PathMode = "all_shortest"
	AllPaths    PathMode = "all"
	KShortest   PathMode = "k_shortest"
)

// Paths asks how two nodes are connected. A path repeats no node.
type Paths struct {
	From, To NodeID
	Mode     PathMode
	// K is the number of paths of mode KShortest, 3 by default.
	K int
	// MaxHops is 3 by default.
	MaxHops int
	// Direction is Both by default.
	Direction         Direction
	RelationshipTypes []string
	// NodeTypes and Filters hold for the nodes between the two ends.
	NodeTypes  []string
	Filters    map[string]Filter
	Properties map[string][]string
	// Weight names a numeric relationship property whose sum is minimised.
	Weight string
	Limit  int
}

// A Function is an aggregate function.
type Function string

// The aggregate functions.
const (
	Count         Function = "count"
	CountDistinct Function = "count_distinct"
	Sum           Function = "sum"
	Avg           Function = "avg"
	Min           Function = "min"
	Max           Function = "max"
)

// An Aggregation is one computed column.
type Aggregation struct {
	Function Function
	// Property is what is aggregated; Count takes none.
	Property string
	// As renames the column.
	As string
	// Filter and Where restrict the nodes that this column counts.
	Filter Filter
	Where  string
}

// A TimeUnit is the size of a bucket of time, in UTC; weeks start on Monday.
type TimeUnit string

// The units of time.
const (
	Minute  TimeUnit = "minute"
	Hour    TimeUnit = "hour"
	Day     TimeUnit = "day"
	Week    TimeUnit = "week"
	Month   TimeUnit = "month"
	Quarter TimeUnit = "quarter"
	Year    TimeUnit = "year"
)

// A GroupKey is one key of a grouping: a property of the node, or properties
// of the nodes that a chain of single hops leads to.
type GroupKey struct {
	// Relationships lead to the node whose properties are the key; none means the node itself.
	Relationships []Step
	// Property is the key; Properties are several of a related node. With
	// neither, a related node's key is meant.
	Property   string
	Properties []string
	Truncate   TimeUnit
	As         string
}

// A Having is a condition on a column of the result. A column that is made from
// a property takes the conditions that filters on the property take, and none
// where the property is not filterable.
type Having struct {
	As    string
	Op    Op
	Value Value
}

// A ColumnOrder is one key of the order of rows. It cannot be a column that is
// made from a property that is not filterable.
type ColumnOrder struct {
	As        string
	Direction SortDirection
}

// Aggregate asks for figures over the nodes of one label.
type Aggregate struct {
	NodePattern
	Aggregations []Aggregation
	GroupBy      []GroupKey
	Having       []Having
	OrderBy      []ColumnOrder
	Limit        int
	Cursor       string
}

// Describe asks which labels, relationship types and properties there are.
type Describe struct {
	// Expand shows everything in detail.
	Expand bool
	// ExpandNodes are labels to show in detail; "*" stands for all.
	ExpandNodes []string
	// ExpandRelationshipTypes are relationship types to show in detail.
	ExpandRelationshipTypes []string
	// Search keeps only what has this text in a name or description.
	Search string
}

// Tool implements Query.
func (*FindNodes) Tool() string { return ToolFindNodes }

// Tool implements Query.
func (*Traverse) Tool() string { return ToolTraverse }

// Tool implements Query.
func (*Neighbors) Tool() string { return ToolNeighbors }

// Tool implements Query.
func (*Paths) Tool() string { return ToolPaths }

// Tool implements Query.
func (*Aggregate) Tool() string { return ToolAggregate }

// Tool implements Query.
func (*Describe) Tool() string { return ToolDescribe }

func (*FindNodes) query() {}
func (*Traverse) query()  {}
func (*Neighbors) query() {}
func (*Paths) query()     {}
func (*Aggregate) query() {}
func (*Describe) query()  {}
