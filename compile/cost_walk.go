package compile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A frontier is a number of nodes for each label, in the order in which the
// labels were met.
type frontier []labelled

type labelled struct {
	label *schema.Label
	n     float64
}

func (f frontier) of(l *schema.Label) float64 {
	for i := range f {
		if f[i].label == l {
			return f[i].n
		}
	}
	return 0
}

func (f frontier) with(l *schema.Label, n float64) frontier {
	for i := range f {
		if f[i].label == l {
			f[i].n += n
			return f
		}
	}
	return append(f, labelled{l, n})
}

func (f frontier) size() float64 {
	sum := 0.0
	for _, at := range f {
		sum += at.n
	}
	return sum
}

// ends returns the label that a move leaves and the one that it reaches.
func (m *Move) ends(backwards bool) (from, to *schema.Label) {
	if backwards {
		return m.Target.label, m.Source()
	}
	return m.Source(), m.Target.label
}

// hop follows every move once and returns how many relationships that takes
// and how often it arrives where. single says that it leaves one given node.
func (k *estimator) hop(moves []*Move, from frontier, single, backwards bool) (relationships float64, arrived frontier) {
	for _, m := range moves {
		source, target := m.ends(backwards)
		n := from.of(source)
		if n == 0 {
			continue
		}
		d := k.stats.degree(m, backwards)
		taken := n * d.Average
		if single && float64(d.Most) > d.Average {
			taken = n * math.Cbrt(d.Average*d.Average*float64(d.Most))
		}
		relationships += taken
		if share := k.share(m.Cond, nil, nil); taken > 0 {
			arrived = arrived.with(target, taken*share)
		}
	}
	return relationships, arrived
}

// distinct is how many of total nodes are met when nodes are met so often, each
// as likely as the other.
func distinct(total, times float64) float64 {
	if total <= 0 {
		return 0
	}
	return total * -math.Expm1(-times/total)
}

// step estimates a step from some nodes, or backwards from where it ends, and
// returns the nodes where it may end. single says that it leaves one given node.
func (k *estimator) step(e *Estimate, at string, x *Expand, from frontier, single, backwards bool) frontier {
	var seen, ends frontier
	sum := 0.0
	for hop := 1; hop <= x.Max && from.size() > 0; hop++ {
		n, arrived := k.hop(x.Moves, from, single && hop == 1, backwards)
		sum += n
		from = nil
		for _, a := range arrived {
			total := k.stats.nodes(a.label)
			fresh := distinct(total, a.n)
			if x.Min == 1 && x.Max > 1 { // nodes met before lead nowhere new
				fresh *= 1 - math.Min(1, seen.of(a.label)/math.Max(1, total))
			}
			seen = seen.with(a.label, fresh)
			from = append(from, labelled{a.label, fresh})
			if hop >= x.Min {
				ends = ends.with(a.label, fresh)
			}
		}
	}
	for i := range ends {
		ends[i].n = math.Min(ends[i].n, k.stats.nodes(ends[i].label))
	}
	e.add(part{at: at, walk: true}, 0, 0, sum, k.line("%v: %v relationships", k.moveNames(x), sum))
	return ends
}

// test estimates the conditions on the nodes where a step ends, each tested
// once, and returns those that fulfil them.
func (k *estimator) test(e *Estimate, at string, ends []*NodeSet, reached frontier) frontier {
	var out frontier
	for _, set := range ends {
		n := reached.of(set.label)
		if n == 0 {
			continue
		}
		text := 0.0
		if textCompared(set.Cond, nil) {
			text = n
		}
		e.add(part{at: at}, n, text, 0, k.line("%v: %v reached", set.label.Name, n))
		tested := n * k.share(set.Cond, set.label, nil)
		if total := k.stats.nodes(set.label); set.Keys.N >= 0 && total > 0 {
			tested *= math.Min(1, float64(set.Keys.N)/total)
		}
		_, semis := unfolded(set)
		for i, semi := range semis {
			here := semiAt(at, set, i)
			back, reached := k.semiBack(here, set, semi)
			e.join(cheaper(k.semiAhead(here, set, semi, tested), back))
			if i < len(set.Related) {
				tested *= k.semiShare(set.label, semi, reached)
			}
		}
		out = out.with(set.label, tested)
	}
	return out
}

// A wave is a breadth-first search: where it stands, and what it has seen.
type wave struct {
	*estimator
	x        *Expand
	at, seen frontier
	single   bool // it has not left its start
}

func (k *estimator) newWave(x *Expand, start *schema.Label) *wave {
	return &wave{estimator: k, x: x, at: frontier{{start, 1}}, seen: frontier{{start, 1}}, single: true}
}

func (w *wave) size() float64 { return w.at.size() }

// next is how many relationships the next hop takes.
func (w *wave) next(backwards bool) float64 {
	n, _ := w.hop(w.x.Moves, w.at, w.single, backwards)
	return n
}

// expand takes the next hop. Nodes found before are left out, and nodes are
// tested as they are found.
func (w *wave) expand(e *Estimate, at string, backwards bool, hop int) {
	n, arrived := w.hop(w.x.Moves, w.at, w.single, backwards)
	w.at, w.single = nil, false
	rows, text := 0.0, 0.0
	for _, set := range w.x.Ends {
		total := w.stats.nodes(set.label)
		fresh := distinct(total, arrived.of(set.label)) * (1 - math.Min(1, w.seen.of(set.label)/math.Max(1, total)))
		if fresh == 0 {
			continue
		}
		rows += fresh
		if textCompared(set.Cond, nil) {
			text += fresh
		}
		fresh *= w.share(set.Cond, set.label, nil)
		w.at = append(w.at, labelled{set.label, fresh})
		w.seen = w.seen.with(set.label, fresh)
	}
	e.add(part{at: at, walk: true}, rows, text, n, w.line("hop %d: %v relationships to %v nodes", hop, n, rows))
}

// moveNames lists the types of a step for people.
func (k *estimator) moveNames(x *Expand) string {
	if !k.tell {
		return ""
	}
	var names []string
	for _, m := range x.Moves {
		if name := m.Rel.pair.Type.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := strings.Join(names, ", ")
	if x.Max > 1 {
		text += fmt.Sprintf(", up to %d hops", x.Max)
	}
	return text
}
