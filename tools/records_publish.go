package tools

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A recordDetail is how much the definitions of tools of records spell out.
// Less of it accepts more calls, which Trellis refuses itself and says then what
// there is.
type recordDetail int

const (
	// typed lists the filters with their types and values.
	typed recordDetail = iota
	// named lists the names of the filters.
	named
	// terse says that there are filters.
	terse
)

// publishRecords returns the definitions of tools of records with as much detail
// as fits the limit, which terse ones may be over all the same: a tool that is
// not listed does not exist for a model.
func publishRecords(s *schema.Schema, l graph.Limits, list []*recordTool) []*Tool {
	for detail := typed; ; detail++ {
		b := newBuilder(s, l)
		var out []*Tool
		size := 0
		for _, t := range list {
			tool := b.record(t, detail)
			size += len(tool.Name) + len(tool.Title) + len(tool.Description) + len(tool.Parameters)
			out = append(out, tool)
		}
		if size <= l.ToolBytes || detail == terse {
			return out
		}
	}
}

// record is the definition of a tool of records.
func (b *builder) record(t *recordTool, detail recordDetail) *Tool {
	b.defs = nil
	var parameters doc
	if t.kind == getRecords {
		id := b.recordID(t)
		// Exactly one of the two is wanted. Clients know little of oneOf at the
		// root of parameters, so the description says it.
		parameters = b.object(t.shape, doc{
			"id", append(id, "description", "of one record; not beside ids"),
			"ids", append(filledList(id, t.most(&b.limits)), "description", "of several records"),
		})
	} else {
		parameters = b.object(t.shape, doc{
			"filters", b.recordFilters(t, detail),
			"sort", b.recordSort(t, detail),
			"limit", whole(1, t.most(&b.limits), min(defaultList, t.most(&b.limits))),
			"offset", doc{"type", "integer", "minimum", 0, "maximum", graph.MaxOffset, "default", 0},
		})
	}
	if len(b.defs) > 0 {
		parameters = append(parameters, "definitions", b.defs)
		b.defs = nil
	}
	return &Tool{Name: t.name, Title: t.title(), Description: t.description(detail), Parameters: appendJSON(nil, parameters),
		Asks: t.name, Answers: recordAnswers[t.kind]}
}

// recordAnswers are the names of the answers' shapes, for AnswerSchema.
var recordAnswers = [...]string{listRecords: "list_records", getRecords: "get_records", listRecordIDs: "list_record_ids"}

func (t *recordTool) title() string {
	return [...]string{listRecords: "List ", getRecords: "Get ", listRecordIDs: "List ids of "}[t.kind] + t.label.Name
}

// recordID is the schema of a record's id. It is made for each use: who appends
// to it must not share it.
func (b *builder) recordID(t *recordTool) doc { return slices.Clone(b.value(t.label.Key[0])) }

func (b *builder) recordFilters(t *recordTool, detail recordDetail) doc {
	d := doc{"type", "object"}
	if most := b.limits.Filters; len(t.names) > most {
		d = append(d, "maxProperties", most)
	}
	switch detail {
	case typed:
		fields := doc{}
		for _, name := range t.names {
			fields = append(fields, name, b.recordFilter(t.filters[name]))
		}
		return append(d, "properties", fields, "additionalProperties", false, "description", b.filtersSaid(t))
	case named:
		if len(t.names) == 0 {
			return append(d, "maxProperties", 0)
		}
		return append(d, "description", "by name: "+strings.Join(t.names, ", "))
	}
	return d
}

// recordFilter is the schema of a filter. Filters of one type share their
// condition, enums where they have the same name and values.
func (b *builder) recordFilter(f *recordFilter) doc {
	name := b.conditionName(f.property)
	switch {
	case f.key && f.property.Type.Integer():
		name = "condition_" + f.property.Type.String() + "_key"
	case f.property.Type == schema.String:
		name = "condition_string"
	}
	if len(f.ops) == 1 && f.property.Type != schema.Enum {
		name += "_exact"
	}
	cond := b.define(name, func() doc { return b.recordCondition(f) })
	var said []string
	if f.connected == nil && f.property.Description != "" {
		said = append(said, printable(f.property.Description))
	}
	if f.target != nil {
		said = append(said, "Of "+f.target.Name+".")
	}
	if len(said) == 0 {
		return cond
	}
	return doc{"anyOf", []doc{cond}, "description", strings.Join(said, " ")}
}

// recordCondition is the schema of a condition: a bare value, or an object of
// operators.
func (b *builder) recordCondition(f *recordFilter) doc {
	v := b.value(f.property)
	if f.key && f.property.Type.Integer() {
		v = either(anInteger, doc{"type", "string", "pattern", digits})
	}
	var ops doc
	for _, op := range f.ops {
		operand := v
		if op == string(graph.In) {
			operand = list(v, b.limits.ListValues)
		}
		ops = append(ops, op, operand)
	}
	return either(v, doc{"type", "object", "properties", ops, "additionalProperties", false, "minProperties", 1})
}

func (b *builder) recordSort(t *recordTool, detail recordDetail) doc {
	if detail != typed {
		one := doc{"type", "string"}
		return either(one, append(list(one, b.limits.OrderKeys), "uniqueItems", true))
	}
	var keys []string
	for _, name := range t.sorts {
		keys = append(keys, name, "-"+name)
	}
	one := b.define("sort", func() doc { return oneOfNames(keys) })
	return append(either(one, append(list(one, b.limits.OrderKeys), "uniqueItems", true)), "description", `a minus sorts from the greatest; unsorted is by id`)
}

// description is what a tool does: in the words of its records first, so that a
// model knows what they are.
func (t *recordTool) description(detail recordDetail) string {
	r := t.label.Records
	about := r.Description
	if about == "" {
		about = t.label.Description
	}
	d := ""
	if about != "" {
		if most := 80; detail == terse && utf8.RuneCountInString(about) > most {
			about = string([]rune(about)[:most]) + "…"
		}
		d = printable(about) + "\n\n"
	}
	switch t.kind {
	case listRecords:
		d += "Lists records of " + t.label.Name + ` that fulfil all filters: {"items": […], "total": all that match}.`
	case listRecordIDs:
		d += "Lists the ids of records of " + t.label.Name + ` that fulfil all filters: {"ids": […], "total": all that match}.`
		if len(r.Summary) > 0 {
			d = strings.Replace(d, `{"ids": […]`, `{"items": [{"id", `+strings.Join(names(r.Summary), ", ")+`}…]`, 1)
		}
	case getRecords:
		d += "Gets records of " + t.label.Name + ` by their ids, exactly: with id the record or null, with ids {"entities": […], "not_found": […]}.`
	}
	if detail == terse {
		return d
	}
	if t.kind == getRecords {
		d += " Never make up an id: take it from a list."
		return d
	}
	if len(t.names) > 0 {
		d += ` filters is an object: a bare value is equality, {"in": […]} one of several`
		if slices.ContainsFunc(t.names, func(n string) bool { return len(t.filters[n].ops) > 1 }) {
			d += `, {"gte": 1, "lt": 9} a range of numbers or dates`
		}
		d += "; of a list, one of its values."
		if example := "\n\nExample: " + printable(string(appendJSON(nil, t.example()))); utf8.RuneCountInString(d)+utf8.RuneCountInString(example) <= maxDescription {
			d += example
		}
	}
	return d
}

// example is a call of a list, with a filter of an enum where there is one.
func (t *recordTool) example() doc {
	f := t.filters[t.names[0]]
	for _, name := range t.names {
		if t.filters[name].property.Type == schema.Enum {
			f = t.filters[name]
			break
		}
	}
	var v any = exampleValue(f.property)
	switch f.property.Type {
	case schema.Bool:
		v = true
	case schema.Float:
		v = 7
	}
	return doc{"filters", doc{f.name, v}, "limit", 10}
}

// recordAnswer is the JSON Schema of an answer of records, nil if the name is of
// none.
func (b *builder) recordAnswer(name string) doc {
	record := doc{"type", "object"}
	total := doc{"type", "integer", "minimum", 0, "description", "how many match"}
	tail := doc{
		"truncated_by", aString,
		"warnings", list(warningAnswer(), 0),
	}
	several := recordWith(doc{"entities", list(record, 0), "not_found", list(aString, 0)}, tail)
	items := recordWith(doc{"items", list(record, 0), "total", total}, tail)
	switch name {
	case recordAnswers[listRecords]:
		return items
	case recordAnswers[getRecords]:
		return doc{"anyOf", []doc{several, record, {"type", "null"}}}
	case recordAnswers[listRecordIDs]:
		return doc{"type", "object", "anyOf", []doc{recordWith(doc{"ids", list(aString, 0), "total", total}, tail), items}}
	}
	return nil
}

// recordWith is the schema of an object that has all of some members, and may have
// others.
func recordWith(has, may doc) doc {
	return record(len(may)/2, append(slices.Clone(has), may...)...)
}

func warningAnswer() doc {
	return record(1, "code", aString, "path", aString, "message", aString, "fix", list(doc{"type", "object"}, 0))
}

// filtersSaid says what filters are, and how many there may be of those that are
// not of the records' own.
func (b *builder) filtersSaid(t *recordTool) string {
	said, connected := "conditions by name, all and-ed; values are codes", []string{}
	for _, name := range t.names {
		if t.filters[name].connected != nil {
			connected = append(connected, name)
		}
	}
	if most := b.limits.Related; len(connected) > most {
		said += "; at most " + strconv.Itoa(most) + " of " + strings.Join(connected, ", ")
	}
	return said
}
