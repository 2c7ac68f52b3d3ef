package compile_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// A compiler that has seen a call before, with these or with other values,
// makes of it what one does that has not.
func TestKnownPlansAreThoseOfAWholeCheck(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(storetest, "scripts", "*.txt"))
	require.NoError(t, err)
	keys, err := compile.NewCursorKeys([]byte("a key of at least sixteen bytes!"))
	require.NoError(t, err)
	schemas := map[string]*schema.Schema{}
	reused, checks := 0, 0
	var room compile.Room
	for _, path := range paths {
		kept := map[string]*compile.Compiler{} // by fixture and limits
		for _, c := range scriptCalls(t, path) {
			if schemas[c.fixture] == nil {
				schemas[c.fixture] = fixtureSchema(t, c.fixture)
			}
			s := schemas[c.fixture]
			opts := compile.Options{Limits: c.limits, Cursors: keys, MaskKey: []byte("mask")}
			name := c.fixture + string(must(json.Marshal(c.limits)))
			if kept[name] == nil {
				kept[name] = compile.New(opts)
			}
			registry := tools.Graph(s, c.limits)
			for change := range 4 {
				q, mistakes := c.decode(registry)
				if len(mistakes) > 0 {
					break
				}
				changeValues(reflect.ValueOf(q), change)
				want, wantErr := compile.New(opts).Check(s, c.scope, q)
				for round := range 3 {
					got, gotErr := kept[name].CheckWith(&room, nil, s, c.scope, q)
					if round == 1 { // in memory of its own
						got, gotErr = kept[name].Check(s, c.scope, q)
					}
					require.Equal(t, wantErr, gotErr, "%s %s", c.tool, c.args)
					checks++
					if wantErr != nil {
						continue
					}
					require.Equal(t, want.String(), got.String())
					require.Equal(t, want.Shape(), got.Shape())
					require.Equal(t, want.Params, got.Params, "%s %s", c.tool, c.args)
					require.Equal(t, want.IfEmpty(), got.IfEmpty())
					require.Equal(t, want.Warnings, got.Warnings)
					require.Equal(t, want.Guards(), got.Guards())
					require.Same(t, want.Schema, got.Schema)
					values := []graph.Value{graph.Int(1)}
					require.Equal(t, compile.New(opts).Cursor(want, values), kept[name].Cursor(got, values), "the same caller's")
					if got.Kept() {
						reused++
					}
				}
			}
		}
	}
	require.Greater(t, reused, checks/2, "most calls are like one before")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// changeValues puts others of their kind in the place of a query's values; the
// first change is none.
func changeValues(v reflect.Value, change int) {
	if change == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			changeValues(v.Elem(), change)
		}
	case reflect.Interface:
		if !v.IsNil() { // a filter: changed as a copy
			c := reflect.New(v.Elem().Type()).Elem()
			c.Set(v.Elem())
			changeValues(c, change)
			v.Set(c)
		}
	case reflect.Slice:
		for i := range v.Len() {
			changeValues(v.Index(i), change)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			c := reflect.New(v.Type().Elem()).Elem()
			c.Set(v.MapIndex(key))
			changeValues(c, change)
			v.SetMapIndex(key, c)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[graph.Value]() {
			v.Set(reflect.ValueOf(otherValue(v.Interface().(graph.Value), change)))
			return
		}
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name == "Limit" {
				v.Field(i).SetInt(v.Field(i).Int() + int64(change-1))
				continue
			}
			if v.Type().Field(i).IsExported() {
				changeValues(v.Field(i), change)
			}
		}
	}
}

func otherValue(v graph.Value, change int) graph.Value {
	switch v.Kind() {
	case graph.KindNumber:
		return graph.Number(v.Text() + []string{"", "1", "99999999999", ".5"}[change])
	case graph.KindString:
		if change == 3 {
			return graph.String("2")
		}
		return graph.String(v.Text() + []string{"", "1", "x"}[change])
	case graph.KindBool:
		return graph.Bool(v.Bool() != (change == 1))
	case graph.KindList:
		list := make([]graph.Value, len(v.List()))
		for i := range list {
			list[i] = otherValue(v.List()[i], change)
		}
		return graph.List(list...)
	}
	return v
}
