package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// coverage counts what the answered calls of a run have exercised, in cells of
// tables: which operator on which type of property, which order, which way
// over which mapping, which function. Calls that were refused do not count.
type coverage struct {
	cells  map[string]int
	mended int // refused calls that their own fixes made answer
}

func newCoverage() *coverage { return &coverage{cells: map[string]int{}} }

// cell names a cell: a table and its coordinates.
func cell(table string, coordinates ...any) string {
	return table + ": " + strings.TrimSuffix(fmt.Sprintln(coordinates...), "\n")
}

func (c *coverage) hit(table string, coordinates ...any) { c.cells[cell(table, coordinates...)]++ }

// add takes the cells that a query exercises.
func (c *coverage) add(s *schema.Schema, q graph.Query) {
	switch q := q.(type) {
	case *graph.FindNodes:
		l, _ := s.Label(q.Label)
		c.pattern(s, q.Tool(), &q.NodePattern)
		c.orders(q.Tool(), l, q.OrderBy)
	case *graph.Traverse:
		to, _ := s.Label(q.To.Label)
		c.pattern(s, q.Tool(), &q.From)
		c.pattern(s, q.Tool(), &q.To)
		c.orders(q.Tool(), to, q.OrderBy)
		at := map[string]bool{q.From.Label: true}
		for i := range q.Relationships {
			at = c.step(s, "walk", &q.Relationships[i], at)
		}
	case *graph.Aggregate:
		c.aggregate(s, q)
	case *graph.Neighbors:
		c.hit("explore", ways(q.Direction), q.MaxHops)
	case *graph.Paths:
		mode := q.Mode
		if mode == "" {
			mode = graph.Shortest
		}
		c.hit("paths", mode, ways(q.Direction))
	case *graph.Describe:
	}
}

// ways is a direction where both is the default.
func ways(d graph.Direction) graph.Direction {
	if d == "" {
		return graph.Both
	}
	return d
}

func (c *coverage) pattern(s *schema.Schema, tool string, n *graph.NodePattern) {
	l, ok := s.Label(n.Label)
	if !ok {
		return
	}
	if n.IDs != nil {
		c.hit("key", keyType(l))
	}
	if n.Where != "" {
		c.hit("where", tool)
	}
	if n.Search != "" {
		c.hit("search", tool)
	}
	c.filter(tool, n.Filter, l.Property)
	none, counted := false, false
	for _, r := range n.Related {
		none, counted = none || r.None, counted || len(r.Count) > 0
		if to := r.Relationships[0].To; len(r.Relationships) == 1 && r.Relationships[0].MaxHops == 3 && to != nil && len(to.IDs) == 1 {
			c.hit("related shape", "three hops to one id")
		}
		at := map[string]bool{n.Label: true}
		for i := range r.Relationships {
			at = c.step(s, "related", &r.Relationships[i], at)
		}
		switch {
		case r.None:
			c.hit("related condition", "none")
		case r.Count == nil:
			c.hit("related condition", "exists")
		}
		for _, bound := range r.Count {
			c.hit("related condition", "count", bound.Op)
		}
	}
	if none && counted {
		c.hit("related shape", "none beside count")
	}
}

func keyType(l *schema.Label) string {
	if len(l.Key) > 1 {
		return "composite"
	}
	return l.Key[0].Type.String()
}

func (c *coverage) filter(place string, f graph.Filter, property func(string) (*schema.Property, bool)) {
	switch f := f.(type) {
	case graph.And:
		for _, part := range f {
			c.filter(place, part, property)
		}
	case graph.Or:
		for _, part := range f {
			c.filter(place, part, property)
		}
	case graph.Not:
		c.filter(place, f.Filter, property)
	case graph.Compare:
		p, ok := property(f.Property)
		if !ok {
			return
		}
		op := f.Op
		if op == "" {
			op = graph.Eq
		}
		c.hit("condition", place, op, p.Type, nullness(p))
		c.hit("operator", place, op)
		c.hit("type", place, p.Type)
	}
}

func nullness(p *schema.Property) string {
	if p.Nullable {
		return "nullable"
	}
	return "required"
}

func (c *coverage) orders(tool string, l *schema.Label, orders []graph.Order) {
	for _, o := range orders {
		if p, ok := l.Property(o.Property); ok {
			c.hit("order", tool, p.Type, direction(o.Direction), nullness(p))
		}
	}
}

func direction(d graph.SortDirection) graph.SortDirection {
	if d == "" {
		return graph.Asc
	}
	return d
}

// step takes the pairs that a step can walk from the labels where it stands,
// for a table of ways, and returns the labels where it can end.
func (c *coverage) step(s *schema.Schema, table string, st *graph.Step, at map[string]bool) map[string]bool {
	way := st.Direction
	if way == "" {
		way = graph.Outgoing
	}
	hops := max(1, st.MinHops, st.MaxHops)
	c.hit("hops of "+table, max(1, st.MinHops), hops)
	ends := map[string]bool{}
	for range hops {
		next := map[string]bool{}
		for _, name := range st.Types {
			t, ok := s.Relationship(name)
			if !ok {
				continue
			}
			for _, p := range t.Pairs {
				out := way != graph.Incoming && at[p.From.Name]
				in := way != graph.Outgoing && at[p.To.Name]
				if out {
					next[p.To.Name] = true
				}
				if in {
					next[p.From.Name] = true
				}
				if out || in {
					for _, form := range mappingForms(p) {
						c.hit(table, form, way)
					}
					c.filter("relationship", st.Filter, p.Property)
				}
			}
		}
		for l := range next {
			ends[l] = true
		}
		at = next
	}
	if st.To != nil {
		c.pattern(s, table, st.To)
		return map[string]bool{st.To.Label: true}
	}
	return ends
}

// The ways to map a pair.
const (
	keyOnFrom    = "foreign key on from"
	keyOnTo      = "foreign key on to"
	joinTable    = "join table"
	sharedTable  = "shared table"
	polymorphic  = "polymorphic"
	severalPairs = "several pairs"
	ownColumns   = "columns of its own"
	parallel     = "parallel with key"
	composite    = "composite"
)

func allForms() []string {
	return []string{keyOnFrom, keyOnTo, joinTable, sharedTable, polymorphic, severalPairs, ownColumns, parallel, composite}
}

// mappingForms tells how a pair is mapped; several may hold.
func mappingForms(p *schema.Pair) []string {
	var forms []string
	add := func(ok bool, form string) {
		if ok {
			forms = append(forms, form)
		}
	}
	join := p.Holder == nil
	named := !join && len(p.Match) > len(p.Holder.Match)
	add(!join && !named && !p.HolderIsTo, keyOnFrom)
	add(!join && !named && p.HolderIsTo, keyOnTo)
	add(join && len(p.Match) == 0, joinTable)
	add(join && len(p.Match) > 0, sharedTable)
	add(named, polymorphic)
	add(len(p.Type.Pairs) > 1, severalPairs)
	add(join && p.FromColumns[0] != "from_id", ownColumns)
	add(p.Key != nil, parallel)
	add(len(p.From.Key) > 1 || len(p.To.Key) > 1, composite)
	return forms
}

func (c *coverage) aggregate(s *schema.Schema, q *graph.Aggregate) {
	l, _ := s.Label(q.Label)
	c.pattern(s, q.Tool(), &q.NodePattern)
	for _, a := range q.Aggregations {
		if p, ok := l.Property(a.Property); ok {
			c.hit("function", a.Function, p.Type, nullness(p))
		} else {
			c.hit("function", a.Function)
		}
		c.filter("aggregation", a.Filter, l.Property)
	}
	for _, g := range q.GroupBy {
		p, ok := l.Property(g.Property)
		switch {
		case len(g.Relationships) > 0:
			at := map[string]bool{q.Label: true}
			for i := range g.Relationships {
				at = c.step(s, "group along", &g.Relationships[i], at)
			}
		case !ok:
		case g.Truncate != "":
			c.hit("bucket", g.Truncate, p.Type)
		default:
			c.hit("group", p.Type, nullness(p))
		}
	}
	for _, h := range q.Having {
		c.hit("having", h.Op)
	}
	for _, o := range q.OrderBy {
		c.hit("order of rows", direction(o.Direction))
	}
}

// require prints the coverage and fails t for every required cell without a
// case.
func (c *coverage) require(t *testing.T) {
	t.Log("\n" + c.table())
	for _, name := range requiredCells() {
		if c.cells[name] == 0 {
			t.Errorf("no case exercises %s", name)
		}
	}
	if c.mended == 0 {
		t.Error("no broken call was mended by its fix")
	}
}
