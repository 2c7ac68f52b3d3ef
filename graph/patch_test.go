package graph_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func TestApplyFix(t *testing.T) {
	for _, c := range []struct{ name, args, fix, want string }{
		{"nothing", `{"b": 1, "a": [true, null]}`, `[]`, `{"b":1,"a":[true,null]}`},
		{"numbers keep their digits", `{"id": 9007199254740993, "f": 1.50e+02}`, `[{"op":"remove","path":"/f"}]`, `{"id":9007199254740993}`},
		{"replace keeps the place", `{"a":1,"b":2}`, `[{"op":"replace","path":"/a","value":{"x":[]}}]`, `{"a":{"x":[]},"b":2}`},
		{"replace the whole", `"x"`, `[{"op":"replace","path":"","value":{"a":1}}]`, `{"a":1}`},
		{"add a member", `{}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`},
		{"add over a member", `{"a":1}`, `[{"op":"add","path":"/a","value":2}]`, `{"a":2}`},
		{"insert into a list", `[1,3]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2,3]`},
		{"append to a list", `[1]`, `[{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{"remove from a list", `{"a":[1,2,3]}`, `[{"op":"remove","path":"/a/1"}]`, `{"a":[1,3]}`},
		{"move", `{"LABEL":"x","b":1}`, `[{"op":"move","from":"/LABEL","path":"/label"}]`, `{"b":1,"label":"x"}`},
		{"move between", `{"a":{"x":1},"b":{}}`, `[{"op":"move","from":"/a/x","path":"/b/y"}]`, `{"a":{},"b":{"y":1}}`},
		{"escaped tokens", `{"a/b":{"m~n":1}}`, `[{"op":"remove","path":"/a~1b/m~0n"}]`, `{"a/b":{}}`},
		{"the tilde last", `{"~1":1}`, `[{"op":"replace","path":"/~01","value":2}]`, `{"~1":2}`},
		{"an empty name", `{"":1}`, `[{"op":"remove","path":"/"}]`, `{}`},
		{"in turn", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":[1]},{"op":"add","path":"/b/0","value":0}]`, `{"b":[0,1]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := graph.ApplyFix([]byte(c.args), patches(t, c.fix))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestApplyFixRefuses(t *testing.T) {
	for _, c := range []struct{ name, args, fix string }{
		{"not JSON", `{`, `[]`},
		{"two values", `{} {}`, `[]`},
		{"remove what is not there", `{}`, `[{"op":"remove","path":"/a"}]`},
		{"remove the whole", `{}`, `[{"op":"remove","path":""}]`},
		{"replace what is not there", `{}`, `[{"op":"replace","path":"/a","value":1}]`},
		{"replace past the end", `[1]`, `[{"op":"replace","path":"/1","value":1}]`},
		{"add past the end", `[1]`, `[{"op":"add","path":"/2","value":1}]`},
		{"a leading zero", `[1,2]`, `[{"op":"remove","path":"/01"}]`},
		{"below a scalar", `{"a":1}`, `[{"op":"add","path":"/a/b","value":1}]`},
		{"below nothing", `{}`, `[{"op":"add","path":"/a/b","value":1}]`},
		{"no slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`},
		{"into itself", `{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`},
		{"another operation", `{"a":1}`, `[{"op":"test","path":"/a","value":1}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := graph.ApplyFix([]byte(c.args), patches(t, c.fix))
			require.Error(t, err)
		})
	}
}

func patches(t *testing.T, text string) (fix []graph.Patch) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &fix))
	return fix
}
