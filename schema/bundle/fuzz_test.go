package bundle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// No bundle makes reading it panic or hang, and what can be read has a canonical
// form that reads the same.
func FuzzRead(f *testing.F) {
	f.Add(smallManifest, smallSchema, smallEntities)
	for _, dir := range []string{"shop", "broken"} {
		read := func(pattern string) []string {
			names, err := filepath.Glob(filepath.Join("testdata", dir, pattern))
			require.NoError(f, err)
			var out []string
			for _, name := range names {
				data, err := os.ReadFile(name)
				require.NoError(f, err)
				out = append(out, string(data))
			}
			return out
		}
		manifest := read("manifest.yaml")[0]
		entities := read("entities/*.yaml")
		for i, schema := range read("schemas/*.json") {
			f.Add(manifest, schema, entities[i%len(entities)])
		}
	}
	for _, properties := range []string{doubling(3, `{"allOf": [%s, %s]}`), `, "x": {"items": {"$ref": "#"}}`, `, "x": {"type": "string", "pattern": "^(a|b)*$"}`, `, "x": {"type": "string", "x-ref": "thing"}`} {
		f.Add(smallManifest, typeOf("thing", properties, ""), "- {id: a, x: [a]}\n- id: b\n  x: b\n")
	}
	f.Add(smallManifest, typeOf("thing", `, "any": {}`, ""), `[{"id": "a", "any": {"tab\there": 1, "`+strings.Repeat("n", 600)+`": [{"": 9007199254740993.0}]}}]`)
	f.Fuzz(func(t *testing.T, manifest, schema, entities string) {
		if len(manifest)+len(schema)+len(entities) > 20_000 {
			return
		}
		start := time.Now()
		b, err := bundle.Read(folder(map[string]string{"manifest.yaml": manifest, "schemas/thing.schema.json": schema, "entities/things.yaml": entities}),
			bundle.Options{Limits: bundle.Limits{BundleBytes: 100_000}})
		require.Less(t, time.Since(start), 10*time.Second)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := bundle.Read(folderOf(b), bundle.Options{})
		require.NoError(t, err)
		require.Equal(t, b.Files(), again.Files())
		require.Equal(t, b.Revision(), again.Revision())
		load(t, b)
	})
}
