package compile

import (
	"fmt"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// duckdbScale is the most digits after the point of decimals whose averages are
// exact. Remainders of more have no room to be shifted in: then the sum is made a
// float before it is divided.
const duckdbScale = 20

// duckdbParts are those of averages of integers and decimals: a HUGEINT has 127
// bits, in which there is room for a sum or for a remainder that is shifted.
func duckdbParts(f graph.Function, p *schema.Property) *parts {
	if f != graph.Avg || p.Type == schema.Float || p.Scale > duckdbScale {
		return nil
	}
	sum := "CAST(SUM(@) AS HUGEINT)"
	if p.Type == schema.Decimal {
		sum = fmt.Sprintf("CAST(replace(CAST(CAST(SUM(@) AS DECIMAL(38,%d)) AS VARCHAR), '.', '') AS HUGEINT)", p.Scale)
	}
	s := newSteps([]string{sum, "COUNT(@)"})
	divisor := s.add("#2::HUGEINT * " + tenTo(p.Scale).String() + "::HUGEINT")[0]
	// What is left is not below zero, so that one bit says that there is something.
	left := s.add("((#1 % " + divisor + ") + " + divisor + ") % " + divisor)[0]
	quotient := s.add("(#1 - " + left + ") // " + divisor)[0]
	power := "1.0::DOUBLE"
	for _, bits := range duckdbShifts(p.Scale) {
		by := twoTo(bits).String() + "::HUGEINT"
		again := func(yes, no string) string {
			return "CASE WHEN abs(" + quotient + ") < " + twoTo(54).String() + " THEN " + yes + " ELSE " + no + " END"
		}
		shifted := left + " * " + by
		names := s.add(again(shifted+" % "+divisor, left), again(quotient+" * "+by+" + "+shifted+" // "+divisor, quotient), again(power+" * "+by+"::DOUBLE", power))
		left, quotient, power = names[0], names[1], names[2]
	}
	// A text is rounded but once.
	s.of.whole = "CAST(CAST(" + quotient + " | CAST(" + left + " <> 0 AS HUGEINT) AS VARCHAR) AS DOUBLE) / " + power
	if p.Scale <= shortScale {
		s.of.whole = "CASE WHEN abs(#1) <= " + floatUnits + " THEN CAST(#1 AS DOUBLE) / CAST(" + divisor + " AS DOUBLE) ELSE " + s.of.whole + " END"
	}
	return s.of
}

// duckdbShifts are by how many bits a quotient is shifted, one time after the
// other, so that no remainder has more than 124 bits.
func duckdbShifts(scale int) []int {
	var out []int
	each := 124 - valuesBits - tenTo(scale).BitLen()
	for left := quotientShift(scale); left > 0; left -= each {
		out = append(out, min(left, each))
	}
	return out
}
