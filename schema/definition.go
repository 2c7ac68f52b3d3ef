package schema

import "time"

// A Definition is what a schema is made from, in Go or in a file. Its fields
// follow the file format trellis.schema.v1. New checks it.
type Definition struct {
	Revised time.Time
	// Description says what the graph is about, to models and people: it begins the
	// workflow of the tools of records. Everybody who may see anything sees it.
	Description   string `json:",omitempty"`
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
	// Records offers the label's nodes as records, by tools of their own; nil
	// offers none.
	Records *RecordsDefinition `json:",omitempty"`
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
	// Unique says that no two nodes have the same value; any number may have none.
	Unique bool `json:",omitempty"`

	NotFilterable bool
	NoPatterns    bool
	Hidden        bool
	VisibleIf     string
	Mask          string
	ExposesKey    bool
	// Refers names the relationship type that the property tells of too, where it
	// is not its column that says so: a list of keys, or what else identifies the
	// nodes where relationships of the type end.
	Refers string `json:",omitempty"`
	// Without are members that a json object is shown without. Such a property is
	// shown, and is otherwise not used.
	Without []string `json:",omitempty"`
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
	// Description stands after that of the type, for callers who see the pair.
	Description string `json:",omitempty"`

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

	// Unique says at which end no two relationships of the pair have the same node:
	// "from" where a node starts one at most, "to" where it ends one at most, "both",
	// or "" for neither. Of the end whose table holds a foreign key it goes without
	// saying.
	Unique string `json:",omitempty"`

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
