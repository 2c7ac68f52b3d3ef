package storetest

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A schemaSpec is a schema in the making: what can be written as a file, and
// made smaller piece by piece.
type schemaSpec struct {
	labels []*labelSpec
	types  []*typeSpec
}

type labelSpec struct {
	name     string
	table    string
	kind     string // of the match, where labels share the table
	key      []string
	props    []*propSpec
	defaults []string
	display  string
	policy   string
}

type propSpec struct {
	name     string
	typ      schema.Type
	column   string
	required bool
	search   bool
	index    bool
	unique   bool
	wild     bool // keys at the ends of their range
	values   []string
	ints     bool // of an enum: stored as integers
	// hidden, visibleIf and mask say who sees the property.
	hidden          bool
	visibleIf, mask string
	// shownOnly says that no condition may stand on the property, and masked
	// which mask its values already are.
	shownOnly bool
	masked    string
	maskedFor string // the tenant who sees the mask
}

type typeSpec struct {
	name  string
	pairs []*pairSpec
}

// A pairSpec is a pair and how it is mapped.
type pairSpec struct {
	from, to string
	form     string
	table    string   // of a join table
	match    []string // of a shared join table: column, value, column, value
	// fromColumns and toColumns are those of a join table; near ones are those
	// of a foreign key.
	fromColumns, toColumns []string
	held                   []string
	typeColumn, typeValue  string // of a polymorphic reference
	unique                 string // from, to, both, or nothing
	key                    string
	policy                 string
	props                  []*propSpec
}

func (s *schemaSpec) label(name string) *labelSpec {
	for _, l := range s.labels {
		if l.name == name {
			return l
		}
	}
	return nil
}

func (l *labelSpec) prop(name string) *propSpec { return propNamed(l.props, name) }

func propNamed(props []*propSpec, name string) *propSpec {
	for _, p := range props {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (l *labelSpec) isKey(name string) bool {
	for _, k := range l.key {
		if k == name {
			return true
		}
	}
	return false
}

// yaml writes the schema as its file.
func (s *schemaSpec) yaml() string {
	var b strings.Builder
	b.WriteString("format: trellis.schema.v1\nnodes:\n")
	for _, l := range s.labels {
		fmt.Fprintf(&b, "  %s:\n", l.name)
		if l.table != "" {
			fmt.Fprintf(&b, "    table: %s\n", quotedText(l.table))
		}
		if l.kind != "" {
			fmt.Fprintf(&b, "    match: {kind: %s}\n", quotedText(l.kind))
		}
		fmt.Fprintf(&b, "    key: %s\n", names(l.key))
		if l.defaults != nil {
			fmt.Fprintf(&b, "    default_properties: %s\n", names(l.defaults))
		}
		if l.display != "" {
			fmt.Fprintf(&b, "    display: %s\n", l.display)
		}
		if l.policy != "" {
			fmt.Fprintf(&b, "    policy: %s\n", quotedText(l.policy))
		}
		b.WriteString("    properties:\n")
		for _, p := range l.props {
			fmt.Fprintf(&b, "      %s: %s\n", p.name, p.yaml())
		}
	}
	if len(s.types) > 0 {
		b.WriteString("relationships:\n")
	}
	for _, t := range s.types {
		fmt.Fprintf(&b, "  %s:\n", t.name)
		for i, p := range t.pairs {
			if p.form == polymorphic && i > 0 && t.pairs[i-1].typeColumn == p.typeColumn {
				continue // written with the first
			}
			fmt.Fprintf(&b, "    - %s\n", p.yaml(t))
		}
	}
	return b.String()
}

func (p *propSpec) yaml() string {
	words := []string{"type: " + p.typ.String()}
	add := func(on bool, word string) {
		if on {
			words = append(words, word)
		}
	}
	add(p.column != "", "column: "+quotedText(p.column))
	add(p.required, "nullable: false")
	add(p.search, "search: true")
	add(p.index, "index: true")
	add(p.unique, "unique: true")
	add(p.typ == schema.Decimal, "scale: 2")
	add(p.hidden, "visible: false")
	add(p.visibleIf != "", "visible: "+quotedText(p.visibleIf))
	add(p.mask != "", "mask: "+p.mask)
	add(p.shownOnly, "filterable: false")
	if p.typ == schema.Enum {
		var values []string
		for i, v := range p.values {
			if p.ints {
				values = append(values, fmt.Sprintf("%d: %s", enumInt(i), quotedText(v)))
			} else {
				values = append(values, quotedText(v))
			}
		}
		list := strings.Join(values, ", ")
		if p.ints {
			words = append(words, "values: {"+list+"}")
		} else {
			words = append(words, "values: ["+list+"]")
		}
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// enumInt is how the nth value of an enum is stored; not in their order.
func enumInt(n int) int { return []int{5, -1, 70000, 0, 3}[n] }

func (p *pairSpec) yaml(t *typeSpec) string {
	words := []string{"from: " + p.from}
	add := func(word string) { words = append(words, word) }
	if p.form == polymorphic {
		var values []string
		for _, o := range t.pairs {
			if o.typeColumn == p.typeColumn {
				values = append(values, quotedText(o.typeValue)+": "+o.to)
			}
		}
		add(fmt.Sprintf("to: {type_column: %s, id_column: %s, values: {%s}}", quotedText(p.typeColumn), quotedText(p.held[0]), strings.Join(values, ", ")))
	} else {
		add("to: " + p.to)
	}
	switch p.form {
	case keyOnFrom:
		add("foreign_key: " + columnList(p.held))
	case keyOnTo:
		add("foreign_key: {side: to, column: " + columnList(p.held) + "}")
	case joinTable, sharedTable:
		add("table: " + quotedText(p.table))
		if p.fromColumns != nil {
			add("from_column: " + columnList(p.fromColumns))
			add("to_column: " + columnList(p.toColumns))
		}
		if len(p.match) > 0 {
			var pairs []string
			for i := 0; i < len(p.match); i += 2 {
				pairs = append(pairs, p.match[i]+": "+quotedText(p.match[i+1]))
			}
			add("match: {" + strings.Join(pairs, ", ") + "}")
		}
	}
	if p.unique != "" {
		add("unique: " + p.unique)
	}
	if p.key != "" {
		add("key: " + p.key)
	}
	if p.policy != "" {
		add("policy: " + quotedText(p.policy))
	}
	if len(p.props) > 0 {
		var props []string
		for _, prop := range p.props {
			props = append(props, prop.name+": "+prop.yaml())
		}
		add("properties: {" + strings.Join(props, ", ") + "}")
	}
	return "{" + strings.Join(words, ", ") + "}"
}

func quotedText(s string) string { return string(graph.AppendJSONString(nil, s)) }

func columnList(columns []string) string {
	if len(columns) == 1 {
		return quotedText(columns[0])
	}
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = quotedText(c)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func names(list []string) string { return "[" + strings.Join(list, ", ") + "]" }
