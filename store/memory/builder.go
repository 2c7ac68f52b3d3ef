package memory

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Values are the properties of a node or relationship by name, as Go values
// that graph.Of knows. A property of type json takes what encoding/json can
// write, a date also a time.Time that is midnight in UTC. What is left out is
// null.
type Values map[string]any

// A Builder takes nodes and relationships in any order. It reports nothing
// until Build, which reports everything. It is not safe for concurrent use, but
// that Nodes and Relationships of different labels and types may run at the same
// time.
type Builder struct {
	intake
	schema *schema.Schema
	nodes  map[*schema.Label]*nodeInput
	types  map[*schema.RelationshipType]*typeInput
	mu     sync.Mutex  // of given
	given  map[any]int // rows given, by label, type, or unknown name
}

// NewBuilder returns a builder of graphs of a schema.
func NewBuilder(s *schema.Schema) *Builder {
	b := &Builder{intake: intake{problems: newProblems(0)}, schema: s, given: map[any]int{}}
	b.nodes, b.types = newInputs(s, b.problems)
	return b
}

func newInputs(s *schema.Schema, ps *problems) (map[*schema.Label]*nodeInput, map[*schema.RelationshipType]*typeInput) {
	nodes := map[*schema.Label]*nodeInput{}
	for l := range s.Labels() {
		nodes[l] = newNodeInput(l, ps)
	}
	types := map[*schema.RelationshipType]*typeInput{}
	for t := range s.Relationships() {
		types[t] = newTypeInput(t, ps, nodes)
	}
	return nodes, types
}

// Node adds a node with its properties, those of its key among them.
func (b *Builder) Node(label string, values Values) {
	if in := b.label(label); in != nil {
		b.start(in.label, len(in.layout.names))
		b.fill(label, &in.layout, values, in.label.Property)
		in.add(&b.record)
	}
}

// Nodes adds nodes of one label. Each row has a value for each of the named
// properties; it may be reused for the next. Nodes stops at the first error of
// rows and returns it.
func (b *Builder) Nodes(label string, properties []string, rows iter.Seq2[[]graph.Value, error]) error {
	in := b.label(label)
	if in == nil {
		return nil
	}
	return b.rows(in.label, label, &in.layout, properties, rows, in.add)
}

// Relationship adds a relationship of a type between two nodes.
func (b *Builder) Relationship(typ string, from, to graph.NodeID, values Values) {
	ti := b.typ(typ)
	if ti == nil {
		return
	}
	b.start(ti.typ, len(ti.layout.names))
	b.ends(from, to)
	b.fill(typ, &ti.layout, values, ti.property)
	ti.add(&b.record)
}

// Relationships adds relationships of one type. Each row has a value for each
// of the named columns: from and to, which hold keys, from_label and to_label
// where the type has several pairs, and properties. Otherwise it is as Nodes.
func (b *Builder) Relationships(typ string, columns []string, rows iter.Seq2[[]graph.Value, error]) error {
	ti := b.typ(typ)
	if ti == nil {
		return nil
	}
	return b.rows(ti.typ, typ, &ti.layout, columns, rows, ti.add)
}

// Build returns the graph of all that was added, or a *LoadError if something
// is wrong with it. The Builder is spent then.
func (b *Builder) Build() (*Graph, error) {
	g := newGraph(b.schema)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for l, in := range b.nodes {
		work.Go(func() error { *g.nodes[l] = *in.finish(); return nil })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for _, ti := range b.types {
		work.Go(func() error { ti.resolve(g); ti.finish(); return nil })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return complete(g, b.problems, b.nodes, b.types)
}

// newGraph returns a graph in which every label and every pair has its place.
func newGraph(s *schema.Schema) *Graph {
	g := &Graph{schema: s, nodes: map[*schema.Label]*nodes{}, links: map[*schema.Pair]*links{}}
	for l := range s.Labels() {
		g.nodes[l] = &nodes{}
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			g.links[p] = &links{}
		}
	}
	return g
}

// complete checks what needs the whole graph, and hands it out if nothing is
// wrong with it.
func complete(g *Graph, ps *problems, nodes map[*schema.Label]*nodeInput, types map[*schema.RelationshipType]*typeInput) (*Graph, error) {
	if err := ps.err(); err != nil {
		return nil, err
	}
	newHolderCheck(g, ps, nodes, types).run()
	if err := ps.err(); err != nil {
		return nil, err
	}
	return g, nil
}

func (b *Builder) label(name string) *nodeInput {
	l, ok := b.schema.Label(name)
	if !ok {
		b.problems.add(name, b.count(name), "unknown label %s%s", quote(name), first(b.schema.SuggestLabel(name)))
		return nil
	}
	return b.nodes[l]
}

func (b *Builder) typ(name string) *typeInput {
	t, ok := b.schema.Relationship(name)
	if !ok {
		b.problems.add(name, b.count(name), "unknown relationship type %s%s", quote(name), first(b.schema.SuggestRelationship(name)))
		return nil
	}
	return b.types[t]
}

func first(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + quote(near[0]) + "?"
}

// start begins the next row of a label or type.
func (b *Builder) start(of any, columns int) {
	b.record.line = b.count(of)
	b.record.clear(columns)
}

// count counts a row of a label, a type or an unknown name.
func (b *Builder) count(of any) int { return b.counted(of, 1) }

// counted counts rows of a label, a type or an unknown name, and returns how many
// there are.
func (b *Builder) counted(of any, rows int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.given[of] += rows
	return b.given[of]
}

func (b *Builder) rows(of any, name string, l *layout, columns []string, rows iter.Seq2[[]graph.Value, error], add func(*record)) error {
	at := make([]int, len(columns))
	known := true
	for i, c := range columns {
		var fault string
		if at[i], fault = l.column(c); fault == "" && slices.Contains(columns[:i], c) {
			fault = "column " + quote(c) + " is there twice"
		}
		if fault != "" {
			b.problems.add(name, 0, "%s", fault)
			known = false
		}
	}
	var r record // of its own, for calls at the same time
	r.line = b.counted(of, 0)
	first := r.line
	defer func() { b.counted(of, r.line-first) }()
	for row, err := range rows {
		switch {
		case err != nil:
			return err
		case !known:
			return nil
		}
		r.line++
		r.clear(len(l.names))
		if len(row) != len(columns) {
			b.problems.add(name, r.line, "%s", wrongFields(len(row), len(columns)))
			continue
		}
		for i, v := range row {
			r.fields[at[i]] = field{state: asValue, value: v}
		}
		add(&r)
	}
	return nil
}

func wrongFields(got, want int) string {
	fields := "fields"
	if got == 1 {
		fields = "field"
	}
	return fmt.Sprintf("%d %s where the header has %d", got, fields, want)
}
