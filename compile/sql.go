package compile

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Program is a plan's shape lowered to one dialect: a main statement that
// finds what was asked for, and the statements that a driver runs after it,
// in the same snapshot, where the answer needs them. It holds no value of a
// call and serves every plan of its shape.
type Program struct {
	Dialect *Dialect
	Main    *Statement
	// Target says where the main statement has the nodes asked for; nil for an
	// aggregate.
	Target *NodeFields
	// Distance is the field with the distance; negative where it is Length for all.
	Distance int
	Length   int
	// Order says where the values of the order stand, for the next cursor.
	Order []OrderField
	// Limit is the slot of the number of rows asked for. The main statement
	// probes for one more.
	Limit Slot
	// Count counts, in one row with one field, all rows that match, whatever part
	// of them Main returns; nil where that is not asked for.
	Count *Statement

	// Path says that the main statement's rows are whole paths already.
	Path *PathFields
	// Paths find the connecting paths of given targets, one for each kind of
	// path.
	Paths []*PathProgram
	// Lookups find out which of the plan's ids exist.
	Lookups []*Lookup
	// Columns are an aggregate's columns, and Outputs the fields that make each:
	// one, or the parts of a composite key.
	Columns []Column
	Outputs [][]int
	// Levels are the statements of a search; there is no main statement then.
	Levels *Levels
}

// Statements are the program's statements, as far as they are known before it
// runs: those that need keys found by others stand for a single key.
func (p *Program) Statements() []*Statement {
	var out []*Statement
	if p.Count != nil {
		out = append(out, p.Count)
	}
	if p.Main != nil {
		out = append(out, p.Main)
	}
	for _, path := range p.Paths {
		if st, _, err := path.To(1); err == nil {
			out = append(out, st)
		}
	}
	for _, l := range p.Lookups {
		out = append(out, l.Statement)
	}
	if p.Levels != nil {
		out = append(out, p.Levels.statements()...)
	}
	return out
}

// AppendValues appends the values of a row's order, from its decoded fields.
func (p *Program) AppendValues(dst, row []graph.Value) []graph.Value {
	for _, o := range p.Order {
		switch {
		case o.Field < 0:
			dst = append(dst, o.Value)
		case o.Ordinal != nil && !row[o.Field].IsNull():
			at := o.Ordinal.EnumIndex(row[o.Field].Text())
			if at < 0 {
				at = len(o.Ordinal.Values)
			}
			dst = append(dst, graph.Int(int64(at)))
		default:
			dst = append(dst, row[o.Field])
		}
	}
	return dst
}

// NodeFields says which fields of a row make a node.
type NodeFields struct {
	Label *schema.Label
	Key   []int
	Shown []ShownField
}

// A ShownField is a property that the answer shows, and its field.
type ShownField struct {
	Property *schema.Property
	Field    int
}

// RelFields says which fields of a row make a relationship. Its ends are the
// nodes before and after it.
type RelFields struct {
	Pair     *schema.Pair
	Incoming bool // the node before it is the end, the node after it the start
	Key      int  // the field of the pair's key, negative if it has none
	Shown    []ShownField
}

// PathFields says which fields of a row make a path: one more node than
// relationships.
type PathFields struct {
	Nodes []NodeFields
	Rels  []RelFields
}

// An OrderField is where a value of the order stands: a field, or nothing
// where all rows have the same.
type OrderField struct {
	Field   int // negative for the constant Value
	Value   graph.Value
	Ordinal *schema.Property // an enum, ordered by position
}

// A PathProgram finds the paths of one kind to given targets.
type PathProgram struct {
	Length int
	PathFields

	chain  *chain
	show   Show
	d      *Dialect
	parts  int
	budget int
}

// A Lookup finds out which of the ids of a node pattern exist, for the caller.
type Lookup struct {
	Set       *NodeSet
	Path      string // the JSON Pointer of the ids
	Statement *Statement
}

// SQL lowers a plan. What SQL stores cannot do, which is to weigh paths, is
// UNSUPPORTED.
func SQL(p *Plan, d *Dialect) (*Program, error) {
	if err := p.Verify(); err != nil {
		return nil, err
	}
	switch r := p.Root.(type) {
	case *Find:
		return findSQL(r, d)
	case *Traverse:
		return traverseSQL(r, d, p.Limits)
	case *Aggregate:
		return aggregateSQL(r, d)
	case *Neighbors:
		return neighborsSQL(r, d), nil
	case *Paths:
		return pathsSQL(r, d)
	}
	return nil, errUnsupported(nil, "the plan needs no store", "")
}

// lookup writes the statement that finds which ids of a set exist.
func lookup(set *NodeSet, path string, d *Dialect) *Lookup {
	w := newWriter(d)
	cols := w.keyColumns("n", set.label)
	w.put("SELECT ")
	for i, c := range cols {
		if i > 0 {
			w.put(", ")
		}
		w.fields[w.shown(c, set.label.Key[i])].Owner = set.label.Name
	}
	w.put(" FROM ")
	w.table(set.label.Table)
	w.put(" AS n WHERE ")
	w.keys(cols, set.label, set.Keys)
	for _, m := range set.label.Match {
		w.put(" AND ")
		w.match("n", m)
	}
	if guard := set.Guard(); restricts(guard) {
		w.put(" AND ")
		w.cond("n", guard)
	}
	return &Lookup{Set: set, Path: path, Statement: w.statement()}
}
