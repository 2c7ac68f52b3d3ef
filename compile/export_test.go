package compile

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/trellisgraph/trellis/schema"
)

// A Reference is a reference to a table somewhere in a plan. Tests, and nothing
// else, can take its guard away.
type Reference struct {
	At     string
	sealed *bool
	guard  **guard
}

// Unseal and Unguard take something away and return what puts it back.
func (r Reference) Unseal() func() {
	*r.sealed = false
	return func() { *r.sealed = true }
}

func (r Reference) Unguard() func() {
	had := *r.guard
	*r.guard = nil
	return func() { *r.guard = had }
}

// Exchange puts another reference's guard in the place of the reference's own.
func (r Reference) Exchange(other Reference) func() {
	had := *r.guard
	*r.guard = *other.guard
	return func() { *r.guard = had }
}

// Shares reports whether two references have one guard.
func (r Reference) Shares(other Reference) bool { return *r.guard == *other.guard }

// Open takes the condition out of the reference's guard, so that it is open.
func (r Reference) Open() func() {
	had := (*r.guard).cond
	(*r.guard).cond = nil
	return func() { (*r.guard).cond = had }
}

// References finds all references of a plan by reflection, those within guards
// included, so that new places for them are found, too.
func References(p *Plan) []Reference {
	f := finder{met: map[unsafe.Pointer]bool{}}
	f.find(reflect.ValueOf(p.Root), p.Tool())
	return f.found
}

type finder struct {
	met   map[unsafe.Pointer]bool
	found []Reference
}

func (f *finder) find(v reflect.Value, at string) {
	switch v.Kind() {
	case reflect.Pointer:
		switch v.Type() {
		case reflect.TypeFor[*schema.Property](), reflect.TypeFor[*schema.Pair](), reflect.TypeFor[*schema.Label]():
			return
		}
		if v.IsNil() || f.met[v.UnsafePointer()] {
			return
		}
		f.met[v.UnsafePointer()] = true
		f.find(v.Elem(), at)
	case reflect.Interface:
		if !v.IsNil() {
			f.find(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.find(v.Index(i), fmt.Sprintf("%s.%d", at, i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[NodeRef]() || v.Type() == reflect.TypeFor[RelRef]() {
			f.found = append(f.found, Reference{At: at,
				sealed: (*bool)(unsafe.Pointer(v.FieldByName("sealed").UnsafeAddr())),
				guard:  (**guard)(unsafe.Pointer(v.FieldByName("guard").UnsafeAddr()))})
		}
		for i := range v.NumField() {
			f.find(v.Field(i), at+"."+v.Type().Field(i).Name)
		}
	}
}
