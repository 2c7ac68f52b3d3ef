package compile

import (
	"strconv"
	"strings"
)

// parts put a figure together of several aggregates, where an engine has no
// exact one for it. The aggregates are templates of the operand; whole is an
// expression in which #1, #2, … stand for what they amount to.
type parts struct {
	aggregates []string
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

// putTogether begins the statement around the one that groups, where a figure
// has parts, and reports whether it does.
func (w *sqlWriter) putTogether(a *Aggregate, g grouping) bool {
	any := false
	for _, v := range a.Values {
		any = any || w.parts(v) != nil
	}
	if !any {
		return false
	}
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
		whole := p.whole
		for j := len(p.aggregates); j > 0; j-- {
			whole = strings.ReplaceAll(whole, "#"+strconv.Itoa(j), partAlias(alias, j-1))
		}
		items = append(items, whole+" AS "+alias)
	}
	if a.MinGroup > 0 {
		items = append(items, "g")
	}
	w.put("SELECT ", strings.Join(items, ", "), " FROM (")
	return true
}
