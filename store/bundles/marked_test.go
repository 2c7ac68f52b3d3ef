package bundles_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// marks are the marks of the catalogue's entity types, and of one that there is
// not. They are equally far from one another, so that what is suggested for a name
// does not depend on the one in it.
var marks = map[string]string{
	"brand": "zqbbbb", "bulletin": "zqnnnn", "category": "zqgggg", "component": "zqcccc", "repair": "zqrrrr", "symptom": "zqssss", "tool": "zqtttt",
}

const noMark = "zqwwww"

// marked is examples/catalog with the mark of its type in every name, text and id:
// an answer tells of a type, or of an entity of it, where it has that mark and only
// there. A reference has the mark of the type that it leads to.
func marked(t testing.TB) *bundle.Bundle {
	const dir = "../../examples/catalog/bundle/"
	files := []bundle.File{{Path: "manifest.yaml", Data: []byte("format: trellis.bundle.v1\nname: marked\nentities: {")}}
	schemas := map[string]map[string]any{}
	for typ := range marks {
		text, err := os.ReadFile(dir + "schemas/" + typ + ".schema.json")
		require.NoError(t, err)
		var doc map[string]any
		require.NoError(t, json.Unmarshal(text, &doc))
		schemas[typ] = doc
	}
	names, err := os.ReadDir(dir + "entities")
	require.NoError(t, err)
	for _, f := range names {
		text, err := os.ReadFile(dir + "entities/" + f.Name())
		require.NoError(t, err)
		var list []map[string]any
		require.NoError(t, yaml.Unmarshal(text, &list))
		typ := strings.TrimSuffix(f.Name(), "s.yaml")
		if typ == "categorie" {
			typ = "category"
		}
		m := &marker{mark: marks[typ], schema: schemas[typ]}
		entities := make([]any, len(list))
		for i := range list {
			entities[i] = m.entity(list[i])
		}
		data, err := json.Marshal(entities)
		require.NoError(t, err)
		file := path.Join("entities", m.mark+".yaml")
		files = append(files, bundle.File{Path: file, Data: data})
		files[0].Data = append(files[0].Data, m.mark+": "+file+", "...)
		data, err = json.Marshal(m.document())
		require.NoError(t, err)
		files = append(files, bundle.File{Path: "schemas/" + m.mark + ".schema.json", Data: data})
	}
	files[0].Data = append(files[0].Data, "}\n"...)
	b, err := bundle.ReadFiles(files, bundle.Options{})
	require.NoError(t, err)
	return b
}

// A marker marks a type.
type marker struct {
	mark   string
	schema map[string]any
}

func (m *marker) property(name string) (def map[string]any, marked, ref string) {
	def, _ = m.schema["properties"].(map[string]any)[name].(map[string]any)
	if to, ok := def["x-ref"].(string); ok {
		ref = marks[to]
		return def, name + "_" + ref, ref // as in other types: they share a relationship type
	}
	return def, name + "_" + m.mark, ""
}

// entity marks an entity. Dates stay as they are.
func (m *marker) entity(e map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range e {
		def, marked, ref := m.property(name)
		if ref == "" {
			ref = m.mark
		}
		if def["format"] != "date" {
			v = mark(v, ref)
		}
		out[marked] = v
	}
	return out
}

// mark puts a mark before all texts of a value, and after all names.
func mark(v any, with string) any {
	switch v := v.(type) {
	case string:
		return with + "-" + v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mark(v[i], with)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			out[name+"_"+with] = mark(inner, with)
		}
		return out
	}
	return v
}

// document marks the schema. What entities look like inside is free.
func (m *marker) document() map[string]any {
	out := map[string]any{"$id": m.mark, "type": "object", "$schema": m.schema["$schema"],
		"description": "One of " + m.mark, "x-tool-description": "The records of " + m.mark, "x-tool-expose": []string{"list", "get", "list_ids"}}
	_, out["x-id-field"], _ = m.property(m.schema["x-id-field"].(string))
	var required, summary []string
	for _, name := range m.schema["required"].([]any) {
		_, marked, _ := m.property(name.(string))
		required = append(required, marked)
	}
	list, _ := m.schema["x-summary-fields"].([]any)
	for _, name := range list {
		_, marked, _ := m.property(name.(string))
		summary = append(summary, marked)
	}
	out["required"] = required
	if summary != nil {
		out["x-summary-fields"] = summary
	}
	properties := map[string]any{}
	for name := range m.schema["properties"].(map[string]any) {
		def, marked, ref := m.property(name)
		delete(def, "pattern")
		delete(def, "$ref")
		delete(def, "maxLength")
		if def["format"] == "email" {
			delete(def, "format")
		}
		if ref != "" {
			def["x-ref"] = ref
			if field, ok := def["x-ref-field"].(string); ok {
				def["x-ref-field"] = field + "_" + ref
			}
		}
		if list, ok := def["enum"]; ok {
			def["enum"] = mark(list, m.mark)
		}
		if items, ok := def["items"].(map[string]any); ok && items["enum"] != nil {
			items["enum"] = mark(items["enum"], m.mark)
		} else if ok && items["$ref"] != nil {
			delete(def, "items")
		}
		def["description"] = "Told of " + m.mark + " " + ref
		properties[marked] = def
	}
	out["properties"] = properties
	return out
}
