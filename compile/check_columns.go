package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Column is a column of an aggregate, with the type of its values.
type Column struct {
	Name string
	// Type is what its values are like: a property of the same type, so that
	// values of having are read as filters' are.
	Type *schema.Property
}

// columns lists the columns of an aggregate: its groups, then its values.
func (a *Aggregate) columns() []Column {
	var cols []Column
	for _, g := range a.Groups {
		cols = append(cols, Column{Name: g.Name, Type: g.typed()})
	}
	for _, v := range a.Values {
		cols = append(cols, Column{Name: v.Name, Type: v.typed()})
	}
	return cols
}

// Columns lists the columns of an aggregate: its groups, then its values.
func (a *Aggregate) Columns() []Column { return a.columns() }

func (g Group) typed() *schema.Property {
	switch {
	case g.Key:
		return &schema.Property{Name: g.Name, Type: schema.String}
	case g.Truncate == "" || g.Truncate == graph.Minute || g.Truncate == graph.Hour:
		return g.Property
	}
	return &schema.Property{Name: g.Name, Type: schema.Date, Nullable: g.Property.Nullable, NotFilterable: g.Property.NotFilterable}
}

func (v AggregateValue) typed() *schema.Property {
	t := &schema.Property{Name: v.Name, Type: schema.Int64, Nullable: true, NotFilterable: v.Property != nil && v.Property.NotFilterable}
	switch v.Function {
	case graph.Count, graph.CountDistinct:
		t.Nullable = v.Least > 0
	case graph.Sum:
		switch v.Property.Type {
		case schema.Float:
			t.Type = schema.Float
		case schema.Decimal:
			t.Type, t.Scale = schema.Decimal, v.Property.Scale
		}
	case graph.Avg:
		t.Type = schema.Float
	case graph.Min, graph.Max:
		c := *v.Property
		c.Nullable = true
		t = &c
	}
	return t
}

func (k *checker) having(at *place, a *Aggregate, cols []Column, names []string, list []graph.Having) {
	if len(list) > k.limits.Filters {
		k.report(errLimit(at, "conditions of having", len(list), k.limits.Filters))
	}
	for i, h := range list {
		here := at.item(i)
		c := k.column(here.member("as"), names, h.As)
		if c < 0 || c >= len(cols) || cols[c].Name != h.As {
			continue
		}
		if c < len(a.Groups) && a.Groups[c].Key {
			k.report(errUnsupported(here.member("as"), "a composite key has no conditions", "use related to restrict the nodes"))
			continue
		}
		typed := *cols[c].Type
		typed.Name = h.As
		if typed.NotFilterable {
			k.report(errShownOnly(here.member("as"), "filtered", h.As))
			continue
		}
		op := h.Op
		if op == "" {
			k.report(errMissing(here.member("op"), "op"))
			continue
		}
		if allowed := opsOf(&typed); !slices.Contains(allowed, op) {
			e := errOperator(here.member("op"), &typed, op, allowed)
			e.Fix = nil
			if len(e.DidYouMean) > 0 {
				e.Fix = replace(e.Path, e.DidYouMean[0])
			}
			k.report(e)
			continue
		}
		if cond, ok := k.comparison(here.member("value"), owner{}, &typed, op, h.Value, nil); ok {
			a.Having = append(a.Having, HavingCond{Column: c, Op: op, Slot: cond.Slot, N: cond.N, Null: cond.Null})
		}
	}
}

// errShownOnly refuses to filter or order by a column that is made from a
// property that is not filterable. Grouping by it and aggregating it tell no
// more of it than showing does.
func errShownOnly(at *place, verb, column string) *graph.Error {
	return errUnsupported(at, "the column "+quote(column)+" cannot be "+verb+" by: it is made from a property that is not filterable",
		"it can be shown, but not filtered or ordered by")
}

func (k *checker) column(at *place, names []string, name string) int {
	i := slices.Index(names, name)
	if i < 0 {
		if name == "" {
			k.report(errMissing(at, "as"))
			return -1
		}
		names = slices.Compact(graph.SortedNames(names))
		e := errName(graph.UnknownProperty, at, "column", name, names, schema.Suggest(name, names))
		if len(e.DidYouMean) > 0 {
			e.Fix = replace(e.Path, e.DidYouMean[0])
		}
		k.report(e)
	}
	return i
}

// columnOrder makes the rows' order: what is asked for, then the groups.
func (k *checker) columnOrder(at *place, a *Aggregate, cols []Column, names []string, order []graph.ColumnOrder) {
	if len(order) > k.limits.OrderKeys {
		k.report(errLimit(at, "keys of order_by", len(order), k.limits.OrderKeys))
	}
	for i, o := range order {
		desc := k.descending(at.item(i).member("direction"), o.Direction)
		here := at.item(i).member("as")
		c := k.column(here, names, o.As)
		if c < 0 {
			continue
		}
		if c < len(cols) && cols[c].Type.NotFilterable {
			e := errShownOnly(here, "ordered", o.As)
			e.Fix = []graph.Patch{{Op: "remove", Path: at.item(i).pointer()}}
			k.report(e)
			continue
		}
		a.orderBy(c, desc)
	}
next:
	for c := range a.Groups {
		for _, o := range a.Page.Order {
			if o.Column == c {
				continue next
			}
		}
		a.orderBy(c, false)
	}
}

// orderBy adds a column to the rows' order: part by part, where it holds
// composite keys.
func (a *Aggregate) orderBy(c int, desc bool) {
	parts := 1
	if c < len(a.Groups) && a.Groups[c].Key {
		parts = len(a.end(a.Groups[c]).Key)
	}
	for p := range parts {
		a.Page.Order = append(a.Page.Order, OrderKey{By: ByColumn, Column: c, Part: p, Desc: desc})
	}
}

// end is the label of the node that has a group's property.
func (a *Aggregate) end(g Group) *schema.Label {
	if g.Chain < 0 {
		return a.Nodes.label
	}
	chain := a.Chains[g.Chain]
	return chain[len(chain)-1].Ends[0].label
}

// name takes a column's name, unless another column has it. needless reports
// whether the column can be left out rather than renamed.
func (k *checker) name(at *place, names []string, name string, needless func() bool) []string {
	if slices.Contains(names, name) {
		e := &graph.Error{Code: graph.Conflict, Path: at.pointer(), Message: "another column is called " + quote(name) + " already", Hint: "rename one with as"}
		e.SetGot(name)
		if len(names) <= k.limits.GroupKeys+k.limits.Aggregations { // beyond, there is more to mend
			if needless() {
				e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
			} else if free := freeName(names, name); columnName(free) {
				e.Fix = []graph.Patch{{Op: "add", Path: at.member("as").pointer(), Value: free}}
			}
		}
		k.report(e)
	}
	return append(names, name)
}

// freeName numbers a name that is taken.
func freeName(names []string, name string) string {
	for n := 2; ; n++ {
		if free := name + "_" + strconv.Itoa(n); !slices.Contains(names, free) {
			return free
		}
	}
}

// as checks the new name of a column.
func (k *checker) as(at *place, as string) bool {
	if columnName(as) {
		return true
	}
	e := &graph.Error{Code: graph.InvalidString, Path: at.pointer(), Message: "a column's name is a letter and then at most 62 letters, digits and underscores"}
	e.SetGot(as)
	k.report(e)
	return false
}

func columnName(s string) bool {
	if s == "" || len(s) > 63 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}
