package graph

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// MarshalJSON writes the answer document. A key that the tool does not have is
// absent; an empty list is [].
func (r *Result) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// AppendJSON appends the answer document. Nothing is escaped in it that only HTML
// needs escaped.
func (r *Result) AppendJSON(b []byte) ([]byte, error) {
	if r.Schema != nil {
		return appendValue(b, r.Schema)
	}
	if r.Records != nil {
		return r.appendRecords(b)
	}
	b = appendHead(b, r.Tool)
	if r.Tool == ToolAggregate {
		b = r.appendRows(b)
	} else {
		b = r.appendGraph(b)
	}
	return r.AppendMembers(b)
}

func appendHead(b []byte, tool string) []byte {
	b = append(b, `{"format":"`+ResultFormat+`","tool":`...)
	return AppendJSONString(b, tool)
}

func (r *Result) appendGraph(b []byte) []byte {
	b = append(b, `,"nodes":[`...)
	for i := range r.Nodes {
		b = comma(b, i)
		b = r.Nodes[i].AppendJSON(b)
	}
	b = append(b, ']')
	if r.Tool == ToolFindNodes {
		return b
	}
	b = append(b, `,"relationships":[`...)
	for i := range r.Relationships {
		b = comma(b, i)
		b = r.Relationships[i].AppendJSON(b)
	}
	b = append(b, ']')
	if r.Tool != ToolPaths {
		return b
	}
	b = append(b, `,"paths":[`...)
	for i := range r.Paths {
		b = comma(b, i)
		b = r.Paths[i].AppendJSON(b)
	}
	return append(b, ']')
}

func (r *Result) appendRows(b []byte) []byte {
	b = append(b, `,"columns":[`...)
	for i, c := range r.Columns {
		b = comma(b, i)
		b = c.appendJSON(b)
	}
	b = append(b, `],"rows":[`...)
	for i, row := range r.Rows {
		b = comma(b, i)
		b = append(b, '{')
		for j, v := range row {
			b = comma(b, j)
			b = AppendJSONString(b, r.Columns[j].Name)
			b = append(b, ':')
			b = v.AppendJSON(b)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

const columnHead = `{"name":`

func (c Column) appendJSON(b []byte) []byte { return c.appendType(c.appendName(b)) }

func (c Column) appendName(b []byte) []byte {
	return AppendJSONString(append(b, columnHead...), c.Name)
}

func (c Column) appendType(b []byte) []byte {
	return append(AppendJSONString(append(b, `,"type":`...), c.Type), '}')
}

// AppendMembers appends what an answer says beside its rows to a document: its
// last members, each after a comma, and its end.
func (s *Summary) AppendMembers(b []byte) ([]byte, error) {
	b = append(b, `,"returned":`...)
	b = strconv.AppendInt(b, int64(s.Returned), 10)
	if s.Total != nil {
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, *s.Total, 10)
	}
	b = append(b, `,"truncated":`...)
	b = strconv.AppendBool(b, s.TruncatedBy != Complete)
	b = append(b, `,"truncated_by":`...)
	b = stringOrNull(b, string(s.TruncatedBy))
	b = append(b, `,"next_cursor":`...)
	b = stringOrNull(b, s.NextCursor)
	b = append(b, `,"warnings":`...)
	b, err := appendList(b, s.Warnings)
	if err != nil {
		return nil, err
	}
	b = append(b, `,"executed":`...)
	b = AppendJSONString(b, s.Executed)
	if s.Statements != nil {
		b = append(b, `,"statements":`...)
		if b, err = appendList(b, s.Statements); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendValue appends a value as appendList does.
func appendValue(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// appendList appends values as encoding/json writes them, but without escaping
// what only HTML needs escaped: SQL is full of < and >.
func appendList[T any](b []byte, list []T) ([]byte, error) {
	if len(list) == 0 {
		return append(b, '[', ']'), nil
	}
	buf := bytes.NewBuffer(append(b, '['))
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	for i := range list {
		if i > 0 {
			buf.WriteByte(',')
		}
		if err := enc.Encode(list[i]); err != nil {
			return nil, err
		}
		buf.Truncate(buf.Len() - 1) // the encoder's line break
	}
	return append(buf.Bytes(), ']'), nil
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

func stringOrNull(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return AppendJSONString(b, s)
}

// AppendJSON appends the node as answers show it.
func (n *Node) AppendJSON(b []byte) []byte {
	b = append(b, `{"label":`...)
	b = AppendJSONString(b, n.Label)
	b = append(b, `,"id":`...)
	b = AppendJSONString(b, n.ID)
	if n.Distance > 0 {
		b = append(b, `,"distance":`...)
		b = strconv.AppendInt(b, int64(n.Distance), 10)
	}
	b = append(b, `,"properties":`...)
	b = appendProperties(b, n.Properties)
	b = appendCut(b, n.Cut)
	return append(b, '}')
}

func appendCut(b []byte, cut []CutText) []byte {
	if len(cut) == 0 {
		return b
	}
	b = append(b, `,"cut":{`...)
	for i, c := range cut {
		b = comma(b, i)
		b = AppendJSONString(b, c.Name)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(c.Bytes), 10)
	}
	return append(b, '}')
}

func appendProperties(b []byte, props []Property) []byte {
	b = append(b, '{')
	for i := range props {
		b = comma(b, i)
		b = AppendJSONString(b, props[i].Name)
		b = append(b, ':')
		b = props[i].Value.AppendJSON(b)
	}
	return append(b, '}')
}

func (k NodeKey) appendJSON(b []byte) []byte {
	b = append(b, `{"label":`...)
	b = AppendJSONString(b, k.Label)
	b = append(b, `,"id":`...)
	b = AppendJSONString(b, k.ID)
	return append(b, '}')
}

// AppendJSON appends the relationship as answers show it.
func (r *Relationship) AppendJSON(b []byte) []byte {
	b = append(b, `{"type":`...)
	b = AppendJSONString(b, r.Type)
	b = append(b, `,"from":`...)
	b = r.From.appendJSON(b)
	b = append(b, `,"to":`...)
	b = r.To.appendJSON(b)
	b = append(b, `,"properties":`...)
	b = appendProperties(b, r.Properties)
	b = appendCut(b, r.Cut)
	return append(b, '}')
}

// AppendJSON appends the path as answers show it.
func (p *Path) AppendJSON(b []byte) []byte {
	b = append(b, `{"nodes":[`...)
	for i, n := range p.Nodes {
		b = comma(b, i)
		b = n.appendJSON(b)
	}
	b = append(b, `],"relationships":[`...)
	for i, r := range p.Relationships {
		b = comma(b, i)
		b = strconv.AppendInt(b, int64(r), 10)
	}
	b = append(b, `],"length":`...)
	b = strconv.AppendInt(b, int64(p.Length), 10)
	if !p.Weight.IsNull() {
		b = append(b, `,"weight":`...)
		b = p.Weight.AppendJSON(b)
	}
	return append(b, '}')
}
