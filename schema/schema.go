package schema

import (
	"iter"
	"slices"
	"time"
)

// A Schema is the allow-list that every call is checked against: labels,
// relationship types and properties, and where a store keeps them. It is
// immutable and safe for concurrent use; the exported fields of what it hands
// out are for reading.
type Schema struct {
	revised  time.Time
	about    string
	hash     string
	document string // of which hash is the SHA-256; empty in a view
	labels   []*Label
	byLabel  map[string]*Label
	types    []*RelationshipType
	byType   map[string]*RelationshipType
	policies bool
	outgoing map[*Label][]*Pair
	incoming map[*Label][]*Pair

	base      *Schema    // of a view: the schema that it shows a part of
	policySet *policySet // nil without policies, and in a view
}

// Base is the schema that a view's schema shows a part of; of any other, the
// schema itself.
func (s *Schema) Base() *Schema {
	if s.base != nil {
		return s.base
	}
	return s
}

// Label returns the label of that name.
func (s *Schema) Label(name string) (*Label, bool) {
	l, ok := s.byLabel[name]
	return l, ok
}

// Labels yields the labels in the order of their names.
func (s *Schema) Labels() iter.Seq[*Label] { return values(s.labels) }

// Relationship returns the relationship type of that name.
func (s *Schema) Relationship(name string) (*RelationshipType, bool) {
	t, ok := s.byType[name]
	return t, ok
}

// Relationships yields the relationship types in the order of their names.
func (s *Schema) Relationships() iter.Seq[*RelationshipType] { return values(s.types) }

// Outgoing returns the pairs that start at a label, by type and then by the
// order in which the schema lists them.
func (s *Schema) Outgoing(l *Label) []*Pair { return s.outgoing[l] }

// Incoming returns the pairs that end at a label, in the same order.
func (s *Schema) Incoming(l *Label) []*Pair { return s.incoming[l] }

// Hash is a hash over the whole schema, storage and policies included: 64
// lower-case hexadecimal digits. Equal schemas have equal hashes.
func (s *Schema) Hash() string { return s.hash }

// Revised is when the schema was last changed, as it says itself; 1970-01-01 if
// it does not.
func (s *Schema) Revised() time.Time { return s.revised }

// Description says what the graph is about; "" if the schema does not.
func (s *Schema) Description() string { return s.about }

// HasPolicies reports whether some label, relationship type or property
// depends on who asks. Such a schema answers no call without a scope.
func (s *Schema) HasPolicies() bool { return s.policies }

func values[T any](list []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range list {
			if !yield(v) {
				return
			}
		}
	}
}

// A Type is the type of a property.
type Type uint8

// The property types.
const (
	Int32 Type = iota + 1
	Int64
	Float
	Bool
	String
	Enum
	Date
	DateTime
	UUID
	Decimal
	JSON
)

var typeNames = [...]string{"", "int32", "int64", "float", "bool", "string", "enum", "date", "datetime", "uuid", "decimal", "json"}

// String is the type's name in the file format, "" for what is no type.
func (t Type) String() string {
	if int(t) >= len(typeNames) {
		return ""
	}
	return typeNames[t]
}

// MarshalText writes the type's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// TypeOf returns the type of that name.
func TypeOf(name string) (Type, bool) {
	i := slices.Index(typeNames[:], name)
	return Type(max(i, 0)), i > 0
}

// Numeric reports whether the type has sums and averages.
func (t Type) Numeric() bool { return t == Int32 || t == Int64 || t == Float || t == Decimal }

// Integer reports whether the type is one of the integer types.
func (t Type) Integer() bool { return t == Int32 || t == Int64 }

// A Table names a table of a SQL store. Schema is empty for the connection's
// default.
type Table struct{ Schema, Name string }

func (t Table) String() string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// A Match is a column that holds a fixed value in the rows meant, where
// several labels or types share a table.
type Match struct {
	Column string
	Value  string
}

// A Label is a kind of node.
type Label struct {
	Name        string
	Description string
	Synonyms    []string
	Table       Table
	Match       []Match
	// Key are the properties that identify a node, mostly one. They are never
	// null.
	Key []*Property
	// Properties are in the order in which the schema lists them.
	Properties []*Property
	// Default are the properties shown when a call names none.
	Default []*Property
	// Display is what a person reads for the id; nil if there is nothing.
	Display *Property
	// Policy is a CEL expression over node and caller; "public" where the
	// schema says so, "" where there is none.
	Policy string
	// Records are the tools that the label's nodes have as records; nil if the
	// schema offers none.
	Records *Records

	byName map[string]*Property
}

// Property returns the property of that name, visible or not.
func (l *Label) Property(name string) (*Property, bool) {
	p, ok := l.byName[name]
	return p, ok
}

// IsKey reports whether p is the label's whole key or a part of it.
func (l *Label) IsKey(p *Property) bool {
	for _, k := range l.Key {
		if k == p {
			return true
		}
	}
	return false
}

// Unique reports whether no two nodes of the label have the same value of p,
// and none has null.
func (l *Label) Unique(p *Property) bool {
	return p.Unique && !p.Nullable || len(l.Key) == 1 && l.Key[0] == p
}

// Searchable returns the properties that a search looks into; of a view, those
// whose values the caller may see.
func (l *Label) Searchable() []*Property {
	var out []*Property
	for _, p := range l.Properties {
		if p.Search && !p.Hidden && p.Masked == "" {
			out = append(out, p)
		}
	}
	return out
}

// A Property is a typed property of a label or of a relationship pair.
type Property struct {
	Name        string
	Description string
	Synonyms    []string
	Type        Type
	Column      string
	Nullable    bool
	// Values are an enum's values, in their declared order.
	Values []EnumValue
	// Scale is the number of digits a decimal keeps after the point.
	Scale int
	// Index hints that an index would serve; Search puts the property into
	// searches.
	Index, Search bool
	// Unique says that no two nodes have the same value; any number may have null.
	// A key that is no part of a longer one is so without it: see Label.Unique.
	Unique bool
	// NotFilterable forbids conditions and orders, also by columns that are made
	// from the property; it may be shown, and so grouped by and aggregated.
	// NoPatterns forbids the text operators.
	NotFilterable, NoPatterns bool
	// Hidden properties are never shown; policies may read them.
	Hidden bool
	// VisibleIf is a CEL expression over caller, "" if always visible.
	VisibleIf string
	// Mask says what those see who may not see the value: "null", "hash",
	// "last4", or "" for nothing at all.
	Mask string
	// Masked is Mask in the View of a caller who may not see the value, MaskMembers
	// with Without, and "" everywhere else. A masked property is shown masked, and is
	// otherwise not used: not filtered, ordered, searched, grouped or aggregated.
	Masked string
	// ExposesKey allows a property that tells ids of other nodes under policies:
	// policies of rows do not hide them there. Whoever does not see their label, or
	// the relationship, does not see the property.
	ExposesKey bool
	// Refers is the relationship type that the property tells of beside its column,
	// "" for none.
	Refers string
	// Without are members that a json object is shown without.
	Without []string
}

// MaskMembers is Property.Masked of a json object that is shown without the
// members that Property.Without names.
const MaskMembers = "members"

// An EnumValue is one value of an enum and how a store keeps it: as the text
// Name, or, where IsInt says so, as the integer Int.
type EnumValue struct {
	Name  string
	IsInt bool
	Int   int64
}

// EnumNames returns an enum's names in their declared order.
func (p *Property) EnumNames() []string {
	out := make([]string, len(p.Values))
	for i, v := range p.Values {
		out[i] = v.Name
	}
	return out
}

// EnumIndex returns the position of an enum's value, -1 if there is none of
// that name.
func (p *Property) EnumIndex(name string) int {
	for i := range p.Values {
		if p.Values[i].Name == name {
			return i
		}
	}
	return -1
}

// A RelationshipType is a kind of relationship: one name over one or several
// (from, to) pairs of labels.
type RelationshipType struct {
	Name string
	// Description has those of the pairs after the type's own.
	Description string
	Synonyms    []string
	// Policy is what the type says for all its pairs; see Pair.Policy.
	Policy string
	Pairs  []*Pair

	own string // the description, without those of the pairs
}

// A Pair is a relationship type between two labels, and the table that holds
// it. However the schema maps it (foreign key on either side, join table,
// polymorphic reference, a table shared by many types), a row of Table that
// fulfils Match, with nothing null in FromColumns and ToColumns, is one
// relationship from the node whose key stands in FromColumns to the node whose
// key stands in ToColumns.
type Pair struct {
	Type        *RelationshipType
	From, To    *Label
	Description string
	Table       Table
	Match       []Match
	// FromColumns and ToColumns correspond to From.Key and To.Key.
	FromColumns, ToColumns []string
	// Holder is the end whose own table holds the foreign key: From, To, or
	// nil for a join table.
	Holder *Label
	// HolderIsTo says which end Holder is, where both ends have the same
	// label.
	HolderIsTo bool
	// UniqueFrom says that a node is the start of one relationship of the pair at
	// most, UniqueTo that it is the end of one at most.
	UniqueFrom, UniqueTo bool
	// Policy is the pair's own policy, or else its type's: a CEL expression
	// over relationship and caller, "public", or "".
	Policy string
	// Key identifies parallel relationships; nil if a pair of nodes is
	// related once at most.
	Key        *Property
	Properties []*Property

	byName map[string]*Property
}

// Property returns the pair's property of that name, visible or not.
func (p *Pair) Property(name string) (*Property, bool) {
	prop, ok := p.byName[name]
	return prop, ok
}
