package memory

import (
	"maps"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An intake turns what Go programs give into records, one at a time.
type intake struct {
	problems *problems
	record   record
}

// ends sets the columns that say where a relationship stands.
func (in *intake) ends(from, to graph.NodeID) {
	f := in.record.fields
	f[columnFrom] = field{state: asValue, value: from.ID}
	f[columnTo] = field{state: asValue, value: to.ID}
	f[columnFromLabel] = field{state: asValue, value: graph.String(from.Label)}
	f[columnToLabel] = field{state: asValue, value: graph.String(to.Label)}
}

// fill sets the columns of properties, and reports names that are not in the
// layout. Property finds a property by its name.
func (in *intake) fill(name string, l *layout, values Values, property func(string) (*schema.Property, bool)) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		at, fault := l.column(key)
		if fault != "" {
			in.problems.add(name, in.record.line, "%s", strings.Replace(fault, "column", "property", 1))
			continue
		}
		f := field{state: asValue}
		if p, ok := property(key); ok {
			f.value, f.fault = goValue(p, values[key])
		} else {
			f.value = graph.Of(values[key])
		}
		in.record.fields[at] = f
	}
}
