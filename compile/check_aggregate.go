package compile

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func (k *checker) aggregate(q *graph.Aggregate) *Aggregate {
	var root *place
	n := len(k.errs)
	a := &Aggregate{Nodes: k.nodeSet(nil, "node_label", &q.NodePattern), MinGroup: k.minGroup}
	k.moveToRelated(k.errs[n:], nil, &q.NodePattern)
	var l *schema.Label
	if a.Nodes != nil {
		l = a.Nodes.label
		k.decided(root.member("node_label"), l)
	}
	names := k.groups(root.member("group_by"), a, l, q.GroupBy)
	names = k.aggregations(root.member("aggregations"), a, l, q.Aggregations, names)
	if a.Nodes != nil {
		columns := a.columns()
		k.having(root.member("having"), a, columns, names, q.Having)
		k.columnOrder(root.member("order_by"), a, columns, names, q.OrderBy)
	}
	a.Page.Limit = k.limit(root.member("limit"), q.Limit, min(k.limits.Rows, k.limits.Groups), k.limits.Groups)
	k.seek(&a.Page, a, q.Cursor)
	return a
}

func (k *checker) groups(at *place, a *Aggregate, l *schema.Label, keys []graph.GroupKey) []string {
	if len(keys) > k.limits.GroupKeys {
		k.report(errLimit(at, "group keys", len(keys), k.limits.GroupKeys))
	}
	var names []string
	for i := range keys {
		here, g := at.item(i), &keys[i]
		if g.Relationships != nil {
			names = k.groupChain(here, a, l, g, names, repeated(keys, i))
			continue
		}
		if g.Properties != nil {
			e := errType(here.member("property"), "a list of properties goes with relationships only")
			k.report(e)
			continue
		}
		if g.Property == "" {
			k.report(errMissing(here.member("property"), "property or relationships"))
			continue
		}
		if l == nil {
			continue
		}
		n := len(k.errs)
		p := k.groupProperty(here.member("property"), l, g.Property)
		if p == nil {
			k.groupByNeighbor(k.errs[n], here, l, g.Property)
			continue
		}
		if !k.truncate(here.member("truncate"), p, g.Truncate) {
			continue
		}
		names = k.groupName(here, names, g, truncated(p.Name, g.Truncate), repeated(keys, i))
		a.Groups = append(a.Groups, Group{Name: names[len(names)-1], Chain: -1, Property: p, Truncate: g.Truncate})
	}
	return names
}

func (k *checker) groupName(at *place, names []string, g *graph.GroupKey, name string, needless func() bool) []string {
	if g.As != "" && k.as(at.member("as"), g.As) {
		name = g.As
	}
	return k.name(at, names, name, needless)
}

// repeated reports whether an item is the same as one before it.
func repeated[T any](list []T, i int) func() bool {
	return func() bool {
		return slices.ContainsFunc(list[:i], func(before T) bool { return reflect.DeepEqual(before, list[i]) })
	}
}

// groupChain checks a key that a chain of single hops leads to.
func (k *checker) groupChain(at *place, a *Aggregate, l *schema.Label, g *graph.GroupKey, names []string, needless func() bool) []string {
	steps := at.member("relationships")
	switch n := len(g.Relationships); {
	case n == 0:
		k.report(errEmptyList(steps, "relationships"))
		return names
	case n > maxRelatedSteps:
		k.report(errLimit(steps, "steps of a group key", n, maxRelatedSteps))
		return names
	}
	ok := true
	for i, s := range g.Relationships {
		here := steps.item(i)
		if s.MinHops > 1 || s.MaxHops > 1 {
			m := "max_hops"
			if s.MaxHops <= 1 {
				m = "min_hops"
			}
			k.report(errUnsupported(here.member(m), "the steps of a group key are single hops", "write a step for each hop"))
			ok = false
		}
		if s.To == nil || s.To.Label == "" {
			e := errMissing(here.member("to").member("label"), "the label of a group key's step")
			if l != nil && i == 0 {
				k.onlyEnd(e, here, k.scratch.labels.of(l), &s)
			}
			k.report(e)
			ok = false
		}
	}
	if !ok || l == nil {
		return names
	}
	chain := k.chain(steps, k.scratch.labels.of(l), g.Relationships, nil)
	if len(chain) < len(g.Relationships) {
		return names
	}
	a.Chains = append(a.Chains, chain)
	end := chain[len(chain)-1].Ends[0].label
	group := Group{Chain: len(a.Chains) - 1, Truncate: g.Truncate}
	add := func(where *place, p *schema.Property, name string) {
		group.Property = p
		if p != nil && !k.truncate(at.member("truncate"), p, g.Truncate) {
			return
		}
		names = k.groupName(where, names, g, truncated(name, g.Truncate), func() bool { return g.Properties != nil || needless() })
		group.Name = names[len(names)-1]
		a.Groups = append(a.Groups, group)
	}
	list := at.member("property")
	switch {
	case g.Properties != nil:
		if g.As != "" {
			e := errUnsupported(at.member("as"), "as does not go with a list of properties", "leave out as, or write a key for each property")
			e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
			k.report(e)
			return names
		}
		if len(g.Properties) == 0 {
			k.report(errEmptyList(list, "property"))
		}
		for i, name := range g.Properties {
			if p := k.groupProperty(list.item(i), end, name); p != nil {
				add(list.item(i), p, end.Name+"_"+p.Name)
			}
		}
	case g.Property != "":
		if p := k.groupProperty(list, end, g.Property); p != nil {
			add(at, p, end.Name+"_"+p.Name)
		}
	case len(end.Key) == 1:
		add(at, end.Key[0], end.Name)
	default:
		if g.Truncate != "" {
			k.report(errType(at.member("truncate"), "a composite key is not a time"))
			return names
		}
		group.Key = true
		add(at, nil, end.Name)
	}
	return names
}

func (k *checker) groupProperty(at *place, l *schema.Label, name string) *schema.Property {
	n := len(k.errs)
	p := k.property(at, unmasked(l.Properties), l.Name, name)
	if p == nil {
		e := k.errs[n]
		if len(e.DidYouMean) > 0 {
			e.Fix = replace(e.Path, e.DidYouMean[0])
		}
		if p, ok := l.Property(name); ok && !p.Hidden {
			e.Hint = quote(name) + " can be shown, but not grouped by or aggregated"
		}
		return nil
	}
	if p.Type == schema.JSON {
		k.report(errType(at, quote(name)+" is json, which cannot be grouped or compared"))
		return nil
	}
	return p
}

func truncated(name string, unit graph.TimeUnit) string {
	if unit == "" {
		return name
	}
	return name + "_" + string(unit)
}

var timeUnits = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}

func (k *checker) truncate(at *place, p *schema.Property, unit graph.TimeUnit) bool {
	switch {
	case unit == "":
		return true
	case !slices.Contains(timeUnits, string(unit)):
		k.report(errEnum(at, "unit of time", string(unit), timeUnits))
	case p.Type == schema.Date && (unit == graph.Minute || unit == graph.Hour):
		e := errUnsupported(at, "a date has no "+string(unit), "use day or coarser")
		e.Fix = replace(e.Path, "day")
		k.report(e)
	case p.Type != schema.Date && p.Type != schema.DateTime:
		e := errType(at, quote(p.Name)+" is of type "+p.Type.String()+"; only dates and datetimes are truncated")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
	default:
		return true
	}
	return false
}

var functions = []string{"count", "count_distinct", "sum", "avg", "min", "max"}

func (k *checker) aggregations(at *place, a *Aggregate, l *schema.Label, list []graph.Aggregation, names []string) []string {
	switch {
	case list == nil:
		k.report(errMissing(at, "aggregations"))
	case len(list) == 0:
		k.report(errEmptyList(at, "aggregations"))
	case len(list) > k.limits.Aggregations:
		k.report(errLimit(at, "aggregations", len(list), k.limits.Aggregations))
	}
	for i := range list {
		here, g := at.item(i), &list[i]
		v := AggregateValue{Function: g.Function, Name: string(g.Function)}
		if l != nil {
			o := owner{props: l.Properties, name: l.Name, label: l}
			v.Cond = conjunction(k.filter(here.member("filters"), o, g.Filter), k.whereCond(here.member("where"), l, o, g.Where))
		}
		k.countsWhole(here, g)
		if g.Function == "" {
			k.report(errMissing(here.member("function"), "function"))
			continue
		}
		if !slices.Contains(functions, string(g.Function)) {
			k.report(errEnum(here.member("function"), "function", string(g.Function), functions))
			continue
		}
		property := here.member("property")
		switch {
		case g.Function == graph.Count && g.Property != "":
			e := errUnsupported(property, "count counts nodes and takes no property", "use count_distinct for the values of a property")
			e.Fix = replace(here.member("function").pointer(), "count_distinct")
			k.report(e)
			continue
		case g.Function != graph.Count && g.Property == "":
			k.report(errMissing(property, string(g.Function)+"'s property"))
			continue
		}
		if l == nil {
			continue
		}
		if g.Property != "" {
			if v.Property = k.groupProperty(property, l, g.Property); v.Property == nil || !k.aggregable(property, v) {
				continue
			}
			v.Name += "_" + v.Property.Name
			if v.Property.Nullable {
				v.Least = k.minGroup
			}
		}
		if g.As != "" && k.as(here.member("as"), g.As) {
			v.Name = g.As
		}
		names = k.name(here, names, v.Name, repeated(list, i))
		a.Values = append(a.Values, v)
	}
	return names
}

// countsWhole refuses conditions of a single column where small groups are not
// shown: they would cut a group into parts that are smaller.
func (k *checker) countsWhole(at *place, g *graph.Aggregation) {
	if k.minGroup == 0 {
		return
	}
	refuse := func(at *place) {
		e := errUnsupported(at, "an aggregation has no conditions of its own here: rows stand for at least "+strconv.Itoa(k.minGroup)+" nodes",
			"put the condition on the nodes, and make a call for each")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
	}
	if g.Filter != nil {
		refuse(at.member("filters"))
	}
	if g.Where != "" {
		refuse(at.member("where"))
	}
}

func conjunction(a, b Cond) Cond {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return And{a, b}
}

// aggregable reports a function that the property's type does not have.
func (k *checker) aggregable(at *place, v AggregateValue) bool {
	t := v.Property.Type
	var e *graph.Error
	switch v.Function {
	case graph.Sum, graph.Avg:
		if !t.Numeric() {
			e = errType(at, string(v.Function)+" takes numbers; "+quote(v.Property.Name)+" is of type "+t.String())
		}
	case graph.Min, graph.Max:
		if t == schema.UUID {
			e = errType(at, string(v.Function)+" has no meaning for a uuid")
		}
	}
	if e != nil {
		k.report(e)
		return false
	}
	return true
}
