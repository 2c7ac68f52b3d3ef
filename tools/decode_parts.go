package tools

import "github.com/trellisgraph/trellis/graph"

// node reads a node pattern into n.
func (d *decoder) node(n *graph.NodePattern, s *shape) {
	o, ok := d.open(s)
	for ok && d.next(&o) {
		d.nodeField(n, o.key)
	}
}

// nodeField reads one field of a node pattern, by whatever name its tool has
// for the label.
func (d *decoder) nodeField(n *graph.NodePattern, key string) {
	switch key {
	case "label":
		n.Label = d.text()
	case "ids":
		n.IDs = d.ids()
	case "filters":
		n.Filter = d.filters()
	case "where":
		n.Where = d.filled(graph.InvalidExpression, "an expression")
	case "search":
		n.Search = d.filled(graph.OutOfRange, "a search")
	case "related":
		if !d.openItems("a list of related conditions", relatedShape) {
			return
		}
		for i := 0; d.element(i); i++ {
			n.Related = append(n.Related, d.related())
		}
	}
}

func (d *decoder) ids() []graph.Value {
	if !d.openList("a list of ids", `"-0123456789`) {
		return nil
	}
	out := given(&d.room.ids)
	if out == nil {
		out = []graph.Value{}
	}
	for i := 0; d.element(i); i++ {
		out = append(out, d.id())
	}
	return out
}

// steps reads a list of at least one step, whose nodes have the given shape.
func (d *decoder) steps(inner *shape) []graph.Step {
	if !d.openItems("a list of steps", stepShape) {
		return nil
	}
	var out []graph.Step
	for i := 0; d.element(i); i++ {
		if out == nil {
			if out = given(&d.room.steps); out == nil {
				out = make([]graph.Step, 0, 2)
			}
		}
		out = append(out, graph.Step{})
		d.step(&out[i], inner)
	}
	if len(out) == 0 && d.failed == nil {
		d.emptyList()
	}
	return out
}

func (d *decoder) step(s *graph.Step, inner *shape) {
	o, ok := d.open(stepShape)
	for ok && d.next(&o) {
		switch o.key {
		case "type":
			s.Types = d.nameOrNames("a relationship type or a list of them")
		case "direction":
			s.Direction = d.direction()
		case "min_hops":
			s.MinHops = d.integer(1, d.limits.StepHops)
		case "max_hops":
			s.MaxHops = d.integer(1, d.limits.StepHops)
		case "filters":
			s.Filter = d.filters()
		case "to":
			s.To = d.newNode()
			d.node(s.To, inner)
		}
	}
}

func (d *decoder) related() graph.Related {
	var r graph.Related
	o, ok := d.open(relatedShape)
	for ok && d.next(&o) {
		switch o.key {
		case "relationships":
			r.Relationships = d.steps(innerShape)
		case "exists":
			n := len(d.errs)
			r.None = !d.boolean() && len(d.errs) == n
		case "count":
			r.Count = d.bounds()
		}
	}
	return r
}

func (d *decoder) nodeID() graph.NodeID {
	var n graph.NodeID
	o, ok := d.open(nodeIDShape)
	for ok && d.next(&o) {
		switch o.key {
		case "label":
			n.Label = d.text()
		case "node_id":
			n.ID = d.id()
		}
	}
	return n
}

// order reads the order of nodes.
func (d *decoder) order() []graph.Order {
	if !d.openItems("a list of keys", orderShape) {
		return nil
	}
	var out []graph.Order
	for i := 0; d.element(i); i++ {
		if out == nil {
			out = given(&d.room.orders)
		}
		out = append(out, d.orderKey())
	}
	return out
}

func (d *decoder) orderKey() graph.Order {
	var key graph.Order
	o, ok := d.open(orderShape)
	for ok && d.next(&o) {
		switch o.key {
		case "property":
			key.Property = d.text()
		case "direction":
			key.Direction = graph.SortDirection(d.enum("sort direction", sortDirections))
		}
	}
	return key
}

// propertiesByLabel reads which properties are shown of each label.
func (d *decoder) propertiesByLabel() map[string][]string {
	o, ok := d.open(byLabelShape)
	if !ok {
		return nil
	}
	out := map[string][]string{}
	for d.next(&o) {
		out[o.key] = d.names("a list of properties")
	}
	return out
}

func (d *decoder) aggregation() graph.Aggregation {
	var a graph.Aggregation
	o, ok := d.open(aggregationShape)
	for ok && d.next(&o) {
		switch o.key {
		case "function":
			a.Function = graph.Function(d.enum("function", functions))
		case "property":
			a.Property = d.filled(graph.UnknownProperty, "the name of a property")
		case "as":
			a.As = d.filled(graph.InvalidString, "the name of a column")
		case "filters":
			a.Filter = d.filters()
		case "where":
			a.Where = d.filled(graph.InvalidExpression, "an expression")
		}
	}
	return a
}

func (d *decoder) groupKey() graph.GroupKey {
	var g graph.GroupKey
	o, ok := d.open(groupShape)
	if !ok {
		return g
	}
	for d.next(&o) {
		switch o.key {
		case "property":
			if d.peek() == '"' {
				g.Property = d.filled(graph.UnknownProperty, "the name of a property")
			} else {
				g.Properties = d.nameOrNames("a property or a list of them")
			}
		case "relationships":
			g.Relationships = d.steps(nodeShape)
		case "truncate":
			g.Truncate = graph.TimeUnit(d.enum("unit", units))
		case "as":
			g.As = d.filled(graph.InvalidString, "the name of a column")
		}
	}
	const property, relationships = 1 << 0, 1 << 1
	if o.seen&(property|relationships) == 0 && d.failed == nil {
		d.mistake(graph.MissingField, d.pointer()+"/property", `a key of group_by needs "property" or "relationships"`)
	}
	return g
}

func (d *decoder) having() graph.Having {
	var h graph.Having
	o, ok := d.open(havingShape)
	for ok && d.next(&o) {
		switch o.key {
		case "as":
			h.As = d.text()
		case "op":
			h.Op = d.havingOp()
		case "value":
			if d.peek() == '[' {
				h.Value = d.values()
			} else {
				h.Value = d.scalar()
			}
		}
	}
	return h
}

// havingOp reads the operator of a condition on a column.
func (d *decoder) havingOp() graph.Op {
	name, ok := d.textOf("an operator")
	op, known := operator(name)
	if !ok || known {
		return op
	}
	e := d.mistake(graph.UnknownOperator, d.pointer(), `there is no operator "`+short(name)+`"`)
	e.SetGot(name)
	e.SetAllowed(allOperators)
	if to, _ := meantOperator(name, "", allOperators); to != "" {
		e.DidYouMean = []string{to}
		e.Message += `; did you mean "` + to + `"?`
		e.Fix = replace(e.Path, `"`+to+`"`)
	}
	return op
}

func (d *decoder) columnOrder() graph.ColumnOrder {
	var key graph.ColumnOrder
	o, ok := d.open(columnOrderShape)
	for ok && d.next(&o) {
		switch o.key {
		case "as":
			key.As = d.text()
		case "direction":
			key.Direction = graph.SortDirection(d.enum("sort direction", sortDirections))
		}
	}
	return key
}
