package bundle

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A violation is one thing by which a value does not have the form that a
// schema asks for.
type violation struct {
	at   []string // tokens that lead to the value
	name string   // of a member that is too many, or missing
	text string
	hint string
	near []string
	// instead is the hint for a text that is none of JSON's other values, which
	// unquote would not help.
	instead string
	// lost says that at may be overwritten: the library gives the place of a name
	// that is not allowed in memory that it goes on using. Its length is right.
	lost bool
}

const unquote = "take the quotes away"

// settle finds the place of a name that is not allowed.
func (v *violation) settle(root *node) {
	if !v.lost || root.find(v.at).member(v.name) != nil {
		return
	}
	if at := root.holder(v.name, len(v.at)); at != nil {
		v.at = at
	}
}

func (v *violation) pointer(base string) string {
	base = graph.Pointer(base, v.at...)
	if v.name != "" {
		base = graph.Pointer(base, v.name)
	}
	return base
}

// place is where the violation stands: at the value, or at a name that is too
// many.
func (v *violation) place(root *node) *node {
	n := root.find(v.at)
	if m := n.member(v.name); v.name != "" && m != nil {
		return m.at()
	}
	return n
}

// violations lists what is wrong with a value. Names are the members that a
// schema at a place of its file lists, for suggestions.
func violations(err *jsonschema.ValidationError, names func(url string) []string) []violation {
	w := violator{names: names, seen: map[string]bool{}}
	w.walk(err)
	return w.list
}

type violator struct {
	list  []violation
	names func(url string) []string
	seen  map[string]bool // the same is told once, however many schemas say it
}

func (w *violator) add(err *jsonschema.ValidationError, format string, args ...any) *violation {
	return w.named(err, "", format, args...)
}

func (w *violator) named(err *jsonschema.ValidationError, name, format string, args ...any) *violation {
	v := violation{at: err.InstanceLocation, name: name, text: fmt.Sprintf(format, args...)}
	key := v.pointer("") + "\x00" + v.text
	if w.seen[key] || len(w.list) > maxProblems {
		return &v
	}
	w.seen[key] = true
	w.list = append(w.list, v)
	return &w.list[len(w.list)-1]
}

func (w *violator) walk(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.AnyOf:
		w.alternatives(err, "anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) == 2 {
			w.add(err, "it fits more than one alternative of %q, those with the numbers %d and %d", "oneOf", k.Subschemas[0], k.Subschemas[1])
		} else {
			w.alternatives(err, "oneOf")
		}
	case *kind.Contains, *kind.MinContains:
		w.leaf(err) // why each item does not fit says nothing
	case *kind.PropertyNames:
		v := w.named(err, k.Property, "%q is no name that is allowed here", short(k.Property))
		v.lost = true
		for _, why := range err.Causes {
			inner := violator{seen: map[string]bool{}}
			inner.walk(why)
			if len(inner.list) > 0 {
				v.hint = inner.list[0].text
			}
		}
	default:
		if len(err.Causes) == 0 {
			w.leaf(err)
		}
		for _, cause := range err.Causes {
			w.walk(cause)
		}
	}
}

// alternatives tells of the one alternative that was meant, if that is clear:
// the only one whose type fits.
func (w *violator) alternatives(err *jsonschema.ValidationError, keyword string) {
	var types []string
	var others []*jsonschema.ValidationError
	for _, cause := range err.Causes {
		leaf := cause
		for len(leaf.Causes) == 1 {
			leaf = leaf.Causes[0]
		}
		if t, ok := leaf.ErrorKind.(*kind.Type); ok && len(leaf.InstanceLocation) == len(err.InstanceLocation) {
			types = append(types, t.Want...)
		} else {
			others = append(others, cause)
		}
	}
	switch {
	case len(others) == 0 && len(types) > 0:
		slices.Sort(types)
		w.add(err, "it is not %s", strings.Join(slices.Compact(types), " or "))
	case len(others) == 1:
		w.walk(others[0])
	default:
		w.add(err, "it fits none of the %d alternatives of %q", len(err.Causes), keyword)
	}
}

// leaf tells of one keyword.
func (w *violator) leaf(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.Type:
		v := w.add(err, "it is %s, not %s", k.Got, strings.Join(k.Want, " or "))
		switch {
		case slices.Contains(k.Want, "string") && (k.Got == "number" || k.Got == "boolean" || k.Got == "integer"):
			v.hint = "put it into quotes"
		case k.Got == "string" && !slices.Contains(k.Want, "array") && !slices.Contains(k.Want, "object"):
			v.hint = unquote
			if slices.Contains(k.Want, "boolean") {
				v.instead = "write true or false"
			}
		case slices.Contains(k.Want, "array") && !slices.Contains(k.Want, "string"):
			v.hint = "a list, even of one"
		}
	case *kind.Enum:
		v := w.add(err, "%s is not one of %s", told(k.Got), toldAll(k.Want))
		if s, ok := k.Got.(string); ok {
			v.near = schema.Suggest(s, stringsOf(k.Want))
		}
	case *kind.Const:
		w.add(err, "%s is not %s, which alone is allowed", told(k.Got), told(k.Want))
	case *kind.Required:
		for _, name := range k.Missing {
			w.named(err, name, "%q is missing", short(name))
		}
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			w.named(err, name, "%q is missing: where there is %q it must be too", short(name), short(k.Prop))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			w.unknown(err, err.InstanceLocation, name)
		}
	case *kind.FalseSchema:
		n := len(err.InstanceLocation)
		if n > 0 && (strings.HasSuffix(err.SchemaURL, "/unevaluatedProperties") || strings.HasSuffix(err.SchemaURL, "/additionalProperties")) {
			w.unknown(err, err.InstanceLocation[:n-1], err.InstanceLocation[n-1])
			return
		}
		w.add(err, "nothing is allowed here")
	case *kind.Not:
		w.add(err, "it has the form that %q excludes", "not")
	case *kind.Pattern:
		w.add(err, "%s does not match %s", told(k.Got), k.Want)
	case *kind.MinLength:
		w.add(err, "it has %s, and at least %d are needed", count(k.Got, "character"), k.Want)
	case *kind.MaxLength:
		w.add(err, "it has %s, and at most %d are allowed", count(k.Got, "character"), k.Want)
	case *kind.MinItems:
		w.add(err, "it has %s, and at least %d are needed", count(k.Got, "item"), k.Want)
	case *kind.MaxItems:
		w.add(err, "it has %s, and at most %d are allowed", count(k.Got, "item"), k.Want)
	case *kind.MinProperties:
		w.add(err, "it has %s, and at least %d are needed", count(k.Got, "member"), k.Want)
	case *kind.MaxProperties:
		w.add(err, "it has %s, and at most %d are allowed", count(k.Got, "member"), k.Want)
	case *kind.UniqueItems:
		i, j := k.Duplicates[0], k.Duplicates[1]
		w.add(err, "the items %d and %d are the same", min(i, j), max(i, j))
	case *kind.Contains:
		w.add(err, "no item has the form that %q asks for", "contains")
	case *kind.MinContains:
		w.add(err, "%s of the form that %q asks for, and at least %d are needed", count(len(k.Got), "item"), "contains", k.Want)
	case *kind.MaxContains:
		w.add(err, "%s of the form that %q asks for, and at most %d are allowed", count(len(k.Got), "item"), "contains", k.Want)
	case *kind.Minimum:
		w.add(err, "%s is less than %s", ratio(k.Got), ratio(k.Want))
	case *kind.Maximum:
		w.add(err, "%s is greater than %s", ratio(k.Got), ratio(k.Want))
	case *kind.ExclusiveMinimum:
		w.add(err, "%s is not greater than %s", ratio(k.Got), ratio(k.Want))
	case *kind.ExclusiveMaximum:
		w.add(err, "%s is not less than %s", ratio(k.Got), ratio(k.Want))
	case *kind.MultipleOf:
		w.add(err, "%s is no multiple of %s", ratio(k.Got), ratio(k.Want))
	case *kind.Format:
		w.add(err, "%s has not the format %q", told(k.Got), k.Want)
	default:
		w.add(err, "it does not have the form that the schema asks for")
	}
}

// unknown tells of a member that is too many.
func (w *violator) unknown(err *jsonschema.ValidationError, object []string, name string) {
	at := *err
	at.InstanceLocation = object
	v := w.named(&at, name, "there is no property %q", short(name))
	if w.names == nil {
		return
	}
	known := w.names(err.SchemaURL)
	if v.near = schema.Suggest(name, known); v.near == nil && len(known) > 0 {
		v.hint = "there are " + some(known)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// told is a value for a message.
func told(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(short(x))
	case json.Number:
		return x.String()
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(x)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "it"
	}
	return short(string(out))
}

func toldAll(values []any) string {
	const most = 20
	out := make([]string, 0, most)
	for i, v := range values {
		if i == most {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(values)-most)
		}
		out = append(out, told(v))
	}
	return strings.Join(out, ", ")
}

func stringsOf(values []any) []string {
	var out []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// ratio writes a number without needless digits.
func ratio(r *big.Rat) string {
	if r.IsInt() {
		return short(r.RatString())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
