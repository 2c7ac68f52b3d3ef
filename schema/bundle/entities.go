package bundle

import (
	"encoding/json"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// entityFile reads a file with entities: a list of them, or one.
func (r *reader) entityFile(file string, t *Type) error {
	data, err := r.file(file, r.limits.BundleBytes)
	if err != nil || data == nil {
		t.partial = true
		return err
	}
	t.files = append(t.files, file)
	// A list of entities is one level around them.
	const depth = maxDepth + 1
	read := 0
	if fast := newFastYAML(data, depth); fast != nil {
		for !r.found.many() {
			n, more, ok := fast.item()
			if ok && !more && read > 0 {
				return nil
			}
			if !ok || !more {
				break
			}
			r.entity(file, t, &n, item("", read), false)
			read++
		}
	}
	if r.found.many() {
		return nil
	}
	var root *node
	if json.Valid(data) { // YAML reads most of it, too, but not each escape
		root = readJSON(file, data, depth, &r.found)
	} else {
		root = readYAML(file, data, depth, &r.found)
	}
	switch {
	case root == nil || root.unread && root.kind != listNode && root.kind != objectNode:
		t.broken, t.partial = true, true
	case root.kind == listNode:
		for i := read; i < len(root.items) && !r.found.many(); i++ {
			r.entity(file, t, &root.items[i], item("", i), false)
		}
	case root.kind == objectNode:
		r.entity(file, t, root, "", true)
	default:
		r.found.report(file, root, "", "the file is %s, not a list of entities", root.kind)
	}
	return nil
}

// entity checks one entity and adds it to its type.
func (r *reader) entity(file string, t *Type, n *node, pointer string, single bool) {
	switch {
	case n.kind != objectNode && n.unread:
		t.broken, t.partial = true, true
		return
	case n.kind != objectNode:
		r.found.report(file, n, pointer, "an entity of %q is a map, not %s", t.Name, n.kind)
		return
	}
	bad, valid := map[string]bool(nil), false
	if !n.unread {
		bad, valid = r.valid(file, t, n, pointer)
		r.refer(file, t, n, pointer)
	}
	id, ok := r.id(file, t, n, pointer)
	if !ok {
		t.partial = t.partial || n.unread
		return
	}
	e := &Entity{ID: id, File: file, Line: int(n.line), Column: int(n.column), single: single}
	t.byID[e.ID] = e // even if it is not valid: what refers to it is right
	t.Entities = append(t.Entities, e)
	if n.unread || t.check == nil || !valid && bad == nil {
		t.broken = true
		return
	}
	n.order(t.tree, t.tree)
	e.Values = r.values(file, t, n, pointer, bad)
	if !valid {
		e.Values, t.broken = nil, true
		return
	}
	e.Document = n.appendJSON(nil)
	w := yamlWriter{}
	w.entity(n, single)
	e.yaml = w.out
	if len(e.Document) > r.limits.EntityBytes {
		r.found.report(file, n, pointer, "the entity is %d bytes long as JSON, and at most %d are allowed", len(e.Document), r.limits.EntityBytes)
	}
}

// id is the id of an entity, if it has one of its own.
func (r *reader) id(file string, t *Type, n *node, pointer string) (string, bool) {
	id := n.get(t.IDField)
	at := graph.Pointer(pointer, t.IDField)
	switch {
	case id == nil || id.kind != textNode:
		return "", false // its schema is not read, or says so already
	case id.text == "":
		r.found.report(file, id, at, "the id is empty")
		return "", false
	case len(id.text) > r.limits.IDBytes:
		r.found.report(file, id, at, "the id is %d bytes long, and at most %d are allowed", len(id.text), r.limits.IDBytes)
		return "", false
	case strings.ContainsFunc(id.text, invisible):
		r.found.report(file, id, at, "the id %q has characters that nobody sees", short(id.text))
		return "", false
	case strings.TrimSpace(id.text) != id.text:
		r.found.report(file, id, at, "the id %q begins or ends with a space", short(id.text))
		return "", false
	}
	if first := t.byID[id.text]; first != nil {
		r.found.report(file, id, at, "the id %q is here twice; the first %s is in %s, line %d", short(id.text), t.Name, first.File, first.Line)
		return "", false
	}
	return id.text, true
}
