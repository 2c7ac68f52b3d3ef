package bundle_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// One run reports every mistake of the eight files in testdata/broken, each at
// its place and only once.
func TestBrokenBundle(t *testing.T) {
	_, err := bundle.ReadDir("testdata/broken", bundle.Options{})
	var ps bundle.Problems
	require.ErrorAs(t, err, &ps)
	want := []struct{ place, pointer, message string }{
		{"entities/authors.yaml:6:9", "/1/born", "born: it is string, not integer"},
		{"entities/authors.yaml:7:7", "/2/id", `the id "lem" is here twice; the first author is in entities/authors.yaml, line 1`},
		{"entities/authors.yaml:9:3", "/3/id", `"id" is missing`},
		{"entities/books/a.yaml:3:9", "/writer", `writer: there is no author "lemm"; did you mean "lem"?`},
		{"entities/books/a.yaml:4:8", "/state", `state: "onshelf" is not one of "lent", "on_shelf", "lost"; did you mean "on_shelf"?`},
		{"entities/books/a.yaml:5:9", "/bought", `bought: "2026-02-30" is no date`},
		{"entities/books/b.yaml:4:9", "/1/isbn", "isbn: it is number, not string (put it into quotes)"},
		{"entities/books/b.yaml:6:9", "/2/isbn", `the id "123-4" is here twice; the first book is in entities/books/a.yaml, line 1`},
		{"entities/readers.yaml:5:7", "/0/reads/1", `reads: there is no book "123-6"; did you mean "123-4" or "123-5"?`},
		{"entities/readers.yaml:8:3", "/1/name", `"name" is here twice; the first is on line 7`},
		{"manifest.yaml:2:7", "/name", `"Town_Library" is no name for a bundle`},
		{"manifest.yaml:3:1", "/titel", `a manifest has no "titel"`},
		{"schemas/author.schema.json:3:10", "/$id", `the schema's "$id" is "writer", and the file is that of "author"`},
		{"schemas/author.schema.json:6:29", "/x-tool-expose/1", `there is no tool "fetch"`},
		{"schemas/author.schema.json:9:32", "/properties/name/x-indx", `there is no annotation "x-indx"; did you mean "x-index"?`},
		{"schemas/book.schema.json:8:33", "/properties/title/minLenght", `"minLenght" is no keyword that is read; did you mean "minLength"?`},
		{"schemas/book.schema.json:9:65", "/properties/author_ids/items/x-ref", `"x-ref" is for a property of the entity itself, and this is /properties/author_ids/items`},
		{"schemas/book.schema.json:11:46", "/properties/publisher/x-ref", `"trade:publisher" is the type "publisher" of another bundle, "trade"`},
		{"schemas/book.schema.json:14:45", "/properties/pages/x-index", `"pages" is derived, so it cannot be a filter`},
		{"schemas/reader.schema.json:6:32", "/x-summary-fields/1", `"citty" is no property of "reader"; did you mean "city"?`},
	}
	require.Len(t, ps, len(want), "%s", err)
	files := map[string]bool{}
	for i, w := range want {
		p := ps[i]
		require.Equal(t, w.place, fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column), p.String())
		require.Equal(t, w.pointer, p.Pointer, p.String())
		require.Contains(t, p.String(), w.message)
		files[p.File] = true
	}
	require.Len(t, files, 8)
}

// A value that cannot be read hides nothing else, and nothing is told of what may be
// right because of it.
func TestUnreadHidesNothing(t *testing.T) {
	told := func(files map[string]string) (out []string) {
		for _, p := range problems(t, small(files)) {
			out = append(out, fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Message))
		}
		return out
	}
	require.Equal(t, []string{
		"entities/things.yaml:2 007 is a number in a form that JSON does not have",
		"entities/things.yaml:3 big: it is string, not integer",
		`entities/things.yaml:4 d: "2024-13-01" is no date; one is written 2026-11-21`,
		`entities/things.yaml:5 r: there is no thing "nowhere"`,
		`entities/things.yaml:6 there is no property "extra"`,
	}, told(map[string]string{
		"schemas/thing.schema.json": typeOf("thing", `, "num": {"type": "integer"}, "big": {"type": "integer"}, "d": {"type": "string", "format": "date"}, "r": {"type": "string", "x-ref": "thing"}`, `, "additionalProperties": false, "anyOf": [{"properties": {"num": {"const": 7}}}]`),
		"entities/things.yaml":      "- id: x1\n  num: 007\n  big: three\n  d: 2024-13-01\n  r: nowhere\n  extra: 1\n",
	}))
	require.Equal(t, []string{
		`manifest.yaml:3 tags are not read, and this has "!x"`,
		`manifest.yaml:4 a manifest has no "nme"; it has "format", "name", "title", "description", "entities"`,
	}, told(map[string]string{
		"manifest.yaml":        "format: trellis.bundle.v1\nname: small\ntitle: !x foo\nnme: 3\nentities: {thing: entities/elsewhere.yaml}\n",
		"entities/things.yaml": "", "entities/elsewhere.yaml": "[]",
	}))
	require.Equal(t, []string{`manifest.yaml:3 tags are not read, and this has "!x"`}, told(map[string]string{
		"manifest.yaml":        "format: trellis.bundle.v1\nname: small\nentities: {thing: !x entities/elsewhere.yaml}\n",
		"entities/things.yaml": "", "entities/elsewhere.yaml": "[]",
	}))
}
