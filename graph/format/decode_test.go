package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// A read table is one that was read back: cells are JSON values, or texts of
// which the columns' kinds make JSON values. A nil cell is null.
type readTable struct {
	Name, Label, Type, From, To string
	Columns                     []string
	Rows                        [][]json.RawMessage
	texts                       [][]*string
}

// at returns a row's cell of a column, nil if there is none.
func (t *readTable) at(row []json.RawMessage, column string) json.RawMessage {
	for i, c := range t.Columns {
		if c == column {
			return row[i]
		}
	}
	return nil
}

// document makes the JSON document of an answer out of its tables.
func document(t *testing.T, tool string, nodes, relationships []readTable, paths *readTable, tail string) string {
	list := func(tables []readTable, item func(*readTable, []json.RawMessage) string) string {
		var out []string
		places := map[int]string{}
		for i := range tables {
			for _, row := range tables[i].Rows {
				n := len(out) + len(places)
				if at := tables[i].at(row, colN); at != nil {
					var err error
					n, err = strconv.Atoi(string(at))
					require.NoError(t, err)
				}
				places[n] = item(&tables[i], row)
			}
		}
		for i := range len(places) {
			require.Contains(t, places, i)
			out = append(out, places[i])
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	properties := func(tab *readTable, row []json.RawMessage) string {
		var out []string
		for i, c := range tab.Columns {
			if !strings.HasPrefix(c, "@") {
				out = append(out, fmt.Sprintf("%q:%s", c, row[i]))
			}
		}
		text := `"properties":{` + strings.Join(out, ",") + "}"
		if cut := tab.at(row, colCut); cut != nil && string(cut) != "null" {
			text += `,"cut":` + string(cut)
		}
		return text
	}
	label := func(tab *readTable, row []json.RawMessage, name, column string) string {
		if cell := tab.at(row, column); cell != nil {
			return string(cell)
		}
		return strconv.Quote(name)
	}
	doc := fmt.Sprintf(`{"format":"knowledge_graph.result.v1","tool":%q,"nodes":`, tool) + list(nodes, func(tab *readTable, row []json.RawMessage) string {
		text := fmt.Sprintf(`{"label":%q,"id":%s`, tab.Label, tab.at(row, colID))
		if d := tab.at(row, colDistance); d != nil && string(d) != "null" {
			text += `,"distance":` + string(d)
		}
		return text + "," + properties(tab, row) + "}"
	})
	if tool != graph.ToolFindNodes {
		doc += `,"relationships":` + list(relationships, func(tab *readTable, row []json.RawMessage) string {
			return fmt.Sprintf(`{"type":%q,"from":{"label":%s,"id":%s},"to":{"label":%s,"id":%s},%s}`, tab.Type,
				label(tab, row, tab.From, colFromLabel), tab.at(row, colFrom), label(tab, row, tab.To, colToLabel), tab.at(row, colTo), properties(tab, row))
		})
	}
	if tool == graph.ToolPaths {
		doc += `,"paths":` + list([]readTable{*paths}, func(tab *readTable, row []json.RawMessage) string {
			var nodes []string
			require.NoError(t, json.Unmarshal(tab.at(row, colNodes), &nodes))
			for i, n := range nodes {
				name, id, _ := strings.Cut(n, " ")
				nodes[i] = fmt.Sprintf(`{"label":%q,"id":%s}`, name, graph.AppendJSONString(nil, id))
			}
			text := fmt.Sprintf(`{"nodes":[%s],"relationships":%s,"length":%s`, strings.Join(nodes, ","), tab.at(row, colRelationships), tab.at(row, colLength))
			if w := tab.at(row, colWeight); w != nil && string(w) != "null" {
				text += `,"weight":` + string(w)
			}
			return text + "}"
		})
	}
	return doc + tail
}

// rowsDocument does so for an aggregate.
func rowsDocument(columns []graph.Column, rows [][]json.RawMessage, tail string) string {
	var heads, out []string
	for _, c := range columns {
		heads = append(heads, fmt.Sprintf(`{"name":%q,"type":%q}`, c.Name, c.Type))
	}
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			cells = append(cells, fmt.Sprintf("%q:%s", columns[i].Name, cell))
		}
		out = append(out, "{"+strings.Join(cells, ",")+"}")
	}
	return `{"format":"knowledge_graph.result.v1","tool":"aggregate_nodes","columns":[` + strings.Join(heads, ",") + `],"rows":[` + strings.Join(out, ",") + "]" + tail
}

// fromColumns makes the JSON document out of one in columns.
func fromColumns(t *testing.T, text []byte) string {
	var doc struct {
		Tool                 string
		Nodes, Relationships []readTable
		Paths                readTable
		Columns              json.RawMessage
		Rows                 [][]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(text, &doc), string(text))
	at := bytes.LastIndex(text, []byte(`,"returned":`))
	tail := string(text[at:])
	if doc.Tool == graph.ToolAggregate {
		var columns []graph.Column
		require.NoError(t, json.Unmarshal(doc.Columns, &columns))
		return rowsDocument(columns, doc.Rows, tail)
	}
	return document(t, doc.Tool, doc.Nodes, doc.Relationships, &doc.Paths, tail)
}

// fromTexts makes the JSON document out of tables of texts, given what kinds of
// values the columns have, and the columns of an aggregate.
func fromTexts(t *testing.T, tool string, tables []readTable, kinds map[string]graph.Kind, columns []graph.Column) string {
	var nodes, relationships []readTable
	paths, rows := readTable{}, readTable{}
	summary := graph.Summary{}
	listed := -1
	for _, tab := range tables {
		for _, row := range tab.texts {
			var cells []json.RawMessage
			require.Len(t, row, len(tab.Columns), tab.Name)
			for i, cell := range row {
				name, _, _ := strings.Cut(tab.Name, ":")
				cells = append(cells, cellJSON(cell, tab.Columns[i], kinds[name+" "+tab.Columns[i]]))
			}
			tab.Rows = append(tab.Rows, cells)
		}
		switch {
		case tab.Name == "":
			rows = tab
		case tab.Name == "paths":
			paths = tab
		case tab.Name == "total" && !contains(tab.Columns, colID):
			total, err := strconv.ParseInt(*tab.texts[0][0], 10, 64)
			require.NoError(t, err)
			summary.Total = &total
		case tab.Name == "truncated":
			var err error
			listed, err = strconv.Atoi(*tab.texts[0][0])
			require.NoError(t, err)
			summary.TruncatedBy, summary.NextCursor = graph.Truncation(textOf(tab.texts[0][1])), textOf(tab.texts[0][2])
		case tab.Name == "warnings":
			for _, row := range tab.texts {
				w := graph.Warning{Code: graph.Code(*row[0]), Path: *row[1], Message: *row[2]}
				if row[3] != nil {
					require.NoError(t, json.Unmarshal([]byte(*row[3]), &w.Fix))
				}
				summary.Warnings = append(summary.Warnings, w)
			}
		case contains(tab.Columns, colID):
			tab.Label = tab.Name
			nodes = append(nodes, tab)
		default:
			typ, ends, _ := strings.Cut(tab.Name, ": ")
			tab.Type = typ
			tab.From, tab.To, _ = strings.Cut(ends, " to ")
			relationships = append(relationships, tab)
		}
	}
	summary.Returned = returned(tool, nodes, len(paths.Rows), len(rows.Rows))
	if listed >= 0 {
		summary.Returned = listed
	}
	tail, err := summary.AppendMembers(nil)
	require.NoError(t, err)
	if tool == graph.ToolAggregate {
		return rowsDocument(columns, rows.Rows, string(tail))
	}
	return document(t, tool, nodes, relationships, &paths, string(tail))
}

// returned is how many nodes, paths or rows were asked for, of a complete answer.
func returned(tool string, nodes []readTable, paths, rows int) (n int) {
	for i := range nodes {
		for _, row := range nodes[i].Rows {
			d := nodes[i].at(row, colDistance)
			if tool == graph.ToolFindNodes || d != nil && string(d) != "null" {
				n++
			}
		}
	}
	switch tool {
	case graph.ToolPaths:
		return paths
	case graph.ToolAggregate:
		return rows
	}
	return n
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func cellJSON(cell *string, column string, kind graph.Kind) json.RawMessage {
	switch column {
	case colN, colDistance, colLength, colCut, colNodes, colRelationships:
		kind = graph.KindJSON
	case colID, colFrom, colTo, colFromLabel, colToLabel:
		kind = graph.KindString
	}
	if cell == nil {
		return json.RawMessage("null")
	}
	switch kind {
	case graph.KindBool, graph.KindInt, graph.KindFloat, graph.KindJSON, graph.KindList:
		return json.RawMessage(*cell)
	}
	return graph.AppendJSONString(nil, *cell)
}

// fromCSV reads tables as RFC 4180 and the package say.
func fromCSV(t *testing.T, text string, titled bool) []readTable {
	var out []readTable
	for len(text) > 0 {
		tab := readTable{}
		head := titled || len(out) > 0
		for len(text) > 0 && text[0] != '\n' {
			var record []*string
			record, text = csvRecord(t, text)
			switch {
			case head && tab.Name == "":
				require.Len(t, record, 1)
				tab.Name = *record[0]
			case tab.Columns == nil:
				for _, c := range record {
					tab.Columns = append(tab.Columns, *c)
				}
			default:
				tab.texts = append(tab.texts, record)
			}
		}
		out = append(out, tab)
		if len(text) > 0 {
			text = text[1:]
			require.NotEmpty(t, text, "an empty line has a table after it")
		}
	}
	return out
}

func csvRecord(t *testing.T, text string) (record []*string, rest string) {
	for {
		var field string
		if strings.HasPrefix(text, `"`) {
			text = text[1:]
			for {
				part, after, closed := strings.Cut(text, `"`)
				require.True(t, closed)
				field += part
				if text = after; !strings.HasPrefix(text, `"`) {
					break
				}
				field, text = field+`"`, text[1:]
			}
		} else {
			end := strings.IndexAny(text, ",\n")
			field, text = text[:end], text[end:]
		}
		switch {
		case field == "":
			record = append(record, nil)
		default:
			field = strings.TrimPrefix(field, "'")
			record = append(record, &field)
		}
		end := text[0]
		if text = text[1:]; end == '\n' {
			return record, text
		}
		require.Equal(t, byte(','), end)
	}
}

// fromMarkdown reads tables as the package says.
func fromMarkdown(t *testing.T, text string) (out []readTable) {
	title := ""
	if text == nothing {
		return nil
	}
	for _, block := range strings.Split(strings.TrimSuffix(text, "\n"), "\n\n") {
		if name, ok := strings.CutPrefix(block, "### "); ok {
			title = name
			continue
		}
		tab := readTable{Name: title}
		for i, line := range strings.Split(block, "\n") {
			cells := markdownCells(t, line)
			switch i {
			case 0:
				for _, c := range cells {
					tab.Columns = append(tab.Columns, *c)
				}
			case 1:
				require.Equal(t, strings.Repeat("|-", len(tab.Columns))+"|", line)
			default:
				tab.texts = append(tab.texts, cells)
			}
		}
		out = append(out, tab)
	}
	return out
}

func markdownCells(t *testing.T, line string) (cells []*string) {
	require.True(t, strings.HasPrefix(line, "|"), line)
	runes := []rune(line[1:])
	cell, quoted := []rune{}, false
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '\\':
			i++
			switch runes[i] {
			case 'n':
				cell = append(cell, '\n')
			case 'r':
				cell = append(cell, '\r')
			case 't':
				cell = append(cell, '\t')
			default:
				cell = append(cell, runes[i])
			}
		case '&':
			end := i + strings.IndexRune(string(runes[i:]), ';')
			n, err := strconv.Atoi(string(runes[i+2 : end]))
			require.NoError(t, err)
			cell, i = append(cell, rune(n)), end
		case '|':
			text := string(cell)
			switch {
			case quoted && text == `""`:
				text = ""
				cells = append(cells, &text)
			case text == "":
				cells = append(cells, nil)
			default:
				cells = append(cells, &text)
			}
			cell, quoted = cell[:0], false
		default:
			quoted = quoted || r == '"' && len(cell) == 0
			cell = append(cell, r)
		}
	}
	require.Empty(t, cell)
	return cells
}
