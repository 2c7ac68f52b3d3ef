package bundle

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Bundle is a domain: entity types, and entities of them. It is valid: every
// entity has the form that its type's schema asks for, and whatever is referred
// to exists. It never changes, and is safe for concurrent use.
type Bundle struct {
	name, title, description string

	globs    []typeGlob // of the manifest, by type
	types    []*Type
	byName   map[string]*Type
	warnings []Problem
	files    []File
	revision string
}

type typeGlob struct{ typ, glob string }

// Name is what the bundle is called: ^[a-z][a-z0-9-]{0,62}[a-z0-9]$.
func (b *Bundle) Name() string { return b.name }

// Title is the bundle's name for people; empty if the manifest has none.
func (b *Bundle) Title() string { return b.title }

// Description says what the bundle is about; empty if the manifest has none.
func (b *Bundle) Description() string { return b.description }

// Revision names the bundle's content: 64 lower-case hexadecimal digits, the
// SHA-256 over its canonical files. Bundles are the same if and only if their
// revisions are.
func (b *Bundle) Revision() string { return b.revision }

// Types are the entity types, by name.
func (b *Bundle) Types() []*Type { return slices.Clone(b.types) }

// Type returns the entity type of a name.
func (b *Bundle) Type(name string) (*Type, bool) {
	t, ok := b.byName[name]
	return t, ok
}

// Warnings are what is allowed and may surprise, such as types that refer to
// one another in a circle.
func (b *Bundle) Warnings() []Problem { return slices.Clone(b.warnings) }

// A Type is an entity type. What it holds must not be changed.
type Type struct {
	Name        string // ^[a-z][a-z0-9_]{0,62}[a-z0-9]$
	Plural      string // the default name of its entities' file
	Title       string
	Description string
	// ToolDescription begins the descriptions of the type's tools (x-tool-description).
	ToolDescription string
	// IDField names the property that identifies an entity.
	IDField string
	// Expose are the tools that the type has: list, get, list_ids.
	Expose []string
	// Summary are the properties told beside ids (x-summary-fields).
	Summary []string
	// Properties are those of the schema's top level, in its order.
	Properties []*Property
	// Schema is the JSON Schema, as its canonical file has it.
	Schema json.RawMessage
	// Entities are sorted by id, byte by byte.
	Entities []*Entity

	file   string
	files  []string       // with entities
	byName map[string]int // the places of properties
	byID   map[string]*Entity
	tree   *node

	check           *jsonschema.Schema
	visits, program float64 // what looking at a value costs
	broken          bool    // it has entities that are not valid
	partial         bool    // not all ids are known: something could not be read
}

// Property returns the property of a name.
func (t *Type) Property(name string) (*Property, bool) {
	i, ok := t.byName[name]
	if !ok {
		return nil, false
	}
	return t.Properties[i], true
}

// Entity returns the entity of an id.
func (t *Type) Entity(id string) (*Entity, bool) {
	e, ok := t.byID[id]
	return e, ok
}

// A Property is a property of a type's top level.
type Property struct {
	Name        string
	Title       string
	Description string
	// ContentType is a hint for pages, such as text/markdown (x-content-type).
	ContentType string
	// Type is that of the property's column: string, enum, date, datetime, uuid,
	// int64, float or bool, and json for anything else. Of an array whose items
	// are of one of these types it is the type of the items.
	Type  schema.Type
	Array bool
	// Nullable is whether null is allowed, Required whether it must be there.
	Nullable, Required bool
	// Index is whether tools filter and sort by it, Derived whether it is
	// computed from others and can never be a filter.
	Index, Derived bool
	// Enum are the values of an enum, in the order of the schema.
	Enum []string
	// Ref is what the value refers to, or each item of an array; nil for nothing.
	Ref *Ref
}

// A Ref says what a property refers to: a property of a type of the same
// bundle, by default the one that identifies its entities.
type Ref struct {
	Type, Field string
}

// An Entity is a record of a type.
type Entity struct {
	ID string
	// Document is the entity as compact JSON, its members in the schema's order,
	// numbers with the digits that they were written with.
	Document json.RawMessage
	// Values are those of the type's properties, in their order: null for what
	// is absent, a list for an array of a type other than json.
	Values []graph.Value
	// Where it was read.
	File         string
	Line, Column int

	single bool   // it is its file's only one, and no list is around it
	yaml   []byte // as its file has it; until that is written
}

// A File is a file of a bundle: a path with slashes, and its content.
type File struct {
	Path string
	Data []byte
}

// Files are the bundle's canonical files, sorted by path. Reading them gives an
// equal bundle, whose files are the same, byte for byte.
func (b *Bundle) Files() []File {
	out := slices.Clone(b.files)
	for i := range out {
		out[i].Data = slices.Clone(out[i].Data)
	}
	return out
}

// plural is the usual English one, for the default names of files.
func plural(name string) string {
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
	}
	switch {
	case ends("ay", "ey", "iy", "oy", "uy"):
		return name + "s"
	case ends("y"):
		return name[:len(name)-1] + "ies"
	case ends("s", "x", "z", "ch", "sh"):
		return name + "es"
	}
	return name + "s"
}
