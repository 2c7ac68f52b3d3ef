package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// dice make random choices, the same ones for the same seed.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// chance is true that many times out of a hundred.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// oneOrTwo is 2 that many times out of a hundred, and 1 otherwise.
func (d dice) oneOrTwo(percent int) int {
	if d.chance(percent) {
		return 2
	}
	return 1
}

func pickOne[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// some returns between least and most different items, in a random order.
func some[T any](d dice, list []T, least, most int) []T {
	n := min(least+d.IntN(most-least+1), len(list))
	out := make([]T, 0, n)
	for _, i := range d.Perm(len(list))[:n] {
		out = append(out, list[i])
	}
	return out
}

// strange are texts that engines are tempted to confuse: by case, accent,
// normal form, trailing space, pattern or quote.
var strange = []string{
	"a", "A", "á", "a\u0301", "à", "ä", "ae", "æ", "a ", "a  ", " a", "ab", "aB", "AB", "abc", "b", "B", "z", "Z", "",
	"%", "_", `\`, "!", "'", `"`, "a%b", "a_b", `a\b`, "a!b", "50%", "it's", `say "x"`, "x;--", "$1", "?", "`",
	"ß", "ss", "SS", "ſ", "s", "ı", "i", "I", "İ", "K", "k", "ÿ", "e\u0301", "é", "E", "😀", "😀😀", "\U0010FFFD", "\uE000", "ﬀ", "ff",
	"日本", "x y", "x\ty", "1", "01", "10", "9", "null", "true", "~",
}

// plainTexts repeat, so that groups and equalities meet something.
var plainTexts = []string{"red", "Red", "green", "blue", "red fox", "the red", "rédo", "bl"}

var enumNames = []string{"open", "Open", "closed", "on hold", "ärger", "z", "10", "9", "it's"}

// days and instants lie where calendars have their edges.
var days = []string{
	"2026-11-21", "2026-11-22", "2026-11-23", "2024-02-29", "2023-12-31", "2024-01-01", "2024-03-31", "2024-04-01",
	"0001-01-01", "0001-01-02", "0099-12-31", "1582-10-10", "1600-02-29", "1900-02-28", "1969-12-31", "1970-01-01", "2000-02-29", "9999-12-31",
}

var instants = []string{
	"2026-11-21T00:00:00Z", "2026-11-20T23:59:59.999999Z", "2026-11-21T09:30:00.5Z", "2026-11-21T09:30:00.000001Z", "2026-03-29T02:30:00Z",
	"2026-10-25T02:30:00Z", "2024-02-29T12:00:00Z", "2016-12-31T23:59:59Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z",
	"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000001Z", "1815-12-10T10:00:00Z", "9999-12-31T23:59:59.999999Z", "2038-01-19T03:14:08Z",
}

var extremes = []int64{math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, 1<<53 + 1, 1 << 53, -(1<<53 + 1), 0, -1, 1}

var decimals = []string{"0.00", "0.01", "-0.01", "1.10", "1.01", "-1.10", "10.00", "9.99", "99999999999999999.99", "-99999999999999999.99", "12.50"}

var documents = []string{`{}`, `[]`, `null`, `"a"`, `{"a":1,"b":[true,null,"é"]}`, `[1,2.5,-3]`, `{"z":{"y":"x"}}`, `12`}

func uuidOf(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n)*2654435761, n) }

// value returns a random value of a property's type. Floats are such that
// their sums are exact.
func (d dice) value(p *propSpec) graph.Value {
	switch p.typ {
	case schema.Int32:
		if d.chance(5) {
			return graph.Int(pickOne(d, []int64{math.MaxInt32, math.MinInt32}))
		}
		return graph.Int(int64(d.IntN(12) - 3))
	case schema.Int64:
		if p.name == "big" {
			return graph.Int(pickOne(d, extremes))
		}
		return graph.Int(int64(d.IntN(8) - 2))
	case schema.Float:
		return graph.Float(float64(d.IntN(65)-32) / 8)
	case schema.Bool:
		return graph.Bool(d.chance(50))
	case schema.String:
		if d.chance(50) {
			return graph.String(pickOne(d, plainTexts))
		}
		return graph.String(pickOne(d, strange))
	case schema.Enum:
		return graph.String(pickOne(d, p.values))
	case schema.Date:
		t, _ := time.Parse(time.DateOnly, pickOne(d, days))
		return graph.Date(t)
	case schema.DateTime:
		t, _ := time.Parse(time.RFC3339Nano, pickOne(d, instants))
		return graph.DateTime(t)
	case schema.UUID:
		return graph.UUID(uuidOf(d.IntN(6)))
	case schema.Decimal:
		return graph.Decimal(pickOne(d, decimals))
	}
	return graph.JSON(pickOne(d, documents))
}

// weight returns a value that a path can be weighed by.
func (d dice) weight(t schema.Type) graph.Value {
	switch t {
	case schema.Float:
		return graph.Float(float64(d.IntN(24)) / 8)
	case schema.Decimal:
		return graph.Decimal(fmt.Sprintf("%d.%02d", d.IntN(4), 25*d.IntN(4)))
	}
	return graph.Int(int64(d.IntN(6)))
}

// key returns the nth value of a key's part: different for different n, never
// null or empty.
func (d dice) key(p *propSpec, n int) graph.Value {
	switch p.typ {
	case schema.Int32, schema.Int64:
		if p.typ == schema.Int64 && n < 2 && p.wild {
			return graph.Int([]int64{math.MaxInt64, -7}[n])
		}
		return graph.Int(int64(n + 1))
	case schema.UUID:
		return graph.UUID(uuidOf(n))
	}
	text := keyTexts[n%len(keyTexts)]
	if n >= len(keyTexts) {
		text += fmt.Sprint(n / len(keyTexts))
	}
	return graph.String(text)
}

var keyTexts = []string{"a", "A", "á", "a\u0301", "a ", " a", "b", "%", "_", `\`, `"q"`, "it's", "😀", "x,y", "[1]", "10", "9", "ß", "ss", "Z"}
