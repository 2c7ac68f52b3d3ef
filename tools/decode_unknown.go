package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// conditions are the names of filterable properties, of nodes and of
// relationships. They serve suggestions only: a caller often writes a condition
// beside filters instead of into it.
type conditions struct{ node, relationship map[string]bool }

// of returns the properties that the filters of a shape are about; nil if it
// has none, or has them by label.
func (c *conditions) of(s *shape) map[string]bool {
	switch s {
	case findShape, aggregateShape, nodeShape, innerShape, aggregationShape:
		return c.node
	case stepShape:
		return c.relationship
	}
	if s.filtered {
		return c.node
	}
	return nil
}

// unknownField reports a member that the object does not have, and what was
// probably meant. Its fix is to move it there; or else to remove it, if that
// leaves nothing out that the call asks for.
func (d *decoder) unknownField(o *object, key string) {
	if d.full() {
		d.skip()
		return
	}
	at := d.pointer()
	parent := parentOf(at)
	e := d.mistake(graph.UnknownField, at, fmt.Sprintf("%s has no field %q", o.shape.noun, key))
	e.SetGot(key)
	e.SetAllowed(o.shape.fields)
	e.Hint = o.shape.hints[key]
	e.Fix = []graph.Patch{{Op: "remove", Path: at}}
	raw := d.skip()
	if d.failed != nil {
		return
	}
	e.DidYouMean = o.shape.alias(key)
	if e.DidYouMean == nil && o.shape == relatedShape && stepShape.index(key) >= 0 {
		e.Hint = "the parts of a step stand in relationships"
		o.strays = append(o.strays, e)
		return
	}
	if e.DidYouMean == nil && d.conditions.of(o.shape)[key] {
		e.Hint = "conditions on properties stand in filters"
		o.strays = append(o.strays, e)
		return
	}
	if e.DidYouMean == nil {
		e.DidYouMean = schema.Suggest(key, o.shape.fields)
	}
	if len(e.DidYouMean) == 0 {
		e.DidYouMean = schema.Suggest(key, slices.Sorted(maps.Keys(d.conditions.of(o.shape))))
		if len(e.DidYouMean) > 0 {
			e.Message += fmt.Sprintf("; did you mean the property %q?", e.DidYouMean[0])
			e.Hint = "conditions on properties stand in filters"
			o.strays = append(o.strays, e)
		} else if !needless[strings.ToLower(key)] && !empty(raw) {
			e.Fix = nil // without it the call would ask for more than was meant
		}
		return
	}
	meant := e.DidYouMean[0]
	e.Message += fmt.Sprintf("; did you mean %q?", meant)
	switch field := o.shape.index(meant); {
	case o.seen&(1<<field) != 0: // it is there already
	case strings.Trim(string(raw), "[] \t\r\n") == "": // an empty list would be refused there, too
	case meant == "ids" && (raw[0] != '[' || key == "node_id"): // a list is one id of several parts
		e.Fix = append(e.Fix, graph.Patch{Op: "add", Path: parent + "/ids", Value: []json.RawMessage{json.RawMessage(raw)}})
	default:
		e.Fix = []graph.Patch{{Op: "move", From: at, Path: parent + "/" + meant}}
	}
}

// gather mends, at the end of an object, the conditions that stand beside its
// filters: they move into them.
func (d *decoder) gather(o *object) {
	if len(o.strays) == 0 {
		return
	}
	if o.shape == relatedShape {
		d.gatherStep(o)
		return
	}
	filters := d.pointer() + "/filters"
	for _, e := range d.errs {
		if e.Path == filters { // there is nothing sound to move them into
			for _, stray := range o.strays {
				stray.Fix = nil
			}
			return
		}
	}
	have := o.seen&(1<<o.shape.index("filters")) != 0
	for _, e := range o.strays {
		e.Fix = nil
		if !have {
			e.Fix = []graph.Patch{{Op: "add", Path: filters, Value: struct{}{}}}
		}
		to := filters + e.Path[strings.LastIndexByte(e.Path, '/'):]
		if len(e.DidYouMean) > 0 {
			to = graph.Pointer(filters, e.DidYouMean[0])
		}
		e.Fix = append(e.Fix, graph.Patch{Op: "move", From: e.Path, Path: to})
	}
}

// needless are members that callers add although a call means the same without
// them: whose call it is, how much is told, what is thought.
var needless = map[string]bool{
	"tenant": true, "tenant_id": true, "organization": true, "organization_id": true, "org_id": true, "_meta": true, "meta": true, "metadata": true,
	"include_total": true, "include_count": true, "with_total": true, "verbose": true, "explain": true, "pretty": true, "format": true, "output_format": true,
	"reason": true, "reasoning": true, "thought": true, "explanation": true, "description": true, "comment": true,
}

// empty reports whether a JSON value is one that says nothing.
func empty(raw string) bool {
	switch strings.TrimSpace(raw) {
	case "null", "false", "0", `""`, "[]", "{}":
		return true
	}
	return false
}

// gatherStep mends a step that stands in the place of a related condition: all
// its parts move into the first of the condition's relationships.
func (d *decoder) gatherStep(o *object) {
	at := d.pointer() + "/relationships"
	if o.seen&(1<<o.shape.index("relationships")) != 0 {
		return
	}
	fix := []graph.Patch{{Op: "add", Path: at, Value: []struct{}{{}}}}
	for _, e := range o.strays {
		fix = append(fix, graph.Patch{Op: "move", From: e.Path, Path: at + "/0" + e.Path[strings.LastIndexByte(e.Path, '/'):]})
	}
	for _, e := range o.strays {
		e.Fix = fix
	}
}

// alias finds the field that has the name in another case, or that people
// know by it.
func (s *shape) alias(got string) []string {
	for _, f := range s.fields {
		if strings.EqualFold(f, got) {
			return []string{f}
		}
	}
	for _, f := range aliases[strings.ToLower(got)] {
		if s.index(f) >= 0 {
			return []string{f}
		}
	}
	return nil
}
