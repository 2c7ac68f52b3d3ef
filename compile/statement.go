package compile

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Statement is one SQL statement of a plan's shape: its text, where its
// arguments come from, and what its columns hold. It serves every plan of that
// shape.
type Statement struct {
	Args   []Arg
	Fields []Field

	dialect *Dialect
	text    string
	// page is the slot of the limit that is to stand in the text after so many bytes;
	// noSlot where it is an argument, or there is none.
	page  Slot
	after int
}

// Text is the statement's text for a plan's values. These are in none of it, with one
// exception: an engine that plans a statement anew for a limit that is an argument
// (DuckDB) has in its place the least power of two that is above the page's limit.
// Rows after those asked for are then not to be read.
func (s *Statement) Text(params []graph.Value) string {
	if s.page == noSlot {
		return s.text
	}
	return s.text[:s.after] + strconv.Itoa(listClass(int(params[s.page].Int())+1)) + s.text[s.after:]
}

// A Field is a column of a statement's result: a value of a property's type.
type Field struct {
	Type *schema.Property
	// Ordinal says that an enum comes as its position in the declared order.
	Ordinal bool
	// Orders says that the field is there for the order alone, in which undeclared
	// values of an enum come after the declared ones.
	Orders bool
	// Micros says that a date or an instant comes as its number of microseconds
	// since 1970, in UTC.
	Micros bool
	// Owner is the label or relationship type that has the property, and Key
	// the fields of the node's key, for errors about the value. What a search is
	// ranked by has no Owner; relationships, columns of aggregates and parts of
	// keys have no Key.
	Owner string
	Key   []int
	// Sum is the place of the aggregation whose sum this is, which may not fit.
	Sum string
}

// An ArgUse says how an argument is made from its value.
type ArgUse uint8

const (
	useAsIs     ArgUse = iota
	useStored          // an enum's label as it is stored
	useOrdinal         // an enum's label as its position
	useContains        // a LIKE pattern
	useStarts
	useEnds
	useLength   // the number of a text's characters
	useProbe    // a limit and one more
	useGreatest // the last of a range, of which the value as it is would be the first
	useKey      // a part of a key that the driver supplies
	useList     // all keys of a list that the driver supplies, as one JSON array
	useValues   // the values from a slot on, as one JSON array
)

// An Arg is where one argument of a statement comes from.
type Arg struct {
	slot     Slot
	use      ArgUse
	property *schema.Property // its type; nil for plain values
	constant graph.Value      // where slot is negative
	key      int              // with useKey: which of the supplied values; with useList: of which list; with useValues: how many,
	parts    int              // in keys of so many parts
	inOrder  bool             // bound in the dialect's ordered form
	ranged   bool             // bound as an end of the dialect's range
	// backslash says that it escapes what is a wildcard of LIKE; else ! does.
	backslash bool
}

const noSlot Slot = -1

// Bind makes the arguments of one execution: what the driver binds, and what
// an answer shows. lists are the keys for those arguments that the driver of the
// program supplies: one list, and for the meeting of a search a second one. Without
// them these arguments are empty, of a statement that is only shown.
func (s *Statement) Bind(params []graph.Value, lists ...[]graph.Value) ([]any, []graph.Parameter) {
	args := make([]any, len(s.Args))
	shown := make([]graph.Parameter, len(s.Args))
	for i, a := range s.Args {
		v := a.value(params, lists)
		switch {
		case a.inOrder && !v.IsNull():
			args[i] = s.dialect.inOrderArg(a.property, v)
		case a.ranged && !v.IsNull():
			least, greatest := s.dialect.ranges[a.property.Type](a.property, v)
			if args[i] = least; a.use == useGreatest {
				args[i] = greatest
			}
		default:
			args[i] = s.dialect.encode(v)
		}
		shown[i] = graph.Parameter{Position: i + 1, Type: a.typeName(), Value: v}
	}
	return args, shown
}

func (a *Arg) typeName() string {
	switch {
	case a.use == useOrdinal || a.use == useProbe || a.use == useLength:
		return "int64"
	case a.use == useList || a.use == useValues:
		return "list"
	case a.property == nil:
		return "string" // the fixed columns of shared tables
	case a.property.Type == schema.Enum:
		if len(a.property.Values) > 0 && a.property.Values[0].IsInt {
			return "int64"
		}
		return "string"
	}
	return a.property.Type.String()
}

func (a *Arg) value(params []graph.Value, lists [][]graph.Value) graph.Value {
	v := a.constant
	var keys []graph.Value
	if list := a.list(); list < len(lists) {
		keys = lists[list]
	}
	switch {
	case a.use == useList:
		return graph.String(keyList(keys, a.parts))
	case a.use == useValues:
		list := make([]graph.Value, a.key)
		for i := range list {
			list[i] = a.listed(params[int(a.slot)+i])
		}
		return graph.String(keyList(list, a.parts))
	case a.use == useKey && len(keys) == 0: // a statement that is only shown
		return graph.Null()
	case a.use == useKey:
		i := a.key
		if i >= len(keys) { // a list is filled up with its last key
			i = len(keys) - a.parts + i%a.parts
		}
		v = keys[i]
	case a.slot >= 0:
		v = params[a.slot]
	}
	switch a.use {
	case useProbe:
		return graph.Int(v.Int() + 1)
	case useContains:
		return graph.String("%" + a.escaped(v.Text()) + "%")
	case useStarts:
		return graph.String(a.escaped(v.Text()) + "%")
	case useEnds:
		return graph.String("%" + a.escaped(v.Text()))
	case useLength:
		return graph.Int(int64(utf8.RuneCountInString(v.Text())))
	case useOrdinal:
		return graph.Int(int64(a.property.EnumIndex(v.Text())))
	}
	if a.property != nil && a.property.Type == schema.Enum && a.use != useOrdinal {
		return storedEnum(a.property, v)
	}
	return v
}

// list is which of the driver's lists the argument is of.
func (a *Arg) list() int {
	if a.use == useList {
		return a.key
	}
	return 0
}

// listed is an item of a list as it is stored: a decimal with all the digits of
// its scale, so that equal ones are equal texts.
func (a *Arg) listed(v graph.Value) graph.Value {
	switch {
	case a.property == nil:
		return v
	case a.property.Type == schema.Enum:
		return storedEnum(a.property, v)
	case a.property.Type == schema.Decimal:
		return graph.Decimal(scaled(v.Text(), a.property.Scale))
	}
	return v
}

// keyList writes keys as a JSON array: of texts, or of arrays of texts for keys
// of several parts. Numbers are texts, too, because some engines read those of
// JSON as floats.
func keyList(keys []graph.Value, parts int) string {
	b := []byte{'['}
	for i, v := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if parts > 1 && i%parts == 0 {
			b = append(b, '[')
		}
		b = graph.AppendJSONString(b, v.Text())
		if parts > 1 && i%parts == parts-1 {
			b = append(b, ']')
		}
	}
	return string(append(b, ']'))
}

// escaped escapes the two wildcards of LIKE, and the escape itself.
func (a *Arg) escaped(text string) string {
	if a.backslash {
		return backslashEscaper.Replace(text)
	}
	return likeEscaper.Replace(text)
}

var (
	likeEscaper      = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")
	backslashEscaper = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)
)

func storedEnum(p *schema.Property, v graph.Value) graph.Value {
	if i := p.EnumIndex(v.Text()); i >= 0 && p.Values[i].IsInt {
		return graph.Int(p.Values[i].Int)
	}
	return v
}
