package compile

import (
	"strconv"
	"strings"
)

// parts put a figure together of several aggregates, where an engine has no
// exact one for it. The aggregates are templates of the operand. What they amount
// to is #1, #2, … in the expressions of the first step, whose values are the next
// numbers for the next step, and so on; whole is the figure.
type parts struct {
	aggregates []string
	steps      [][]string
	whole      string
}

// parts are those of a figure, nil where one aggregate is enough.
func (w *sqlWriter) parts(v AggregateValue) *parts {
	if w.d.inParts == nil || v.Property == nil {
		return nil
	}
	return w.d.inParts(v.Function, v.Property)
}

// part writes one of the aggregates that make a figure.
func (w *sqlWriter) part(v AggregateValue, template string) {
	w.template(template, w.operand(v, func() { w.column(column{"n", v.Property.Column}) }))
}

// partAlias names a part of a column of the inner statement.
func partAlias(column string, i int) string { return column + "p" + strconv.Itoa(i+1) }

// partValues names, as nearNodes does, what the steps compute from.
const partValues = "part values"

// putTogether begins the statements around the one that groups, where figures
// have parts: one for each step, and one for the whole. It returns how each of
// them ends, the innermost first.
func (w *sqlWriter) putTogether(a *Aggregate, g grouping) (ends []string) {
	most := -1
	for _, v := range a.Values {
		if p := w.parts(v); p != nil {
			most = max(most, len(p.steps))
		}
	}
	for step := most; step >= 0; step-- {
		items := strings.Join(w.stepItems(a, g, step, most), ", ")
		if !w.d.materialized {
			w.put("SELECT ", items, " FROM (")
			ends = append(ends, ") AS p")
			continue
		}
		// Or every mention of a value would have it computed anew.
		name := w.ownName(partValues)
		w.put("WITH ", name, " AS MATERIALIZED (")
		ends = append(ends, ") SELECT "+items+" FROM "+name)
	}
	for i, j := 0, len(ends)-1; i < j; i, j = i+1, j-1 {
		ends[i], ends[j] = ends[j], ends[i]
	}
	return ends
}

// stepItems are the columns after a step: those that the statement within has,
// and what the step adds to them or, as the last one, puts in their place.
func (w *sqlWriter) stepItems(a *Aggregate, g grouping, step, last int) []string {
	var items []string
	for i := range a.Groups {
		for p := range g.columns[i] {
			items = append(items, columnAlias(i, p))
		}
	}
	for i, v := range a.Values {
		alias := columnAlias(len(a.Groups)+i, 0)
		p := w.parts(v)
		if p == nil {
			items = append(items, alias)
			continue
		}
		have := len(p.aggregates)
		for _, done := range p.steps[:min(step, len(p.steps))] {
			have += len(done)
		}
		if step == last {
			items = append(items, p.named(p.whole, alias, have)+" AS "+alias)
			continue
		}
		for j := range have {
			items = append(items, partAlias(alias, j))
		}
		if step < len(p.steps) {
			for j, expression := range p.steps[step] {
				items = append(items, p.named(expression, alias, have)+" AS "+partAlias(alias, have+j))
			}
		}
	}
	if a.MinGroup > 0 {
		items = append(items, "g")
	}
	return items
}

// named is an expression with the names of its parts.
func (p *parts) named(expression, alias string, have int) string {
	for j := have; j > 0; j-- {
		expression = strings.ReplaceAll(expression, "#"+strconv.Itoa(j), partAlias(alias, j-1))
	}
	return expression
}

// A steps writes down what is computed one after the other.
type steps struct {
	of   *parts
	next int // the number of the next value
}

func newSteps(aggregates []string) *steps {
	return &steps{&parts{aggregates: aggregates}, len(aggregates) + 1}
}

// add adds a step and returns what its values are called.
func (s *steps) add(expressions ...string) []string {
	s.of.steps = append(s.of.steps, expressions)
	var names []string
	for range expressions {
		names = append(names, "#"+strconv.Itoa(s.next))
		s.next++
	}
	return names
}
