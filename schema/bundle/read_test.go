package bundle_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// folder makes a file system of files.
func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// folderOf makes a file system of a bundle's canonical files.
func folderOf(b *bundle.Bundle) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range b.Files() {
		m[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	return m
}

// A small bundle, of which tests change a file.
const (
	smallManifest = "format: trellis.bundle.v1\nname: small\n"
	smallSchema   = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "thing", "type": "object", "x-id-field": "id",
		"properties": {"id": {"type": "string"}, "size": {"type": "integer", "x-index": true}}, "required": ["id"]}`
	smallEntities = "- {id: a, size: 1}\n- {id: b}\n"
)

func small(changed map[string]string) fstest.MapFS {
	files := map[string]string{"manifest.yaml": smallManifest, "schemas/thing.schema.json": smallSchema, "entities/things.yaml": smallEntities}
	for name, text := range changed {
		if files[name] = text; text == "" {
			delete(files, name)
		}
	}
	return folder(files)
}

// problems reads a bundle that is not valid, and returns what is said of it.
func problems(t *testing.T, fsys fstest.MapFS) bundle.Problems {
	t.Helper()
	_, err := bundle.Read(fsys, bundle.Options{})
	var ps bundle.Problems
	require.ErrorAs(t, err, &ps)
	return ps
}

func TestShop(t *testing.T) {
	b, err := bundle.ReadDir("testdata/shop", bundle.Options{})
	require.NoError(t, err)
	require.Equal(t, "tool-shop", b.Name())
	require.Equal(t, "A shop of garden tools", b.Title())
	require.Len(t, b.Revision(), 64)
	require.Len(t, b.Types(), 3)

	product, ok := b.Type("product")
	require.True(t, ok)
	require.Equal(t, "products", product.Plural)
	require.Equal(t, "sku", product.IDField)
	require.Equal(t, []string{"list", "get", "list_ids"}, product.Expose)
	require.Equal(t, []string{"name", "price"}, product.Summary)
	require.Equal(t, "Garden tools that can be bought.", product.ToolDescription)
	supplier, _ := b.Type("supplier")
	require.Equal(t, []string{"list", "get"}, supplier.Expose, "the default")

	property := func(name string) bundle.Property {
		p, ok := product.Property(name)
		require.True(t, ok, name)
		return *p
	}
	require.Equal(t, bundle.Property{Name: "sku", Type: schema.String, Required: true, Index: true}, property("sku"))
	require.Equal(t, bundle.Property{Name: "state", Type: schema.Enum, Required: true, Index: true, Enum: []string{"draft", "live", "retired"}}, property("state"))
	require.Equal(t, bundle.Property{Name: "category_ids", Type: schema.String, Array: true, Index: true, Ref: &bundle.Ref{Type: "category", Field: "id"}}, property("category_ids"))
	require.Equal(t, bundle.Property{Name: "supplier_code", Type: schema.String, Index: true, Ref: &bundle.Ref{Type: "supplier", Field: "code"}}, property("supplier_code"))
	require.Equal(t, schema.Date, property("released").Type)
	require.Equal(t, schema.JSON, property("dimensions").Type)
	require.True(t, property("rating").Derived)

	require.Equal(t, "SH-1", product.Entities[0].ID, "by id")
	spade, ok := product.Entity("SP-2")
	require.True(t, ok)
	require.Equal(t, "entities/products.yaml", spade.File)
	require.Equal(t, 1, spade.Line)
	require.Equal(t, `{"sku":"SP-2","name":"Long spade","price":34.50,"stock":12,"state":"live","released":"2025-03-01","category_ids":["digging"],`+
		`"supplier_code":"007","goes_with":["SP-1","SH-1"],"tags":["steel","ash"],"rating":4.5,"page":"# Long spade\n\nFor deep beds.\n","dimensions":{"length_cm":120,"width_cm":18}}`,
		string(spade.Document), "members in the schema's order, digits as written")
	require.True(t, json.Valid(product.Schema))
	require.Equal(t, graph.KindDate, spade.Values[5].Kind())
	require.Equal(t, `["SP-1","SH-1"]`, spade.Values[8].String())

	var circles []string
	for _, w := range b.Warnings() {
		circles = append(circles, w.Message[strings.LastIndex(w.Message, ": ")+2:])
	}
	require.ElementsMatch(t, []string{"product → supplier → product"}, circles, "and nothing of those that refer to themselves")
}

func TestFilesReadAgain(t *testing.T) {
	b, err := bundle.ReadDir("testdata/shop", bundle.Options{})
	require.NoError(t, err)
	again, err := bundle.Read(folderOf(b), bundle.Options{})
	require.NoError(t, err)
	require.Equal(t, b.Files(), again.Files())
	require.Equal(t, b.Revision(), again.Revision())
	for i, typ := range b.Types() {
		for j, e := range typ.Entities {
			require.Equal(t, string(e.Document), string(again.Types()[i].Entities[j].Document))
		}
	}
}

func TestAFileForEachEntity(t *testing.T) {
	b, err := bundle.Read(small(map[string]string{
		"manifest.yaml":          smallManifest + "entities: {thing: entities/things/*.yaml}\n",
		"entities/things.yaml":   "",
		"entities/things/b.yaml": "size: 3\nid: b\n",
		"entities/things/a.yaml": "id: a\n",
		"README.md":              "not looked at",
	}), bundle.Options{})
	require.NoError(t, err)
	files := b.Files()
	require.Len(t, files, 4)
	require.Equal(t, "entities/things/b.yaml", files[1].Path)
	require.Equal(t, "id: b\nsize: 3\n", string(files[1].Data))
	require.Equal(t, "format: trellis.bundle.v1\nname: small\nentities:\n  thing: \"entities/things/*.yaml\"\n", string(files[2].Data))
	again, err := bundle.Read(folderOf(b), bundle.Options{})
	require.NoError(t, err)
	require.Equal(t, files, again.Files())
}

// It does not matter how a bundle was written, as long as it says the same.
func TestRevisionIsOfTheContent(t *testing.T) {
	first, err := bundle.Read(small(nil), bundle.Options{})
	require.NoError(t, err)
	for name, entities := range map[string]string{
		"order":    "- {id: b}\n- {size: 1, id: a}\n",
		"JSON":     `[{"id": "b"}, {"id": "\u0061", "size": 1}]`,
		"Windows":  "- id: a\r\n  size: 1\r\n- id: b\r\n",
		"comments": "# all things\n- id: a # the first\n  size: 1\n- id: 'b'\n",
	} {
		b, err := bundle.Read(small(map[string]string{"entities/things.yaml": entities}), bundle.Options{})
		require.NoError(t, err, name)
		require.Equal(t, first.Revision(), b.Revision(), name)
	}
	for name, changed := range map[string]map[string]string{
		"a value":        {"entities/things.yaml": "- {id: a, size: 2}\n- {id: b}\n"},
		"one less":       {"entities/things.yaml": "- {id: a, size: 1}\n"},
		"the name":       {"manifest.yaml": "format: trellis.bundle.v1\nname: other\n"},
		"a description":  {"manifest.yaml": smallManifest + "description: things\n"},
		"the schema":     {"schemas/thing.schema.json": strings.Replace(smallSchema, `"x-index": true`, `"x-index": false`, 1)},
		"another number": {"entities/things.yaml": "- {id: a, size: 1.0}\n- {id: b}\n"},
	} {
		b, err := bundle.Read(small(changed), bundle.Options{})
		require.NoError(t, err, name)
		require.NotEqual(t, first.Revision(), b.Revision(), name)
	}
}

// Where entities are that could not be read, nothing is said of references to them,
// and no other type's file is taken for the missing one.
func TestWhatIsNotReadIsNotMissing(t *testing.T) {
	other := map[string]string{
		"schemas/part.schema.json": typeOf("part", `, "thing": {"type": "string", "x-ref": "thing"}`, ""),
		"entities/parts.yaml":      "- {id: p, thing: a}\n- {id: q, thing: b}\n",
	}
	gone := maps.Clone(other)
	gone["entities/things.yaml"] = ""
	require.Equal(t, `entities/things.yaml: there is no such file, where the entities of "thing" are to be`+
		` (a file with [] if there are none yet; other places are named in `+"`entities` of manifest.yaml)", problems(t, small(gone)).Error())
	elsewhere := maps.Clone(gone)
	elsewhere["manifest.yaml"] = smallManifest + "entities: {thing: entities/t/*.yaml}\n"
	require.Len(t, problems(t, small(elsewhere)), 1)
	large := maps.Clone(other)
	large["entities/things.yaml"] = "- id: a\n- id: b\n#" + strings.Repeat("x", 1000)
	_, err := bundle.Read(small(large), bundle.Options{Limits: bundle.Limits{BundleBytes: 1500}})
	require.EqualError(t, err, "entities/things.yaml: with this file the bundle is larger than 1500 bytes")
}

// A file that is JSON is read as JSON, with every escape that JSON has.
func TestEntitiesInJSON(t *testing.T) {
	schema := typeOf("thing", `, "name": {"type": "string"}`, "")
	b, err := bundle.Read(small(map[string]string{
		"schemas/thing.schema.json": schema,
		"entities/things.yaml":      `[{"id": "a\/b", "name": "\ud83d\ude00"}]`,
	}), bundle.Options{})
	require.NoError(t, err)
	thing, _ := b.Type("thing")
	require.Equal(t, "a/b", thing.Entities[0].ID)
	require.JSONEq(t, `{"id": "a/b", "name": "😀"}`, string(thing.Entities[0].Document))
	_, err = bundle.Read(folderOf(b), bundle.Options{})
	require.NoError(t, err, "its canonical form is YAML")
	require.Contains(t, problems(t, small(map[string]string{
		"schemas/thing.schema.json": schema,
		"entities/things.yaml":      "[\n {\"id\": \"a\", \"name\": \"x\", \"name\": \"y\"}]",
	})).Error(), `entities/things.yaml:2:`)
}

func TestFilesAndTheirPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		changed map[string]string
		want    string
	}{
		"no manifest":        {map[string]string{"manifest.yaml": ""}, "manifest.yaml: the bundle has no manifest.yaml"},
		"no schemas":         {map[string]string{"schemas/thing.schema.json": ""}, "schemas: the bundle has no entity types"},
		"no entities":        {map[string]string{"entities/things.yaml": ""}, `entities/things.yaml: there is no such file, where the entities of "thing" are to be`},
		"unknown file":       {map[string]string{"entities/thinks.yaml": "[]"}, `entities/thinks.yaml: the file belongs to no entity type; did you mean "entities/things.yaml"?`},
		"not a schema":       {map[string]string{"schemas/thing.json": "{}"}, "schemas/thing.json: a file with a schema is named after its type"},
		"pattern of nothing": {map[string]string{"manifest.yaml": smallManifest + "entities: {thing: entities/t/*.yaml}\n"}, `manifest.yaml: no file matches "entities/t/*.yaml"`},
		"pattern outside":    {map[string]string{"manifest.yaml": smallManifest + "entities: {thing: ../x.yaml}\n"}, `manifest.yaml:3:19: "../x.yaml" is no pattern of files in entities`},
		"pattern of depths":  {map[string]string{"manifest.yaml": smallManifest + "entities: {thing: 'entities/**/*.yaml'}\n"}, `manifest.yaml:3:19: "entities/**/*.yaml" has **, and patterns do not go into folders of any depth (* is any part of one name`},
		"unknown type":       {map[string]string{"manifest.yaml": smallManifest + "entities: {think: entities/t.yaml}\n"}, `manifest.yaml:3:12: there is no entity type "think"; did you mean "thing"?`},
		"unknown member":     {map[string]string{"manifest.yaml": smallManifest + "titel: x\n"}, `manifest.yaml:3:1: a manifest has no "titel"`},
		"bundle's name":      {map[string]string{"manifest.yaml": "format: trellis.bundle.v1\nname: ../x\n"}, `manifest.yaml:2:7: "../x" is no name for a bundle`},
		"format":             {map[string]string{"manifest.yaml": "format: trellis.bundle.v2\nname: small\n"}, `manifest.yaml:1:9: the format is "trellis.bundle.v2"`},
		"empty":              {map[string]string{"entities/things.yaml": "# nothing\n"}, "entities/things.yaml:1:1: the file is empty"},
		"no list":            {map[string]string{"entities/things.yaml": "text\n"}, "entities/things.yaml:1:1: the file is a text, not a list"},
		"no map":             {map[string]string{"entities/things.yaml": "- text\n"}, `entities/things.yaml:1:3: an entity of "thing" is a map, not a text`},
		"twice":              {map[string]string{"entities/things.yaml": "- id: a\n- id: b\n- id: a\n"}, `entities/things.yaml:3:7: the id "a" is here twice; the first thing is in entities/things.yaml, line 1`},
		"octal":              {map[string]string{"entities/things.yaml": "- {id: a, size: 007}\n"}, "entities/things.yaml:1:17: 007 is a number in a form that JSON does not have"},
		"alias":              {map[string]string{"entities/things.yaml": "- &a {id: a}\n- *a\n"}, "entities/things.yaml:1:3: anchors are not read"},
		"tag":                {map[string]string{"entities/things.yaml": "- {id: !!str a}\n"}, "entities/things.yaml:1:8: tags are not read"},
		"name twice":         {map[string]string{"entities/things.yaml": "- {id: a, size: 1, size: 2}\n"}, `entities/things.yaml:1:20: "size" is here twice`},
		"type":               {map[string]string{"entities/things.yaml": "- {id: a}\n- id: b\n  size: \"3\"\n"}, `entities/things.yaml:3:9: size: it is string, not integer (take the quotes away)`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, problems(t, small(c.changed)).Error(), c.want)
		})
	}
}
