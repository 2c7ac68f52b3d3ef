package tools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// maxMistakes is how many mistakes a decoder keeps; a text with more of them
// was not written as a call.
const maxMistakes = 100

// A decoder reads the arguments of a call into a query. It knows the shape of
// arguments and nothing of the schema: names and values are for compile.Check.
//
// A mistake is reported and read over, and the query keeps its shape: an
// element that could not be read still takes its place in its list, so that
// places in the query are places in the text.
type decoder struct {
	reader
	limits *graph.Limits
	// conditions are the names that unknown fields may have been meant as.
	conditions *conditions
	errs       graph.Errors
	// path leads to the value that is being read, in its first at segments.
	// It is an array, so that a decoder needs no memory but the stack's; no
	// shape of arguments is deeper.
	path [maxPath]segment
	at   int
	// keys are the names met so far in the objects that are being read, other
	// than fields, in its first used places.
	keys [fewKeys]string
	used int
	// single is room for lists of one name, the usual length.
	single []string
	room   room
}

const (
	maxPath = 16
	// fewKeys is how many names are searched one by one for a duplicate.
	fewKeys = 16
)

// push goes to a member or element of the value being read, pop back.
func (d *decoder) push(s segment) {
	d.path[d.at] = s
	d.at++
}

func (d *decoder) pop() { d.at-- }

// last is where the value that is being read stands in what holds it.
func (d *decoder) last() segment { return d.path[d.at-1] }

// A segment is one step of a path: a member's name, or an element's index.
type segment struct {
	key   string
	index int // -1 for a member
}

// pointer is the JSON Pointer of the value that is being read.
func (d *decoder) pointer() string {
	var b strings.Builder
	for _, s := range d.path[:d.at] {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(escape.Replace(s.key))
		}
	}
	return b.String()
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// mistake reports a mistake at a pointer and returns it, for more to be said.
func (d *decoder) mistake(code graph.Code, at, message string) *graph.Error {
	e := &graph.Error{Code: code, Path: at, Message: message}
	if len(d.errs) < maxMistakes {
		d.errs = append(d.errs, e)
	}
	return e
}

// full reports whether more mistakes are not worth describing.
func (d *decoder) full() bool { return len(d.errs) >= maxMistakes }

// An object is an object that is being read.
type object struct {
	shape *shape
	key   string // of the member that is being read
	seen  uint32 // bits of the fields met
	first bool
	base  int                 // where the object's part of decoder.keys begins
	many  map[string]struct{} // the keys, once they are too many to be searched
	// strays are the mistakes of fields that rather belong into another member:
	// conditions into filters, parts of a step into relationships.
	strays []*graph.Error
}

// open begins an object of the given shape. Anything else is reported and
// skipped.
func (d *decoder) open(s *shape) (object, bool) {
	o := object{shape: s, first: true, base: d.used}
	if d.peek() != '{' {
		want := s.noun
		if d.at == 0 {
			want = "the arguments of " + s.noun + ", an object"
		}
		d.wrongType(want, '{', s.short)
		return o, false
	}
	return o, d.enter()
}

// next goes to the next member of an object, at whose value the decoder then
// stands. Members that do not belong there are reported and skipped, and so
// are, at the end, those that are missing.
func (d *decoder) next(o *object) bool {
	if !o.first {
		d.pop()
	}
	for d.failed == nil && d.more(o.first, '}') {
		o.first = false
		key, fault := d.name()
		if d.failed != nil {
			return false
		}
		if fault != "" {
			d.mistake(graph.InvalidString, d.pointer(), "the name of a member "+fault)
			d.skip()
			continue
		}
		d.push(segment{key: key, index: -1})
		if d.belongs(o, key) {
			o.key = key
			return true
		}
		d.pop()
	}
	d.used = o.base
	// A later call must not take a segment off again.
	o.first = true
	if d.failed == nil {
		d.missing(o)
		d.gather(o)
	}
	return false
}

// belongs decides what to do with a member: read it, or report and skip it.
func (d *decoder) belongs(o *object, key string) bool {
	field := -1
	if o.shape.fields != nil {
		field = o.shape.index(key)
	}
	if field < 0 {
		if d.repeated(o, key) {
			d.duplicate()
			return false
		}
		if o.shape.fields == nil {
			return true
		}
		d.unknownField(o, key)
		return false
	}
	if o.seen&(1<<field) != 0 {
		d.duplicate()
		return false
	}
	o.seen |= 1 << field
	if d.peek() == 'n' {
		e, raw := d.wrongType("a value", 0, "")
		if raw == "null" && !o.shape.isRequired(field) {
			e.Hint = "leave out what is not wanted"
			e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		}
		return false
	}
	return true
}

// repeated notes a name that is not a field, and reports whether the object
// has had it before.
func (d *decoder) repeated(o *object, key string) bool {
	if o.many == nil {
		for _, k := range d.keys[o.base:d.used] {
			if k == key {
				return true
			}
		}
		if d.used < fewKeys {
			d.keys[d.used] = key
			d.used++
			return false
		}
		o.many = make(map[string]struct{}, 4*fewKeys)
		for _, k := range d.keys[o.base:d.used] {
			o.many[k] = struct{}{}
		}
	}
	_, had := o.many[key]
	o.many[key] = struct{}{}
	return had
}

func (d *decoder) duplicate() {
	e := d.mistake(graph.DuplicateKey, d.pointer(), fmt.Sprintf("%q stands here twice", d.last().key))
	e.Hint = "an object may have each name once"
	d.skip()
}

// missing reports the required fields that an object does not have.
func (d *decoder) missing(o *object) {
	for i, field := range o.shape.fields {
		if o.shape.isRequired(i) && o.seen&(1<<i) == 0 {
			d.mistake(graph.MissingField, d.pointer()+"/"+field, fmt.Sprintf("%s needs %q", o.shape.noun, field))
		}
	}
}

// openList begins a list. Anything else is reported and skipped; elements says
// how an element that stands alone begins.
func (d *decoder) openList(noun string, elements string) bool {
	return d.openListOf(noun, elements, "")
}

// openItems begins a list of objects of the given shape, where a plain text may
// stand for an object as well.
func (d *decoder) openItems(noun string, s *shape) bool {
	return d.openListOf(noun, "{", s.short)
}

func (d *decoder) openListOf(noun, elements, short string) bool {
	c := d.peek()
	if c == '[' {
		return d.enter()
	}
	e, raw := d.wrongType(noun, '[', "")
	switch {
	case e.Fix != nil || raw == "":
	case strings.IndexByte(elements, c) >= 0:
		e.Fix = replace(e.Path, "["+raw+"]")
	case c == '"' && short != "":
		e.Fix = replace(e.Path, `[{"`+short+`":`+raw+`}]`)
	}
	return false
}

// element goes to the element of a list with the given index, if there is one.
func (d *decoder) element(i int) bool {
	if i > 0 {
		d.pop()
	}
	if d.failed != nil || !d.more(i == 0, ']') {
		return false
	}
	d.push(segment{index: i})
	return true
}

// wrongType reports a value that is not what is wanted there, skips it and
// returns its text. open is how the wanted value begins: '{', '[', '"', '0' or
// 't'. A text that holds what is wanted has it as its fix; with short, a plain
// text is the value of that field of the wanted object.
func (d *decoder) wrongType(want string, open byte, short string) (e *graph.Error, raw string) {
	c := d.peek()
	var text string
	if c == '"' {
		start := d.reader
		text, _ = d.quoted()
		d.reader.pos = start.pos
	}
	raw = d.skip()
	if d.failed != nil {
		return &graph.Error{}, ""
	}
	e = d.mistake(graph.InvalidType, d.pointer(), fmt.Sprintf("expected %s, found %s", want, kindOf(raw)))
	e.SetGot(raw)
	switch {
	case c != '"' || open == 0 || open == '"':
	case d.holds(text, open):
		e.Fix = replace(e.Path, text)
		e.Hint = "send the value itself, not a text that holds it"
	case open == '{' && short != "":
		e.Fix = replace(e.Path, `{"`+short+`":`+raw+`}`)
	}
	return e, raw
}

// holds reports whether a text is, by itself, a value that begins so.
func (d *decoder) holds(text string, open byte) bool {
	r := reader{src: text, maxDepth: d.maxDepth - d.depth}
	c := r.peek()
	if c != open && !(open == '0' && isNumber(c)) && !(open == 't' && c == 'f') {
		return false
	}
	r.skip()
	r.end()
	return r.failed == nil && (open != '0' || isInteger(strings.TrimSpace(text)))
}

// kindOf names the kind of a JSON value.
func kindOf(raw string) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return raw
	case 'n':
		return "null"
	}
	return "a number"
}

// parentOf is the pointer without its last token.
func parentOf(pointer string) string {
	return pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
}

// replace is the patch that puts a JSON text in the place of a value.
func replace(at, text string) []graph.Patch {
	return []graph.Patch{{Op: "replace", Path: at, Value: json.RawMessage(text)}}
}
