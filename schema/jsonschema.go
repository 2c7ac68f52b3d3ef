package schema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/xeipuuv/gojsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
)

//go:embed schema/trellis.schema.v1.json
var publishedSchema string

// JSONSchema returns the published JSON Schema (draft-07) of the file format,
// for editors and other checkers.
func JSONSchema() []byte { return []byte(publishedSchema) }

// integer is how integers are written. Others, 0x10 or 1e99, pass for a number
// that is no integer, and none of those is wanted anywhere.
var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,18})$`)

// plain is a node as encoding/json would read it.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for k, v := range members(n) {
			m[k.Value] = plain(v)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			list[i] = plain(c)
		}
		return list
	}
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return nil
	case tag == "!!bool":
		return strings.EqualFold(n.Value, "true")
	case tag == "!!int" && integer.MatchString(n.Value):
		return json.Number(n.Value)
	case tag == "!!int", tag == "!!float":
		return json.Number("0.5")
	}
	return n.Value
}

// validate checks a document against the published JSON Schema.
func (d *document) validate() Problems {
	published, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(d.published))
	if err != nil {
		return Problems{{File: d.file, Message: "the published schema cannot be used: " + err.Error()}}
	}
	result, err := published.Validate(gojsonschema.NewRawLoader(plain(d.root)))
	if err != nil {
		return Problems{{File: d.file, Message: "the file cannot be checked: " + short(err.Error())}}
	}
	type violation struct {
		Problem
		e gojsonschema.ResultError
	}
	var found []violation
	for _, e := range result.Errors() {
		if p, ok := d.place(e); ok {
			found = append(found, violation{p, e})
		}
	}
	slices.SortFunc(found, func(a, b violation) int { return comparePlaces(a.Problem, b.Problem) })
	problems := make(Problems, len(found))
	for i, v := range found {
		// The others will not be shown, but they are counted.
		if i <= maxProblems {
			d.word(&v.Problem, v.e)
		}
		problems[i] = v.Problem
	}
	return problems
}

// place finds where a violation of the JSON Schema is; not ok if another
// violation says the same better.
func (d *document) place(e gojsonschema.ResultError) (p Problem, ok bool) {
	for _, token := range strings.Split(e.Context().String("\x00"), "\x00")[1:] {
		p.Path = graph.Pointer(p.Path, token)
	}
	_, node, rest := d.find(p.Path)
	switch e.Type() {
	case "condition_then", "condition_else", "number_all_of":
		return p, false
	case "pattern", "string_gte", "string_lte":
		// What is wrong with a name is said by invalid_property_name.
		if node.Kind != yaml.ScalarNode || rest > 0 {
			return p, false
		}
	case "additional_property_not_allowed", "invalid_property_name":
		p.atName = true
		p.Path = graph.Pointer(p.Path, e.Details()["property"].(string))
	case "required":
		p.Path = graph.Pointer(p.Path, e.Details()["property"].(string))
	case "false":
		p.atName = true
	}
	d.locate(&p)
	return p, true
}

// word says what a violation is.
func (d *document) word(p *Problem, e gojsonschema.ResultError) {
	_, node, _ := d.find(p.Path)
	parent, name := p.Path[:max(0, strings.LastIndexByte(p.Path, '/'))], ""
	if property, ok := e.Details()["property"].(string); ok {
		name = property
	}
	detail := func(name string) string { return fmt.Sprint(e.Details()[name]) }
	switch e.Type() {
	case "required":
		p.Message = fmt.Sprintf("%q is missing", name)
	case "additional_property_not_allowed":
		p.Message = fmt.Sprintf("there is no field %q here", short(name))
		fields := fieldsAt(d.published, parent)
		if p.DidYouMean = Suggest(name, fields); p.DidYouMean == nil {
			p.Hint = "the fields are " + strings.Join(fields, ", ")
		}
	case "invalid_property_name":
		p.Message, p.Hint = fmt.Sprintf("%q is no name", short(name)), nameHint
		if parent == "/nodes" {
			p.Hint = labelHint
		}
		if strings.HasSuffix(parent, "/values") {
			p.Message, p.Hint = fmt.Sprintf("%q is no integer", short(name)), "a map of values goes from stored integers to names"
		}
	case "invalid_type":
		p.Message = fmt.Sprintf("expected %s, got %s", kinds(detail("expected")), kindOf(node))
	case "enum", "const":
		allowed := strings.Split(strings.NewReplacer("null, ", "", `"`, "").Replace(detail("allowed")), ", ")
		p.Message = fmt.Sprintf("expected %s, got %s", quoted(allowed, ", "), kindOf(node))
		if node.Kind == yaml.ScalarNode {
			p.DidYouMean = suggestWord(node.Value, allowed)
		}
	case "false":
		p.Message = "this has no place beside `pairs`"
	case "array_min_items", "array_min_properties":
		p.Message = "this is empty"
	case "string_gte":
		p.Message = "this text is empty"
	case "string_lte":
		p.Message = fmt.Sprintf("this text is longer than %s characters", detail("max"))
	case "format":
		p.Message = fmt.Sprintf("expected a time in RFC 3339, got %s", kindOf(node))
	case "number_gte", "number_lte":
		p.Message = fmt.Sprintf("a scale is between 0 and %d", maxScale)
	default:
		p.Message = short(e.Description())
	}
}

// typeWords are what other systems call the property types.
var typeWords = map[string][]string{
	"int32":    {"smallint"},
	"int64":    {"int", "integer", "long", "bigint"},
	"float":    {"double", "real", "number"},
	"bool":     {"boolean"},
	"string":   {"text", "varchar", "char"},
	"datetime": {"timestamp", "timestamptz", "time"},
	"decimal":  {"numeric", "money"},
	"json":     {"jsonb", "object", "map", "array", "list"},
}

// suggestWord suggests one of the words that a field can be.
func suggestWord(got string, allowed []string) []string {
	candidates := make([]candidate, len(allowed))
	for i, a := range allowed {
		candidates[i] = candidate{name: a, synonyms: typeWords[a]}
	}
	return suggest(got, candidates)
}

// kinds words the types of a JSON Schema.
func kinds(types string) string {
	words := map[string]string{
		"string": "a text", "object": "a map", "array": "a list", "boolean": "true or false",
		"integer": "an integer", "number": "a number", "null": "null",
	}
	list := strings.Split(strings.Trim(types, "[]"), ",")
	for i, t := range list {
		if w, ok := words[strings.TrimSpace(t)]; ok {
			list[i] = w
		}
	}
	return strings.Join(list, " or ")
}

// kindOf words what a node is.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "null"
	case "!!bool", "!!int", "!!float":
		return short(n.Value)
	}
	return fmt.Sprintf("the text %q", short(n.Value))
}

// fieldsAt returns the names of the fields that the published schema has at a
// place of a document.
func fieldsAt(published, path string) []string {
	var root map[string]any
	if json.Unmarshal([]byte(published), &root) != nil {
		return nil
	}
	at := root
	resolve := func(v any) map[string]any {
		m, _ := v.(map[string]any)
		for m["$ref"] != nil {
			ref := strings.Split(strings.TrimPrefix(m["$ref"].(string), "#/"), "/")
			m = root
			for _, token := range ref {
				m, _ = m[token].(map[string]any)
			}
		}
		return m
	}
	for _, token := range strings.Split(path, "/")[1:] {
		fields, _ := at["properties"].(map[string]any)
		next := resolve(fields[token])
		if next == nil {
			if next = resolve(at["additionalProperties"]); next == nil {
				next = resolve(at["items"])
			}
		}
		at = next
	}
	fields, _ := at["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(fields))
}
