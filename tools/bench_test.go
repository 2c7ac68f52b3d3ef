package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	jsonschema "github.com/xeipuuv/gojsonschema"
)

// twoHops is a traversal of two hops, of 264 bytes.
const twoHops = `{"from":{"label":"person","ids":[933]},"relationships":[{"type":"KNOWS","direction":"both","to":{"label":"person"}},{"type":"WROTE","direction":"outgoing"}],"to":{"label":"book","filters":{"added":{"lte":"2012-06-01T00:00:00Z"}}},"order_by":[{"property":"added"}]}`

// BenchmarkDecode compares decoding with encoding/json, which checks nothing,
// and with gojsonschema, which checks the shape.
func BenchmarkDecode(b *testing.B) {
	r := libraryTools(b)
	args := []byte(twoHops)
	b.Run("trellis", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(args)))
		for b.Loop() {
			if _, errs := r.Decode("traverse_relationships", args); errs != nil {
				b.Fatal(errs)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		type node struct {
			Label   string                     `json:"label"`
			IDs     []json.Number              `json:"ids"`
			Filters map[string]json.RawMessage `json:"filters"`
		}
		type step struct {
			Type      string `json:"type"`
			Direction string `json:"direction"`
			To        *node  `json:"to"`
		}
		b.ReportAllocs()
		b.SetBytes(int64(len(args)))
		for b.Loop() {
			var q struct {
				From          node                `json:"from"`
				Relationships []step              `json:"relationships"`
				To            node                `json:"to"`
				Properties    map[string][]string `json:"properties"`
				Limit         int                 `json:"limit"`
			}
			if err := json.Unmarshal(args, &q); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gojsonschema", func(b *testing.B) {
		tool, _ := r.Lookup("traverse_relationships")
		s, err := jsonschema.NewSchema(jsonschema.NewBytesLoader(tool.Parameters))
		require.NoError(b, err)
		b.ReportAllocs()
		b.SetBytes(int64(len(args)))
		for b.Loop() {
			if res, err := s.Validate(jsonschema.NewBytesLoader(args)); err != nil || !res.Valid() {
				b.Fatal(err, res.Errors())
			}
		}
	})
}

func TestBenchmarkCall(t *testing.T) {
	require.Len(t, twoHops, 264)
	r := libraryTools(t)
	_, errs := r.Decode("traverse_relationships", []byte(twoHops))
	require.Empty(t, errs)
	allocs := testing.AllocsPerRun(100, func() { r.Decode("traverse_relationships", []byte(twoHops)) })
	require.LessOrEqual(t, allocs, 10.0)
}

// BenchmarkNamedQuery is the way from parameters to a query, beside that of the
// same call written out.
func BenchmarkNamedQuery(b *testing.B) {
	offer := libraryOffer(b)
	for name, c := range map[string]struct{ tool, args string }{
		"named":   {"books_of", `{"person": 7, "since": 1900}`},
		"written": {"traverse_relationships", `{"from": {"label": "person", "ids": [7], "filters": {"member": true}}, "relationships": [{"type": "WROTE", "filters": {"year": {"gte": 1900}}}], "to": {"label": "book", "filters": {"pages": {"gte": 10}}}}`},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := offer.Query(b.Context(), c.tool, []byte(c.args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
