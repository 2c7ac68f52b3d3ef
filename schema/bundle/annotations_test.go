package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// root is a schema whose top level has other members than usual.
func root(members string) string {
	return `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "thing", "type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}, ` + members + "}"
}

// TestAnnotations is about every annotation: its place, its type, its value.
func TestAnnotations(t *testing.T) {
	const id = `"x-id-field": "id", "required": ["id"]`
	for schema, want := range map[string]string{
		root(`"required": ["id"]`):                                                                                 `:1:1: the schema has no "x-id-field"`,
		root(`"x-id-field": "ident", "required": ["id"]`):                                                          `"ident" is no property of "thing"`,
		root(`"x-id-field": ["id"], "required": ["id"]`):                                                           `"x-id-field" is the name of a property, not a list`,
		root(`"x-id-field": "id"`):                                                                                 `"id" identifies entities and is not in "required"`,
		root(`"x-id-field": "nam", "required": ["id"]`):                                                            `did you mean "name"?`,
		root(id + `, "x-tool-expose": "list"`):                                                                     `"x-tool-expose" is a list of texts, not a text`,
		root(id + `, "x-tool-expose": ["list", 1]`):                                                                `"x-tool-expose" is a list of texts, and this is a number`,
		root(id + `, "x-tool-expose": ["list", "list"]`):                                                           `"list" is listed twice`,
		root(id + `, "x-tool-expose": ["list_id"]`):                                                                `there is no tool "list_id"; did you mean "list_ids"?`,
		root(id + `, "x-tool-description": 3`):                                                                     `"x-tool-description" is a text, not a number`,
		root(id + `, "x-tool-description": "` + strings.Repeat("ä", 1001) + `"`):                                   `"x-tool-description" is longer than 1000 characters`,
		root(id + `, "x-tool-description": "a\u0007"`):                                                             "has the character U+0007, which nobody sees",
		root(id + `, "description": "` + strings.Repeat("x", 2001) + `"`):                                          `"description" is longer than 2000 characters`,
		root(id + `, "x-summary-fields": ["nmae"]`):                                                                `"nmae" is no property of "thing"; did you mean "name"?`,
		root(id + `, "x-summary-fields": ["name", "name"]`):                                                        `"name" is listed twice`,
		root(id + `, "x-summary-fields": {}`):                                                                      `"x-summary-fields" is a list of texts, not an object`,
		root(id + `, "x-index": true`):                                                                             `"x-index" is for a property of the entity itself, and this is the whole schema`,
		root(id + `, "x-indexed": true`):                                                                           `there is no annotation "x-indexed"; did you mean "x-index"?`,
		root(id + `, "x-qqq": true`):                                                                               `there is no annotation "x-qqq" (there are "x-id-field",`,
		root(id + `, "$defs": {"a": {"x-index": true}}`):                                                           `"x-index" is for a property of the entity itself, and this is /$defs/a`,
		root(id + `, "allOf": [{"x-id-field": "id"}]`):                                                             `"x-id-field" is for the whole schema, and this is /allOf/0`,
		typeOf("thing", `, "a": {"type": "string", "x-id-field": "id"}`, ""):                                       `"x-id-field" is for the whole schema, and this is /properties/a`,
		typeOf("thing", `, "a": {"type": "string", "x-index": 1}`, ""):                                             `"x-index" is true or false, not a number`,
		typeOf("thing", `, "a": {"type": "string", "x-derived": "true"}`, ""):                                      `"x-derived" is true or false, not a text`,
		typeOf("thing", `, "a": {"type": "string", "x-derived": true, "x-index": true}`, ""):                       `"a" is derived, so it cannot be a filter`,
		typeOf("thing", `, "a": {"type": "object", "x-index": true}`, ""):                                          `"a" is of no single type, by which nothing is filtered`,
		typeOf("thing", `, "a": {"type": ["string", "integer"], "x-index": true}`, ""):                             `"a" is of no single type, by which nothing is filtered`,
		typeOf("thing", `, "a": {"type": "array", "items": {"type": "number"}, "x-index": true}`, ""):              `"a" is a list of float, by which nothing is filtered`,
		typeOf("thing", `, "a": {"type": "object", "properties": {"b": {"type": "string", "x-index": true}}}`, ""): `"x-index" is for a property of the entity itself, and this is /properties/a/properties/b`,
		typeOf("thing", `, "a": {"type": "string", "x-content-type": "markdown"}`, ""):                             `"markdown" is no content type (such as text/markdown)`,
		typeOf("thing", `, "a": {"type": "integer", "x-content-type": "text/plain"}`, ""):                          `"a" is of type int64, and only a text has a content type`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "thingy"}`, ""):                                        `there is no entity type "thingy" in this bundle; did you mean "thing"?`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "other:thing"}`, ""):                                   `"other:thing" is the type "thing" of another bundle, "other", and references end at the bundle's borders`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": ["thing"]}`, ""):                                       `"x-ref" is the name of an entity type, not a list`,
		typeOf("thing", `, "a": {"type": "number", "x-ref": "thing"}`, ""):                                         `"a" is of type float, which refers to nothing`,
		typeOf("thing", `, "a": {"type": "object", "x-ref": "thing"}`, ""):                                         `"a" is of no single type, which refers to nothing`,
		typeOf("thing", `, "a": {"type": "string", "x-ref-field": "id"}`, ""):                                      `"x-ref-field" needs "x-ref" beside it`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "thing", "x-ref-field": "idd"}`, ""):                   `"idd" is no property of "thing"; did you mean "id"?`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "thing", "x-ref-field": 1}`, ""):                       `"x-ref-field" is the name of a property, not a number`,
		typeOf("thing", `, "a": {"type": "integer", "x-ref": "thing"}`, ""):                                        `"a" is of type int64, and "id" of "thing" is of type string: they are never the same (give both the same type, or name another property of "thing" in x-ref-field)`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "thing", "x-ref-field": "zzz"}`, ""):                   `"zzz" is no property of "thing" (it has "id", "a")`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "thing", "x-ref-field": "b"}, "b": {"type": "array", "items": {"type": "string"}}`, ""): `they are never the same (refer to a property that holds one value)`,
		typeOf("thing", `, "a": {"type": "string", "x-ref": "thing", "x-ref-field": "b"}, "b": {"type": "string", "x-derived": true}`, ""):          `"b" of "thing" is derived, so nothing refers to it (refer to its id, which needs no x-ref-field, or to another property that tells them apart)`,
		typeOf("thing", `, "a b": {"type": "string"}`, ""):                                                         `"a b" is no name for a property of an entity`,
		typeOf("thing", `, "Id": {"type": "string"}`, ""):                                                          `the properties "id" and "Id" differ only in case`,
		strings.Replace(smallSchema, `"id": {"type": "string"}`, `"id": {"type": "integer"}`, 1):                   `"id" identifies entities and is no string`,
		strings.Replace(smallSchema, `"id": {"type": "string"}`, `"id": {"type": ["string", "null"]}`, 1):          `"id" identifies entities and must not be null`,
		strings.Replace(smallSchema, `"id": {"type": "string"}`, `"id": {"type": "string", "x-derived": true}`, 1): `"id" identifies entities, so it is not derived`,
		strings.Replace(smallSchema, `"$id": "thing"`, `"$id": "Thing"`, 1):                                        `the schema's "$id" is "Thing", and the file is that of "thing"`,
		strings.Replace(smallSchema, `"$id": "thing", `, ``, 1):                                                    `the schema has no "$id" (write "$id": "thing")`,
		strings.Replace(smallSchema, `"type": "object", `, ``, 1):                                                  `entities are objects, and the schema does not say so`,
	} {
		_, err := bundle.Read(small(map[string]string{"schemas/thing.schema.json": schema}), bundle.Options{})
		require.ErrorContains(t, err, want, schema)
		var ps bundle.Problems
		require.ErrorAs(t, err, &ps)
		for _, p := range ps {
			require.Positive(t, p.Line, p.String())
		}
	}
}

// TestT56 is about names of types and bundles that lead out of a folder, are
// words of SQL, or make tools of the same name.
func TestT56(t *testing.T) {
	for name, want := range map[string]string{
		"../x": "", "select": `"select" is a word of SQL and no name for an entity type`, "list_": `"list_" is no name for an entity type`,
		"Thing": `"Thing" is no name for an entity type`, "a": `"a" is no name for an entity type`, "a-b": `"a-b" is no name`, "1a": `"1a" is no name`,
		"sub/thing": `"sub/thing" is no name`, strings.Repeat("a", 200): "is no name for an entity type", strings.Repeat("a", 65): "is no name for an entity type",
		strings.Repeat("a", 60): `which is longer than 64 characters`, strings.Repeat("a", 64): `which is longer than 64 characters`, // list_ and 60
	} {
		file := "schemas/" + name + ".schema.json"
		fsys := small(map[string]string{file: typeOf(name, "", "")})
		if want == "" {
			_, err := bundle.ReadFiles([]bundle.File{{Path: file}, {Path: "manifest.yaml", Data: []byte(smallManifest)}}, bundle.Options{})
			require.ErrorContains(t, err, "this is no path within a bundle")
			continue
		}
		_, err := bundle.Read(fsys, bundle.Options{})
		require.ErrorContains(t, err, want, name)
	}
	for _, name := range []string{"../x", "select x", "X", "a", "a_b", "-ab", "ab-", strings.Repeat("a", 65), ""} {
		_, err := bundle.Read(small(map[string]string{"manifest.yaml": fmt.Sprintf("format: trellis.bundle.v1\nname: %q\n", name)}), bundle.Options{})
		require.ErrorContains(t, err, "is no name for a bundle", name)
	}
	_, err := bundle.Read(folder(map[string]string{
		"manifest.yaml":              smallManifest,
		"schemas/aa.schema.json":     typeOf("aa", "", `, "x-tool-expose": ["list_ids"]`),
		"schemas/aa_ids.schema.json": typeOf("aa_ids", "", ""),
		"entities/aas.yaml":          "[]", "entities/aa_idses.yaml": "[]",
	}), bundle.Options{})
	require.ErrorContains(t, err, `tool_name_collision_in_tenant: the tool "list_aa_ids" would be that of "aa" and of "aa_ids"`)
	_, err = bundle.Read(folder(map[string]string{
		"manifest.yaml":                    smallManifest,
		"schemas/graph_schema.schema.json": typeOf("graph_schema", "", ""),
		"entities/graph_schemas.yaml":      "[]",
	}), bundle.Options{})
	require.ErrorContains(t, err, `tool_name_collision_in_tenant: "get_graph_schema" is a tool that every graph has`)
}

func TestReferences(t *testing.T) {
	const properties = `, "code": {"type": "string"}, "number": {"type": "integer"}, "next": {"type": ["string", "null"], "x-ref": "thing"},
		"codes": {"type": "array", "items": {"type": "string"}, "x-ref": "thing", "x-ref-field": "code"}, "nr": {"type": "integer", "x-ref": "thing", "x-ref-field": "number"}`
	read := func(entities string) error {
		_, err := bundle.Read(small(map[string]string{"schemas/thing.schema.json": typeOf("thing", properties, ""), "entities/things.yaml": entities}), bundle.Options{})
		return err
	}
	require.NoError(t, read("- {id: a, next: b, code: X, number: 3}\n- {id: b, next: null, codes: [X, X], nr: 3.0}\n- {id: c, codes: []}\n"))
	for entities, want := range map[string]string{
		"- {id: alpha, next: alhpa}\n":                         `entities/things.yaml:1:21: next: there is no thing "alhpa"; did you mean "alpha"?`,
		"- {id: a, code: X}\n- id: b\n  codes: [X, x]\n":       `entities/things.yaml:3:14: codes: there is no thing whose "code" is "x"; did you mean "X"?`,
		"- {id: a, codes: [a]}\n":                              `entities/things.yaml:1:19: codes: there is no thing whose "code" is "a"`,
		"- {id: a, number: 1}\n- {id: b, nr: 2}\n":             `entities/things.yaml:2:15: nr: there is no thing whose "number" is "2"`,
		"- {id: a, code: X, codes: [X]}\n- {id: b, code: X}\n": `entities/things.yaml:2:3: thing "a" and "b" have the same "code", "X", to which others refer`,
	} {
		require.ErrorContains(t, read(entities), want)
	}
}
