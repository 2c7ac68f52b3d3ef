package schema

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// A RecordsDefinition makes a label's nodes records: callers are offered tools
// that list them and get them by id. The zero value offers both.
type RecordsDefinition struct {
	// Tools are which of "list", "get" and "list_ids" there are: list_<label>,
	// get_<label> and list_<label>_ids. Nil means list and get, an empty list
	// none.
	Tools []string
	// Description begins the tools' descriptions; by default the label's does.
	// At most 1,000 characters, for what the tools take stands after it.
	Description string
	// Summary names the properties that list_<label>_ids tells beside the ids.
	Summary []string
	// Document names a json property that holds the whole record as it is to be
	// answered. "" makes the record of the label's default properties.
	Document string
	// Filters are what records are listed by beside the label's own properties
	// with Index.
	Filters []RecordFilter
}

// A RecordFilter is a condition on what a record is connected to, such as on its
// tags. Filters of one value, or of several of which one is enough, are all that
// it takes.
type RecordFilter struct {
	// Name is what callers call it. One that is the name of a property stands in
	// the place of the property.
	Name string
	// Relationship is a type that leads from the label to one other.
	Relationship string
	// Property is the one of the other label's that is compared; its key by
	// default.
	Property string
	// Values are the only ones that a property of type string can have, in their
	// declared order: the filter is as that of an enum. Nil is any text.
	Values []string `json:",omitempty"`
}

// Records are the tools of a label's nodes, as its schema says.
type Records struct {
	List, Get, ListIDs bool
	Description        string
	// Summary are shown beside the ids; in a view, as far as the caller may see
	// them.
	Summary []*Property
	// Document is the property that holds the whole record; nil for none.
	Document *Property
	Filters  []*Connected
}

// A Connected is a RecordFilter that is resolved.
type Connected struct {
	Name     string
	Pair     *Pair // from the records' label
	Property *Property
	// Compared is what values are checked against: Property, or with
	// RecordFilter.Values an enum of the filter's name.
	Compared *Property
}

// What tools of records are called.
const (
	recordList    = "list"
	recordGet     = "get"
	recordListIDs = "list_ids"

	// ToolCollision begins the message where two tools would have one name.
	ToolCollision = "tool_name_collision_in_tenant"
	// MaxToolName is the most characters of a tool's name.
	MaxToolName = 64
	// MaxRecordsDescription is the most characters of RecordsDefinition.Description.
	MaxRecordsDescription = 1000
)

var recordTools = []string{recordList, recordGet, recordListIDs}

// ListTool is the name of the tool that lists a label's records.
func (l *Label) ListTool() string { return "list_" + l.Name }

// GetTool is the name of the tool that gets a label's records by id.
func (l *Label) GetTool() string { return "get_" + l.Name }

// ListIDsTool is the name of the tool that lists the ids of a label's records.
func (l *Label) ListIDsTool() string { return "list_" + l.Name + "_ids" }

// RecordTools are the names of the tools that a label's records have.
func (l *Label) RecordTools() []string {
	r := l.Records
	if r == nil {
		return nil
	}
	var out []string
	if r.List {
		out = append(out, l.ListTool())
	}
	if r.Get {
		out = append(out, l.GetTool())
	}
	if r.ListIDs {
		out = append(out, l.ListIDsTool())
	}
	return out
}

// HasRecords reports whether some label of the schema has tools of records.
func (s *Schema) HasRecords() bool {
	return slices.ContainsFunc(s.labels, func(l *Label) bool { return len(l.RecordTools()) > 0 })
}

// Reference returns the pair to whose nodes the values of a property of the
// label refer, as their keys: one of a foreign key that is the property's own
// column. It is nil where there is none, or where the caller cannot see it.
func (s *Schema) Reference(l *Label, p *Property) *Pair {
	for _, pair := range s.outgoing[l] {
		if pair.Holder != l || pair.HolderIsTo || len(pair.To.Key) != 1 || pair.ToColumns[0] != p.Column {
			continue
		}
		if key := pair.To.Key[0]; len(pair.Match) == len(l.Match) && (key.Type == p.Type || key.Type.Integer() && p.Type.Integer()) {
			return pair // and not one of several to which a polymorphic reference leads
		}
	}
	return nil
}

// records checks what labels say of their records, and resolves it: last,
// because it names relationships.
func (b *builder) records() {
	taken := map[string]string{}
	for _, name := range []string{graph.ToolDescribe, graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate} {
		taken[name] = ""
	}
	for _, l := range b.labelled {
		if l.def.Records == nil {
			continue
		}
		path := l.path + "/records"
		r := &Records{Description: l.def.Records.Description}
		b.recordTools(path+"/tools", l.Label, r, l.def.Records.Tools)
		b.texts(path, r.Description, nil)
		if n := len([]rune(r.Description)); n > MaxRecordsDescription && n <= MaxDescription {
			b.report(path+"/description", "the description of records is longer than %d characters", MaxRecordsDescription)
		}
		if len(l.def.Key) > 1 {
			b.report(path, "the label %q has a key of several properties, which no record can have", l.Name).Hint = "give it a key of one"
		}
		b.summary(path+"/summary", l.Label, r, l.def.Records.Summary)
		r.Document = b.recordDocument(path+"/document", l.Label, l.def.Records.Document)
		for _, def := range l.def.Records.Filters {
			if f := b.recordFilter(graph.Pointer(path+"/filters", def.Name), l.Label, r, def); f != nil {
				r.Filters = append(r.Filters, f)
			}
		}
		l.Records = r
		for _, name := range l.RecordTools() {
			other, clash := taken[name]
			switch {
			case clash && other == "":
				b.report(path+"/tools", ToolCollision+": the tool %q is there for every graph already", name).Hint = "call the label something else, or leave the tool out"
			case clash:
				b.report(path+"/tools", ToolCollision+": the tool %q is one of the label %q already", name, other).Hint = "call one of the labels something else, or leave the tool out"
			case len(name) > MaxToolName:
				b.report(path+"/tools", "the name of the tool %q is longer than %d characters", name, MaxToolName).Hint = "give the label a shorter name"
			}
			taken[name] = l.Name
		}
	}
}

// recordTools resolves which tools there are.
func (b *builder) recordTools(path string, l *Label, r *Records, names []string) {
	if names == nil {
		r.List, r.Get = true, true
		return
	}
	b.duplicates(path, "tool", names)
	for i, name := range names {
		switch name {
		case recordList:
			r.List = true
		case recordGet:
			r.Get = true
		case recordListIDs:
			r.ListIDs = true
		default:
			b.unknown(item(path, i), "%q is no tool of records", name, recordTools).Hint = "one of " + quoted(recordTools, ", ")
		}
	}
}

// summary resolves what is told beside ids.
func (b *builder) summary(path string, l *Label, r *Records, names []string) {
	b.duplicates(path, "property", names)
	for i, name := range names {
		p := b.visible(item(path, i), l, name)
		if p == nil {
			continue
		}
		if p.Name == summaryID && !l.IsKey(p) {
			b.report(item(path, i), "%q is what a summary calls the key, and this property is not the key", p.Name)
		}
		r.Summary = append(r.Summary, p)
	}
}

// summaryID is what a summary calls a record's key.
const summaryID = "id"

// recordDocument resolves the property that holds the whole record. A record
// shows all that is in it to whoever sees the node.
func (b *builder) recordDocument(path string, l *Label, name string) *Property {
	if name == "" {
		return nil
	}
	p := b.visible(path, l, name)
	if p == nil {
		return nil
	}
	if p.Type != JSON {
		b.report(path, "%q is of type %s, and a document is json", p.Name, p.Type)
	}
	for _, other := range l.Properties {
		if other.Hidden || other.VisibleIf != "" {
			b.report(path, "a document shows all of a record, and not everybody sees %q", other.Name).Hint = "leave the document out: a record is then made of the properties that its caller may see"
			break
		}
	}
	return p
}

// recordFilter resolves a condition on what a record is connected to.
func (b *builder) recordFilter(path string, l *Label, r *Records, def RecordFilter) *Connected {
	b.name(path, "filter", def.Name)
	if slices.ContainsFunc(r.Filters, func(f *Connected) bool { return f.Name == def.Name }) {
		b.report(path, "the filter %q is defined twice", def.Name).atName = true
		return nil
	}
	t, ok := b.schema.byType[def.Relationship]
	if !ok {
		b.unknown(path+"/relationship", "%q is no relationship type", def.Relationship, relationshipNames(b.schema.types))
		return nil
	}
	var pair *Pair
	for _, p := range t.Pairs {
		switch {
		case p.From != l:
		case pair != nil:
			b.report(path+"/relationship", "%q leads from %q to several labels, and a filter is about one", t.Name, l.Name)
			return nil
		default:
			pair = p
		}
	}
	if pair == nil {
		b.report(path+"/relationship", "%q does not lead from %q anywhere", t.Name, l.Name)
		return nil
	}
	name := def.Property
	if name == "" {
		if len(pair.To.Key) != 1 {
			if len(pair.To.Key) > 1 {
				b.report(path, "%q has a key of several properties, so the filter has to name one", pair.To.Name)
			}
			return nil
		}
		name = pair.To.Key[0].Name
	}
	p := b.visible(path+"/property", pair.To, name)
	if p != nil && (p.NotFilterable || p.Type == JSON) {
		b.report(path+"/property", "nothing is compared with %q, so no filter can be", p.Name)
	}
	return b.filterValues(path+"/values", &Connected{Name: def.Name, Pair: pair, Property: p, Compared: p}, def.Values)
}

// filterValues makes the condition on a property that has only some texts.
func (b *builder) filterValues(path string, f *Connected, values []string) *Connected {
	if len(values) == 0 || f.Property == nil {
		return f
	}
	if f.Property.Type != String {
		b.report(path, "values are those of a string, and %q is of type %s", f.Property.Name, f.Property.Type)
		return f
	}
	enum := *f.Property
	enum.Name, enum.Type, enum.Values = f.Name, Enum, nil
	for _, v := range values {
		enum.Values = append(enum.Values, EnumValue{Name: v})
	}
	b.values(path, &enum)
	f.Compared = &enum
	return f
}

func relationshipNames(types []*RelationshipType) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	return names
}

// part returns the records of a label of a view: without what the caller cannot
// see, or may not use.
func (r *Records) part(l *Label, of *Schema) *Records {
	out := *r
	out.Summary, out.Filters = nil, nil
	for _, p := range r.Summary {
		if own := l.byName[p.Name]; !own.Hidden {
			out.Summary = append(out.Summary, own)
		}
	}
	if r.Document != nil {
		if out.Document = l.byName[r.Document.Name]; out.Document.Hidden {
			out.Document = nil
		}
	}
	for _, f := range r.Filters {
		pair := of.pairOf(f.Pair)
		if pair == nil {
			continue
		}
		if p := pair.To.byName[f.Property.Name]; !p.Hidden && p.Masked == "" {
			part := &Connected{Name: f.Name, Pair: pair, Property: p, Compared: p}
			if f.Compared != f.Property {
				part.Compared = f.Compared
			}
			out.Filters = append(out.Filters, part)
		}
	}
	return &out
}

// canonicalRecords fills in the defaults of a label's records.
func canonicalRecords(def *RecordsDefinition) *RecordsDefinition {
	if def == nil {
		return nil
	}
	out := *def
	if out.Tools == nil {
		out.Tools = recordTools[:2]
	}
	out.Tools = slices.Clone(out.Tools)
	slices.SortFunc(out.Tools, func(a, b string) int { return slices.Index(recordTools, a) - slices.Index(recordTools, b) })
	out.Summary, out.Filters = orNil(out.Summary), orNil(out.Filters)
	return &out
}
