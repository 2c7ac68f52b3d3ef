package bundle

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// statements are words of SQL that nothing is called by. Types are the names of
// tables for whoever loads them into a database.
var statements = []string{"alter", "create", "delete", "drop", "false", "from", "insert", "null", "select", "true", "truncate", "where"}

// schema reads a file with the schema of a type.
func (r *reader) schema(file string) error {
	name, ok := strings.CutSuffix(strings.TrimPrefix(file, "schemas/"), schemaSuffix)
	switch {
	case !ok:
		r.found.report(file, nil, "", "a file with a schema is named after its type: schemas/product%s", schemaSuffix)
		return nil
	case !typeName.MatchString(name):
		r.refused = append(r.refused, name)
		r.found.report(file, nil, "", "%q is no name for an entity type", short(name)).Hint = "2 to 64 lower-case letters, digits and underscores; a letter first, no underscore last"
		return nil
	case slices.Contains(statements, name):
		r.refused = append(r.refused, name)
		r.found.report(file, nil, "", "%q is a word of SQL and no name for an entity type", name)
		return nil
	}
	t := &Type{Name: name, Plural: plural(name), file: file, byName: map[string]int{}, byID: map[string]*Entity{}}
	r.bundle.types, r.bundle.byName[name] = append(r.bundle.types, t), t

	data, err := r.file(file, r.limits.SchemaBytes)
	if err != nil || data == nil {
		return err
	}
	root := readJSON(file, data, r.limits.SchemaDepth, &r.found)
	if root == nil {
		return nil
	}
	f := &fence{file: file, limits: r.limits, found: &r.found, root: root, states: &r.states}
	if root.kind != objectNode {
		f.fail(root, "", "a schema of entities is an object, not %s", root.kind)
		return nil
	}
	safe := f.check()
	t.tree, t.visits, t.program = root, f.visits, f.program
	a := annotator{reader: r, t: t, root: root, file: file}
	a.places(f)
	if safe {
		t.check = r.compile(t, root)
	}
	a.annotate()
	t.Schema = json.RawMessage(indent(nil, root, ""))
	return nil
}

// indent writes a value as JSON with an indent of two spaces.
func indent(b []byte, n *node, margin string) []byte {
	switch {
	case n.kind == listNode && len(n.items) > 0 && !scalars(n.items):
		b = append(b, '[')
		for i := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = indent(append(b, "\n  "+margin...), &n.items[i], margin+"  ")
		}
		return append(b, "\n"+margin+"]"...)
	case n.kind == objectNode && len(n.members) > 0:
		b = append(b, '{')
		for i := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = graph.AppendJSONString(append(b, "\n  "+margin...), n.members[i].name)
			b = indent(append(b, ": "...), &n.members[i].value, margin+"  ")
		}
		return append(b, "\n"+margin+"}"...)
	case n.kind == listNode:
		b = append(b, '[')
		for i := range n.items {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = n.items[i].appendJSON(b)
		}
		return append(b, ']')
	}
	return n.appendJSON(b)
}

func scalars(items []node) bool {
	for i := range items {
		if items[i].kind >= listNode {
			return false
		}
	}
	return true
}

// fileOf is where a type's schema stands.
func (t *Type) fileOf() string { return path.Join("schemas", t.Name+schemaSuffix) }
