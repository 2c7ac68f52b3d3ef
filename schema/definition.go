package schema

import "time"

// A Definition is what a schema is made from, in Go or in a file. Its fields
// follow the file format trellis.schema.v1. New checks it.
type Definition struct {
	Revised       time.Time
	Nodes         []NodeDefinition
	Relationships []RelationshipDefinition
}

// A NodeDefinition defines a label.
type NodeDefinition struct {
	Label             string
	Description       string
	Synonyms          []string
	Table             Table    // default: the label
	Key               []string // names of properties
	DefaultProperties []string // nil: all visible ones
	Display           string
	Match             []Match
	Policy            string
	Properties        []PropertyDefinition
}

// A PropertyDefinition defines a property. A property of a key is never
// nullable; every other one is unless it says Required.
type PropertyDefinition struct {
	Name        string
	Type        Type
	Column      string // default: the name
	Required    bool
	Description string
	Synonyms    []string
	Values      []EnumValue
	Scale       int
	Index       bool
	Search      bool

	NotFilterable bool
	NoPatterns    bool
	Hidden        bool
	VisibleIf     string
	Mask          string
	ExposesKey    bool
}

// A RelationshipDefinition defines a relationship type.
type RelationshipDefinition struct {
	Type        string
	Description string
	Synonyms    []string
	Policy      string
	Pairs       []PairDefinition
}

// A PairDefinition defines a relationship type between two labels. Exactly one
// of its mappings applies: a foreign key, a polymorphic reference, or, without
// either, a join table.
type PairDefinition struct {
	From, To string

	// ForeignKey maps by columns of an end's own table.
	ForeignKey *ForeignKey
	// Polymorphic maps by a type column and an id column of the From label's
	// table; To is empty then, and each value makes a pair.
	Polymorphic *Polymorphic

	// Table, FromColumns and ToColumns map by a join table: the type's name,
	// from_id and to_id by default.
	Table                  Table
	FromColumns, ToColumns []string
	Match                  []Match

	// Key names the property that tells parallel relationships apart.
	Key        string
	Policy     string
	Properties []PropertyDefinition
}

// A ForeignKey refers from one end's table to the other end's key.
type ForeignKey struct {
	Columns []string
	OnTo    bool // the column is in the To label's table; otherwise From's
}

// A Polymorphic reference names the label of its target in a column.
type Polymorphic struct {
	TypeColumn string
	IDColumns  []string
	// Values are the type column's values and the labels they stand for, in
	// their order.
	Values []PolymorphicValue
}

// A PolymorphicValue is one value of a type column.
type PolymorphicValue struct {
	Value string
	Label string
}
