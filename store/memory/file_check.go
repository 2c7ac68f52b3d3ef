package memory

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/schema"
)

// The checks of what a graph file says. Each returns what is wrong, or nothing.

// checkBits checks a bitmap over so many rows, which ends with a bit.
func checkBits(b bitmap, rows int) string {
	if len(b) == 0 {
		return ""
	}
	last := b[len(b)-1]
	if last == 0 || len(b) == (rows+63)/64 && rows%64 != 0 && last>>(rows%64) != 0 {
		return "a bitmap does not end with its last row"
	}
	return ""
}

// checkBelow checks that all numbers are below a bound.
func checkBelow(list []uint32, bound int) string {
	most := uint32(0)
	for _, n := range list {
		most = max(most, n)
	}
	if len(list) > 0 && int64(most) >= int64(bound) {
		return "a value has a number that none has"
	}
	return ""
}

func checkDays(days []int32) string {
	for _, d := range days {
		if int64(d) < minDays || int64(d) > maxDays {
			return "a date" + yearRange
		}
	}
	return ""
}

func checkMicros(micros []int64) string {
	for _, m := range micros {
		if m < minMicros || m > maxMicros {
			return "a datetime" + yearRange
		}
	}
	return ""
}

// checkFloats refuses what is not finite, and the zero with a sign.
func checkFloats(list []int64) string {
	const exponent = 0x7FF << 52
	for _, f := range list {
		if f&exponent == exponent || f == math.MinInt64 {
			return "a float is not finite, or -0"
		}
	}
	return ""
}

// checkString checks the texts of a column, all in one.
func checkString(text []byte) string {
	if !utf8.Valid(text) {
		return "a text is not valid UTF-8"
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "a text holds a NUL character"
	}
	return ""
}

// checkTexts checks the texts of columns whose texts are of a certain form:
// each is as Load would have written it.
func checkTexts(c Column, rows int) string {
	check := func(text string) bool {
		var is cell
		var fault string
		switch c.property.Type {
		case schema.Decimal:
			if text == "" {
				return false
			}
			is, fault = parseDecimal(c.property.Scale, []byte(text))
		case schema.JSON:
			is, fault = parseJSON([]byte(text))
		}
		return fault == "" && is.text == text
	}
	wrong := "a value is not " + article(c.property.Type)
	if c.property.Type == schema.String {
		return ""
	}
	w, ok := c.values.(words)
	if !ok {
		for row := range uint32(rows) {
			if !c.IsNull(row) && !check(c.values.at(row).text) {
				return wrong
			}
		}
		return ""
	}
	bad := make([]bool, len(w.dict))
	some := false
	for i, word := range w.dict {
		bad[i] = !check(word)
		some = some || bad[i]
	}
	// What stands in null rows is no value.
	for row := range uint32(rows) {
		if some && bad[w.codes[row]] && !c.IsNull(row) {
			return wrong
		}
	}
	return ""
}

// checkPostings checks that the rows are all that are not null, by value and
// then by row.
func checkPostings(c Column, rows []uint32) string {
	nulls := 0
	for row := range uint32(c.Len()) {
		if c.IsNull(row) {
			nulls++
		}
	}
	if len(rows) != c.Len()-nulls || checkBelow(rows, c.Len()) != "" {
		return "its index does not have its rows"
	}
	for i, row := range rows {
		if c.IsNull(row) {
			return "its index has a null"
		}
		if i > 0 {
			if order := c.compare(rows[i-1], row); order > 0 || order == 0 && rows[i-1] >= row {
				return "its index is not in order"
			}
		}
	}
	return ""
}

// distinctInOrder reports whether keys ascend from row to row.
func distinctInOrder(key []Column, rows int) bool {
	if len(key) == 1 {
		switch v := key[0].values.(type) {
		case numbers[int64]:
			if key[0].property.Type != schema.Float {
				return ascends(v)
			}
		case numbers[int32]:
			return ascends(v)
		case words:
			return ascends(v.codes)
		}
	}
	for row := uint32(1); int(row) < rows; row++ {
		if compareRows(key, row-1, row) >= 0 {
			return false
		}
	}
	return true
}

func ascends[T int32 | int64 | uint32](list []T) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}
