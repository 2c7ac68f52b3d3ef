package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// What names may be long is accepted to the last character, and refused with one more.
func TestBoundsOfNames(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	named := func(name string) map[string]string {
		return map[string]string{"manifest.yaml": "format: trellis.bundle.v1\nname: " + name + "\n"}
	}
	typed := func(n int, expose string) map[string]string {
		return map[string]string{"schemas/thing.schema.json": "", "entities/things.yaml": "",
			"schemas/" + long(n) + ".schema.json": typeOf(long(n), "", `, "x-tool-expose": [`+expose+`]`), "entities/" + long(n) + "s.yaml": "[]"}
	}
	const noBundle, noType, tooLong = "is no name for a bundle", "is no name for an entity type (2 to 64", "which is longer than 64 characters"
	for name, c := range map[string]struct {
		changed map[string]string
		want    string
	}{
		"bundle of 2": {named("ab"), ""}, "bundle of 64": {named(long(64)), ""},
		"bundle of 1": {named("a"), noBundle}, "bundle of 65": {named(long(65)), noBundle}, "a hyphen last": {named("ab-"), noBundle},
		"type of 2": {typed(2, ""), ""}, "type of 64": {typed(64, ""), ""}, "type of 1": {typed(1, ""), noType}, "type of 65": {typed(65, ""), noType},
		"get of 64": {typed(60, `"get"`), ""}, "get of 65": {typed(61, `"get"`), tooLong},
		"list of 64": {typed(59, `"list"`), ""}, "list of 65": {typed(60, `"list"`), tooLong},
		"list_ids of 64": {typed(55, `"list_ids"`), ""}, "list_ids of 65": {typed(56, `"list_ids"`), tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				_, err := bundle.Read(small(c.changed), bundle.Options{})
				require.NoError(t, err)
				return
			}
			ps := problems(t, small(c.changed))
			require.Len(t, ps, 1, "and nothing that is false: %v", ps)
			require.Contains(t, ps[0].String(), c.want)
		})
	}
}

// A bundle is 10 MiB with all its files, to the byte.
func TestBoundOfBundles(t *testing.T) {
	files := map[string]string{"entities/things.yaml": "- id: a\n"}
	size := 0
	for _, f := range small(files) {
		size += len(f.Data)
	}
	for more, want := range []string{"", "the bundle is larger than 10485760 bytes"} {
		files["entities/things.yaml"] = "- id: a\n#" + strings.Repeat("x", 10<<20-size-1+more)
		_, err := bundle.Read(small(files), bundle.Options{})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// What is wrong is said of what is wrong, at its place.
func TestFalseReasons(t *testing.T) {
	for _, c := range []struct {
		properties, entities, want string
	}{
		{`, "n": {"type": "number"}`, "- {id: a, n: 1e400}", "1:14: the number is out of the range of float64"},
		{`, "n": {"type": "number"}`, "- id: a\n  n: -1e400", "2:6: the number is out of the range of float64"},
		{`, "n": {"type": "number"}`, `[{"id": "a", "n": 1e400}]`, "1:19: the number is out of the range of float64"},
		{`, "n": {"type": "string"}`, `- {id: a, n: "1e400"}`, ""},
		{`, "n": {"type": "string"}`, `[{"id": "a", "n": "\ud800"}]`, "1:20: no text: half of a surrogate pair"},
		{`, "n": {"type": "string"}`, `[{"id": "a", "n": "\ud83d\ude00"}]`, ""},
		{`, "n": {"type": "string"}`, "- id: a\n  n: \"x\\udc00\"", `2:8: \udc00 is half of a surrogate pair`},
		{`, "n": {"enum": [1, null, 3], "x-index": true}`, `[{"id": "a", "n": 3}]`, ""},
		{`, "n": {"enum": [1, 2.5], "x-index": true}`, `[{"id": "a", "n": 2.5}]`, ""},
		{`, "n": {"const": true, "x-index": true}`, `[{"id": "a", "n": true}]`, ""},
		{`, "n": {"enum": ["", "b"], "x-index": true}`, `[{"id": "a", "n": ""}]`, ""},
		{`, "n": {"enum": ["a", 2], "x-index": true}`, `[{"id": "a", "n": 2}]`, `"n" is of no single type`},
		{`, "n": {"enum": [[1], [2]], "x-index": true}`, `[{"id": "a", "n": [2]}]`, `"n" is of no single type`},
	} {
		fsys := small(map[string]string{"schemas/thing.schema.json": typeOf("thing", c.properties, ""), "entities/things.yaml": c.entities})
		if c.want == "" {
			_, err := bundle.Read(fsys, bundle.Options{})
			require.NoError(t, err, c.entities)
			continue
		}
		ps := problems(t, fsys)
		require.Len(t, ps, 1, "%v", ps)
		require.Contains(t, ps[0].String(), c.want)
	}
	for name, file := range map[string]string{"Thing": "Things", "select": "selects", "x": "xes"} {
		ps := problems(t, small(map[string]string{"schemas/thing.schema.json": "", "entities/things.yaml": "",
			"schemas/" + name + ".schema.json": smallSchema, fmt.Sprintf("entities/%s.yaml", file): "[]"}))
		require.Len(t, ps, 1, "%v", ps)
		require.Contains(t, ps[0].String(), "schemas/"+name)
	}
}
