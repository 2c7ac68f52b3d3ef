package storetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// names are all names of a schema, and one that is in none.
func (s *schemaSpec) names() []string {
	set := map[string]bool{"nowhere": true}
	for _, l := range s.labels {
		set[l.name] = true
		for _, p := range l.props {
			set[p.name] = true
		}
	}
	for _, t := range s.types {
		set[t.name] = true
		for _, p := range t.pairs {
			for _, prop := range p.props {
				set[prop.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func (w *world) names() []string { return w.schema.names() }

// misnamed puts one of other names in the place of one in a call's arguments.
func misnamed(d dice, args []byte, names, others []string) []byte {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var root any
	if dec.Decode(&root) != nil {
		return args
	}
	var places []func(name string)
	var visit func(v any, set func(any))
	visit = func(v any, set func(any)) {
		switch v := v.(type) {
		case string:
			if slices.Contains(names, v) {
				places = append(places, func(name string) { set(name) })
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				member := v[name]
				if slices.Contains(names, name) {
					places = append(places, func(other string) {
						delete(v, name)
						v[other] = member
					})
				}
				visit(member, func(x any) { v[name] = x })
			}
		case []any:
			for i := range v {
				visit(v[i], func(x any) { v[i] = x })
			}
		}
	}
	visit(root, func(any) {})
	if len(places) == 0 {
		return args
	}
	pickOne(d, places)(pickOne(d, others))
	out, err := json.Marshal(root)
	if err != nil {
		return args
	}
	return out
}

// hiddenNames makes calls that name what the caller may not see, and compares
// their refusals with those of a schema in which it does not exist. It needs no
// store.
func hiddenNames(t *testing.T, opts IsolationOptions) {
	refused := 0
	opts.graphs(t, opts.Pairs, everyOther, func(t *testing.T, w *world, d dice, calls int) (made int) {
		scope := pickOne(d, w.scopes)
		keys := compile.RandomCursorKeys()
		sides := func() (v *viewer, under, bare *Caller) {
			v, err := w.viewer(scope, w.limits)
			require.NoError(t, err, "%s\n%s", scopeJSON(scope), w.schema.yaml())
			if len(v.ref.vertices) == 0 {
				return v, nil, nil
			}
			full, err := w.build()
			require.NoError(t, err)
			return v, w.caller(unreached{t}, full.Schema(), keys, w.limits).As(scope), w.caller(unreached{t}, v.ref.schema, keys, w.limits)
		}
		v, under, bare := sides()
		if len(v.ref.vertices) == 0 {
			return 0
		}
		require.Equal(t, bare.description(t), under.description(t), "what is described\nscope %s\n%s", scopeJSON(scope), w.schema.yaml())
		// A masked property is refused in words of its own.
		w.schema.unmask()
		v, under, bare = sides() // it sees as many nodes as before
		hidden := slices.DeleteFunc(w.names(), func(name string) bool { return slices.Contains(v.world.names(), name) && name != "nowhere" })
		for range calls {
			a, ok := randomCall(d, v.ref, pickTool(d))
			if !ok {
				continue
			}
			tool, args := asked(a.Query), misnamed(d, Arguments(a.Query), v.world.names(), hidden)
			made++
			_, want := bare.Plan(tool, args)
			_, got := under.Plan(tool, args)
			if want != nil {
				refused++
			}
			if errorText(want) != errorText(got) {
				t.Errorf("a hidden name is refused otherwise than one that does not exist\nscope %s\ncall %s\n%s\n%s\n\n%s", scopeJSON(scope), tool, args,
					diff([]string{errorText(want)}, []string{errorText(got)}), w.schema.yaml())
				return made
			}
		}
		return made
	})
	t.Logf("%d calls were refused", refused)
}

// unmask hides what was masked.
func (s *schemaSpec) unmask() {
	for _, l := range s.labels {
		for _, p := range l.props {
			p.mask = ""
		}
	}
	for _, t := range s.types {
		for _, pair := range t.pairs {
			for _, p := range pair.props {
				p.mask = ""
			}
		}
	}
}

// description is what get_graph_schema tells, without the revision, and
// without the values of enums that are masked: they are not told of.
func (c *Caller) description(t testing.TB) string {
	r, err := c.Call(graph.ToolDescribe, []byte(describeAll))
	require.NoError(t, err)
	b, err := json.Marshal(r)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(b, &doc))
	delete(doc, "revision")
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["filterable"] == false {
				delete(v, "values")
			}
			for _, member := range v {
				visit(member)
			}
		case []any:
			for _, item := range v {
				visit(item)
			}
		}
	}
	visit(doc)
	b, err = json.MarshalIndent(doc, "", " ")
	require.NoError(t, err)
	return string(b)
}
