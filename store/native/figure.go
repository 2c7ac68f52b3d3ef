package native

import (
	"math"
	"math/big"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A figure is an aggregate function over the nodes of each group.
type figure struct {
	function graph.Function
	column   *column // nil for count
	cond     test    // on the nodes that count, nil for none
	least    int64   // how many nodes must have a value
	state    int     // the state that has it; -1 for the number of a group's nodes
}

// A figureState is what a figure has come to in each group.
type figureState struct {
	*figure
	counts []int64 // of the nodes that count, with a value where there is a column
	valued []int64 // the same, where counts are those of distinct values
	sums   []wide
	exact  []*big.Int // what does not fit into sums' steps, nil for none
	floats []compensated
	best   []uint32 // the row of the least or greatest value
	known  map[uint64]struct{}
	codes  *dense
}

func (s *figureState) begin(r *run, f *figure) {
	s.figure = f
	if f.function == graph.CountDistinct {
		s.known, s.codes = map[uint64]struct{}{}, r.tables.denses.of(r, f.column, "")
	}
}

// grow makes room for one more group.
func (s *figureState) grow() {
	s.counts = append(s.counts, 0)
	switch s.function {
	case graph.CountDistinct:
		s.valued = append(s.valued, 0)
	case graph.Sum, graph.Avg:
		switch s.column.property.Type {
		case schema.Float:
			s.floats = append(s.floats, compensated{})
		case schema.Decimal:
			s.exact = append(s.exact, nil)
			fallthrough
		default:
			s.sums = append(s.sums, wide{})
		}
	case graph.Min, graph.Max:
		s.best = append(s.best, 0)
	}
}

// add counts a node in a group.
func (s *figureState) add(r *run, group, row uint32) {
	if s.cond != nil && !s.cond.holds(r, row) {
		return
	}
	if s.column == nil {
		s.counts[group]++
		return
	}
	if s.column.null(row) {
		return
	}
	switch s.function {
	case graph.CountDistinct:
		s.valued[group]++
		key := uint64(group)<<32 | uint64(s.codes.code(row))
		if _, known := s.known[key]; known {
			return
		}
		s.known[key] = struct{}{}
	case graph.Sum, graph.Avg:
		s.sum(group, row)
	case graph.Min, graph.Max:
		order := 1
		if s.counts[group] > 0 {
			order = s.column.compareRows(s.best[group], row, s.function == graph.Max)
		}
		if order > 0 {
			s.best[group] = row
		}
	}
	s.counts[group]++
}

func (s *figureState) sum(group, row uint32) {
	switch s.column.property.Type {
	case schema.Float:
		s.floats[group].add(math.Float64frombits(uint64(s.column.Large[row])))
	case schema.Decimal:
		text := s.column.text(row)
		if n, ok := unscaled(text); ok {
			s.sums[group].add(n)
			return
		}
		if s.exact[group] == nil {
			s.exact[group] = new(big.Int)
		}
		if n, ok := new(big.Int).SetString(strings.Replace(text, ".", "", 1), 10); ok {
			s.exact[group].Add(s.exact[group], n)
		}
	default:
		s.sums[group].add(s.column.number(row))
	}
}

// merge adds what another state has come to in a group of its own to a group,
// all but distinct values.
func (s *figureState) merge(to uint32, other *figureState, from uint32) {
	if s.function == graph.CountDistinct {
		s.valued[to] += other.valued[from]
		return
	}
	if s.best != nil && other.counts[from] > 0 {
		row := other.best[from]
		if s.counts[to] == 0 || s.column.compareRows(s.best[to], row, s.function == graph.Max) > 0 {
			s.best[to] = row
		}
	}
	s.counts[to] += other.counts[from]
	if s.sums != nil {
		s.sums[to].merge(other.sums[from])
	}
	if s.floats != nil {
		s.floats[to].merge(other.floats[from])
	}
	if s.exact != nil && other.exact[from] != nil {
		if s.exact[to] == nil {
			s.exact[to] = new(big.Int)
		}
		s.exact[to].Add(s.exact[to], other.exact[from])
	}
}

// mergeKnown adds the distinct values that another state has met.
func (s *figureState) mergeKnown(g *grouping, other *figureState, its *grouping) {
	n := len(g.groups)
	for key := range other.known {
		from := int(key >> 32)
		copy(g.tuple, its.codes[from*n:][:n])
		to := g.group()
		key = uint64(to)<<32 | key&math.MaxUint32
		if _, known := s.known[key]; !known {
			s.known[key] = struct{}{}
			s.counts[to]++
		}
	}
}

// value is what the figure has come to in a group; ok is false where the sum
// does not fit.
func (s *figureState) value(group uint32) (v graph.Value, ok bool) {
	n := s.counts[group]
	valued := n
	if s.valued != nil {
		valued = s.valued[group]
	}
	switch {
	case valued < s.least:
		return graph.Null(), true
	case s.function == graph.Count || s.function == graph.CountDistinct:
		return graph.Int(n), true
	case n == 0:
		return graph.Null(), true
	case s.function == graph.Min || s.function == graph.Max:
		return s.column.value(s.best[group]), true
	case s.function == graph.Avg:
		return graph.Float(s.average(group)), true
	}
	switch s.column.property.Type {
	case schema.Float:
		f := s.floats[group].value()
		return graph.Float(f), !math.IsInf(f, 0) && !math.IsNaN(f)
	case schema.Decimal:
		return graph.Decimal(scaledText(s.total(group), s.column.property.Scale)), true
	}
	sum, fits := s.sums[group].int64()
	return graph.Int(sum), fits
}

// total is the exact sum of a group, in units of the last digit.
func (s *figureState) total(group uint32) *big.Int {
	sum := s.sums[group].big()
	if s.exact != nil && s.exact[group] != nil {
		sum.Add(sum, s.exact[group])
	}
	return sum
}

// average is the exact sum, divided once.
func (s *figureState) average(group uint32) float64 {
	n := s.counts[group]
	p := s.column.property
	if p.Type == schema.Float {
		return s.floats[group].value() / float64(n)
	}
	if sum, fits := s.sums[group].int64(); fits && p.Type != schema.Decimal && -1<<53 <= sum && sum <= 1<<53 {
		return float64(sum) / float64(n)
	}
	divisor := big.NewInt(n)
	if p.Type == schema.Decimal {
		divisor.Mul(divisor, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p.Scale)), nil))
	}
	f, _ := new(big.Rat).SetFrac(s.total(group), divisor).Float64()
	return f
}
