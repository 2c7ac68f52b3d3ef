package storetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// maskKey is the host's key for masks in the calls of tests.
var maskKey = []byte("the key of the tests for masks..")

// filtered is the world that physically holds only what a caller may see, and
// has no policies: rows as the oracle judges them, properties that are hidden
// left out, masked ones with their masks as values. Labels and pairs that the
// view does not have are left out too; none of their rows may be visible.
func (w *world) filtered(scope *graph.Scope, full *schema.Schema) (*world, error) {
	o, err := newOracle(w, scope)
	if err != nil {
		return nil, err
	}
	view, err := full.View(scope)
	if err != nil {
		return nil, err
	}
	out := &world{schema: &schemaSpec{}, limits: w.limits}
	shown := map[*propSpec]*propSpec{}
	props := func(list []*propSpec) (kept []*propSpec) {
		for _, p := range list {
			if shown[p] = o.shown(p); shown[p] != nil {
				kept = append(kept, shown[p])
			}
		}
		return kept
	}
	for _, l := range w.schema.labels {
		c := *l
		c.policy, c.props = "", props(l.props)
		if l.defaults != nil {
			c.defaults = slices.DeleteFunc(append([]string{}, l.defaults...), func(name string) bool { return shown[l.prop(name)] == nil })
		}
		if _, ok := view.Schema().Label(l.name); ok {
			out.schema.labels = append(out.schema.labels, &c)
		}
	}
	for _, t := range w.schema.types {
		c := &typeSpec{name: t.name}
		for _, p := range t.pairs {
			pc := *p
			pc.policy, pc.props = "", props(p.props)
			if hasPair(view.Schema(), t.name, p) {
				c.pairs = append(c.pairs, &pc)
			}
		}
		if len(c.pairs) > 0 {
			out.schema.types = append(out.schema.types, c)
		}
	}
	for i, n := range w.nodes {
		switch visible := o.visibleNode(i); {
		case visible && out.schema.label(n.label) == nil:
			return nil, fmt.Errorf("the view has no label %q, of which the caller may see nodes", n.label)
		case visible:
			out.nodes = append(out.nodes, nodeSpec{n.label, shownValues(n.values, w.schema.label(n.label).props, shown)})
		}
	}
	for i, r := range w.rels {
		switch visible := o.visibleRel(i); {
		case visible && out.pair(r) == nil:
			return nil, fmt.Errorf("the view has no %s from %q to %q, of which the caller may see some", r.typ, r.from.Label, r.to.Label)
		case visible:
			r.values = shownValues(r.values, w.pair(r).props, shown)
			out.rels = append(out.rels, r)
		}
	}
	return out, o.broken
}

func hasPair(s *schema.Schema, typ string, p *pairSpec) bool {
	t, ok := s.Relationship(typ)
	return ok && slices.ContainsFunc(t.Pairs, func(o *schema.Pair) bool { return o.From.Name == p.from && o.To.Name == p.to })
}

// shown is a property as the caller sees it, nil where not at all.
func (o *oracle) shown(p *propSpec) *propSpec {
	c := *p
	c.visibleIf, c.mask = "", ""
	switch {
	case p.hidden:
		return nil
	case p.visibleIf == "" || o.allows(p.visibleIf, map[string]any{}):
		return &c
	case p.mask == "":
		return nil
	}
	c.mask, c.shownOnly, c.required, c.search, c.index, c.unique = "", true, false, false, false, false
	c.masked = p.mask
	c.maskedFor, _ = o.caller["tenant"].(string)
	return &c
}

func shownValues(values map[string]graph.Value, props []*propSpec, shown map[*propSpec]*propSpec) map[string]graph.Value {
	out := map[string]graph.Value{}
	for _, p := range props {
		if v, ok := values[p.name]; ok && shown[p] != nil {
			if v = masked(shown[p], v); !v.IsNull() {
				out[p.name] = v
			}
		}
	}
	return out
}

// masked is what a caller sees of a value.
func masked(p *propSpec, v graph.Value) graph.Value {
	switch {
	case v.IsNull() || p.masked == "":
		return v
	case p.masked == "hash":
		mac := hmac.New(sha256.New, maskKey)
		fmt.Fprintf(mac, "trellis mask\x00%d:%s%s\x00%s", len(p.maskedFor), p.maskedFor, p.name, v.Text())
		return graph.String("h:" + hex.EncodeToString(mac.Sum(nil))[:32])
	case p.masked == "last4":
		if runes := []rune(v.Text()); len(runes) > 4 {
			return graph.String("****" + string(runes[len(runes)-4:]))
		}
		return graph.String("****")
	}
	return graph.Null()
}
