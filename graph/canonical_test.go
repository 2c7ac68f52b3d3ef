package graph_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
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
		`[{"b":[{},{"y":{"d":1,"c":2},"x":{}},3],"a":4},5,{}]`:            `[{"a":4,"b":[{},{"x":{},"y":{"c":2,"d":1}},3]},5,{}]`,
		`{"b":{"q":1,"p":{"z":1,"y":2}},"a":{"n":1,"m":[{"l":1,"k":2}]}}`: `{"a":{"m":[{"k":2,"l":1}],"n":1},"b":{"p":{"y":2,"z":1},"q":1}}`,
		`{"a":{"y":1,"x":2},"b":3,"\u0061":{"d":4,"c":5}}`:                `{"a":{"c":5,"d":4},"b":3}`,
		`"\ud800"`:                 "\"\uFFFD\"",
		`9223372036854775807`:      `9223372036854775807`,
		`9223372036854775808`:      `9223372036854776000`,
		`-9223372036854775808`:     `-9223372036854775808`,
		`9007199254740993`:         `9007199254740993`,
		`1.0`:                      `1`,
		`1.50`:                     `1.5`,
		`-0`:                       `0`,
		`-0.0`:                     `0`,
		`1E+2`:                     `100`,
		`1e-7`:                     `1e-7`,
		`1e-400`:                   `0`,
		`1e400`:                    `1e400`,
		`0.30000000000000004`:      `0.30000000000000004`,
		`100000000000000000000000`: `1e+23`,
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

// Each level is as large as all that is in it, and written once.
func TestCanonicalJSONOfDeepDocuments(t *testing.T) {
	const depth = 9_000
	in := strings.Repeat(`{"b":`, depth) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat(`,"a":1}`, depth)
	got, ok := graph.CanonicalJSON(in)
	require.True(t, ok)
	require.Len(t, got, len(in))
	require.True(t, strings.HasPrefix(got, `{"a":1,"b":{"a":1,`))
}

// Documents are written at the same time, each by itself.
func TestCanonicalJSONAtTheSameTime(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			n := strconv.Itoa(i)
			for range 200 {
				got, _ := graph.CanonicalJSON(`{"b` + n + `": {"d": [], "c": "` + strings.Repeat(n, i*100) + `"}, "a": ` + n + `}`)
				assert.Equal(t, `{"a":`+n+`,"b`+n+`":{"c":"`+strings.Repeat(n, i*100)+`","d":[]}}`, got)
			}
		})
	}
	all.Wait()
}

func BenchmarkCanonicalJSON(b *testing.B) {
	const doc = `{"sku":"PRT-0000042","name":"Chain ring, 34 teeth","price":49.90,"tags":["winter","road"],"brand":"maker-00001","fits":{"wheel":"28","axle":"M9"},"in_stock":12,"discontinued":false}`
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := graph.CanonicalJSON(doc); !ok {
			b.Fatal("not JSON")
		}
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
