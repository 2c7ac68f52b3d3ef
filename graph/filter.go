package graph

import "encoding/json"

// A Filter is a condition on the properties of a node or a relationship: And,
// Or, Not, Compare or, in policies only, Exists. Conditions follow three-valued logic: a comparison with
// a null property is neither true nor false, nor is its negation, and only
// what is true matches.
type Filter interface{ filter() }

// And holds when all its conditions do; an empty And always holds.
type And []Filter

// Or holds when one of its conditions does; an empty Or never holds.
type Or []Filter

// Not holds when its condition is false.
type Not struct{ Filter Filter }

// Compare compares a property with a value. The zero Op is equality, as when
// a value stands alone in a tool call.
type Compare struct {
	Property string
	Op       Op
	Value    Value // a list for In and NotIn, a boolean for IsNull
}

// Exists holds when a path of these steps leads from the node to some node that
// the caller may see. Only policies have it: a call says the same by
// NodePattern.Related.
type Exists struct{ Relationships []Step }

func (And) filter()     {}
func (Or) filter()      {}
func (Not) filter()     {}
func (Compare) filter() {}
func (Exists) filter()  {}

// MarshalJSON tells an And from an Or: {"and": […]}.
func (a And) MarshalJSON() ([]byte, error) { return json.Marshal(map[string][]Filter{"and": a}) }

// MarshalJSON tells an Or from an And: {"or": […]}.
func (o Or) MarshalJSON() ([]byte, error) { return json.Marshal(map[string][]Filter{"or": o}) }

// An Op is a comparison operator.
type Op string

// The operators. The text operators match literally.
const (
	Eq         Op = "eq"
	Ne         Op = "ne"
	Lt         Op = "lt"
	Lte        Op = "lte"
	Gt         Op = "gt"
	Gte        Op = "gte"
	In         Op = "in"
	NotIn      Op = "not_in"
	Contains   Op = "contains"
	StartsWith Op = "starts_with"
	EndsWith   Op = "ends_with"
	IsNull     Op = "is_null"
)

// Ops lists the operators in their usual order.
func Ops() []Op {
	return []Op{Eq, Ne, Lt, Lte, Gt, Gte, In, NotIn, Contains, StartsWith, EndsWith, IsNull}
}

// Where returns the condition that a property has a value, such as
// Where("state", "opened").
func Where(property string, value any) Filter {
	return Compare{Property: property, Value: Of(value)}
}

// Cmp returns the condition that a property compares to a value, such as
// Cmp("iid", Gte, 10).
func Cmp(property string, op Op, value any) Filter {
	return Compare{Property: property, Op: op, Value: Of(value)}
}

// OneOf returns the condition that a property has one of the values.
func OneOf(property string, values ...any) Filter {
	return Compare{Property: property, Op: In, Value: Of(values)}
}

// IDs returns keys for NodePattern.IDs.
func IDs(ids ...any) []Value {
	out := make([]Value, len(ids))
	for i, id := range ids {
		out[i] = Of(id)
	}
	return out
}

// ID returns a NodeID.
func ID(label string, id any) NodeID { return NodeID{Label: label, ID: Of(id)} }
