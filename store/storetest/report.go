package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// report tells of a wrong answer by the smallest graph and call that are
// answered wrongly.
func (r *differential) report(a Asked, v verdict) {
	f := r.shrink(a, v)
	r.t.Errorf("wrong answer; the smallest graph and call that give one:\n\n%s\n%s", f.script(), diff(f.want, f.got))
}

// script writes a counterexample as the files of a graph directory and the block of a
// script that expects the right answer.
func (f counterexample) script() string {
	text := f.files() + "# script\n"
	var limits string
	if f.world.asking != nil {
		text += "scope " + scopeJSON(f.world.asking) + "\n"
	}
	if n := f.world.limits.Connections; n > 0 {
		limits += fmt.Sprintf(" connections=%d", n)
	}
	if l := f.world.limits; l.Bytes > 0 {
		limits += fmt.Sprintf(" bytes=%d pattern_bytes=%d where_bytes=%d argument_bytes=%d", l.Bytes, l.PatternBytes, l.WhereBytes, l.ArgumentBytes)
	}
	if limits != "" {
		text += "limits" + limits + "\n"
	}
	if f.after > 0 {
		text += fmt.Sprintf("# what is expected is the page after %d rows\n", f.after)
	}
	want := slices.DeleteFunc(slices.Clone(f.want), func(line string) bool { return line == "more" })
	return text + fmt.Sprintf("call %s\n%s\n%s\n%s\n", asked(f.asked.Query), Arguments(f.asked.Query), rule, strings.Join(want, "\n"))
}

// files writes the files of the graph directory.
func (f counterexample) files() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# schema.yaml\n%s", f.world.schema.yaml())
	for _, l := range f.world.schema.labels {
		fmt.Fprintf(&b, "# nodes/%s.jsonl\n", l.name)
		for _, n := range f.world.nodes {
			if n.label == l.name {
				var o object
				o.values(n.values)
				fmt.Fprintln(&b, o.String())
			}
		}
	}
	for _, t := range f.world.schema.types {
		fmt.Fprintf(&b, "# relationships/%s.jsonl\n", t.name)
		for _, rel := range f.world.rels {
			if rel.typ != t.name {
				continue
			}
			var o object
			o.add("from", rel.from.ID.String())
			o.add("to", rel.to.ID.String())
			if len(t.pairs) > 1 {
				o.text("from_label", rel.from.Label)
				o.text("to_label", rel.to.Label)
			}
			o.values(rel.values)
			fmt.Fprintln(&b, o.String())
		}
	}
	return b.String()
}

func (o *object) values(values map[string]graph.Value) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		o.add(name, values[name].String())
	}
}
