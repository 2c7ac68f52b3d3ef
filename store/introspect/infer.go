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

// infer finds columns that look like references without being declared as any:
// author_id beside a table authors. The confidence is for four tenths the
// name's, for six that of the values: the share that are keys there, with one
// more that is none, for few values prove little.
func (d *drafter) infer() error {
	for _, l := range d.draft.labels {
		for _, c := range l.table.Columns {
			to, surety := d.suggested(l, c)
			if to == nil {
				continue
			}
			in := &Inferred{From: l.def.Label, To: to.def.Label, Column: c.Name, Confidence: 0.4 * surety}
			found, err := d.ask(question{l.table.Name, c.Name, l.key, to.table.Name, to.key[0]})
			if err != nil {
				return err
			}
			if in.Found, in.Asked = found.found, found.asked; in.Asked > 0 {
				if 2*in.Found < in.Asked {
					continue
				}
				in.Confidence += 0.6 * float64(in.Found) / float64(in.Asked+1)
			}
			in.Confidence = math.Round(in.Confidence*100) / 100
			base := subject([]string{c.Name}, to.key)
			if base == "" {
				base = to.def.Label
			}
			d.draft.types = append(d.draft.types, &relationship{
				candidates: []string{upperName(base), upperName(l.def.Label + "_" + base)},
				pair:       schema.PairDefinition{From: l.def.Label, To: to.def.Label, ForeignKey: &schema.ForeignKey{Columns: []string{c.Name}}},
				ends:       [][2]string{{l.def.Label, to.def.Label}},
				table:      l.table, inferred: in,
				remarks: []string{in.evidence(found.failed)},
			})
		}
	}
	return nil
}

// evidence says in words what a confidence comes from.
func (in *Inferred) evidence(failed bool) string {
	text := fmt.Sprintf("inferred from the name alone, confidence %.2f", in.Confidence)
	switch {
	case failed:
		return text + ": the values could not be read"
	case in.Asked == 0:
		return text + ": there are no values yet"
	}
	return fmt.Sprintf("inferred, confidence %.2f: %d of %d values are keys of %s", in.Confidence, in.Found, in.Asked, in.To)
}

// suggested finds the label that a column's name suggests, and how surely from
// 0 to 1.
func (d *drafter) suggested(l *label, c *Column) (*label, float64) {
	if !slices.Contains(keyTypes, c.Type) || !schema.IsStored(c.Name) || l.told[c.Name] || d.foreign(l.table, c.Name) {
		return nil, 0
	}
	list := words(c.Name)
	if len(list) < 2 || !slices.ContainsFunc(identifying[:6], func(w string) bool { return strings.EqualFold(w, list[len(list)-1]) }) {
		return nil, 0
	}
	word := list[:len(list)-1]
	own := len(l.key) == 1 && l.key[0] == c.Name
	for _, guess := range []struct {
		word   []string
		whole  bool
		surety float64
	}{{word, true, 1}, {word, false, 0.8}, {word[1:], true, 0.6}, {word[min(2, len(word)):], true, 0.6}} {
		if len(guess.word) == 0 {
			continue
		}
		if to := d.like(l, strings.Join(guess.word, "_"), guess.whole, c); to != nil && (to != l || !own) {
			return to, guess.surety
		}
	}
	// A parent is mostly of the same kind.
	if len(word) == 1 && strings.EqualFold(word[0], "parent") && len(l.key) == 1 && sameKind(keyType(c), keyType(l.table.column(l.key[0]))) {
		return l, 0.6
	}
	return nil, 0
}
