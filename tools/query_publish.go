package tools

// query is the tool that a named query is.
func (b *builder) query(q *query) *Tool {
	var fields doc
	for _, p := range q.order {
		v := b.value(p.property)
		if p.List {
			v = list(v, b.limits.ListValues)
		}
		if p.Description != "" {
			v = append(v, "description", p.Description)
		}
		if !p.def.IsNull() {
			v = append(v, "default", p.def)
		}
		fields = append(fields, p.Name, v)
	}
	return &Tool{Name: q.Name, Title: q.Title, Description: q.Description, Parameters: appendJSON(nil, b.object(q.shape, fields)), Asks: q.Tool, Answers: q.Tool}
}
