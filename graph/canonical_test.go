package graph_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func TestCanonicalJSON(t *testing.T) {
	for in, want := range map[string]string{
		` null `:                          `null`,
		`[ ]`:                             `[]`,
		`{ }`:                             `{}`,
		`{"b": 1, "a": {"d":2,"c":[3]}}`:  `{"a":{"c":[3],"d":2},"b":1}`,
		`{"a": 1, "a": 2}`:                `{"a":2}`,
		`{"é": 1, "z": 2, "B": 3, "": 4}`: `{"":4,"B":3,"z":2,"é":1}`,
		`"\u0041\/\u00e9\ud83d\ude00"`:    `"A/é😀"`,
		`"\b\f\n\u007f\u2028"`:            `"\u0008\u000c\n\u007f\u2028"`,
		`"<&>"`:                           `"<&>"`,
		`"\ud800"`:                        "\"\uFFFD\"",
		`9223372036854775807`:             `9223372036854775807`,
		`9223372036854775808`:             `9223372036854776000`,
		`-9223372036854775808`:            `-9223372036854775808`,
		`9007199254740993`:                `9007199254740993`,
		`1.0`:                             `1`,
		`1.50`:                            `1.5`,
		`-0`:                              `0`,
		`-0.0`:                            `0`,
		`1E+2`:                            `100`,
		`1e-7`:                            `1e-7`,
		`1e-400`:                          `0`,
		`1e400`:                           `1e400`,
		`0.30000000000000004`:             `0.30000000000000004`,
		`100000000000000000000000`:        `1e+23`,
	} {
		got, ok := graph.CanonicalJSON(in)
		require.True(t, ok, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{``, ` `, `{`, `{}{}`, `1 2`, `[1,]`, `{"a":1,}`, `{a:1}`, `'a'`, `01`, `+1`, `.5`, `NaN`, "\"\n\"", `nul`} {
		got, ok := graph.CanonicalJSON(in)
		require.False(t, ok, in)
		require.Empty(t, got)
	}
}

// The canonical form means what encoding/json reads in the original, and is
// its own canonical form.
func FuzzCanonicalJSON(f *testing.F) {
	for _, seed := range []string{`{"b":[1,-0.0,1e21,9223372036854775808],"a":"\ud83d\ude00\u2028\u007f"}`, `[[{}],"\xff"]`, `1e-400`, `{"a":1}x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := graph.CanonicalJSON(text)
		require.Equal(t, json.Valid([]byte(text)), ok)
		if !ok {
			return
		}
		again, ok := graph.CanonicalJSON(got)
		require.True(t, ok)
		require.Equal(t, got, again)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, []byte(got)))
		require.Equal(t, compact.String(), got)

		var want, have any
		if json.Unmarshal([]byte(text), &want) != nil {
			return // a number beyond floats
		}
		require.NoError(t, json.Unmarshal([]byte(got), &have))
		require.Equal(t, want, have)
	})
}
