package compile

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Plan is a checked query: pointers into the schema in the place of names,
// typed values in the place of a caller's, a guard on every table. Only Check
// makes one, and nothing else is lowered to SQL or executed.
//
// A plan has two halves. Root is its shape, which decides the SQL text; Params
// are its values, which Root names by Slot. Because the shape holds no value of
// a caller, no such value can reach a statement's text.
type Plan struct {
	Schema *schema.Schema
	Limits graph.Limits
	Root   Root
	Params []graph.Value
	// Warnings are what Check has to say about a call that it lets pass.
	Warnings []graph.Warning
	// HideStatements says that nobody sees which statements run: a store need not
	// tell them.
	HideStatements bool

	empty []emptyMatch
	// shared is set where further calls have the same Root.
	shared *keptRoot
	scope  *graph.Scope
	// guarded says that the caller's rights decide: every reference then has a
	// guard, one of these, in the order in which the plan comes by them.
	guarded bool
	guards  []*guard
	maskKey []byte
	// unmasked is set by Reading.
	unmasked bool
}

// A Root is the shape of one tool's plan: *Find, *Traverse, *Neighbors,
// *Paths, *Aggregate or *Describe.
type Root interface{ root() }

// A Slot is an index into a plan's Params.
type Slot int

// A NodeRef refers to the rows of a label that the caller may see. It is the
// only way in which a plan can name a label's table, and only a checker's node
// method makes one, with the guard that the scope asks for.
type NodeRef struct {
	label  *schema.Label
	guard  *guard
	sealed bool
}

// Label is the label referred to.
func (r NodeRef) Label() *schema.Label { return r.label }

// Guard is the condition that the caller's rights put on the label's rows. It
// is Const(true) where they leave all rows visible; the row must be there all
// the same, for nothing tells that what refers to it is right. It is nil where
// no call depends on who makes it: then what refers to a row may be trusted.
func (r NodeRef) Guard() Cond { return r.guard.condition() }

// A RelRef refers to the rows of a relationship pair that the caller may see;
// see NodeRef.
type RelRef struct {
	pair   *schema.Pair
	guard  *guard
	sealed bool
}

// Pair is the pair referred to.
func (r RelRef) Pair() *schema.Pair { return r.pair }

// Guard is the condition that the caller's rights put on the pair's
// relationships, as for a NodeRef. The nodes at their ends have guards of their
// own.
func (r RelRef) Guard() Cond { return r.guard.condition() }

// A NodeSet is the nodes of one label that fulfil a condition.
type NodeSet struct {
	NodeRef
	// Keys restricts the set to N given nodes; N < 0 means no restriction. A
	// key takes one slot for each part.
	Keys Keys
	// Cond is a condition on the properties, nil for none.
	Cond Cond
	// Related are semi-joins.
	Related []*Semi
	// elsewhere says that a statement joins the nodes' own table around the chain that
	// has the set.
	elsewhere bool
}

// Keys are N keys in consecutive slots, or no restriction where N is negative.
type Keys struct {
	First Slot
	N     int
}

// A Semi asks whether, or to how many distinct nodes, a chain of steps leads
// from a node.
type Semi struct {
	Steps []*Expand
	None  bool
	Count []CountCond
}

// A CountCond compares a number of nodes with a slot.
type CountCond struct {
	Op   graph.Op
	Slot Slot
}

// An Expand walks from a set of nodes to the next: the one operator behind
// traversal, neighbours, semi-joins and grouping by relationships.
type Expand struct {
	// Moves are the single hops that the step may take, by the label that they
	// leave.
	Moves    []*Move
	Min, Max int
	// Ends are where the step may end, one for each label.
	Ends []*NodeSet
}

// A Move is one hop: along a pair, in or against its direction.
type Move struct {
	Rel      RelRef
	Incoming bool // against the stored direction
	Cond     Cond // on the relationship's properties, nil for none
	Target   NodeRef
}

// Source is the label that the move leaves.
func (m *Move) Source() *schema.Label {
	if m.Incoming {
		return m.Rel.pair.To
	}
	return m.Rel.pair.From
}

// A Cond is a condition of a plan: And, Or, Not, Compare, Search, Const or, in
// guards only, Exists.
type Cond interface{ cond() }

// And holds when all its conditions do.
type And []Cond

// Or holds when one of its conditions does.
type Or []Cond

// Not holds when its condition is false.
type Not struct{ Cond Cond }

// Compare compares a property with N values from Slot on: one for most
// operators, any number for in and not_in, none for is_null, where Null says
// which way.
type Compare struct {
	Property *schema.Property
	Op       graph.Op
	Slot     Slot
	N        int
	Null     bool
}

// Search holds when each of N terms, from Slot on, occurs in one of the
// properties, ASCII case aside.
type Search struct {
	Properties []*schema.Property
	Slot       Slot
	N          int
}

// Const holds always or never.
type Const bool

// Exists holds when a path of steps, each of one hop, leads from the node to
// some node. All it walks over is guarded as everything is; guards that it meets
// there have no Exists of their own.
type Exists struct{ Steps []*Expand }

func (And) cond()     {}
func (Or) cond()      {}
func (Not) cond()     {}
func (Compare) cond() {}
func (Search) cond()  {}
func (Const) cond()   {}
func (Exists) cond()  {}

// A Page is the part of an ordered answer that is wanted: Limit rows after
// Seek. Every tool that pages uses it.
type Page struct {
	Order []OrderKey
	Limit Slot
	// Seek holds the order's values of the last row of the page before; nil at
	// the start.
	Seek *Seek
	// Counted says that so many rows as the slot Offset holds are passed over in
	// the place of a seek, that the answer has the number of all rows, and no
	// position for a next page. It is of find_nodes alone.
	Counted bool
	Offset  Slot
}

// A Seek is a position in an order: a slot for each key, and which of them are
// null.
type Seek struct {
	First Slot
	Null  []bool
}

// An OrderBy says what an order key orders by.
type OrderBy uint8

// What can be ordered by.
const (
	ByProperty OrderBy = iota // Property, nulls last
	ByDistance
	ByRank   // how well a search matches: whole value, prefix, elsewhere
	ByLabel  // the label's name
	ByKey    // the key, of whatever label
	ByColumn // a column of an aggregate
)

// An OrderKey is one key of a total order. The label's key parts always end it.
type OrderKey struct {
	By       OrderBy
	Property *schema.Property
	// Column is the column of an aggregate, and Part the part of its key where
	// it holds composite ones.
	Column, Part int
	// Rank's properties and the slot of the whole query text.
	Search []*schema.Property
	Slot   Slot
	Desc   bool
}

// Find answers find_nodes.
type Find struct {
	Nodes *NodeSet
	Show  []*schema.Property
	Page  Page
}

// Traverse answers traverse_relationships. The last step's only end is the
// target.
type Traverse struct {
	From        *NodeSet
	Steps       []*Expand
	Connections bool
	Show        Show
	Page        Page
}

// Target is the set of nodes that a traversal answers.
func (t *Traverse) Target() *NodeSet { return t.Steps[len(t.Steps)-1].Ends[0] }

// Show says which properties of each label an answer shows.
type Show map[*schema.Label][]*schema.Property

// Neighbors answers explore_neighbors. The step's ends are the labels walked through and
// returned, with their conditions.
type Neighbors struct {
	Start *NodeSet
	Step  *Expand
	Show  Show
	Page  Page
}

// Paths answers find_paths. The step's ends are the labels that may stand
// between the two ends.
type Paths struct {
	From, To *NodeSet
	Step     *Expand
	Mode     graph.PathMode
	K        int
	// Weight is the property minimised, by pair; nil for none.
	Weight map[*schema.Pair]*schema.Property
	Show   Show
	Limit  Slot
}

// Aggregate answers aggregate_nodes. Its columns are the groups, then the
// aggregates.
type Aggregate struct {
	Nodes  *NodeSet
	Chains [][]*Expand // the chains that the groups refer to
	Groups []Group
	Values []AggregateValue
	Having []HavingCond
	// MinGroup is how many nodes a row must stand for to be in the answer, also
	// the one row without groups: 0 shows every row. Figures of fewer nodes that
	// have a value are null then: see AggregateValue.Least. It comes before the
	// page.
	MinGroup int
	Page     Page
}

// A Group is a column that rows are grouped by.
type Group struct {
	Name string
	// Chain is the index of the chain whose end has the property; -1 for the
	// node itself.
	Chain    int
	Property *schema.Property
	// Key groups by the whole key of the chain's end, where it has several
	// parts; Property is nil then.
	Key      bool
	Truncate graph.TimeUnit
}

// An AggregateValue is a computed column.
type AggregateValue struct {
	Name     string
	Function graph.Function
	Property *schema.Property // nil for count
	Cond     Cond             // on the nodes counted, nil for none
	// Least is how many nodes of a row must have a value of Property: with fewer
	// the figure is null, a number of distinct values too. 0 asks for none.
	Least int
}

// A HavingCond compares a column with a slot, or with N of them for in and
// not_in.
type HavingCond struct {
	Column int
	Op     graph.Op
	Slot   Slot
	N      int
	Null   bool
}

// Describe answers get_graph_schema, which needs no store.
type Describe struct {
	Description *graph.Description
}

func (*Find) root()      {}
func (*Traverse) root()  {}
func (*Neighbors) root() {}
func (*Paths) root()     {}
func (*Aggregate) root() {}
func (*Describe) root()  {}

// Tool is the name of the tool that the plan answers.
func (p *Plan) Tool() string {
	switch p.Root.(type) {
	case *Find:
		return graph.ToolFindNodes
	case *Traverse:
		return graph.ToolTraverse
	case *Neighbors:
		return graph.ToolNeighbors
	case *Paths:
		return graph.ToolPaths
	case *Aggregate:
		return graph.ToolAggregate
	}
	return graph.ToolDescribe
}
