package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// nodes answers with nodes: the targets, then what connects them.
func (r *run) nodes() error {
	limit := r.limit()
	web := r.newWeb()
	fit := NewFitter(r.plan.Limits.Bytes)
	var targets []target
	if err := r.count(); err != nil {
		return err
	}
	err := r.execute(r.prog.Main, nil, func(row []graph.Value) (bool, error) {
		t := target{key: r.keyOf(r.prog.Target, row)}
		if n := len(targets); n > 0 && slices.EqualFunc(t.key, targets[n-1].key, graph.Value.Equal) {
			return false, r.twice(targets[n-1].node, len(t.key))
		}
		if len(targets) == limit {
			r.out.TruncatedBy = graph.TruncatedRows
			return false, nil
		}
		t.node = r.node(r.prog.Target, t.key, row)
		t.node.Distance = r.prog.Length
		if r.prog.Distance >= 0 {
			t.node.Distance = int(row[r.prog.Distance].Int())
		}
		if !fit.Fit(Piece{Nodes: []*graph.Node{t.node}, Always: len(targets) == 0}) {
			r.out.TruncatedBy = graph.TruncatedBytes
			r.ahead = limit - len(targets)
			return false, nil
		}
		targets = append(targets, t)
		r.out.Next = r.prog.AppendValues(r.out.Next[:0], row)
		if r.prog.Path != nil {
			web.add(r.prog.Path, row)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	r.out.Returned = len(targets)
	if r.out.TruncatedBy == graph.Complete || r.out.Total != nil {
		r.out.Next = nil
	}
	for _, p := range r.prog.Paths {
		if err := r.connect(web, p, targets); err != nil {
			return err
		}
	}
	return r.write(targets, web, fit)
}

// count finds out how many nodes match, where that is asked for. It comes before
// the page, which may end the session.
func (r *run) count() error {
	if r.prog.Count == nil {
		return nil
	}
	err := r.execute(r.prog.Count, nil, func(row []graph.Value) (bool, error) {
		total := row[0].Int()
		r.out.Total = &total
		return true, nil
	})
	if err == nil && r.out.Total == nil {
		err = errors.New("the statement that counts has no row")
	}
	return err
}

// A target is a node that was asked for.
type target struct {
	node *graph.Node
	key  []graph.Value
}

func (r *run) keyOf(f *compile.NodeFields, row []graph.Value) []graph.Value {
	key := r.values.take(len(f.Key))
	for i, k := range f.Key {
		key[i] = row[k]
	}
	return key
}

// node is the node of a key that a row holds.
func (r *run) node(f *compile.NodeFields, key, row []graph.Value) *graph.Node {
	n := &r.answered.take(1)[0]
	n.Label, n.ID, n.Properties = f.Label.Name, graph.KeyText(key), r.properties(f.Shown, row)
	return n
}

// twice is the error of a node that a statement has two rows of, which promises
// one: what the schema says of its tables is not so. Two rows of one node follow each
// other, also from one page to the next, unless they differ in what orders them.
func (r *run) twice(n *graph.Node, parts int) error {
	unlike := "its key"
	if declared := r.plan.Declared(); len(declared) > 0 {
		unlike += ", or what the schema declares (" + strings.Join(declared, "; ") + "),"
	}
	return &graph.Error{Code: graph.InvalidData, Message: n.Label + " " + shownID(n.ID, parts) + " is found twice: " + unlike + " is not unique"}
}

// properties are what an answer shows of a node or a relationship. Nothing else
// makes a property of an answer, so that what the caller sees masked is masked
// everywhere.
func (r *run) properties(shown []compile.ShownField, row []graph.Value) []graph.Property {
	props := r.shown.take(len(shown))
	for i, s := range shown {
		props[i] = graph.Property{Name: s.Property.Name, Value: r.plan.Mask(s.Property, row[s.Field])}
	}
	return props
}

// connect finds the paths of one length to those targets that are so far away.
func (r *run) connect(web *web, p *compile.PathProgram, targets []target) error {
	var keys []graph.Value
	n := 0
	for _, t := range targets {
		if t.node.Distance == p.Length {
			keys = append(keys, t.key...)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	st, fields, err := p.To(n)
	if err != nil {
		return err
	}
	most := r.plan.Limits.Budget / p.Length
	seen := 0
	return r.execute(st, keys, func(row []graph.Value) (bool, error) {
		if seen == most {
			r.out.TruncatedBy = graph.TruncatedBudget
			return false, nil
		}
		seen++
		web.add(&fields, row)
		return true, nil
	})
}

// write writes the answer and warns of ids that do not exist.
func (r *run) write(targets []target, web *web, fit *Fitter) error {
	found := make(map[graph.NodeKey]bool, len(targets))
	for _, t := range targets {
		id := graph.NodeKey{Label: t.node.Label, ID: t.node.ID}
		if found[id] {
			return r.twice(t.node, len(t.key))
		}
		found[id] = true
	}
	rels, context := r.clip(web.relationships(), web, found, fit)
	for _, t := range targets {
		if err := r.writer.Node(t.node); err != nil {
			return err
		}
	}
	for _, n := range context {
		if err := r.writer.Node(n); err != nil {
			return err
		}
	}
	for i := range rels {
		if err := r.writer.Relationship(&rels[i].Relationship); err != nil {
			return err
		}
	}
	for _, l := range r.prog.Lookups {
		if err := r.lookup(l, found); err != nil {
			return err
		}
	}
	return nil
}

// lookup warns of the ids of a node pattern that name no visible node.
func (r *run) lookup(l *compile.Lookup, found map[graph.NodeKey]bool) error {
	label := l.Set.Label()
	parts := len(label.Key)
	keys := r.keys(l)
	ids := make([]string, keys.N)
	missing := false
	for i := range ids {
		first := int(keys.First) + i*parts
		ids[i] = graph.KeyText(r.plan.Params[first : first+parts])
		missing = missing || !found[graph.NodeKey{Label: label.Name, ID: ids[i]}]
	}
	if !missing || r.starts(keys) {
		return nil
	}
	err := r.execute(l.Statement, nil, func(row []graph.Value) (bool, error) {
		found[graph.NodeKey{Label: label.Name, ID: graph.KeyText(row)}] = true
		return true, nil
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		if !found[graph.NodeKey{Label: label.Name, ID: id}] {
			r.out.Warnings = append(r.out.Warnings, NotFound(fmt.Sprintf("%s/%d", l.Path, i), label, id))
		}
	}
	return nil
}

// starts reports whether a key of a traversal's start is known to be there: it is
// the only one, and led to a target.
func (r *run) starts(keys compile.Keys) bool {
	_, ok := r.plan.Root.(*compile.Traverse)
	return ok && keys.N == 1 && r.out.Returned > 0
}

// keys are the plan's own keys of a lookup. A program serves all plans of its
// shape, which may have fewer or more keys of the same class.
func (r *run) keys(l *compile.Lookup) compile.Keys {
	switch root := r.plan.Root.(type) {
	case *compile.Find:
		return root.Nodes.Keys
	case *compile.Traverse:
		return root.From.Keys
	}
	return l.Set.Keys
}

// NotFound is the warning that an id, which stands at a place of a call, names no
// node that the caller may see.
func NotFound(path string, l *schema.Label, id string) graph.Warning {
	return graph.Warning{Code: graph.NotFound, Path: path, Message: fmt.Sprintf("there is no %s %s", l.Name, shownID(id, len(l.Key)))}
}

// shownID shows an id in a message, cut to a readable length. One of several
// parts is JSON and has its own quotes.
func shownID(id string, parts int) string {
	if len(id) > 80 {
		id = strings.ToValidUTF8(id[:80], "") + "…"
	}
	if parts > 1 {
		return id
	}
	return `"` + id + `"`
}
