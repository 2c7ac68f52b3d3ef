package memory

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Batch is a list of changes that Live.Apply makes together, in the order in
// which they were given. It reports nothing until then, and may be applied more
// than once. It is not safe for concurrent use.
//
//	b := memory.NewBatch(s)
//	b.Node("person", memory.Values{"id": "ada", "name": "Ada King"})
//	b.Relationship("KNOWS", graph.ID("person", "ada"), graph.ID("person", "mary"), nil)
//	b.DeleteNode(graph.ID("person", "charles"))
//	g, err := live.Apply(b)
type Batch struct {
	intake
	schema     *schema.Schema
	nodes      map[*schema.Label]*nodeInput
	types      map[*schema.RelationshipType]*typeInput
	operations []operation
	given      int // operations given, bad ones included
}

// An operation is a change that is right as far as the schema knows.
type operation struct {
	number int
	kind   change
	label  *schema.Label // of a node
	pair   *schema.Pair  // of a relationship
	// key is that of a node, or of a relationship that is to be deleted; from
	// and to are those of a relationship's ends.
	key, from, to []cell
	// values are by the properties of the label or the pair.
	values []cell
}

type change uint8

const (
	putNode change = iota
	deleteNode
	putRelationship
	deleteRelationship
)

// NewBatch returns an empty batch for graphs of a schema.
func NewBatch(s *schema.Schema) *Batch {
	return &Batch{
		intake: intake{problems: newProblems(0)}, schema: s,
		nodes: map[*schema.Label]*nodeInput{}, types: map[*schema.RelationshipType]*typeInput{},
	}
}

// Len returns the number of operations.
func (b *Batch) Len() int { return b.given }

// Node adds a node, or gives the node that has the same key these properties
// instead of those that it has: what is left out is null then. The node keeps
// its relationships.
func (b *Batch) Node(label string, values Values) {
	b.given++
	in := b.label(label)
	if in == nil {
		return
	}
	b.start(len(in.layout.names))
	before := b.problems.total
	b.fill(label, &in.layout, values, in.label.Property)
	if ok := in.read(&b.record) && b.problems.total == before; !ok {
		in.incomplete = true
		return
	}
	op := operation{kind: putNode, label: in.label, values: keep(in.cells)}
	for _, p := range in.label.Key {
		op.key = append(op.key, op.values[slices.Index(in.label.Properties, p)])
	}
	b.add(op)
}

// DeleteNode removes a node with all its relationships. If it is not there,
// nothing happens.
func (b *Batch) DeleteNode(id graph.NodeID) {
	b.given++
	in := b.label(id.Label)
	if in == nil {
		return
	}
	f := field{state: asValue, value: id.ID}
	key, fault := endCells(nil, &f, in.label)
	if fault != "" {
		b.problems.add(id.Label, b.given, "key: %s", fault)
		return
	}
	b.add(operation{kind: deleteNode, label: in.label, key: keep(key)})
}

// Relationship adds a relationship between two nodes, which must be there when
// its turn comes. It replaces the one of the type between the same nodes; or,
// where the schema gives relationships a key, the one with the same key,
// whatever its ends were.
func (b *Batch) Relationship(typ string, from, to graph.NodeID, values Values) {
	b.given++
	ti := b.typ(typ)
	if ti == nil {
		return
	}
	b.start(len(ti.layout.names))
	before := b.problems.total
	b.ends(from, to)
	b.fill(typ, &ti.layout, values, ti.property)
	li := ti.pairOf(&b.record)
	if li == nil {
		return
	}
	key1, key2, ok := ti.readEnds(&b.record, li, nil, nil)
	if ok = ti.readValues(&b.record, li) && ok; !ok || b.problems.total > before {
		return
	}
	op := operation{kind: putRelationship, pair: li.pair, from: keep(key1), to: keep(key2), values: keep(li.cells)}
	if li.pair.Key != nil {
		op.key = []cell{op.values[slices.Index(li.pair.Properties, li.pair.Key)]}
	}
	b.add(op)
}

// DeleteRelationship removes the relationship of a type from one node to
// another: that with the key where the schema gives relationships one,
// otherwise key must be nil. If it is not there, nothing happens.
func (b *Batch) DeleteRelationship(typ string, from, to graph.NodeID, key any) {
	b.given++
	ti := b.typ(typ)
	if ti == nil {
		return
	}
	b.start(len(ti.layout.names))
	b.ends(from, to)
	li := ti.pairOf(&b.record)
	if li == nil {
		return
	}
	key1, key2, ok := ti.readEnds(&b.record, li, nil, nil)
	op := operation{kind: deleteRelationship, pair: li.pair, from: keep(key1), to: keep(key2)}
	if p := li.pair.Key; p != nil {
		v, fault := goValue(p, key)
		c := cell{}
		if fault == "" {
			c, fault = valueCell(p, v, true)
		}
		if fault == "" && c.null {
			fault = "null, but it is the key of the relationship"
		}
		if fault != "" {
			b.problems.add(typ, b.given, "%s: %s", p.Name, fault)
			ok = false
		}
		op.key = keep([]cell{c})
	} else if key != nil {
		b.problems.add(typ, b.given, "a key, but %s from %s to %s has none", typ, li.pair.From.Name, li.pair.To.Name)
		ok = false
	}
	if ok {
		b.add(op)
	}
}

func (b *Batch) add(op operation) {
	op.number = b.given
	b.operations = append(b.operations, op)
}

// keep returns cells that do not share their texts with the caller's memory.
func keep(cells []cell) []cell {
	out := slices.Clone(cells)
	for i := range out {
		out[i].text = strings.Clone(out[i].text)
	}
	return out
}

func (b *Batch) start(columns int) {
	b.record.line = b.given
	b.record.clear(columns)
}

func (b *Batch) label(name string) *nodeInput {
	l, ok := b.schema.Label(name)
	if !ok {
		b.problems.add(name, b.given, "unknown label %s%s", quote(name), first(b.schema.SuggestLabel(name)))
		return nil
	}
	if b.nodes[l] == nil {
		b.nodes[l] = newNodeInput(l, b.problems)
	}
	return b.nodes[l]
}

func (b *Batch) typ(name string) *typeInput {
	t, ok := b.schema.Relationship(name)
	if !ok {
		b.problems.add(name, b.given, "unknown relationship type %s%s", quote(name), first(b.schema.SuggestRelationship(name)))
		return nil
	}
	if b.types[t] == nil {
		b.types[t] = newTypeInput(t, b.problems, nil)
	}
	return b.types[t]
}
