package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
)

// What an empty list looks into: so many references, so many values of each.
const (
	maxReferrals     = 4
	maxReferralNames = 3
)

// whenEmpty finds out, of a list without records, which of the ids that its
// filters name are not there, and which were meant: the nearest ones, or those
// of the nodes that are called so.
func (c *recordCall) whenEmpty(s *graph.Summary, ask engine.Ask, limits *graph.Limits) []graph.Warning {
	if c.tool.kind == getRecords || s.Total != nil && *s.Total > 0 {
		return nil
	}
	var out []graph.Warning
	for _, r := range c.references[:min(len(c.references), maxReferrals)] {
		out = append(out, r.missing(ask, limits)...)
	}
	return out
}

// of is the property of the target that the values are compared with.
func (r *referral) of() *schema.Property {
	if r.connected != nil {
		return r.connected.Property
	}
	return r.target.Key[0]
}

// missing are warnings of the values of a filter that no node has.
func (r *referral) missing(ask engine.Ask, limits *graph.Limits) []graph.Warning {
	if len(r.values) == 0 || len(r.values) > limits.ListRows {
		return nil
	}
	p := r.of()
	find := func(f graph.Filter, show ...string) *graph.Result {
		res, err := ask(&graph.FindNodes{NodePattern: graph.NodePattern{Label: r.target.Name, Filter: f},
			Properties: show, Limit: limits.ListRows, Page: &graph.Page{}})
		if err != nil {
			return nil
		}
		return res
	}
	there := find(graph.Compare{Property: p.Name, Op: graph.In, Value: graph.List(r.values...)}, p.Name)
	if there == nil || there.TruncatedBy != graph.Complete {
		return nil
	}
	known := map[string]bool{}
	for i := range there.Nodes {
		known[there.Nodes[i].Value(p.Name).Text()] = true
	}
	var absent []int
	for i, v := range r.values {
		if !known[v.Text()] {
			absent = append(absent, i)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	show := []string{p.Name}
	display := r.target.Display
	if display == p || display != nil && (display.Type != schema.String || display.Hidden || display.Masked != "") {
		display = nil
	}
	if display != nil {
		show = append(show, display.Name)
	}
	near := find(nil, show...)
	if near == nil {
		return nil
	}
	var out []graph.Warning
	for _, i := range absent[:min(len(absent), maxReferralNames)] {
		nodes := near.Nodes
		if display != nil && !display.NotFilterable && near.Total != nil && int(*near.Total) > len(nodes) {
			if called := find(graph.Compare{Property: display.Name, Value: graph.String(r.values[i].Text())}, show...); called != nil {
				nodes = slices.Concat(called.Nodes, nodes)
			}
		}
		out = append(out, r.warning(i, nodes, display))
	}
	return out
}

// warning says that a value is no node's, and which nodes were meant.
func (r *referral) warning(i int, nodes []graph.Node, display *schema.Property) graph.Warning {
	p, got := r.of(), r.values[i].Text()
	w := graph.Warning{Code: graph.NotFound, Path: graph.Pointer("/filters", r.name)}
	if r.in {
		w.Path += fmt.Sprintf("/in/%d", i)
	}
	w.Message = fmt.Sprintf("there is no %s %q", r.target.Name, short(got))
	if len(r.target.Key) != 1 || p != r.target.Key[0] {
		w.Message = fmt.Sprintf("there is no %s whose %s is %q", r.target.Name, p.Name, short(got))
	}
	mend := func(v graph.Value) { w.Fix = []graph.Patch{{Op: "replace", Path: w.Path, Value: v}} }
	var texts []string
	values := map[string]graph.Value{}
	for j := range nodes {
		v := nodes[j].Value(p.Name)
		if display != nil && !v.IsNull() && strings.EqualFold(nodes[j].Value(display.Name).Text(), got) {
			w.Message += fmt.Sprintf("; the %s that is called so is %q, and filters take that", r.target.Name, v.Text())
			mend(v)
			return w
		}
		if _, ok := values[v.Text()]; !ok && !v.IsNull() {
			texts, values[v.Text()] = append(texts, v.Text()), v
		}
	}
	if near := schema.Suggest(got, texts); len(near) > 0 {
		w.Message += "; did you mean " + quotedOr(near) + "?"
		mend(values[near[0]])
	}
	return w
}

// quotedOr lists texts as alternatives.
func quotedOr(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, " or ")
}
