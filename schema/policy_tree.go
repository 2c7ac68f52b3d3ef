package schema

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// A ruleKind says what a rule is.
type ruleKind uint8

const (
	ruleConst   ruleKind = iota // holds or not, whoever asks
	ruleAnd                     // all of rules
	ruleOr                      // one of rules
	ruleNot                     // not rules[0]
	ruleCompare                 // a op b, where b is no property
	ruleNull                    // a is null
	ruleTrue                    // the claim a is true
	ruleHas                     // the claim a is there
	ruleIn                      // a is one of list, or of the items of the claim b
	ruleSome                    // rules[0] holds for an item of the claim a
	ruleWalk                    // rules[0] holds for a node at the end of walk
)

// A rule is a node of a policy that is read and type-checked.
type rule struct {
	kind  ruleKind
	holds bool // of ruleConst
	rules []*rule
	op    graph.Op
	a, b  operand
	list  []operand // of ruleIn; nil if b holds the list
	walk  *walk
}

// An operand is a value in a rule: a property of the node that the rule is
// about, or a claim, or a literal.
type operand struct {
	prop *Property
	// path leads from a variable to a claim. Variable 0 is the caller; others
	// are items of the lists around the rule, from outside inwards. It is -1 for
	// a literal.
	variable int
	path     []string
	literal  graph.Value
}

func (o *operand) isClaim() bool   { return o.prop == nil && o.variable >= 0 }
func (o *operand) isLiteral() bool { return o.prop == nil && o.variable < 0 }

// A walk is one hop from the node that a rule is about.
type walk struct {
	pair      *Pair
	direction graph.Direction
	to        *Label
	negated   bool // whether the policy shows more where it leads nowhere
	at        int  // where it is written
}

// A policy is an expression that is read: what it says, and for mistakes found
// later, where it stands.
type policy struct {
	rule   *rule
	walks  []*walk
	reader *policyReader
}

// The claims that the policies of a schema read, as a tree: what is not in it
// has no influence on a view.
type claimTree struct {
	names  []string // the fields that are read of a map, in no special order
	fields []*claimTree
	items  *claimTree // what is read of the items of a list; nil if nothing
}

// field returns the tree of a field, made if there is none.
func (t *claimTree) field(name string) *claimTree {
	if i := slices.Index(t.names, name); i >= 0 {
		return t.fields[i]
	}
	f := &claimTree{}
	t.names, t.fields = append(t.names, name), append(t.fields, f)
	return f
}

// item returns the tree of a list's items, made if there is none.
func (t *claimTree) item() *claimTree {
	if t.items == nil {
		t.items = &claimTree{}
	}
	return t.items
}
