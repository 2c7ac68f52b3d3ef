package storetest

import (
	"fmt"
	"sort"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func allTypes() []schema.Type {
	return []schema.Type{schema.Int32, schema.Int64, schema.Float, schema.Decimal, schema.String, schema.Enum,
		schema.Bool, schema.Date, schema.DateTime, schema.UUID, schema.JSON}
}

// operators lists the operators that a type takes.
func operators(t schema.Type) []graph.Op {
	switch t {
	case schema.JSON:
		return []graph.Op{graph.IsNull}
	case schema.Bool:
		return []graph.Op{graph.Eq, graph.Ne, graph.IsNull}
	case schema.Enum, schema.UUID:
		return []graph.Op{graph.Eq, graph.Ne, graph.In, graph.NotIn, graph.IsNull}
	case schema.String:
		return graph.Ops()
	}
	return []graph.Op{graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.In, graph.NotIn, graph.IsNull}
}

// functions lists the aggregate functions that a type takes.
func functions(t schema.Type) []graph.Function {
	switch {
	case t == schema.JSON:
		return nil
	case t == schema.UUID:
		return []graph.Function{graph.CountDistinct}
	case t.Numeric():
		return []graph.Function{graph.CountDistinct, graph.Sum, graph.Avg, graph.Min, graph.Max}
	}
	return []graph.Function{graph.CountDistinct, graph.Min, graph.Max}
}

// requiredCells lists what the scripts must exercise:
//
//   - find_nodes: every operator of every type, on a nullable and on a required
//     property; every order of every type both ways, nullable and required
//   - traverse_relationships, aggregate_nodes, conditions of relationships:
//     every operator and every type
//   - every mapping form outgoing, incoming and both; one to three hops
//   - related conditions outgoing and incoming over every mapping form, each
//     kind of condition and count; groups along every mapping form
//   - explore_neighbors and find_paths in every direction, and the modes that
//     every store has
//   - every function of every type, nullable and required; every type as a
//     group, nullable and required; every unit of date and datetime
//   - every type of key
func requiredCells() []string {
	var cells []string
	need := func(table string, coordinates ...any) { cells = append(cells, cell(table, coordinates...)) }
	nullnesses := []string{"nullable", "required"}
	for _, t := range allTypes() {
		for _, null := range nullnesses {
			for _, op := range operators(t) {
				need("condition", graph.ToolFindNodes, op, t, null)
			}
			for _, f := range functions(t) {
				need("function", f, t, null)
			}
			if t == schema.JSON {
				continue
			}
			need("group", t, null)
			need("order", graph.ToolFindNodes, t, graph.Asc, null)
			need("order", graph.ToolFindNodes, t, graph.Desc, null)
		}
		for _, place := range []string{graph.ToolTraverse, graph.ToolAggregate, "relationship"} {
			need("type", place, t)
		}
	}
	for _, op := range graph.Ops() {
		for _, place := range []string{graph.ToolTraverse, graph.ToolAggregate, "relationship"} {
			need("operator", place, op)
		}
	}
	for _, form := range allForms() {
		for _, way := range []graph.Direction{graph.Outgoing, graph.Incoming, graph.Both} {
			need("walk", form, way)
		}
		need("related", form, graph.Outgoing)
		need("related", form, graph.Incoming)
	}
	for _, group := range []struct {
		form string
		way  graph.Direction
	}{
		{keyOnFrom, graph.Outgoing}, {keyOnTo, graph.Incoming}, {joinTable, graph.Outgoing}, {joinTable, graph.Both},
		{sharedTable, graph.Incoming}, {polymorphic, graph.Outgoing}, {severalPairs, graph.Outgoing}, {parallel, graph.Outgoing},
		{parallel, graph.Incoming}, {composite, graph.Outgoing},
	} {
		need("group along", group.form, group.way)
	}
	for _, op := range []graph.Op{graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte} {
		need("related condition", "count", op)
	}
	need("related condition", "exists")
	need("related condition", "none")
	need("related shape", "none beside count")
	need("related shape", "three hops to one id")
	for _, way := range []graph.Direction{graph.Outgoing, graph.Incoming, graph.Both} {
		need("paths", graph.Shortest, way)
		need("explore", way, 3)
	}
	for _, mode := range []graph.PathMode{graph.AllShortest, graph.AllPaths} {
		need("paths", mode, graph.Both)
	}
	for _, hops := range [][2]int{{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}} {
		need("hops of walk", hops[0], hops[1])
	}
	for _, unit := range []graph.TimeUnit{graph.Day, graph.Week, graph.Month, graph.Quarter, graph.Year} {
		need("bucket", unit, schema.Date)
		need("bucket", unit, schema.DateTime)
	}
	need("bucket", graph.Minute, schema.DateTime)
	need("bucket", graph.Hour, schema.DateTime)
	for _, key := range []string{"int32", "int64", "string", "uuid", "composite"} {
		need("key", key)
	}
	for _, tool := range []string{graph.ToolFindNodes, graph.ToolTraverse, graph.ToolAggregate} {
		need("where", tool)
		need("search", tool)
	}
	need("function", graph.Count)
	need("order of rows", graph.Asc)
	need("order of rows", graph.Desc)
	return cells
}

// table writes the counts: conditions as a matrix of operators and types, each
// cell "nullable/required", and everything else as a list.
func (c *coverage) table() string {
	var b strings.Builder
	for _, place := range []string{graph.ToolFindNodes, graph.ToolTraverse, graph.ToolAggregate, "relationship"} {
		fmt.Fprintf(&b, "%-24s", place)
		for _, t := range allTypes() {
			fmt.Fprintf(&b, "%9s", t)
		}
		b.WriteString("\n")
		for _, op := range graph.Ops() {
			fmt.Fprintf(&b, "  %-22s", op)
			for _, t := range allTypes() {
				nullable, required := c.cells[cell("condition", place, op, t, "nullable")], c.cells[cell("condition", place, op, t, "required")]
				fmt.Fprintf(&b, "%9s", fmt.Sprintf("%d/%d", nullable, required))
			}
			b.WriteString("\n")
		}
	}
	var rest []string
	for name, n := range c.cells {
		switch table, _, _ := strings.Cut(name, ": "); table {
		case "condition", "operator", "type":
		default:
			rest = append(rest, fmt.Sprintf("%s %d", name, n))
		}
	}
	sort.Strings(rest)
	b.WriteString(strings.Join(rest, "\n"))
	fmt.Fprintf(&b, "\nbroken calls mended by their fixes: %d\n", c.mended)
	return b.String()
}
