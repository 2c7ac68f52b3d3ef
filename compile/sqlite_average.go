package compile

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// SQLite's integers have 64 bits. Longer ones are lists of digits of 32 bits, in
// SQL; of a quotient the first two stand before the point.

// A longNumber is a number that is not below zero, as its digits. left is not
// zero where there is more of it.
type longNumber struct {
	digits []string
	left   string
}

// divided are the expressions of a number divided by less than 2^31, with so many
// digits: each of them, and what is left.
func divided(n longNumber, by string, digits int) []string {
	var out []string
	left := ""
	for i := range digits {
		dividend := "0"
		if i < len(n.digits) {
			dividend = n.digits[i]
		}
		if left != "" {
			dividend = "((" + left + " << 32) | " + dividend + ")"
		}
		out = append(out, dividend+" / "+by)
		left = "(" + dividend + " % " + by + ")"
	}
	if n.left != "" {
		left += " | " + n.left
	}
	return append(out, left)
}

// window is how many bits longer or shorter the quotients are that are shifted by
// the same: from 55 bits, of which a float is made, to 63.
const window = 9

// longestQuotient is the length of the longest of them.
const longestQuotient = 91

// nearest makes a float of a quotient that is not below 2^least, unless it is
// zero: of as many of its bits as an integer has room for, with the last one set
// where there are more.
func nearest(q longNumber, least int) string {
	var b strings.Builder
	b.WriteString("CASE")
	for from := longestQuotient - 1; ; from -= window {
		shift := 54 - from
		var bits, more []string
		for i, digit := range q.digits {
			switch by := shift + 32*(1-i); {
			case 32*(1-i) >= from+window: // zero in a quotient of that length
			case by >= 0:
				bits = append(bits, fmt.Sprintf("(%s << %d)", digit, by))
			case by > -32:
				bits = append(bits, fmt.Sprintf("(%s >> %d)", digit, -by))
				more = append(more, fmt.Sprintf("(%s & %d)", digit, 1<<-by-1))
			default:
				more = append(more, digit)
			}
		}
		float := fmt.Sprintf("CAST(%s | ((%s) <> 0) AS REAL)%s", strings.Join(bits, " | "), strings.Join(append(more, q.left), " | "), shiftedBack(shift))
		if from <= least {
			return b.String() + " ELSE " + float + " END"
		}
		// Where bit from stands: digits before the one before are zero.
		at := max(0, 1-from/32)
		if from < 0 {
			at = 1 + (31-from)/32
		}
		length := q.digits[at]
		if at > 0 {
			length = "((" + q.digits[at-1] + " << 32) | " + length + ")"
		}
		fmt.Fprintf(&b, " WHEN %s >= %d THEN %s", length, int64(1)<<(from-32*(1-at)), float)
	}
}

// shiftedBack multiplies a float by a power of two, which is none of its own
// where it would have too many digits to be read as what it is.
func shiftedBack(shift int) string {
	op := " / "
	if shift < 0 {
		op, shift = " * ", -shift
	}
	var b strings.Builder
	for ; shift > 0; shift -= 60 {
		b.WriteString(op + twoTo(min(shift, 60)).String())
	}
	return b.String()
}

// quotientDigits is how many digits a quotient has, whose least is 2^least: as many
// as have all bits of a float.
func quotientDigits(least int) int { return 2 + (54-least+31)/32 }

// leastQuotient is the power of two that no average is below, if its sum was not
// divided as a float.
func leastQuotient(scale int) int {
	if scale <= shortScale {
		return 53 - valuesBits - tenTo(scale).BitLen()
	}
	return -valuesBits - tenTo(scale).BitLen()
}

// averageOf is the average in SQL, with the sign that its sum has.
func averageOf(p *schema.Property, negative string, sum, quotient longNumber, n string) string {
	float := nearest(quotient, leastQuotient(p.Scale))
	if p.Scale <= shortScale {
		short := fmt.Sprintf("CAST((%s << 32) | %s AS REAL) / (%s * %s.0)", sum.digits[0], sum.digits[1], n, tenTo(p.Scale))
		float = fmt.Sprintf("CASE WHEN %s < 2097152 THEN %s ELSE %s END", sum.digits[0], short, float)
	}
	return "CASE WHEN " + negative + " THEN -1 ELSE 1 END * " + float
}

// divide adds a step that divides a number.
func (s *steps) divide(n longNumber, by string, digits int) longNumber {
	names := s.add(divided(n, by, digits)...)
	return longNumber{names[:digits], names[digits]}
}

// integerAverage divides the sum of integers.
func integerAverage(p *schema.Property) *parts {
	s := newSteps(append(halves[:2:2], "COUNT(@)"))
	sum := s.add("#1 + (#2 >> 32)", "#2 & 4294967295")
	negative := sum[0] + " < 0"
	positive := func(yes, no string) string { return "CASE WHEN " + negative + " THEN " + yes + " ELSE " + no + " END" }
	upper := s.add(positive("-"+sum[0]+" - ("+sum[1]+" <> 0)", sum[0]), positive("(4294967296 - "+sum[1]+") & 4294967295", sum[1]))
	long := longNumber{digits: upper}
	s.of.whole = averageOf(p, negative, long, s.divide(long, "#3", quotientDigits(leastQuotient(0))), "#3")
	return s.of
}

// sqliteScale is the most digits after the point of decimals whose averages are
// exact.
const sqliteScale = 20

// decimalAverage divides the sum of decimals, in units of their last digit: by
// those that are one, then by the number of values. A sum of 2^31 * 10^18 units is
// made a float before, and so is any of more digits after the point.
func decimalAverage(p *schema.Property) *parts {
	sums := decimalSums(p)
	s := newSteps(append(sums, "COUNT(@)"))
	n := "#" + strconv.Itoa(len(sums)+1)
	text := s.add(wholeDecimal(p))[0]
	float := "CAST(" + text + " AS REAL) / " + n
	if p.Scale > sqliteScale {
		s.of.whole = float
		return s.of
	}
	digits := s.add("replace(ltrim(" + text + ", '-'), '.', '')")[0]
	const last = 18
	units := s.add(fmt.Sprintf("CAST(substr(%[1]s, 1, length(%[1]s) - %[2]d) AS INTEGER)", digits, last), fmt.Sprintf("CAST(substr(%s, -%d) AS INTEGER)", digits, last))
	upper, lower := new(big.Int).DivMod(tenTo(last), twoTo(32), new(big.Int))
	low := fmt.Sprintf("(%s * %s + (%s & 4294967295))", units[0], lower, units[1])
	long := longNumber{digits: s.add(fmt.Sprintf("%s * %s + (%s >> 32) + (%s >> 32)", units[0], upper, units[1], low), low+" & 4294967295")}
	count := quotientDigits(leastQuotient(p.Scale))
	quotient := long
	for left := p.Scale; left > 0; left -= 9 {
		quotient = s.divide(quotient, tenTo(min(left, 9)).String(), count)
	}
	quotient = s.divide(quotient, n, count)
	s.of.whole = "CASE WHEN " + units[0] + " < 2147483648 THEN " + averageOf(p, text+" < '0'", long, quotient, n) + " ELSE " + float + " END"
	return s.of
}
