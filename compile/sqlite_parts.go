package compile

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// sqliteParts are those of sums and averages of integers and decimals: SUM
// fails where any part of the way does not fit, and knows no decimals.
func sqliteParts(f graph.Function, p *schema.Property) *parts {
	switch {
	case f == graph.Sum && p.Type == schema.Int64:
		// What does not fit comes as a float, which is no integer.
		return &parts{aggregates: halves, whole: "CASE WHEN #1 + (#2 >> 32) BETWEEN -2147483648 AND 2147483647" +
			" THEN ((#1 + (#2 >> 32)) << 32) | (#2 & 4294967295) ELSE #1 * 4294967296.0 + #2 END"}
	case f == graph.Avg && p.Type.Integer():
		return integerAverage(p)
	case f == graph.Sum && p.Type == schema.Decimal:
		return &parts{aggregates: decimalSums(p), whole: wholeDecimal(p)}
	case f == graph.Avg && p.Type == schema.Decimal:
		return decimalAverage(p)
	}
	return nil
}

// halves are the sums of the upper and of the lower halves of integers, each
// far from overflowing.
var halves = []string{"SUM(@ >> 32)", "SUM(@ & 4294967295)"}
