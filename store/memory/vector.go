package memory

import (
	"github.com/trellisgraph/trellis/schema"
)

// A Vector is a column as it lies in memory, for executors that read very many
// rows. The slice that its property's type decides has a value for each row,
// also where the row is null; texts that are not in a dictionary, and UUIDs, are
// read with Column.Bytes. Nothing in it may be modified.
type Vector struct {
	// Nulls has bit row%64 of item row/64 set where a row is null. It ends
	// after the last null, and is nil where nothing is null.
	Nulls []uint64
	// Small holds int32 and dates in days; Large int64, datetimes in
	// microseconds, and the bits of floats, which are never those of -0.
	Small []int32
	Large []int64
	// Set has the bits of the rows in which a bool is true, as Nulls has those
	// of null rows.
	Set []uint64
	// Codes are the positions of an enum's values in their declared order, or,
	// with a Dict, of texts, decimals and JSON in it.
	Codes []uint32
	// Dict holds distinct texts in the order of their values: decimals by size.
	Dict []string
}

// Vector returns the column as it lies in memory.
func (c Column) Vector() Vector {
	v := Vector{Nulls: c.nulls}
	switch values := c.values.(type) {
	case numbers[int32]:
		v.Small = values
	case numbers[int64]:
		v.Large = values
	case flags:
		v.Set = values.set
	case codes:
		v.Codes = values
	case words:
		v.Codes, v.Dict = values.codes, values.dict
	}
	return v
}

// Bytes returns a row's text as it is stored: of a string, a decimal or JSON
// the text, of a UUID its 16 bytes. It is undefined where the row is null, and
// empty for other types. Nothing is allocated.
func (c Column) Bytes(row uint32) string {
	switch values := c.values.(type) {
	case texts:
		return values.at(row).text
	case words:
		return values.dict[values.codes[row]]
	case uuids:
		return values.at(row).text
	}
	return ""
}

// An Adjacency is the relationships of a pair in one direction, by the node
// that they are followed from. Those of row r stand at the positions
// First[r] to First[r+1].
type Adjacency struct {
	// First is empty where the pair has no relationships.
	First []uint32
	// Ends are the rows that the relationships lead to, ascending for each
	// node.
	Ends []uint32
	// Rels are the relationships' numbers; nil where these are the positions.
	Rels []uint32
}

// Outgoing returns a pair's relationships by the node that they leave.
func (g *Graph) Outgoing(p *schema.Pair) Adjacency {
	r := g.pair(p)
	return Adjacency{First: r.outFirst, Ends: r.to}
}

// Incoming returns a pair's relationships by the node at which they arrive.
func (g *Graph) Incoming(p *schema.Pair) Adjacency {
	r := g.pair(p)
	return Adjacency{First: r.inFirst, Ends: r.sources, Rels: r.in}
}
