package introspect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// sample is how many values of a column are looked up.
const sample = 1000

// A guess is a column that looks like a reference without being declared as one.
type guess struct {
	column *Column
	to     *label
	Inferred
	failed bool // the values could not be read
}

// infer finds columns that look like references without being declared as any:
// author_id beside a table authors. The confidence is for four tenths the
// name's, for six that of the values: the share that are keys there, with one
// more that is none, for few values prove little.
func (d *drafter) infer() error {
	for _, l := range d.draft.labels {
		guesses, err := d.guessed(l.table, l.key)
		if err != nil {
			return err
		}
		for _, g := range guesses {
			base := subject([]string{g.column.Name}, g.to.key)
			if base == "" {
				base = g.to.def.Label
			}
			in := g.Inferred
			d.draft.types = append(d.draft.types, &relationship{
				candidates: []string{upperName(base), upperName(l.def.Label + "_" + base)},
				pair:       schema.PairDefinition{From: l.def.Label, To: g.to.def.Label, ForeignKey: &schema.ForeignKey{Columns: []string{g.column.Name}}},
				ends:       [][2]string{{l.def.Label, g.to.def.Label}},
				table:      l.table, inferred: &in,
				remarks: []string{in.surety("") + ": " + g.evidence()},
			})
		}
	}
	return nil
}

// guessed finds the columns of a table that look like references, and asks about
// their values, the first ones in an order of columns. What half of the values
// contradict is none.
func (d *drafter) guessed(t *Table, order []string) ([]guess, error) {
	if list, ok := d.guesses[t]; ok {
		return list, nil
	}
	var list []guess
	for _, c := range t.Columns {
		to, surety := d.suggested(t, c)
		if to == nil {
			continue
		}
		found, err := d.ask(question{table: t.Name, column: c.Name, order: order, target: to.table.Name, key: to.key[0]})
		if err != nil {
			return nil, err
		}
		if 2*found.found < found.asked {
			continue
		}
		g := guess{c, to, Inferred{To: []string{to.def.Label}, Columns: []string{c.Name}, Found: found.found, Asked: found.asked}, found.failed}
		if l := d.byTable[t.Name]; l != nil {
			g.From = l.def.Label
		}
		g.Confidence = confidence(surety, found.found, found.asked)
		list = append(list, g)
	}
	d.guesses[t] = list
	return list, nil
}

// confidence weighs what names say with what values say.
func confidence(name float64, found, asked int) float64 {
	c := 0.4 * name
	if asked > 0 {
		c += 0.6 * float64(found) / float64(asked+1)
	}
	return rounded(c)
}

func rounded(confidence float64) float64 { return math.Round(confidence*100) / 100 }

// surety says in words how sure it is that what is inferred is one.
func (in *Inferred) surety(what string) string {
	if in.Asked == 0 && in.Confidence <= 0.4 {
		return fmt.Sprintf("inferred%s from the name alone, confidence %.2f", what, in.Confidence)
	}
	return fmt.Sprintf("inferred%s, confidence %.2f", what, in.Confidence)
}

// evidence says in words what the values of a column tell.
func (g *guess) evidence() string { return evidence(g.failed, g.Found, g.Asked, g.to) }

func evidence(failed bool, found, asked int, to *label) string {
	switch {
	case failed:
		return "the values could not be read"
	case asked == 0:
		return "there are no values yet"
	}
	return fmt.Sprintf("%d of %d values are keys of %s", found, asked, to.def.Label)
}

// suggested finds the label that a column's name suggests, and how surely from
// 0 to 1: that of author_id, or of product_sku, where the products' key is sku.
func (d *drafter) suggested(t *Table, c *Column) (*label, float64) {
	l := d.byTable[t.Name]
	if !slices.Contains(keyTypes, c.Type) || !schema.IsStored(c.Name) || l != nil && l.told[c.Name] || d.foreign(t, c.Name) {
		return nil, 0
	}
	list := words(c.Name)
	own := l != nil && len(l.key) == 1 && l.key[0] == c.Name
	if len(list) < 2 || !slices.ContainsFunc(identifying[:6], func(w string) bool { return strings.EqualFold(w, list[len(list)-1]) }) {
		for n := 1; n < len(list); n++ {
			to := d.like(t, strings.Join(list[:n], "_"), true, c)
			if to != nil && (to != l || !own) && equalWords(words(to.key[0]), list[n:]) {
				return to, 0.8
			}
		}
		return nil, 0
	}
	word := list[:len(list)-1]
	for _, guess := range []struct {
		word   []string
		whole  bool
		surety float64
	}{{word, true, 1}, {word, false, 0.8}, {word[1:], true, 0.6}, {word[min(2, len(word)):], true, 0.6}} {
		if len(guess.word) == 0 {
			continue
		}
		if to := d.like(t, strings.Join(guess.word, "_"), guess.whole, c); to != nil && (to != l || !own) {
			return to, guess.surety
		}
	}
	// A parent is mostly of the same kind.
	if l != nil && len(word) == 1 && strings.EqualFold(word[0], "parent") && len(l.key) == 1 && d.compares(c, l.table.column(l.key[0])) {
		return l, 0.6
	}
	return nil, 0
}
