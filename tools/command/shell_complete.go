package command

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// A completer knows how what is written in a shell may go on: by the JSON Schema
// of the tool's arguments, and by the names of the caller's schema.
type completer struct {
	tools  map[string]*tools.Tool
	names  []string // of the tools
	schema *schema.Schema
}

// completer returns what completes for the context's caller.
func (s *session) completer(ctx context.Context) (*completer, error) {
	list, err := s.tools.List(ctx)
	if err != nil {
		return nil, err
	}
	c := &completer{tools: map[string]*tools.Tool{}}
	for _, t := range list {
		c.tools[t.Name] = t
		c.names = append(c.names, t.Name)
	}
	c.schema, err = s.engine.View(ctx)
	return c, err
}

// complete returns the words that the end of a text may become, and how many
// bytes of the text they stand for. A word ends in what always follows it.
func (c *completer) complete(text string) (words []string, replaced int) {
	text = strings.TrimLeft(text, " \t\n")
	first, rest, more := beginning(text)
	switch {
	case !more:
		return matching(append(slices.Clone(c.names), shellCommands...), text, " "), len(text)
	case first == ".explain":
		if first, rest, more = beginning(rest); !more {
			return matching(c.names, first, " "), len(first)
		}
	case first == ".schema":
		word := rest[strings.LastIndexByte(rest, ' ')+1:]
		return matching(append(c.labels(), c.types()...), word, " "), len(word)
	case first == ".format":
		return matching(strings.Split(format.Names(), ", "), strings.TrimLeft(rest, " "), ""), len(strings.TrimLeft(rest, " "))
	}
	tool := c.tools[first]
	if tool == nil {
		return nil, 0
	}
	p := placeOf(rest)
	if len(p.frames) == 1 {
		return matching([]string{"{"}, p.token, ""), len(p.token)
	}
	return c.arguments(tool, p), len(p.token)
}

// beginning splits a text at the end of its first word, if it has come to it.
func beginning(text string) (word, rest string, more bool) {
	text = strings.TrimLeft(text, " \t\n")
	i := strings.IndexAny(text, " \t\n{[")
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i:], true
}

// arguments are the words that may stand at a place in a tool's arguments.
func (c *completer) arguments(tool *tools.Tool, p place) []string {
	top := &p.frames[len(p.frames)-1]
	var words []string
	end := ""
	switch {
	case top.next == wantKey && !top.list:
		words, end = c.keys(tool, p), ": "
	case top.next == wantValue:
		words = c.values(tool, p)
	}
	return matching(words, p.token, end)
}

// keys are the members that the object at a place may have, as JSON, without
// those that it has.
func (c *completer) keys(tool *tools.Tool, p place) []string {
	var names []string
	if own := p.parentKey(); own == "filters" || own == "properties" {
		names = c.properties(p)
		if own == "properties" || len(names) == 0 && len(p.frames) == 3 { // by label
			names = append(names, c.labels()...)
		}
	}
	if len(names) == 0 {
		for _, node := range schemasAt(tool.Parameters, p.frames) {
			properties, _ := node["properties"].(map[string]any)
			for name := range properties {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	has := p.frames[len(p.frames)-1].has
	return quoted(slices.DeleteFunc(slices.Compact(names), func(n string) bool { return has[n] }))
}

// values are the values that may stand at a place, as JSON.
func (c *completer) values(tool *tools.Tool, p place) []string {
	filtered := p.filtered()
	for _, prop := range c.within(p) {
		if slices.Contains(filtered, prop.Name) && len(prop.Values) > 0 {
			return quoted(prop.EnumNames())
		}
	}
	if len(filtered) == 0 {
		switch p.key() {
		case "label", "node_label", "node_types", "expand_nodes":
			return quoted(c.labels())
		case "type", "relationship_types", "expand_relationship_types":
			return quoted(c.types())
		case "property", "properties":
			if names := c.properties(p); len(names) > 0 {
				return quoted(names)
			}
		}
	}
	var out []string
	for _, node := range schemasAt(tool.Parameters, p.frames) {
		list, _ := node["enum"].([]any)
		for _, v := range list {
			if text, err := json.Marshal(v); err == nil {
				out = append(out, string(text))
			}
		}
		switch node["type"] {
		case "boolean":
			out = append(out, "true", "false")
		case "object":
			out = append(out, "{")
		case "array":
			out = append(out, "[")
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// key is the member at whose value a place is, lists passed over.
func (p place) key() string {
	for i := len(p.frames) - 1; i > 0; i-- {
		if !p.frames[i].list {
			return p.frames[i].key
		}
	}
	return ""
}

// parentKey is the member whose value is the object at a place.
func (p place) parentKey() string {
	if len(p.frames) < 3 {
		return ""
	}
	return p.frames[len(p.frames)-2].key
}

// filtered are the members on the way from filters to a place: the property
// whose condition is being written is among them.
func (p place) filtered() (names []string) {
	for i := 2; i < len(p.frames); i++ {
		if p.frames[i-1].key == "filters" || len(names) > 0 {
			names = append(names, p.frames[i].key)
		}
	}
	return names
}

// within are the properties of the label or type that the nearest object around
// a place names; for a member of that name, those of the label.
func (c *completer) within(p place) []*schema.Property {
	for i := len(p.frames) - 1; i > 0; i-- {
		f := &p.frames[i]
		for _, name := range []string{f.texts["node_label"], f.texts["label"], f.key} {
			if l, ok := c.schema.Label(name); ok {
				return l.Properties
			}
		}
		if t, ok := c.schema.Relationship(f.texts["type"]); ok {
			var props []*schema.Property
			for _, pair := range t.Pairs {
				props = append(props, pair.Properties...)
			}
			return props
		}
	}
	return nil
}

func (c *completer) properties(p place) (names []string) {
	for _, prop := range c.within(p) {
		if !prop.Hidden && !slices.Contains(names, prop.Name) {
			names = append(names, prop.Name)
		}
	}
	return names
}

func (c *completer) labels() (names []string) {
	for l := range c.schema.Labels() {
		names = append(names, l.Name)
	}
	return names
}

func (c *completer) types() (names []string) {
	for t := range c.schema.Relationships() {
		names = append(names, t.Name)
	}
	return names
}

// schemasAt are the JSON Schemas of what stands in the innermost frame: of the
// member whose value is being written, or else of the object itself.
func schemasAt(parameters json.RawMessage, frames []frame) []map[string]any {
	var root map[string]any
	if json.Unmarshal(parameters, &root) != nil {
		return nil
	}
	at := resolve(root, root, nil)
	for i := 1; i < len(frames); i++ {
		f := &frames[i]
		if i == len(frames)-1 && f.next != wantValue {
			break
		}
		var next []map[string]any
		for _, node := range at {
			var member any = node["items"]
			if !f.list {
				properties, _ := node["properties"].(map[string]any)
				if member = properties[f.key]; member == nil {
					member = node["additionalProperties"]
				}
			}
			if m, ok := member.(map[string]any); ok {
				next = resolve(root, m, next)
			}
		}
		at = next
	}
	return at
}

// resolve appends what a schema may be: what it refers to, and its alternatives.
func resolve(root, node map[string]any, to []map[string]any) []map[string]any {
	if ref, ok := node["$ref"].(string); ok {
		definitions, _ := root["definitions"].(map[string]any)
		if target, ok := definitions[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any); ok {
			return resolve(root, target, to)
		}
		return to
	}
	to = append(to, node)
	for _, kind := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := node[kind].([]any)
		for _, alternative := range list {
			if m, ok := alternative.(map[string]any); ok {
				to = resolve(root, m, to)
			}
		}
	}
	return to
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		b, _ := json.Marshal(n) // a text has a JSON form
		out[i] = string(b)
	}
	return out
}

// matching are the words that begin with what is written, each with an end.
func matching(words []string, written, end string) (out []string) {
	for _, w := range words {
		if strings.HasPrefix(w, written) {
			out = append(out, w+end)
		}
	}
	return out
}

// common is what all words begin with.
func common(words []string) string {
	if len(words) == 0 {
		return ""
	}
	prefix := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
