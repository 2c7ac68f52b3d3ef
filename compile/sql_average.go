package compile

import (
	"math/big"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// An average of integers or decimals is the exact sum, divided once: of all
// floats the one that is nearest to the quotient. In units of its last digit the
// sum is an integer, and is divided by as many times ten to the scale as it has
// values.
//
// Sums of up to 2^53 units are floats, as divisors are up to shortScale, so that a
// division of floats is what is asked for. Others are shifted to the left until
// their whole quotient has 55 bits: those of a float, one to round by, and one
// that may be set because a remainder is left. Made a float, it is rounded for
// the only time; what it is shifted back by is a power of two.
//
// That holds for up to 2^30 values.

// shortScale is the most digits after the point with which a number of values,
// times ten to the scale, is a float.
const shortScale = 9

// floatUnits is up to where all integers are floats.
const floatUnits = "9007199254740992"

// quotientShift is by how many bits sums of a scale are shifted at most.
func quotientShift(scale int) int {
	divisor := valuesBits + tenTo(scale).BitLen()
	if scale <= shortScale {
		return divisor + 1 // the sum has 54 bits
	}
	return divisor + 54
}

// valuesBits is the length of the greatest number of values.
const valuesBits = 30

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func twoTo(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// A wideInteger is how an engine writes integers that are long enough for the
// shifted sum.
type wideInteger struct {
	digits int // that they have at most
	// constant is a template of a number in such a type.
	constant string
	// sum is the aggregate. In units there are as many as the template units, and by
	// the template count they are divided; both end in times @, a power of ten.
	sum, units, count string
	// float makes a float of an integer, and quotient one of @ divided by #4.
	float, quotient string
}

// longestSum is how many digits a sum has at most: of as many values as are
// counted, with as many digits as a decimal has.
const longestSum = decimalDigits + 9

// average puts an average together: #3 is the sum and #4 the divisor.
func (i wideInteger) average(p *schema.Property) *parts {
	filled := func(template, operand string) string { return strings.ReplaceAll(template, "@", operand) }
	constant := func(n *big.Int) string { return filled(i.constant, n.String()) }
	inUnits := func(template string) string {
		if p.Scale == 0 {
			return strings.Replace(template, " * @", "", 1)
		}
		return filled(template, constant(tenTo(p.Scale)))
	}
	of := &parts{
		aggregates: []string{i.sum, "COUNT(@)"},
		steps:      [][]string{{inUnits(i.units), inUnits(i.count)}},
	}
	shift := quotientShift(p.Scale)
	power := constant(twoTo(shift))
	room := func() int { return i.digits - 1 - len(twoTo(shift).String()) }
	if room() < longestSum {
		// As far as there is room: a longer sum has a longer quotient.
		ladder := "CASE"
		for ; shift > 0 && room() < longestSum; shift = max(0, shift-valuesBits) {
			ladder += " WHEN ABS(#3) < " + constant(tenTo(room())) + " THEN " + constant(twoTo(shift))
		}
		of.steps = append(of.steps, []string{ladder + " ELSE " + constant(twoTo(shift)) + " END"})
		power = "#5"
	}
	of.whole = filled(i.quotient, "(#3 * "+power+")") + " / " + filled(i.float, power)
	if p.Scale <= shortScale {
		of.whole = "CASE WHEN ABS(#3) <= " + floatUnits + " THEN " + filled(i.float, "#3") + " / " + filled(i.float, "#4") + " ELSE " + of.whole + " END"
	}
	return of
}
