package tools

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A recordTool is a tool that a label has whose nodes are records: one that
// lists them, their ids, or that gets some by their ids. What it takes is a few
// arguments without any graph; what it asks is find_nodes.
type recordTool struct {
	name  string
	kind  recordKind
	label *schema.Label
	shape *shape
	// filters are what records are listed by, by name; names has their names in
	// order, and words the names of conditions for suggestions.
	filters map[string]*recordFilter
	names   []string
	words   conditions
	// sorts are the names of the properties that records are sorted by, in order.
	sorts []string
	form  graph.RecordForm
	// show are the properties of the query; nil means the default ones.
	show []string
}

// A recordKind is what a tool of records does.
type recordKind uint8

const (
	listRecords recordKind = iota
	getRecords
	listRecordIDs
)

// A recordFilter is a condition by which records are listed: on a property of
// their own, or on that of what they are connected to.
type recordFilter struct {
	name string
	// property is what values are checked against, column what a query compares:
	// its name, but for an enum of the filter's own.
	property *schema.Property
	column   string
	// connected is what the records are connected to; nil for their own
	// properties.
	connected *schema.Connected
	// key says that the property is the whole key of its label: then integers are
	// taken as texts too.
	key bool
	// target is the label of which the values are references; nil for others.
	target *schema.Label
	ops    []string
}

// recordTools returns the tools of the records of a schema, as one sees it to
// whom it is visible, in the order of the labels.
func recordTools(s *schema.Schema) []*recordTool {
	var out []*recordTool
	for l := range s.Labels() {
		r := l.Records
		if r == nil {
			continue
		}
		filters, sorts := recordFilters(s, l), recordSorts(l)
		add := func(kind recordKind, name string) {
			t := &recordTool{name: name, kind: kind, label: l, filters: map[string]*recordFilter{}, sorts: sorts}
			t.shape = &shape{noun: name, fields: []string{"filters", "sort", "limit", "offset"}, filtered: true, hints: listHints}
			if kind == getRecords {
				t.shape = &shape{noun: name, fields: []string{"id", "ids"}, hints: getHints}
			}
			t.words.node = map[string]bool{}
			for _, f := range filters {
				t.filters[f.name], t.words.node[f.name] = f, true
				t.names = append(t.names, f.name)
			}
			t.shown()
			out = append(out, t)
		}
		if r.List {
			add(listRecords, l.ListTool())
		}
		if r.Get {
			add(getRecords, l.GetTool())
		}
		if r.ListIDs {
			add(listRecordIDs, l.ListIDsTool())
		}
	}
	return out
}

var (
	listHints = map[string]string{
		"search": "lists are filtered by exact values; find_nodes takes a search", "where": "lists take filters; find_nodes takes where",
		"cursor": "lists are paged by limit and offset", "properties": "records are whole; find_nodes takes properties",
	}
	getHints = map[string]string{"filters": "records are got by their ids; the tool that lists them takes filters"}
)

// shown says what a tool's query shows, and in which form that is answered.
func (t *recordTool) shown() {
	r := t.label.Records
	switch {
	case t.kind == listRecordIDs && len(r.Summary) == 0:
		t.form.Kind, t.show = graph.RecordIDs, []string{}
		return
	case t.kind == listRecordIDs:
		t.form.Kind, t.show = graph.RecordSummaries, names(r.Summary)
		return
	case t.kind == listRecords:
		t.form.Kind = graph.RecordItems
	}
	if r.Document != nil {
		t.form.Whole, t.show = true, []string{r.Document.Name}
	}
}

// recordFilters are what the records of a label are listed by, by name.
func recordFilters(s *schema.Schema, l *schema.Label) []*recordFilter {
	var out []*recordFilter
	for _, c := range l.Records.Filters {
		f := &recordFilter{name: c.Name, property: c.Compared, column: c.Property.Name, connected: c, target: c.Pair.To}
		if c.Compared != c.Property {
			f.target = nil // all values are known
		}
		f.key = len(c.Pair.To.Key) == 1 && c.Pair.To.Key[0] == c.Property
		out = append(out, f)
	}
	for _, p := range l.Properties {
		if !listed(p) || slices.ContainsFunc(out, func(f *recordFilter) bool { return f.name == p.Name }) {
			continue
		}
		f := &recordFilter{name: p.Name, property: p, column: p.Name, key: l.IsKey(p)}
		if pair := s.Reference(l, p); pair != nil {
			f.target = pair.To
		}
		out = append(out, f)
	}
	for _, f := range out {
		f.ops = f.operators()
	}
	slices.SortFunc(out, func(a, b *recordFilter) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return out
}

// listed reports whether records are listed and sorted by a property.
func listed(p *schema.Property) bool {
	return p.Index && !p.Hidden && conditional(p) && p.Type != schema.JSON
}

// operators are the operators that a filter takes beside a bare value.
func (f *recordFilter) operators() []string {
	switch p := f.property; {
	case f.connected == nil && (p.Type.Numeric() || p.Type == schema.Date || p.Type == schema.DateTime):
		return []string{"in", "gt", "gte", "lt", "lte"}
	}
	return []string{"in"}
}

// recordSorts are what the records of a label are sorted by: the key, and then
// what has an index.
func recordSorts(l *schema.Label) []string {
	out := []string{l.Key[0].Name}
	for _, p := range l.Properties {
		if listed(p) && !l.IsKey(p) {
			out = append(out, p.Name)
		}
	}
	return out
}

// most is how many records a call gets or lists.
func (t *recordTool) most(l *graph.Limits) int {
	if t.kind == getRecords {
		return min(l.IDs, l.ListRows)
	}
	return l.ListRows
}

// defaultList is how many records a list has that was asked for no number.
const defaultList = 50
