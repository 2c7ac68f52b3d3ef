package compile

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A query field that the fingerprint forgot would give one query the plan of
// another: so every field, wherever it stands, must change the bytes or the
// values.
func TestEveryFieldOfAQueryCounts(t *testing.T) {
	for _, q := range []graph.Query{&graph.FindNodes{}, &graph.Traverse{}, &graph.Neighbors{}, &graph.Paths{}, &graph.Aggregate{}} {
		f := filler{change: -1}
		bytes, values := f.fingerprint(t, q)
		require.Greater(t, f.leaves, 8, q.Tool())
		for i := range f.leaves {
			g := filler{change: i}
			b, v := g.fingerprint(t, q)
			require.False(t, b == bytes && slices.EqualFunc(v, values, graph.Value.Equal), "%s: %s does not count", q.Tool(), g.changed)
		}
	}
}

// A filler sets all fields of a query, one of them otherwise.
type filler struct {
	change  int
	changed string
	leaves  int
}

func (f *filler) fingerprint(t *testing.T, q graph.Query) (string, []graph.Value) {
	full := reflect.New(reflect.TypeOf(q).Elem())
	f.fill(full.Elem(), q.Tool())
	var out fingerprint
	require.True(t, out.query(full.Interface().(graph.Query)))
	return string(out.bytes), slices.Clone(out.values)
}

// leaf counts a field, and reports whether it is the one to change.
func (f *filler) leaf(at string) bool {
	f.leaves++
	if f.leaves-1 != f.change {
		return false
	}
	f.changed = at
	return true
}

func (f *filler) fill(v reflect.Value, at string) {
	if strings.Count(at, ".To") > 2 || strings.Count(at, ".Related.") > 1 { // patterns within patterns
		return
	}
	switch v.Interface().(type) {
	case graph.Value:
		text := "a"
		if f.leaf(at) {
			text = "b"
		}
		v.Set(reflect.ValueOf(graph.String(text)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("a")
		if f.leaf(at) {
			v.SetString("b")
		}
	case reflect.Int:
		v.SetInt(1)
		if f.leaf(at) {
			v.SetInt(2)
		}
	case reflect.Bool:
		v.SetBool(f.leaf(at))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), at)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), at)
	case reflect.Map:
		key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, at+" key")
		f.fill(item, at)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, item)
	case reflect.Interface: // a condition
		c := reflect.New(reflect.TypeFor[graph.Compare]()).Elem()
		f.fill(c, at)
		v.Set(c)
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "Cursor" { // with one, a query has no fingerprint
				f.fill(v.Field(i), at+"."+name)
			}
		}
	}
}

// Another limit is another value, and no other plan.
func TestLimitsAreBound(t *testing.T) {
	s, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{{Label: "item", Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int64}}}}})
	require.NoError(t, err)
	c := New(Options{})
	var known *Plan
	for _, limit := range []int{3, 3, 5, 0} {
		p, err := c.Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item"}, Limit: limit})
		require.NoError(t, err)
		if limit == 0 {
			limit = c.Limits().Rows
		}
		require.EqualValues(t, limit, p.Params[p.Root.(*Find).Page.Limit].Int())
		if known != nil && known.Kept() {
			require.Same(t, known.Root, p.Root)
		}
		known = p
	}
	require.True(t, known.Kept())
	_, err = c.Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item"}, Limit: c.Limits().Rows + 1})
	require.ErrorIs(t, err, graph.LimitExceeded)
}
