package memory

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// parseText reads a value as CSV files write it, and says what is wrong with
// it, or nothing. The cell's text may share text's memory.
func parseText(p *schema.Property, text []byte) (c cell, fault string) {
	if len(text) == 0 || len(text) == 2 && text[0] == '\\' && text[1] == 'N' {
		return parseNothing(p)
	}
	switch p.Type {
	case schema.Int32, schema.Int64:
		return parseInt(p.Type, text)
	case schema.Float:
		return parseFloat(text)
	case schema.Bool:
		switch string(text) {
		case "true", "1":
			return cell{num: 1}, ""
		case "false", "0":
			return cell{}, ""
		}
		return cell{}, quote(text) + " is not a bool: want true or false"
	case schema.Enum:
		return parseEnum(p, text)
	case schema.Date:
		return parseDate(text)
	case schema.DateTime:
		return parseDateTime(text)
	case schema.UUID:
		return parseUUID(text)
	case schema.Decimal:
		return parseDecimal(p.Scale, text)
	case schema.JSON:
		return parseJSON(text)
	}
	return parseString(text)
}

// parseNothing reads an empty field.
func parseNothing(p *schema.Property) (cell, string) {
	switch {
	case p.Nullable:
		return cell{null: true}, ""
	case p.Type == schema.String:
		return cell{}, ""
	}
	return cell{}, "empty, but the property is not nullable"
}

func parseString(text []byte) (cell, string) {
	switch {
	case len(text) > maxText:
		return cell{}, "a text over 16 MiB"
	case !utf8.Valid(text):
		return cell{}, quote(text) + " is not valid UTF-8"
	case bytes.IndexByte(text, 0) >= 0:
		return cell{}, quote(text) + " holds a NUL character"
	}
	return cell{text: view(text)}, ""
}

// parseInt reads the canonical form of an integer: digits without leading
// zeros, with at most a minus before them.
func parseInt(t schema.Type, text []byte) (cell, string) {
	digits := text
	if digits[0] == '-' {
		digits = digits[1:]
	}
	if !allDigits(digits) || digits[0] == '0' && len(text) > 1 {
		return cell{}, quote(text) + " is not an " + t.String()
	}
	var n int64
	if len(digits) <= 18 {
		for _, d := range digits {
			n = n*10 + int64(d-'0')
		}
		if len(digits) < len(text) {
			n = -n
		}
	} else {
		var err error
		if n, err = strconv.ParseInt(view(text), 10, 64); err != nil {
			return cell{}, quote(text) + " does not fit an " + t.String()
		}
	}
	if t == schema.Int32 && n != int64(int32(n)) {
		return cell{}, quote(text) + " does not fit an int32"
	}
	return cell{num: n}, ""
}

func allDigits(text []byte) bool {
	for _, d := range text {
		if d < '0' || d > '9' {
			return false
		}
	}
	return len(text) > 0
}

func parseFloat(text []byte) (cell, string) {
	for _, d := range text {
		if (d < '0' || d > '9') && d != '-' && d != '+' && d != '.' && d != 'e' && d != 'E' {
			return cell{}, quote(text) + " is not a finite number"
		}
	}
	f, err := strconv.ParseFloat(view(text), 64)
	switch {
	case math.IsInf(f, 0):
		return cell{}, quote(text) + " does not fit a float"
	case err != nil:
		return cell{}, quote(text) + " is not a finite number"
	}
	return floatCell(f), ""
}

func floatCell(f float64) cell {
	if f == 0 {
		f = 0 // drops the sign of -0
	}
	return cell{num: int64(math.Float64bits(f))}
}

func parseEnum(p *schema.Property, text []byte) (cell, string) {
	for i := range p.Values {
		if p.Values[i].Name == string(text) {
			return cell{num: int64(i)}, ""
		}
	}
	names := p.EnumNames()
	return cell{}, quote(text) + " is not one of " + enumerate(names) + didYouMean(string(text), names)
}

// parseUUID reads a UUID in either case into 16 bytes.
func parseUUID(text []byte) (cell, string) {
	var id [16]byte
	var digits [32]byte
	if len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' {
		n := copy(digits[:], text[:8])
		n += copy(digits[n:], text[9:13])
		n += copy(digits[n:], text[14:18])
		n += copy(digits[n:], text[19:23])
		copy(digits[n:], text[24:])
		if _, err := hex.Decode(id[:], digits[:]); err == nil {
			return cell{text: string(id[:])}, ""
		}
	}
	return cell{}, quote(text) + " is not a uuid"
}

// uuidText writes 16 bytes as a UUID in lower case.
func uuidText(id string) string {
	if len(id) != 16 {
		return ""
	}
	var raw [16]byte
	copy(raw[:], id)
	out := make([]byte, 0, 36)
	for i, part := range [...]int{0, 4, 6, 8, 10, 16} {
		if i == 0 {
			continue
		}
		if i > 1 {
			out = append(out, '-')
		}
		out = hex.AppendEncode(out, raw[[...]int{0, 4, 6, 8, 10}[i-1]:part])
	}
	return string(out)
}

// maxDecimal is the number of digits of the longest decimal, as SQL stores
// have it.
const maxDecimal = 38

// parseDecimal reads a decimal and writes it with exactly scale digits after
// the point. Digits that would be lost are a fault.
func parseDecimal(scale int, text []byte) (cell, string) {
	whole, fraction, pointed := bytes.Cut(bytes.TrimPrefix(text, []byte("-")), []byte("."))
	if !allDigits(whole) || pointed && !allDigits(fraction) || whole[0] == '0' && len(whole) > 1 {
		return cell{}, quote(text) + " is not a decimal"
	}
	fraction = bytes.TrimRight(fraction, "0")
	if len(fraction) > scale {
		return cell{}, quote(text) + " has more than " + strconv.Itoa(scale) + " digits after the point"
	}
	if len(whole)+scale > maxDecimal {
		return cell{}, quote(text) + " has more than " + strconv.Itoa(maxDecimal) + " digits"
	}
	out := make([]byte, 0, len(whole)+scale+2)
	if text[0] == '-' && (whole[0] != '0' || len(fraction) > 0) {
		out = append(out, '-')
	}
	out = append(out, whole...)
	if scale > 0 {
		out = append(out, '.')
		out = append(out, fraction...)
		out = append(out, strings.Repeat("0", scale-len(fraction))...)
	}
	return cell{text: string(out)}, ""
}

func parseJSON(text []byte) (cell, string) {
	canonical, ok := graph.CanonicalJSON(view(text))
	if !ok {
		return cell{}, quote(text) + " is not JSON"
	}
	if c, fault := parseString(text); fault != "" {
		return c, fault
	}
	return cell{text: canonical}, ""
}

// unwritten returns the bytes of a text without copying them; they must not be
// written to.
func unwritten(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// view returns the bytes as a string without copying them: it is valid as long
// as they are not written to.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// quote shows a value in a message, cut to a readable length.
func quote[T string | []byte](text T) string {
	const most = 40
	s := string(text[:min(len(text), most)])
	if len(text) > most {
		s = strings.ToValidUTF8(s, "") + "…"
	}
	return strconv.Quote(s)
}

// enumerate lists names in a message, at most ten.
func enumerate(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// didYouMean proposes the nearest of the names, if one is near.
func didYouMean(got string, names []string) string {
	if near := schema.Suggest(got, names); len(near) > 0 {
		return "; did you mean " + strconv.Quote(near[0]) + "?"
	}
	return ""
}
