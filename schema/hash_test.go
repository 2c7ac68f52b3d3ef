package schema

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fill gives every field of a value some content of its own.
func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.String:
		v.SetString("the " + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint(1)
	default:
		panic("a definition has no fields of kind " + v.Kind().String())
	}
}

// changes calls f after each single change of a value, and undoes the change.
func changes(v reflect.Value, path string, f func(path string)) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	with := func(what string, change func()) {
		change()
		f(path + what)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			with("", func() { v.Set(reflect.ValueOf(time.Unix(2, 0))) })
			return
		}
		for i := range v.NumField() {
			changes(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	case reflect.Slice:
		with(" one more", func() { v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem()))) })
		changes(v.Index(0), path+"[0]", f)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		with(" nil", func() { v.SetZero() })
		changes(v.Elem(), path, f)
	case reflect.String:
		with("", func() { v.SetString("another") })
	case reflect.Bool:
		with("", func() { v.SetBool(false) })
	case reflect.Int, reflect.Int64:
		with("", func() { v.SetInt(2) })
	case reflect.Uint8:
		with("", func() { v.SetUint(2) })
	}
}

// Every field of a definition counts, one added tomorrow too.
func TestHashChangesWithEveryField(t *testing.T) {
	for _, mapping := range []string{"join table", "foreign key", "polymorphic"} {
		var def Definition
		fill(reflect.ValueOf(&def).Elem(), "")
		pair := &def.Relationships[0].Pairs[0]
		switch mapping {
		case "join table":
			pair.ForeignKey, pair.Polymorphic = nil, nil
		case "foreign key":
			pair.Polymorphic = nil
		}
		seen := map[string]string{hashOf(canonical(def)): "no change"}
		note := func(path string) {
			hash := hashOf(canonical(def))
			require.Empty(t, seen[hash], "%s: the same hash after changing %s", mapping, path)
			seen[hash] = path
		}
		if mapping == "join table" {
			changes(reflect.ValueOf(&def.Revised).Elem(), "Revised", note)
			changes(reflect.ValueOf(&def.Nodes).Elem(), "Nodes", note)
			pairType := reflect.ValueOf(pair).Elem()
			for i := range pairType.NumField() {
				if name := pairType.Type().Field(i).Name; name != "ForeignKey" && name != "Polymorphic" {
					changes(pairType.Field(i), name, note)
				}
			}
			require.Greater(t, len(seen), 60)
			continue
		}
		changes(reflect.ValueOf(&def).Elem(), "", note)
	}
}

func TestHashIgnoresWhatHasNoOrder(t *testing.T) {
	one, other := library(), library()
	other.Nodes[0], other.Nodes[1] = other.Nodes[1], other.Nodes[0]
	other.Nodes[1].Table.Name = "author"
	a, err := New(one)
	require.NoError(t, err)
	b, err := New(other)
	require.NoError(t, err)
	require.Equal(t, a.Hash(), b.Hash())
	require.Len(t, a.Hash(), 64)
	require.Regexp(t, "^[0-9a-f]{64}$", a.Hash())
}

// What goes without saying may be said.
func TestHashIgnoresWhatIsUniqueAnyway(t *testing.T) {
	hash := func(unique string, keyed bool, key *ForeignKey) string {
		d := library()
		d.Relationships[0].Pairs[0].ForeignKey, d.Relationships[0].Pairs[0].Unique = key, unique
		d.Nodes[0].Properties[0].Unique = keyed
		s, err := New(d)
		require.NoError(t, err)
		return s.Hash()
	}
	from, to := &ForeignKey{Columns: []string{"x"}}, &ForeignKey{Columns: []string{"x"}, OnTo: true}
	require.Equal(t, hash("", false, from), hash("from", true, from))
	require.Equal(t, hash("to", false, from), hash("both", false, from))
	require.Equal(t, hash("", false, to), hash("to", false, to))
	require.Equal(t, hash("from", false, to), hash("both", false, to))
	require.Len(t, map[string]bool{hash("", false, nil): true, hash("from", false, nil): true, hash("to", false, nil): true, hash("both", false, nil): true}, 4)
}

func TestViewHashIsAboutWhatIsShown(t *testing.T) {
	view := func(change func(d *Definition)) string {
		d := library()
		d.Nodes[0].Properties = append(d.Nodes[0].Properties,
			PropertyDefinition{Name: "state", Type: Enum, Values: []EnumValue{{Name: "a"}, {Name: "b"}}},
			PropertyDefinition{Name: "secret", Type: String, Hidden: true})
		d.Relationships[0].Pairs[0].Properties = []PropertyDefinition{{Name: "year", Type: Int32}}
		change(&d)
		s, err := New(d)
		require.NoError(t, err)
		return s.ViewHash()
	}
	base := view(func(*Definition) {})
	require.Regexp(t, "^[0-9a-f]{64}$", base)
	seen := map[string]int{base: -1}
	for i, change := range []func(d *Definition){
		func(d *Definition) { d.Nodes[0].Description = "x" },
		func(d *Definition) { d.Nodes[0].Properties[1].Name = "title" },
		func(d *Definition) { d.Nodes[0].Properties[1].Description = "x" },
		func(d *Definition) { d.Nodes[0].Properties[1].Type = Date },
		func(d *Definition) { d.Nodes[0].Properties[1].Required = true },
		func(d *Definition) { d.Nodes[0].Properties[1].NotFilterable = true },
		func(d *Definition) { d.Nodes[0].Properties[1].Hidden = true },
		func(d *Definition) { d.Nodes[0].Properties[2].Values[1].Name = "c" },
		func(d *Definition) { d.Nodes = append(d.Nodes, d.Nodes[1]); d.Nodes[2].Label = "essay" },
		func(d *Definition) { d.Relationships[0].Type = "PENNED" },
		func(d *Definition) { d.Relationships[0].Description = "x" },
		func(d *Definition) { d.Relationships[0].Pairs[0].From = "book" },
		func(d *Definition) { d.Relationships[0].Pairs[0].To = "author" },
		func(d *Definition) { d.Relationships[0].Pairs[0].Properties[0].Name = "month" },
		func(d *Definition) { d.Relationships = nil },
	} {
		hash := view(change)
		_, ok := seen[hash]
		require.False(t, ok, "change %d", i)
		seen[hash] = i
	}
	for i, change := range []func(d *Definition){
		func(d *Definition) { d.Nodes[0].Table.Name = "people" },
		func(d *Definition) { d.Nodes[0].Properties[1].Column = "full_name" },
		func(d *Definition) { d.Nodes[0].Properties[1].Index = true },
		func(d *Definition) { d.Nodes[0].Properties[3].Name = "secrets" },
		func(d *Definition) { d.Nodes[0].Properties[2].Values = []EnumValue{{"a", true, 1}, {"b", true, 2}} },
		func(d *Definition) { d.Relationships[0].Pairs[0].Table.Name = "wrote" },
		func(d *Definition) { d.Relationships[0].Pairs[0].ForeignKey = &ForeignKey{Columns: []string{"x"}} },
		func(d *Definition) { d.Revised = time.Unix(5, 0) },
	} {
		require.Equal(t, base, view(change), fmt.Sprint("change ", i))
	}
}

func TestRevision(t *testing.T) {
	d := library()
	d.Revised = time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("", -3600))
	s, err := New(d)
	require.NoError(t, err)
	require.Equal(t, "2026-03-02T00:30:00Z#"+s.ViewHash()[:12], s.Revision(s.ViewHash()))
	require.Equal(t, "2026-03-02T00:30:00Z#abc", s.Revision("abc"))
}
