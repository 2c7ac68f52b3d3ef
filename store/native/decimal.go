package native

import (
	"cmp"
	"strings"
)

// compareDecimals orders two decimals, of whatever scales, as Trellis writes
// them: a sign, digits, and perhaps a point and more digits.
func compareDecimals(a, b string) int {
	negative := strings.HasPrefix(a, "-")
	switch {
	case negative && strings.HasPrefix(b, "-"):
		return compareSizes(b[1:], a[1:])
	case negative:
		return -1
	case strings.HasPrefix(b, "-"):
		return 1
	}
	return compareSizes(a, b)
}

func compareSizes(a, b string) int {
	if a == "" || b == "" { // what a dictionary may have for null stands before zero
		return cmp.Compare(len(a), len(b))
	}
	wholeA, partA, _ := strings.Cut(a, ".")
	wholeB, partB, _ := strings.Cut(b, ".")
	wholeA, wholeB = strings.TrimLeft(wholeA, "0"), strings.TrimLeft(wholeB, "0")
	if order := cmp.Or(cmp.Compare(len(wholeA), len(wholeB)), strings.Compare(wholeA, wholeB)); order != 0 {
		return order
	}
	shared := min(len(partA), len(partB))
	if order := strings.Compare(partA[:shared], partB[:shared]); order != 0 {
		return order
	}
	return cmp.Compare(len(strings.TrimRight(partA[shared:], "0")), len(strings.TrimRight(partB[shared:], "0")))
}
