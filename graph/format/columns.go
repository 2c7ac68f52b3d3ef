package format

import "github.com/trellisgraph/trellis/graph"

// ColumnsFormat names the format of a document in columns.
const ColumnsFormat = "knowledge_graph.columns.v1"

// appendColumns writes a document that says each name once: where an answer has
// a list of nodes, it has the tables of the list's labels.
func appendColumns(b []byte, r *graph.Result) ([]byte, error) {
	if r.Schema != nil { // a description has no rows
		return r.AppendJSON(b)
	}
	b = append(b, `{"format":"`+ColumnsFormat+`","tool":`...)
	b = graph.AppendJSONString(b, r.Tool)
	if r.Tool == graph.ToolAggregate {
		b = append(b, `,"columns":[`...)
		for i, c := range r.Columns {
			b = comma(b, i)
			b = graph.AppendJSONString(append(b, `{"name":`...), c.Name)
			b = graph.AppendJSONString(append(b, `,"type":`...), c.Type)
			b = append(b, '}')
		}
		b = append(b, `],"rows":`...)
		b = appendJSONRows(b, r.Rows)
		return r.AppendMembers(b)
	}
	b = appendTables(b, `,"nodes":[`, `{"label":`, nodeTables(r.Nodes))
	if r.Tool != graph.ToolFindNodes {
		b = appendTables(b, `,"relationships":[`, `{"type":`, relationshipTables(r.Relationships))
	}
	if r.Tool == graph.ToolPaths {
		t := pathTable(r.Paths)
		b = append(b, `,"paths":{`...)
		b = append(t.appendJSON(b), '}')
	}
	return r.AppendMembers(b)
}

func appendTables(b []byte, head, first string, list []table) []byte {
	b = append(b, head...)
	for i := range list {
		t := &list[i]
		b = comma(b, i)
		b = graph.AppendJSONString(append(b, first...), t.name)
		if t.from != "" {
			b = graph.AppendJSONString(append(b, `,"from":`...), t.from)
			b = graph.AppendJSONString(append(b, `,"to":`...), t.to)
		}
		b = append(t.appendJSON(append(b, ',')), '}')
	}
	return append(b, ']')
}

func (t *table) appendJSON(b []byte) []byte {
	b = append(b, `"columns":[`...)
	for i, c := range t.columns {
		b = comma(b, i)
		b = graph.AppendJSONString(b, c)
	}
	return appendJSONRows(append(b, `],"rows":`...), t.rows)
}

func appendJSONRows(b []byte, rows [][]graph.Value) []byte {
	b = append(b, '[')
	for i, row := range rows {
		b = append(comma(b, i), '[')
		for j, v := range row {
			b = v.AppendJSON(comma(b, j))
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}
