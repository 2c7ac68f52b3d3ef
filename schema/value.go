package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// Coerce gives a value the property's type. It never guesses: what does not
// have the type is an error, with a fix where there is only one thing that can
// have been meant. Only a number for a float is rounded, as every float is.
// Paths are relative to the value. text allows a canonical text in the place of
// a number.
func (p *Property) Coerce(v graph.Value, text bool) (graph.Value, *graph.Error) {
	if e := CheckText(v); e != nil {
		return v, e
	}
	switch p.Type {
	case Int32, Int64:
		return coerceInt(p, v, text)
	case Float:
		return coerceFloat(p, v, text)
	case Decimal:
		return coerceDecimal(p, v)
	case Bool:
		if v.Kind() == graph.KindBool {
			return v, nil
		}
		if s := v.Text(); s == "true" || s == "false" {
			if text {
				return graph.Bool(s == "true"), nil
			}
			return v, mismatch(p, v, "true or false", s == "true")
		}
		return v, mismatch(p, v, "true or false", truthWords[strings.ToLower(v.Text())])
	case String:
		if v.Kind() == graph.KindString {
			return v, nil
		}
		if k := v.Kind(); k == graph.KindNumber || k == graph.KindInt || k == graph.KindBool {
			return v, mismatch(p, v, "a text", v.Text())
		}
		return v, mismatch(p, v, "a text", nil)
	case Enum:
		return coerceEnum(p, v)
	case UUID:
		return coerceUUID(p, v)
	case Date:
		return coerceDate(p, v)
	case DateTime:
		return coerceDateTime(p, v)
	}
	return v, mismatch(p, v, "nothing to compare with", nil)
}

// truthWords are what is written for true and false, for fixes only.
var truthWords = map[string]any{"true": true, "yes": true, "1": true, "false": false, "no": false, "0": false}

// CheckText reports a text that no store can be trusted to keep as it is: the
// decoder of tool calls lets none through, but Go code may hold one.
func CheckText(v graph.Value) *graph.Error {
	if v.Kind() != graph.KindString {
		return nil
	}
	switch s := v.Text(); {
	case !utf8.ValidString(s):
		return &graph.Error{Code: graph.InvalidString, Message: "a text must be valid UTF-8"}
	case strings.IndexByte(s, 0) >= 0:
		return &graph.Error{Code: graph.InvalidString, Message: "a text must not hold the character NUL"}
	}
	return nil
}

// mismatch reports a value of the wrong type; a fix that is not nil is the
// value that was meant.
func mismatch(p *Property, v graph.Value, want string, fix any) *graph.Error {
	e := &graph.Error{Code: graph.InvalidType}
	e.SetGot(v.String())
	e.Message = fmt.Sprintf("%q is of type %s and takes %s, not %s", p.Name, p.Type, want, e.Got)
	if fix != nil {
		e.Fix = []graph.Patch{{Op: "replace", Value: fix}}
	}
	return e
}

func outOfRange(p *Property, v graph.Value, want string) *graph.Error {
	e := &graph.Error{Code: graph.OutOfRange}
	e.SetGot(v.String())
	e.Message = fmt.Sprintf("%s is out of range for %q: %s", e.Got, p.Name, want)
	return e
}

// integerText reports whether s is an integer in its one canonical form.
func integerText(s string) bool {
	d := strings.TrimPrefix(s, "-")
	if d == "" || len(d) > 1 && d[0] == '0' || d == "0" && s != "0" {
		return false
	}
	for i := range len(d) {
		if d[i] < '0' || d[i] > '9' {
			return false
		}
	}
	return true
}

func coerceInt(p *Property, v graph.Value, text bool) (graph.Value, *graph.Error) {
	var n int64
	switch v.Kind() {
	case graph.KindInt:
		n = v.Int()
	case graph.KindNumber, graph.KindString:
		s := v.Text()
		if v.Kind() == graph.KindString && !text {
			if integerText(s) {
				return v, mismatch(p, v, "an integer", json.Number(s))
			}
			return v, mismatch(p, v, "an integer", nil)
		}
		if !integerText(s) {
			if f, err := strconv.ParseFloat(s, 64); v.Kind() == graph.KindNumber && err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
				return v, mismatch(p, v, "an integer, without point or exponent", int64(f))
			}
			if digits := strings.TrimLeftFunc(s, func(c rune) bool { return c < '0' || c > '9' }); v.Kind() == graph.KindString && integerText(digits) {
				return v, mismatch(p, v, "an integer", json.Number(digits)) // such as #7 or issue:7
			}
			return v, mismatch(p, v, "an integer", nil)
		}
		var err error
		if n, err = strconv.ParseInt(s, 10, 64); err != nil {
			return v, outOfRange(p, v, "an integer of 64 bits")
		}
	default:
		return v, mismatch(p, v, "an integer", nil)
	}
	if p.Type == Int32 && int64(int32(n)) != n {
		return v, outOfRange(p, v, "an integer of 32 bits")
	}
	return graph.Int(n), nil
}

func coerceFloat(p *Property, v graph.Value, text bool) (graph.Value, *graph.Error) {
	switch v.Kind() {
	case graph.KindFloat:
		return v, nil
	case graph.KindInt:
		return graph.Float(float64(v.Int())), nil
	case graph.KindNumber, graph.KindString:
		if v.Kind() == graph.KindString && !text {
			if json.Valid([]byte(v.Text())) && !strings.ContainsAny(v.Text(), "\"[{tfn") {
				return v, mismatch(p, v, "a number", json.Number(strings.TrimSpace(v.Text())))
			}
			return v, mismatch(p, v, "a number", nil)
		}
		f, err := strconv.ParseFloat(v.Text(), 64)
		if math.IsInf(f, 0) {
			return v, outOfRange(p, v, "a float of 64 bits")
		}
		if err != nil || math.IsNaN(f) {
			return v, mismatch(p, v, "a number", nil)
		}
		return graph.Float(f), nil
	}
	return v, mismatch(p, v, "a number", nil)
}

// The digits that a decimal may have before and after the point: what every
// store can compare exactly.
const (
	decimalWhole    = 35
	decimalFraction = 30
)

func coerceDecimal(p *Property, v graph.Value) (graph.Value, *graph.Error) {
	switch v.Kind() {
	case graph.KindNumber, graph.KindString, graph.KindInt, graph.KindDecimal, graph.KindFloat:
	default:
		return v, mismatch(p, v, "a decimal number or its text", nil)
	}
	s := v.Text()
	if !decimalText(s) || v.Kind() == graph.KindString && strings.ContainsAny(s, "eE") {
		return v, mismatch(p, v, "a decimal number or its text", nil)
	}
	if exp := strings.IndexAny(s, "eE"); exp >= 0 {
		if n, err := strconv.Atoi(s[exp+1:]); err != nil || n > decimalWhole || n < -decimalFraction {
			return v, outOfRange(p, v, "a decimal of at most 35 digits before and 30 after the point")
		}
		r, _ := new(big.Rat).SetString(s)
		s = strings.TrimRight(strings.TrimRight(r.FloatString(decimalFraction+decimalWhole), "0"), ".")
	}
	digits := strings.TrimPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(strings.TrimLeft(whole, "0")) > decimalWhole || len(strings.TrimRight(fraction, "0")) > decimalFraction {
		return v, outOfRange(p, v, "a decimal of at most 35 digits before and 30 after the point")
	}
	if strings.Trim(digits, "0.") == "" {
		s = digits // no negative zero
	}
	return graph.Decimal(s), nil
}

// decimalText reports whether s is a number as JSON writes it; big.Rat reads
// more than that.
func decimalText(s string) bool {
	return s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9') && json.Valid([]byte(s))
}

func coerceEnum(p *Property, v graph.Value) (graph.Value, *graph.Error) {
	s := v.Text()
	if v.Kind() == graph.KindString && p.EnumIndex(s) >= 0 {
		return v, nil
	}
	for _, ev := range p.Values {
		if ev.IsInt && strconv.FormatInt(ev.Int, 10) == s && v.Kind() != graph.KindString {
			return v, mismatch(p, v, "the name of a value", ev.Name)
		}
	}
	if v.Kind() != graph.KindString {
		return v, mismatch(p, v, "one of "+strings.Join(p.EnumNames(), ", "), nil)
	}
	e := &graph.Error{Code: graph.InvalidEnum, DidYouMean: Suggest(s, p.EnumNames())}
	e.SetGot(s)
	e.SetAllowed(p.EnumNames())
	e.Message = fmt.Sprintf("%q is not a value of %q; use one of %s", e.Got, p.Name, strings.Join(e.Allowed, ", "))
	if len(e.DidYouMean) > 0 {
		e.Fix = []graph.Patch{{Op: "replace", Value: e.DidYouMean[0]}}
	}
	return v, e
}

func coerceUUID(p *Property, v graph.Value) (graph.Value, *graph.Error) {
	s := v.Text()
	isText := v.Kind() == graph.KindUUID || v.Kind() == graph.KindString
	if isText && uuidText(s) {
		return graph.UUID(s), nil
	}
	if low := strings.ToLower(s); isText && uuidText(low) {
		return v, mismatch(p, v, "a UUID in lower case", low)
	}
	return v, mismatch(p, v, "a UUID such as 00000000-0000-4000-8000-000000000000", nil)
}

func uuidText(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

const wantDate = "a date such as \"2026-11-21\""

func coerceDate(p *Property, v graph.Value) (graph.Value, *graph.Error) {
	switch v.Kind() {
	case graph.KindDate:
		if y := v.Time().Year(); y < 1 || y > 9999 {
			return v, outOfRange(p, v, "years 1 to 9999")
		}
		return v, nil
	case graph.KindDateTime:
		e := mismatch(p, v, wantDate, nil)
		e.Hint = "graph.Date makes one of a time.Time"
		return v, e
	case graph.KindString:
		if d, ok := ParseDate(v.Text()); ok {
			return d, nil
		}
		if t, ok := GuessTime(v.Text()); ok {
			return v, mismatch(p, v, wantDate, t.Format(time.DateOnly))
		}
	}
	return v, mismatch(p, v, wantDate, nil)
}

// ParseDate reads a date such as 2026-11-21, of the years 1 to 9999.
func ParseDate(s string) (graph.Value, bool) {
	if len(s) != len(time.DateOnly) {
		return graph.Value{}, false
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1 {
		return graph.Value{}, false
	}
	return graph.Date(t), true
}

const wantDateTime = "an instant such as \"2026-11-21T09:30:00Z\""

func coerceDateTime(p *Property, v graph.Value) (graph.Value, *graph.Error) {
	switch v.Kind() {
	case graph.KindDateTime:
		if y := v.Time().Year(); y < 1 || y > 9999 {
			return v, outOfRange(p, v, "years 1 to 9999")
		}
		return v, nil
	case graph.KindString:
		if t, ok := ParseDateTime(v.Text()); ok {
			if y := t.UTC().Year(); y < 1 || y > 9999 {
				return v, outOfRange(p, v, "years 1 to 9999")
			}
			return graph.DateTime(t), nil
		}
		if t, ok := GuessTime(v.Text()); ok {
			return v, mismatch(p, v, wantDateTime, t.UTC().Format(time.RFC3339))
		}
	case graph.KindNumber, graph.KindInt:
		if t, ok := guessUnix(v.Text()); ok {
			return v, mismatch(p, v, wantDateTime, t.UTC().Format(time.RFC3339Nano))
		}
	}
	return v, mismatch(p, v, wantDateTime, nil)
}

// ParseDateTime reads an RFC 3339 instant with an offset and at most six digits
// of a second. time.Parse alone would also take lower case, a comma and more
// digits.
func ParseDateTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' || strings.ContainsAny(s, ",tz") {
		return time.Time{}, false
	}
	if s[19] == '.' {
		digits := 0
		for _, c := range s[20:] {
			if c < '0' || c > '9' {
				break
			}
			digits++
		}
		if digits > 6 {
			return time.Time{}, false
		}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}

// guessLayouts are forms in which people and models write times, for fixes only.
var guessLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", time.DateOnly, "2006/01/02", "20060102", "2006-1-2",
	"January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006",
	"January 2, 2006 15:04", "Jan 2, 2006 15:04", "2 January 2006 15:04", "2 Jan 2006 15:04",
	time.RFC1123, time.RFC1123Z, "2006-01", "2006", "2.1.2006", "2.1.2006 15:04",
}

// guessUnix reads seconds, or milliseconds, since 1970, of the years 1973 to 5138.
func guessUnix(text string) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 1e8 || n >= 1e14:
		return time.Time{}, false
	case n < 1e11:
		return time.Unix(n, 0), true
	}
	return time.UnixMilli(n), true
}

// GuessTime reads the forms in which people and models write times: good for
// a suggestion, never for a value.
func GuessTime(s string) (time.Time, bool) {
	if len(s) > 64 {
		return time.Time{}, false
	}
	for _, layout := range guessLayouts {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t, true
		}
	}
	// With slashes, day and month can only be told apart where one is over 12.
	dayFirst, err1 := time.Parse("2/1/2006", s)
	monthFirst, err2 := time.Parse("1/2/2006", s)
	switch {
	case err1 == nil && err2 != nil:
		return dayFirst, true
	case err2 == nil && err1 != nil:
		return monthFirst, true
	}
	return time.Time{}, false
}

// CoerceKey gives an id, as a call has it or graph.KeyText writes it, the types
// of the label's key: a value for each part. Paths in the error are relative to
// the id.
func (l *Label) CoerceKey(id graph.Value) ([]graph.Value, *graph.Error) {
	if len(l.Key) == 1 {
		v, e := keyPart(l.Key[0], id)
		return []graph.Value{v}, e
	}
	want := func() *graph.Error {
		e := &graph.Error{Code: graph.InvalidType}
		e.SetGot(id.String())
		e.Message = fmt.Sprintf("the key of %s has %d parts: an id is a list of them, or that list as a JSON text", l.Name, len(l.Key))
		return e
	}
	parts := id.List()
	if id.Kind() == graph.KindString {
		var texts []any
		d := json.NewDecoder(strings.NewReader(id.Text()))
		d.UseNumber()
		if d.Decode(&texts) != nil || d.More() {
			return nil, want()
		}
		for _, t := range texts {
			parts = append(parts, graph.Of(t))
		}
		if string(graph.List(parts...).AppendJSON(nil)) != id.Text() {
			return nil, want() // not the compact form
		}
	}
	if len(parts) != len(l.Key) {
		return nil, want()
	}
	out := make([]graph.Value, len(parts))
	for i, part := range parts {
		v, e := keyPart(l.Key[i], part)
		if e != nil {
			if id.Kind() == graph.KindList {
				e.Path = "/" + strconv.Itoa(i)
				for j := range e.Fix {
					e.Fix[j].Path = e.Path
				}
			} else {
				e.Fix = nil
			}
			return nil, e
		}
		out[i] = v
	}
	return out, nil
}

// keyPart reads one part of a key: a value of its type, or that value's text.
func keyPart(p *Property, v graph.Value) (graph.Value, *graph.Error) {
	if v.IsNull() || v.Kind() == graph.KindList {
		return v, mismatch(p, v, "one value", nil)
	}
	return p.Coerce(v, true)
}
