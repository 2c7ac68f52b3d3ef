package format

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// The columns that are no properties. A property's name begins with a letter or
// an underscore.
const (
	colN             = "@n"
	colID            = "@id"
	colDistance      = "@distance"
	colFrom          = "@from"
	colFromLabel     = "@from_label"
	colTo            = "@to"
	colToLabel       = "@to_label"
	colCut           = "@cut"
	colNodes         = "@nodes"
	colRelationships = "@relationships"
	colLength        = "@length"
	colWeight        = "@weight"
)

// A table holds the nodes of one label, the relationships of one type, or
// something else that has columns. A row has a value for each column.
type table struct {
	name string
	// from and to are the labels of all the ends of a table of relationships; both
	// are empty where they differ, and then they are columns.
	from, to string
	columns  []string
	rows     [][]graph.Value
}

// A group is what becomes one table: positions in the list of an answer.
type group struct {
	key string
	at  []int
}

// grouped groups n items by their keys, in the order in which the keys come up.
// It reports whether the groups one after the other are the items in their order.
func grouped(n int, key func(i int) string) (groups []group, inOrder bool) {
	find := map[string]int{}
	inOrder = true
	for i := range n {
		k := key(i)
		g, known := find[k]
		if !known {
			g = len(groups)
			find[k] = g
			groups = append(groups, group{key: k})
		}
		inOrder = inOrder && g == len(groups)-1
		groups[g].at = append(groups[g].at, i)
	}
	return groups, inOrder
}

// shape tells the names of properties apart.
func shape(name string, props []graph.Property) string {
	var b strings.Builder
	b.WriteString(name)
	for i := range props {
		b.WriteByte(0)
		b.WriteString(props[i].Name)
	}
	return b.String()
}

// nodeTables are the tables of an answer's nodes, one for each label. Where
// nodes of different labels alternate, a column tells their places.
func nodeTables(list []graph.Node) []table {
	groups, inOrder := grouped(len(list), func(i int) string { return shape(list[i].Label, list[i].Properties) })
	var out []table
	for _, g := range groups {
		first := &list[g.at[0]]
		walked := slices.ContainsFunc(g.at, func(i int) bool { return list[i].Distance > 0 })
		cut := slices.ContainsFunc(g.at, func(i int) bool { return len(list[i].Cut) > 0 })
		t := table{name: first.Label}
		t.column(!inOrder, colN)
		t.column(true, colID)
		t.column(walked, colDistance)
		t.properties(first.Properties)
		t.column(cut, colCut)
		for _, i := range g.at {
			n := &list[i]
			row := make([]graph.Value, 0, len(t.columns))
			if !inOrder {
				row = append(row, graph.Int(int64(i)))
			}
			row = append(row, graph.String(n.ID))
			if walked {
				row = append(row, distance(n.Distance))
			}
			t.rows = append(t.rows, rest(row, n.Properties, cut, n.Cut))
		}
		out = append(out, t)
	}
	return out
}

// relationshipTables are the tables of an answer's relationships, one for each
// type.
func relationshipTables(list []graph.Relationship) []table {
	groups, inOrder := grouped(len(list), func(i int) string { return shape(list[i].Type, list[i].Properties) })
	var out []table
	for _, g := range groups {
		first := &list[g.at[0]]
		mixed := slices.ContainsFunc(g.at, func(i int) bool {
			return list[i].From.Label != first.From.Label || list[i].To.Label != first.To.Label
		})
		cut := slices.ContainsFunc(g.at, func(i int) bool { return len(list[i].Cut) > 0 })
		t := table{name: first.Type}
		if !mixed {
			t.from, t.to = first.From.Label, first.To.Label
		}
		t.column(!inOrder, colN)
		t.column(mixed, colFromLabel)
		t.column(true, colFrom)
		t.column(mixed, colToLabel)
		t.column(true, colTo)
		t.properties(first.Properties)
		t.column(cut, colCut)
		for _, i := range g.at {
			r := &list[i]
			row := make([]graph.Value, 0, len(t.columns))
			if !inOrder {
				row = append(row, graph.Int(int64(i)))
			}
			for _, end := range []graph.NodeKey{r.From, r.To} {
				if mixed {
					row = append(row, graph.String(end.Label))
				}
				row = append(row, graph.String(end.ID))
			}
			t.rows = append(t.rows, rest(row, r.Properties, cut, r.Cut))
		}
		out = append(out, t)
	}
	return out
}

// pathTable is the table of an answer's paths. A node is its label and its id
// with a space between them.
func pathTable(list []graph.Path) table {
	t := table{name: "paths", columns: []string{colNodes, colRelationships, colLength}}
	weighted := slices.ContainsFunc(list, func(p graph.Path) bool { return !p.Weight.IsNull() })
	t.column(weighted, colWeight)
	for i := range list {
		p := &list[i]
		var nodes, relationships []graph.Value
		for _, n := range p.Nodes {
			nodes = append(nodes, graph.String(n.Label+" "+n.ID))
		}
		for _, r := range p.Relationships {
			relationships = append(relationships, graph.Int(int64(r)))
		}
		row := []graph.Value{graph.List(nodes...), graph.List(relationships...), graph.Int(int64(p.Length))}
		if weighted {
			row = append(row, p.Weight)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// rowTable is the table of an aggregate.
func rowTable(r *graph.Result) table {
	t := table{rows: r.Rows}
	for _, c := range r.Columns {
		t.columns = append(t.columns, c.Name)
	}
	return t
}

func (t *table) column(has bool, name string) {
	if has {
		t.columns = append(t.columns, name)
	}
}

func (t *table) properties(props []graph.Property) {
	for i := range props {
		t.columns = append(t.columns, props[i].Name)
	}
}

func distance(hops int) graph.Value {
	if hops == 0 {
		return graph.Null()
	}
	return graph.Int(int64(hops))
}

// rest ends a row with the properties, and with what was cut of them if there is
// a column for it.
func rest(row []graph.Value, props []graph.Property, column bool, cut []graph.CutText) []graph.Value {
	for i := range props {
		row = append(row, props[i].Value)
	}
	switch {
	case !column:
		return row
	case len(cut) == 0:
		return append(row, graph.Null())
	}
	b := []byte{'{'}
	for i, c := range cut {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(graph.AppendJSONString(b, c.Name), ':')
		b = graph.Int(int64(c.Bytes)).AppendJSON(b)
	}
	return append(row, graph.JSON(string(append(b, '}'))))
}
