package native

import (
	"math/big"
	"math/bits"
	"strings"
)

// A wide is an integer of 128 bits, in two's complement.
type wide struct {
	hi int64
	lo uint64
}

func (w *wide) add(n int64) {
	lo, carry := bits.Add64(w.lo, uint64(n), 0)
	w.lo = lo
	w.hi += n>>63 + int64(carry)
}

func (w *wide) merge(v wide) {
	lo, carry := bits.Add64(w.lo, v.lo, 0)
	w.lo = lo
	w.hi += v.hi + int64(carry)
}

// int64 returns the integer, if it fits.
func (w wide) int64() (n int64, fits bool) {
	n = int64(w.lo)
	return n, w.hi == n>>63
}

func (w wide) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(w.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(w.lo))
}

// A compensated is a sum of floats that keeps what additions lose.
// A. Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
// Summen, ZAMM 54 (1974).
type compensated struct{ sum, lost float64 }

func (c *compensated) add(f float64) {
	sum := c.sum + f
	if abs(c.sum) >= abs(f) {
		c.lost += (c.sum - sum) + f
	} else {
		c.lost += (f - sum) + c.sum
	}
	c.sum = sum
}

func (c *compensated) merge(d compensated) {
	c.add(d.sum)
	c.lost += d.lost
}

func (c compensated) value() float64 {
	if v := c.sum + c.lost; v == v {
		return v
	}
	return c.sum // over all floats, where nothing can be told of what was lost
}

func abs(f float64) float64 {
	if f < 0 {
		return -f
	}
	return f
}

// unscaled is a decimal in units of its last digit, if that fits.
func unscaled(text string) (n int64, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > 19 { // 18 digits and the point
		return 0, false
	}
	for i := range len(digits) {
		if c := digits[i]; c != '.' {
			n = n*10 + int64(c-'0')
		}
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, len(digits) < 19 || strings.Contains(digits, ".")
}

// scaledText writes an integer of the unit of the last digit as a decimal.
func scaledText(n *big.Int, scale int) string {
	if scale == 0 {
		return n.String()
	}
	digits := new(big.Int).Abs(n).String()
	if short := scale + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	text := digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	if n.Sign() < 0 {
		return "-" + text
	}
	return text
}
