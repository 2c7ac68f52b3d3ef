package native

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An amount is an exact weight, in units of its scale: n, or big where that is
// set.
type amount struct {
	n   int64
	big *big.Rat
}

func (a amount) rat() *big.Rat {
	if a.big != nil {
		return a.big
	}
	return new(big.Rat).SetInt64(a.n)
}

// plus adds two amounts, neither of which is negative.
func (a amount) plus(b amount) amount {
	if a.big == nil && b.big == nil && a.n <= math.MaxInt64-b.n {
		return amount{n: a.n + b.n}
	}
	return amount{big: new(big.Rat).Add(a.rat(), b.rat())}
}

func (a amount) compare(b amount) int {
	if a.big == nil && b.big == nil {
		return cmp.Compare(a.n, b.n)
	}
	return a.rat().Cmp(b.rat())
}

func (a amount) negative() bool { return a.n < 0 || a.big != nil && a.big.Sign() < 0 }

// A scale reads weights of pairs and writes their sums. Sums are exact: floats
// are added as the numbers that they are, and rounded once, at the end.
type scale struct {
	of map[*links]*column
	// typ is that of sums: float if some weights are, else decimal if some are,
	// else int64. Units are 10^-digits.
	typ    schema.Type
	digits int
}

func (lw *lowering) scale(weights map[*schema.Pair]*schema.Property) *scale {
	s := &scale{of: map[*links]*column{}, typ: schema.Int64}
	for pair, prop := range weights {
		l := lw.pair(pair)
		c := l.column(prop)
		s.of[l] = c
		switch p := c.property; p.Type {
		case schema.Float:
			s.typ = schema.Float
		case schema.Decimal:
			if s.digits = max(s.digits, p.Scale); s.typ != schema.Float {
				s.typ = schema.Decimal
			}
		}
	}
	return s
}

// unit is how many units make one.
func (s *scale) unit(digits int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
}

// amount is the weight of a relationship that has one.
func (s *scale) amount(l *links, number uint32) amount {
	c := s.of[l]
	var exact *big.Rat
	switch c.property.Type {
	case schema.Float:
		f := math.Float64frombits(uint64(c.Large[number]))
		if n := int64(f); s.digits == 0 && math.Abs(f) < 1<<53 && float64(n) == f {
			return amount{n: n}
		}
		exact = new(big.Rat).SetFloat64(f)
	case schema.Decimal:
		n, ok := unscaled(c.text(number))
		if ok && c.property.Scale == s.digits {
			return amount{n: n}
		}
		exact, _ = new(big.Rat).SetString(c.text(number))
	default:
		n := c.number(number)
		if s.digits == 0 {
			return amount{n: n}
		}
		exact = new(big.Rat).SetInt64(n)
	}
	if s.digits > 0 {
		exact.Mul(exact, new(big.Rat).SetInt(s.unit(s.digits)))
	}
	return amount{big: exact}
}

// value is a sum as answers show it.
func (s *scale) value(a amount) (graph.Value, error) {
	exact := new(big.Rat).Quo(a.rat(), new(big.Rat).SetInt(s.unit(s.digits)))
	switch s.typ {
	case schema.Float:
		if f, _ := exact.Float64(); !math.IsInf(f, 0) {
			return graph.Float(f), nil
		}
	case schema.Decimal:
		return graph.Decimal(exact.FloatString(s.digits)), nil
	default:
		if n := exact.Num(); n.IsInt64() {
			return graph.Int(n.Int64()), nil
		}
	}
	return graph.Null(), &graph.Error{Code: graph.OutOfRange, Path: "/weight",
		Message: "the weight of a path does not fit into " + s.typ.String(), Hint: "ask for fewer hops"}
}

// A stretch is a hop of a weighted path.
type stretch struct {
	to     node
	rel    rel
	weight amount
}

// negative is the failure that a relationship's weight is below zero.
func (s *pathSearch) negative(x rel) error {
	return &graph.Error{Code: graph.InvalidData, Message: fmt.Sprintf("%s from %s %q to %s %q: %s is negative",
		x.links.pair.Type.Name, x.links.from.label.Name, x.links.from.id(x.from.row), x.links.to.label.Name, x.links.to.id(x.to.row),
		s.scale.of[x.links].property.Name)}
}
