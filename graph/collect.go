package graph

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"time"
)

// A Collector is a Writer that keeps everything in a Result.
type Collector struct{ Result *Result }

var _ Writer = Collector{}

// Node implements Writer.
func (c Collector) Node(n *Node) error {
	kept := *n
	kept.Properties = append([]Property(nil), n.Properties...)
	kept.Cut = append([]CutText(nil), n.Cut...)
	c.Result.Nodes = append(c.Result.Nodes, kept)
	return nil
}

// Relationship implements Writer.
func (c Collector) Relationship(r *Relationship) error {
	kept := *r
	kept.Properties = append([]Property(nil), r.Properties...)
	kept.Cut = append([]CutText(nil), r.Cut...)
	c.Result.Relationships = append(c.Result.Relationships, kept)
	return nil
}

// Path implements Writer.
func (c Collector) Path(p *Path) error {
	kept := *p
	kept.Nodes = append([]NodeKey(nil), p.Nodes...)
	kept.Relationships = append([]int(nil), p.Relationships...)
	c.Result.Paths = append(c.Result.Paths, kept)
	return nil
}

// Columns implements Writer.
func (c Collector) Columns(cols []Column) error {
	c.Result.Columns = append([]Column(nil), cols...)
	return nil
}

// Row implements Writer.
func (c Collector) Row(values []Value) error {
	c.Result.Rows = append(c.Result.Rows, append([]Value(nil), values...))
	return nil
}

// JSON implements Writer.
func (c Collector) JSON() *JSONWriter { return nil }

// Answers yields the nodes that were asked for, without those that only
// connect them.
func (r *Result) Answers() iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) {
		for i := range r.Nodes[:min(r.Returned, len(r.Nodes))] {
			if !yield(i, &r.Nodes[i]) {
				return
			}
		}
	}
}

// ScanNodes returns the answer's nodes as values of the struct type T. A field
// takes the property that its tag `graph:"name"` names, or the property of the
// field's name, case aside; the fields tagged "@label", "@id" and "@distance"
// take those. A null property leaves its field at zero or nil. A property that
// does not fit its field is an error that names both.
func ScanNodes[T any](r *Result) ([]T, error) {
	out := make([]T, 0, r.Returned)
	for _, n := range r.Answers() {
		var t T
		err := scan(reflect.ValueOf(&t).Elem(), func(name string) (Value, bool) {
			switch name {
			case "@label":
				return String(n.Label), true
			case "@id":
				return String(n.ID), true
			case "@distance":
				return Int(int64(n.Distance)), true
			}
			return lookup(n.Properties, name)
		})
		if err != nil {
			return nil, fmt.Errorf("graph: %s %q: %w", n.Label, n.ID, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// ScanRows returns the rows of an aggregate as values of the struct type T,
// with columns in the place of properties; see ScanNodes.
func ScanRows[T any](r *Result) ([]T, error) {
	out := make([]T, 0, len(r.Rows))
	for i, row := range r.Rows {
		var t T
		err := scan(reflect.ValueOf(&t).Elem(), func(name string) (Value, bool) {
			for j, c := range r.Columns {
				if strings.EqualFold(c.Name, name) {
					return row[j], true
				}
			}
			return Value{}, false
		})
		if err != nil {
			return nil, fmt.Errorf("graph: row %d: %w", i, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func lookup(props []Property, name string) (Value, bool) {
	for _, p := range props {
		if strings.EqualFold(p.Name, name) {
			return p.Value, true
		}
	}
	return Value{}, false
}

func scan(dst reflect.Value, get func(name string) (Value, bool)) error {
	if dst.Kind() != reflect.Struct {
		return fmt.Errorf("cannot scan into %s: a struct is needed", dst.Type())
	}
	for i := range dst.NumField() {
		f := dst.Type().Field(i)
		name := f.Tag.Get("graph")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		v, ok := get(name)
		if !ok || v.IsNull() {
			continue
		}
		if err := assign(dst.Field(i), v); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return nil
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	valueType = reflect.TypeFor[Value]()
)

func assign(dst reflect.Value, v Value) error {
	if dst.Kind() == reflect.Pointer {
		p := reflect.New(dst.Type().Elem())
		if err := assign(p.Elem(), v); err != nil {
			return err
		}
		dst.Set(p)
		return nil
	}
	if dst.Type() == valueType {
		dst.Set(reflect.ValueOf(v))
		return nil
	}
	switch k := v.Kind(); {
	case k == KindInt && dst.CanInt() && !dst.OverflowInt(v.Int()):
		dst.SetInt(v.Int())
	case k == KindInt && dst.CanUint() && v.Int() >= 0 && !dst.OverflowUint(uint64(v.Int())):
		dst.SetUint(uint64(v.Int()))
	case (k == KindFloat || k == KindInt) && dst.CanFloat():
		dst.SetFloat(v.Float())
	case k == KindBool && dst.Kind() == reflect.Bool:
		dst.SetBool(v.Bool())
	case (k == KindDate || k == KindDateTime) && dst.Type() == timeType:
		dst.Set(reflect.ValueOf(v.Time()))
	case k == KindJSON && dst.Kind() == reflect.Slice && dst.Type().Elem().Kind() == reflect.Uint8:
		dst.SetBytes([]byte(v.Text()))
	case dst.Kind() == reflect.String && k != KindInt && k != KindFloat && k != KindBool:
		dst.SetString(v.Text())
	case dst.Kind() == reflect.Interface && dst.NumMethod() == 0:
		dst.Set(reflect.ValueOf(v.Any()))
	default:
		return fmt.Errorf("the %s does not fit into %s", k, dst.Type())
	}
	return nil
}
