package bundle

import (
	"regexp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Annotations of a whole schema, and of a property of its top level.
var (
	rootAnnotations     = []string{"x-id-field", "x-tool-expose", "x-tool-description", "x-summary-fields"}
	propertyAnnotations = []string{"x-index", "x-derived", "x-ref", "x-ref-field", "x-content-type"}
)

func annotationNames() []string { return slices.Concat(rootAnnotations, propertyAnnotations) }

// The tools that a type can have.
const (
	ToolList    = "list"
	ToolGet     = "get"
	ToolListIDs = "list_ids"
)

// exposable are the tools of a type, in their order.
var exposable = []string{ToolList, ToolGet, ToolListIDs}

// maxToolDescription is the most characters of x-tool-description: what is
// generated beside it has its place in the 2,000 that clients read.
const maxToolDescription = schema.MaxRecordsDescription

var contentType = regexp.MustCompile(`^[a-z]+/[a-z0-9][a-z0-9.+-]{0,99}$`)

// An annotator reads what a schema says beyond JSON Schema.
type annotator struct {
	*reader
	t    *Type
	root *node
	file string
}

func (a *annotator) fail(n *node, pointer, format string, args ...any) *Problem {
	return a.found.report(a.file, n, pointer, format, args...)
}

// places checks that annotations are known, and stand where they mean something.
func (a *annotator) places(f *fence) {
	for _, s := range f.subs {
		if s == nil {
			continue
		}
		isProperty := strings.HasPrefix(s.pointer, "/properties/") && strings.Count(s.pointer, "/") == 2
		for i := range s.n.members {
			m := &s.n.members[i]
			if !strings.HasPrefix(m.name, "x-") {
				continue
			}
			at := graph.Pointer(s.pointer, m.name)
			switch {
			case slices.Contains(rootAnnotations, m.name):
				if s.pointer != "" {
					a.fail(m.at(), at, "%q is for the whole schema, and this is %s", m.name, s.pointer)
				}
			case slices.Contains(propertyAnnotations, m.name):
				if !isProperty {
					place := s.pointer
					if place == "" {
						place = "the whole schema"
					}
					a.fail(m.at(), at, "%q is for a property of the entity itself, and this is %s", m.name, place)
				}
			default:
				p := a.fail(m.at(), at, "there is no annotation %q", short(m.name))
				if p.DidYouMean = schema.Suggest(m.name, annotationNames()); p.DidYouMean == nil {
					p.Hint = "there are " + quoted(annotationNames(), ", ")
				}
			}
		}
	}
}

// annotate makes the type of its schema.
func (a *annotator) annotate() {
	t := a.t
	if id := a.root.member("$id"); id == nil {
		a.fail(a.root, "/$id", "the schema has no %q", "$id").Hint = `write "$id": "` + t.Name + `"`
	} else if id.value.kind != textNode || id.value.text != t.Name {
		a.fail(&id.value, "/$id", "the schema's %q is %s, and the file is that of %q", "$id", id.value.told(), t.Name)
	}
	if v := a.root.get("type"); v == nil || v.kind != textNode || v.text != "object" {
		if v == nil {
			v = a.root
		}
		a.fail(v, "/type", "entities are objects, and the schema does not say so").Hint = `write "type": "object"`
	}
	t.Title = a.text(a.root, "", "title", maxTitle)
	t.Description = a.text(a.root, "", "description", schema.MaxDescription)
	t.ToolDescription = a.text(a.root, "", "x-tool-description", maxToolDescription)
	a.properties()
	a.idField()
	a.expose()
	t.Summary = a.list("x-summary-fields")
	for i, name := range t.Summary {
		n, at := &a.root.get("x-summary-fields").items[i], item("/x-summary-fields", i)
		if _, ok := t.Property(name); !ok {
			a.noProperty(n, at, name)
		} else if name == "id" && t.IDField != name {
			a.fail(n, at, "%q is what a summary calls the id, and this property is not %q", name, "x-id-field")
		}
	}
}

func (a *annotator) noProperty(n *node, at, name string) {
	names := a.propertyNames()
	p := a.fail(n, at, "%q is no property of %q", short(name), a.t.Name)
	if p.DidYouMean = schema.Suggest(name, names); p.DidYouMean == nil {
		p.Hint = "it has " + some(names)
	}
}

func (a *annotator) propertyNames() []string {
	names := make([]string, len(a.t.Properties))
	for i, p := range a.t.Properties {
		names[i] = p.Name
	}
	return names
}

// text reads a text that describes something.
func (a *annotator) text(n *node, pointer, name string, most int) string {
	v := n.get(name)
	if v == nil {
		return ""
	}
	at := graph.Pointer(pointer, name)
	if v.kind != textNode {
		a.fail(v, at, "%q is a text, not %s", name, v.kind)
		return ""
	}
	if fault := describes(v.text, most); fault != "" {
		a.fail(v, at, "%q %s", name, fault)
	}
	return v.text
}

// list reads a list of different texts.
func (a *annotator) list(name string) []string {
	v := a.root.get(name)
	if v == nil {
		return nil
	}
	if v.kind != listNode {
		a.fail(v, "/"+name, "%q is a list of texts, not %s", name, v.kind)
		return nil
	}
	out := []string{}
	for i := range v.items {
		n := &v.items[i]
		switch {
		case n.kind != textNode:
			a.fail(n, item("/"+name, i), "%q is a list of texts, and this is %s", name, n.kind)
			return out
		case slices.Contains(out, n.text):
			a.fail(n, item("/"+name, i), "%q is listed twice", short(n.text))
		}
		out = append(out, n.text)
	}
	return out
}

// expose reads which tools the type has.
func (a *annotator) expose() {
	const name = "x-tool-expose"
	if a.root.get(name) == nil {
		a.t.Expose = []string{ToolList, ToolGet}
		return
	}
	given := a.list(name)
	for i, tool := range given {
		if !slices.Contains(exposable, tool) {
			p := a.fail(&a.root.get(name).items[i], item("/"+name, i), "there is no tool %q", short(tool))
			p.Hint, p.DidYouMean = "one of "+quoted(exposable, ", "), schema.Suggest(tool, exposable)
		}
	}
	a.t.Expose = []string{}
	for _, tool := range exposable {
		if slices.Contains(given, tool) {
			a.t.Expose = append(a.t.Expose, tool)
		}
	}
}

// idField reads which property identifies an entity.
func (a *annotator) idField() {
	v := a.root.get("x-id-field")
	if v == nil {
		p := a.fail(a.root, "/x-id-field", "the schema has no %q", "x-id-field")
		p.Hint = "it names the property that identifies an entity"
		return
	}
	if v.kind != textNode {
		a.fail(v, "/x-id-field", "%q is the name of a property, not %s", "x-id-field", v.kind)
		return
	}
	p, ok := a.t.Property(v.text)
	if !ok {
		a.noProperty(v, "/x-id-field", v.text)
		return
	}
	a.t.IDField = v.text
	at := a.root.get("properties").get(v.text)
	pointer := graph.Pointer("/properties", v.text)
	switch {
	case p.Array, p.Type != schema.String && p.Type != schema.Enum && p.Type != schema.UUID && p.Type != schema.Date && p.Type != schema.DateTime:
		a.fail(at, pointer, "%q identifies entities and is no string", v.text).Hint = `write "type": "string"`
	case p.Nullable:
		a.fail(at, pointer, "%q identifies entities and must not be null", v.text)
	case !p.Required:
		a.fail(v, "/x-id-field", "%q identifies entities and is not in %q", v.text, "required")
	case p.Derived:
		a.fail(at, pointer+"/x-derived", "%q identifies entities, so it is not derived", v.text)
	case p.Ref != nil:
		a.fail(at, pointer+"/x-ref", "%q identifies entities, so it refers to no other", v.text)
	}
	// A key is a text, whatever its form.
	p.Type, p.Enum, p.Index = schema.String, nil, true
}
