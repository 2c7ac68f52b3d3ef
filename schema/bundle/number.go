package bundle

import (
	"math"
	"strconv"
	"strings"
)

// isNumber reports whether a text is a number as JSON writes it.
func isNumber(s string) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	start := i
	if !digits() || s[start] == '0' && i > start+1 {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(s)
}

const (
	maxDigits   = 64  // of a number, its signs included
	maxExponent = 400 // of a number; more makes exact arithmetic costly
)

// numberFault says why a number is not read, or nothing: exact arithmetic with
// numbers such as 1e1000000 would take for ever.
func numberFault(s string) string {
	if len(s) > maxDigits {
		return "a number has at most " + strconv.Itoa(maxDigits) + " characters"
	}
	if len(s) < 18 && !strings.ContainsAny(s, "eE") {
		return ""
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(s[i+1:]); err != nil || exp > maxExponent || exp < -maxExponent {
			return "the exponent of a number is between -" + strconv.Itoa(maxExponent) + " and " + strconv.Itoa(maxExponent)
		}
	}
	if f, err := strconv.ParseFloat(s, 64); err != nil || math.IsInf(f, 0) {
		return "the number is out of the range of float64"
	}
	return ""
}

// weight is how much longer exact arithmetic with a number takes, for its
// exponent, than a look at a value: about one sixteenth of the exponent.
func weight(number string) float64 {
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return 0
	}
	exp, err := strconv.Atoi(number[i+1:])
	if err != nil {
		return maxExponent / 16 // it is not read
	}
	return math.Abs(float64(exp)) / 16
}

// weight is that of all the numbers of a tree.
func (n *node) weight() (all float64) {
	if n.kind == numberNode {
		all = weight(n.text)
	}
	for i := range n.items {
		all += n.items[i].weight()
	}
	for i := range n.members {
		all += n.members[i].value.weight()
	}
	return all
}
