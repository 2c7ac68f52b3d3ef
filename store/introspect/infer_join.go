package introspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// inferJoins finds tables that look like joins though not both of their references
// are declared: post_id and tag_id in post_tags. Such a table is a label as well, if
// it has a key, and which of the two it is a person decides. The confidence is that
// of the less sure reference, and half of it where no key keeps the same two from
// being joined twice.
func (d *drafter) inferJoins() error {
	for _, t := range d.catalog.Tables {
		if t.View || d.referred(t) || slices.ContainsFunc(d.joins, func(j *join) bool { return j.table == t }) || !schema.IsStored(t.Name.Name) {
			continue
		}
		if err := d.inferJoin(t); err != nil {
			return err
		}
	}
	return nil
}

func (d *drafter) inferJoin(t *Table) error {
	label := d.byTable[t.Name]
	order := d.keys[t]
	if label == nil {
		// Of a table that is left out for another reason than this nobody knows which
		// rows are in it.
		if len(t.Primary) > 0 || len(t.Unique) > 0 || t.NoKey != "" && d.catalog.Engine != "clickhouse" {
			return nil
		}
		for _, c := range t.Columns {
			if slices.Contains(keyTypes, c.Type) && schema.IsStored(c.Name) {
				order = append(order, c.Name)
			}
		}
	}
	ends, ok := d.ends(t)
	if !ok || label != nil && len(ends) > 1 || d.guessedTarget(t) {
		return nil
	}
	guesses, err := d.guessed(t, order)
	if err != nil || len(ends)+len(guesses) != 2 {
		return err
	}
	in := &Inferred{Confidence: 1}
	var told []string
	for _, g := range guesses {
		ends = append(ends, end{g.to.table, g.Columns})
		in.Found, in.Asked, in.Confidence = in.Found+g.Found, in.Asked+g.Asked, min(in.Confidence, g.Confidence)
		told = append(told, fmt.Sprintf("%s: %s", g.column.Name, g.evidence()))
	}
	slices.SortStableFunc(ends, func(a, b end) int { return t.place(a.columns[0]) - t.place(b.columns[0]) })
	if d.byTable[ends[0].table.Name] == nil || d.byTable[ends[1].table.Name] == nil {
		return nil
	}
	var j *join
	var remarks []string
	if label != nil {
		j = d.joinOf(t, ends[0], ends[1], "references")
		remarks = append(remarks, "instead of the label "+label.def.Label)
		if t.Remark != "" {
			remarks = append(remarks, t.Remark)
		}
	} else if j = d.keyless(t, ends[0], ends[1]); j != nil {
		if null := t.nullable(slices.Concat(j.from.columns, j.to.columns)); len(null) > 0 {
			d.lookedLike(j, null)
			return nil
		}
		in.Confidence = rounded(in.Confidence / 2)
		remarks = append(remarks, "no key keeps the same two from being joined twice")
	}
	if j == nil {
		return nil
	}
	before := len(d.draft.Omitted)
	r := d.joined(j)
	// What is left out of a relationship that is not there is not left out.
	d.draft.Omitted = d.draft.Omitted[:before]
	in.From, in.To, in.Columns = r.pair.From, []string{r.pair.To}, slices.Concat(j.from.columns, j.to.columns)
	r.inferred, r.description = in, ""
	r.remarks = slices.Concat([]string{in.surety(" as a join table") + ": " + j.why}, told, remarks, doubts(t.Foreign...), r.remarks)
	d.draft.types = append(d.draft.types, r)
	return nil
}

// keyless is a table without a key that has two references and nothing for which
// it would be a thing by itself.
func (d *drafter) keyless(t *Table, from, to end) *join {
	both := slices.Concat(from.columns, to.columns)
	for i, name := range both {
		if t.column(name) == nil || slices.Contains(both[:i], name) {
			return nil
		}
	}
	switch {
	case len(t.Columns) == len(both):
		return &join{table: t, from: from, to: to, why: "it has nothing but two references"}
	case namedAfter(t, from, to):
		return &join{table: t, from: from, to: to, why: "it is named after the two that it joins"}
	}
	return nil
}

// nullable are those of some columns that may be null.
func (t *Table) nullable(columns []string) (out []string) {
	for _, name := range columns {
		if c := t.column(name); c != nil && c.Nullable {
			out = append(out, name)
		}
	}
	return out
}

// lookedLike adds to why a table is left out that it would be a join table, if its
// rows had both ends.
func (d *drafter) lookedLike(j *join, null []string) {
	for i, o := range d.draft.Omitted {
		if o.Table == j.table.Name && o.Column == "" {
			d.draft.Omitted[i].Reason += fmt.Sprintf("; it looks like a join table of %s and %s: declare %s NOT NULL",
				d.byTable[j.from.table.Name].def.Label, d.byTable[j.to.table.Name].def.Label, strings.Join(null, " and "))
		}
	}
}

// guessedTarget reports whether a column of any label looks like a reference to a
// table.
func (d *drafter) guessedTarget(t *Table) bool {
	for _, list := range d.guesses {
		if slices.ContainsFunc(list, func(g guess) bool { return g.to.table == t }) {
			return true
		}
	}
	return false
}

// place is where a column stands in its table.
func (t *Table) place(name string) int {
	return slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Name == name })
}
