package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

func TestLimits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	many := map[string]string{"manifest.yaml": smallManifest + "entities: {thing: entities/t/*.yaml}\n", "entities/things.yaml": ""}
	for i := range 5 {
		many[fmt.Sprintf("entities/t/%d.yaml", i)] = fmt.Sprintf("id: e%d\n", i)
	}
	text := strings.Replace(smallSchema, `"size": {`, `"text": {"type": "string"}, "size": {`, 1)
	for name, c := range map[string]struct {
		changed map[string]string
		limits  bundle.Limits
		want    string
	}{
		"an id of 128 bytes":      {map[string]string{"entities/things.yaml": "- id: " + long(128)}, bundle.Limits{}, ""},
		"an id of 129 bytes":      {map[string]string{"entities/things.yaml": "- id: " + long(129)}, bundle.Limits{}, "the id is 129 bytes long, and at most 128 are allowed"},
		"an id of 65 umlauts":     {map[string]string{"entities/things.yaml": "- id: " + strings.Repeat("ä", 65)}, bundle.Limits{}, "the id is 130 bytes long"},
		"an empty id":             {map[string]string{"entities/things.yaml": `- id: ""`}, bundle.Limits{}, "the id is empty"},
		"an invisible id":         {map[string]string{"entities/things.yaml": `- id: "a\u202eb"`}, bundle.Limits{}, "has characters that nobody sees"},
		"an id with a tag":        {map[string]string{"entities/things.yaml": `- id: "a\U000e0041"`}, bundle.Limits{}, "has characters that nobody sees"},
		"an id with no width":     {map[string]string{"entities/things.yaml": `- id: "a\u200bb"`}, bundle.Limits{}, "has characters that nobody sees"},
		"an id that ends late":    {map[string]string{"entities/things.yaml": `- id: "a\u00a0"`}, bundle.Limits{}, "begins or ends with a space"},
		"a longer id":             {map[string]string{"entities/things.yaml": "- id: " + long(129)}, bundle.Limits{IDBytes: 200}, ""},
		"an entity of 100 KiB":    {map[string]string{"schemas/thing.schema.json": text, "entities/things.yaml": "- {id: a, text: " + long(102_400-len(`{"id":"a","text":""}`)) + "}"}, bundle.Limits{}, ""},
		"an entity over 100 KiB":  {map[string]string{"schemas/thing.schema.json": text, "entities/things.yaml": "- {id: a, text: " + long(102_401-len(`{"id":"a","text":""}`)) + "}"}, bundle.Limits{}, "the entity is 102401 bytes long as JSON, and at most 102400 are allowed"},
		"a larger entity":         {map[string]string{"schemas/thing.schema.json": text, "entities/things.yaml": "- {id: a, text: " + long(200_000) + "}"}, bundle.Limits{EntityBytes: 300_000}, ""},
		"a bundle over 10 MiB":    {map[string]string{"entities/things.yaml": "- id: a\n#" + long(10<<20)}, bundle.Limits{}, "with this file the bundle is larger than 10485760 bytes"},
		"a larger bundle":         {map[string]string{"entities/things.yaml": "- id: a\n#" + long(10<<20)}, bundle.Limits{BundleBytes: 11 << 20}, ""},
		"larger in its own form":  {map[string]string{"entities/things.yaml": "[" + strings.Repeat(`{"id": "a"},`, 1) + "]"}, bundle.Limits{BundleBytes: len(smallManifest) + len(smallSchema) + 20}, "in canonical form the bundle is larger"},
		"five files and a schema": {many, bundle.Limits{Files: 6}, ""},
		"one file too many":       {many, bundle.Limits{Files: 5}, "a bundle has at most 5 files"},
		"a type too many":         {map[string]string{"schemas/other.schema.json": typeOf("other", "", ""), "entities/others.yaml": "[]"}, bundle.Limits{Types: 1}, "a bundle has at most 1 entity types"},
		"a schema that is larger": {map[string]string{"schemas/thing.schema.json": smallSchema + strings.Repeat(" ", 70_000)}, bundle.Limits{SchemaBytes: 80_000}, ""},
		"a long pattern":          {map[string]string{"schemas/thing.schema.json": typeOf("thing", `, "size": {"type": ["integer", "string"], "pattern": "`+long(600)+`"}`, "")}, bundle.Limits{PatternBytes: 600}, ""},
		"a deep entity":           {map[string]string{"schemas/thing.schema.json": typeOf("thing", `, "size": {}`, ""), "entities/things.yaml": "- {id: a, size: " + strings.Repeat("[", 31) + strings.Repeat("]", 31) + "}"}, bundle.Limits{}, ""},
		"too deep an entity":      {map[string]string{"schemas/thing.schema.json": typeOf("thing", `, "size": {}`, ""), "entities/things.yaml": "- {id: a, size: " + strings.Repeat("[", 34) + strings.Repeat("]", 34) + "}"}, bundle.Limits{}, "the nesting is deeper than 33"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := bundle.Read(small(c.changed), bundle.Options{Limits: c.limits})
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			_, err = bundle.Read(folderOf(b), bundle.Options{Limits: c.limits})
			require.NoError(t, err, "what is read can be read again")
		})
	}
}

// What reading costs grows as the bundle does, and is not much.
func TestCostOfReading(t *testing.T) {
	perEntity := func(n int) float64 {
		fsys := catalog(n, false)
		return testing.AllocsPerRun(1, func() {
			_, err := bundle.Read(fsys, bundle.Options{})
			require.NoError(t, err)
		}) / float64(n)
	}
	some, more := perEntity(1000), perEntity(4000)
	require.Less(t, some, 200.0)
	require.Less(t, more, some*1.05)
}

// Of many mistakes some are told, and how many more there are.
func TestManyMistakes(t *testing.T) {
	ps := problems(t, small(map[string]string{"entities/things.yaml": strings.Repeat("- {id: a, size: x}\n", 500)}))
	require.Len(t, ps, 201)
	require.Equal(t, "and 799 more mistakes", ps[200].Message)
	ps = problems(t, small(map[string]string{"entities/things.yaml": strings.Repeat("- {id: a, size: x}\n", 5000)}))
	require.Len(t, ps, 201)
	require.Regexp(t, `^and more than \d+ more mistakes$`, ps[200].Message)
}
