package bundle

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

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
		batch := make([]draft, 0, batchSize)
		for more, ok := true, true; more && ok && !r.found.many(); {
			for batch = batch[:0]; len(batch) < batchSize; {
				var d draft
				if d.node, more, ok = fast.item(); !more || !ok {
					break
				}
				batch = append(batch, d)
			}
			r.drafts(t, batch)
			for i := range batch {
				if r.found.many() {
					break
				}
				r.entity(file, t, &batch[i], item("", read), false)
				read++
			}
			if ok && !more && read > 0 {
				return nil
			}
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
			r.entity(file, t, &draft{node: root.items[i]}, item("", i), false)
		}
	case root.kind == objectNode:
		r.entity(file, t, &draft{node: *root}, "", true)
	default:
		r.found.report(file, root, "", "the file is %s, not a list of entities", root.kind)
	}
	return nil
}

// A draft is what is read of an entity, and what can be said of it by itself.
type draft struct {
	node     node
	checked  bool // against its schema, with what is wrong
	ok       bool
	list     []violation
	document []byte // once it is ok
	yaml     []byte
}

// batchSize is how many entities of a file are checked at the same time.
const batchSize = 256

// drafts checks entities of lists on all processors, as far as that is not too much
// work; entity does what is left, and tells what is wrong.
func (r *reader) drafts(t *Type, batch []draft) {
	if t.check == nil {
		return
	}
	left := bundleWork*float64(r.limits.BundleBytes) - r.work
	together(len(batch), func(i int) {
		d := &batch[i]
		if work := t.work(&d.node); d.node.kind != objectNode || d.node.unread || work > entityWork || work*batchSize > left {
			return
		}
		if d.check(t); d.ok {
			d.write(t, false)
		}
	})
}

// check holds an entity against its type's schema.
func (d *draft) check(t *Type) {
	if !d.checked {
		d.list, d.ok = t.violations(d.node.plain())
		d.checked = true
	}
}

// write writes an entity in its two forms. Texts of the node are then those of the
// document, where it has them as they are: so that no file stays in memory for them.
func (d *draft) write(t *Type, single bool) {
	if d.document != nil {
		return
	}
	n := &d.node
	n.order(t.tree, t.tree)
	d.document = slices.Clone(n.appendJSON(make([]byte, 0, 1024)))
	n.share(d.document)
	w := yamlWriter{out: make([]byte, 0, 1024)}
	w.entity(n, single)
	d.yaml = slices.Clone(w.out)
}

// entity checks one entity and adds it to its type.
func (r *reader) entity(file string, t *Type, d *draft, pointer string, single bool) {
	n := &d.node
	switch {
	case n.kind != objectNode && n.unread:
		t.broken, t.partial = true, true
		return
	case n.kind != objectNode:
		r.found.report(file, n, pointer, "an entity of %q is a map, not %s", t.Name, n.kind)
		return
	}
	r.names(file, n, pointer)
	bad, valid := r.valid(file, t, d, pointer)
	r.refer(file, t, n, pointer)
	id, ok := r.id(file, t, n, pointer)
	if !ok {
		t.partial = t.partial || n.unread
		return
	}
	e := &Entity{ID: id, File: file, Line: int(n.line), Column: int(n.column), single: single}
	t.byID[e.ID] = e // even if it is not valid: what refers to it is right
	t.Entities = append(t.Entities, e)
	if t.check == nil || !valid && bad == nil {
		t.broken = true
		return
	}
	if valid = valid && !n.unread; valid {
		d.write(t, single)
	}
	e.Values = r.values(file, t, n, pointer, bad)
	if !valid {
		e.Values, t.broken = nil, true
		return
	}
	e.Document, e.yaml = d.document, d.yaml
	if len(e.Document) > r.limits.EntityBytes {
		r.found.report(file, n, pointer, "the entity is %d bytes long as JSON, and at most %d are allowed", len(e.Document), r.limits.EntityBytes)
	}
}

const (
	maxName    = 512  // the longest name of a member of an entity, in bytes
	maxWritten = 1000 // and as it is written: YAML has no longer names than 1024 bytes
)

// names reports names of members that the canonical form, which is YAML, could not be
// read with again.
func (r *reader) names(file string, n *node, pointer string) {
	for i := range n.items {
		if n.items[i].kind >= listNode {
			r.names(file, &n.items[i], item(pointer, i))
		}
	}
	for i := range n.members {
		m := &n.members[i]
		switch {
		case len(m.name) > maxName:
			r.found.report(file, m.at(), pointer, "a name has at most %d bytes", maxName)
		case strings.ContainsFunc(m.name, unicode.IsControl):
			r.found.report(file, m.at(), pointer, "a name has control characters")
		case len(m.name) > maxName/8 && len(quotedName(m.name)) > maxWritten:
			r.found.report(file, m.at(), pointer, "a name has at most %d bytes where what is not printable is escaped", maxWritten)
		}
		if m.value.kind >= listNode {
			r.names(file, &m.value, graph.Pointer(pointer, m.name))
		}
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
