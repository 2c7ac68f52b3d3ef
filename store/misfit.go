package store

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/schema"
)

// errValue says that a stored value does not fit its declared type, and in what way,
// but never the value itself.
func errValue(p *schema.Property, raw any) error {
	return fmt.Errorf("property %q: the stored value does not fit %s: it is %s", p.Name, p.Type, misfit(p, raw))
}

// misfit says what a value is that does not fit a type.
func misfit(p *schema.Property, raw any) string {
	switch v := raw.(type) {
	case string:
		return misfitText(p, v)
	case float64:
		return misfitFloat(p, v)
	case float32:
		return misfitFloat(p, float64(v))
	case int64, uint64:
		return misfitNumber(p)
	case time.Time:
		if p.Type == schema.Date || p.Type == schema.DateTime {
			return "of a year before 1 or after 9999"
		}
		return "a time"
	case bool:
		return "true or false"
	case nil:
		return "null"
	}
	return "of another type"
}

func misfitText(p *schema.Property, text string) string {
	word := strings.ToLower(strings.TrimLeft(text, "+-"))
	infinite := word == "infinity" || word == "inf"
	switch p.Type {
	case schema.Date, schema.DateTime:
		switch {
		case infinite:
			return "infinity"
		case strings.HasPrefix(text, "0000-00-00"):
			return "a zero date"
		case len(text) > 4 && strings.Trim(text[:4], "0123456789") == "" && (strings.HasPrefix(text, "0000") || '0' <= text[4] && text[4] <= '9'):
			return "of a year before 1 or after 9999"
		}
		return "a text that is no " + p.Type.String() + ", or not in the form that is expected"
	case schema.UUID:
		return "a text that is no UUID"
	case schema.JSON:
		return "a text that is no JSON"
	case schema.Enum:
		return "none of the declared values"
	case schema.Bool:
		return "a text"
	case schema.Int32, schema.Int64, schema.Float, schema.Decimal:
		switch {
		case infinite:
			return "infinity"
		case word == "nan":
			return "NaN"
		case word != "" && strings.Trim(word, "0123456789.") == "":
			return misfitNumber(p)
		}
		return "a text that is no number"
	}
	if !utf8.ValidString(text) {
		return "a text that is not UTF-8"
	}
	return "a text"
}

func misfitFloat(p *schema.Property, f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return "infinity"
	}
	return misfitNumber(p)
}

func misfitNumber(p *schema.Property) string {
	switch p.Type {
	case schema.Int32, schema.Int64:
		return "a number that is out of its range, or no whole one"
	case schema.Decimal:
		return fmt.Sprintf("a number with more than %d digits after the point, or so many that some may be lost", p.Scale)
	case schema.Bool:
		return "a number other than 0 and 1"
	case schema.Enum:
		return "none of the declared values"
	}
	return "a number"
}

// notANumber reports whether what a sum came to says that something that was added is
// no number: NaN, or an infinity among numbers that have an end.
func notANumber(p *schema.Property, raw any) bool {
	switch v := raw.(type) {
	case []byte:
		return notANumber(p, string(v))
	case fmt.Stringer:
		return notANumber(p, v.String())
	case string:
		word := strings.ToLower(strings.TrimLeft(v, "+-"))
		return word == "nan" || p.Type != schema.Float && strings.HasPrefix(word, "inf")
	case float64:
		return math.IsNaN(v)
	}
	return false
}
