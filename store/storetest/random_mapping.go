package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// randomSchema makes a schema of two to five labels and the relationships
// between them, kept in tables in every way there is.
func randomSchema(d dice) *schemaSpec {
	m := &schemaMaker{dice: d, spec: &schemaSpec{}, weight: pickOne(d, []schema.Type{schema.Int32, schema.Int64, schema.Float, schema.Decimal})}
	labels := some(d, []string{"city", "person", "post", "tag", "forum", "Order"}, 2, 5)
	shared := len(labels) > 2 && d.chance(40)
	for i, name := range labels {
		m.label(name, shared && i < 2)
	}
	for _, name := range some(d, []string{"KNOWS", "LIKES", "HAS", "PART_OF", "links", "MADE", "OWNS"}, 2, 5) {
		m.relationship(name)
	}
	return m.spec
}

type schemaMaker struct {
	dice
	spec   *schemaSpec
	weight schema.Type // of the property "w" of relationships
	made   int         // columns
}

// label adds a label, to the shared table if shared.
func (m *schemaMaker) label(name string, shared bool) {
	l := &labelSpec{name: name}
	switch {
	case shared:
		l.table, l.kind = "items", name
	case m.chance(30):
		l.table = pickOne(m.dice, []string{"select ", "the \"tbl\" ", "Tbl_", "t`"}) + name
	}
	switch kind := m.IntN(10); {
	case shared || kind < 5:
		l.key = []string{"id"}
		l.props = append(l.props, &propSpec{name: "id", typ: schema.Int64, wild: m.chance(30)})
	case kind < 7:
		l.key = []string{"id"}
		l.props = append(l.props, &propSpec{name: "id", typ: pickOne(m.dice, []schema.Type{schema.UUID, schema.Int32})})
	case kind < 8:
		l.key = []string{"id"}
		l.props = append(l.props, &propSpec{name: "id", typ: schema.String, search: m.chance(50)})
	default:
		l.key = []string{"part", "no"}
		l.props = append(l.props, &propSpec{name: "part", typ: schema.String}, &propSpec{name: "no", typ: schema.Int32})
	}
	if m.chance(40) && !shared {
		for _, p := range l.props {
			p.column = "c " + p.name
		}
	}
	for _, p := range some(m.dice, labelProps(), 3, 8) {
		if p.typ == schema.Enum {
			p.values = some(m.dice, enumNames, 2, 4)
			p.ints = m.chance(50)
		}
		p.required = m.chance(35)
		p.index = m.chance(25)
		p.unique = m.chance(25) && slices.Contains(tellApart, p.typ)
		if m.chance(30) || shared {
			p.column = l.name + "_" + p.name
		}
		l.props = append(l.props, p)
	}
	if m.chance(60) {
		for _, p := range some(m.dice, l.props, 0, 3) {
			l.defaults = append(l.defaults, p.name)
		}
		if l.defaults == nil {
			l.defaults = []string{}
		}
	}
	m.spec.labels = append(m.spec.labels, l)
}

// tellApart are the types of properties that may be unique and of which there are
// enough values (dice.key).
var tellApart = []schema.Type{schema.String, schema.Int32, schema.Int64, schema.UUID}

func labelProps() []*propSpec {
	return []*propSpec{
		{name: "name", typ: schema.String, search: true}, {name: "title", typ: schema.String, search: true}, {name: "s", typ: schema.String},
		{name: "n", typ: schema.Int32}, {name: "m", typ: schema.Int64}, {name: "big", typ: schema.Int64}, {name: "f", typ: schema.Float},
		{name: "ok", typ: schema.Bool}, {name: "state", typ: schema.Enum}, {name: "day", typ: schema.Date}, {name: "at", typ: schema.DateTime},
		{name: "ref", typ: schema.UUID}, {name: "price", typ: schema.Decimal}, {name: "doc", typ: schema.JSON},
	}
}

// relationship adds a type with one to three pairs.
func (m *schemaMaker) relationship(name string) {
	t := &typeSpec{name: name}
	key := pickOne(m.dice, []schema.Type{schema.Int64, schema.String, schema.UUID})
	if m.chance(15) && m.polymorphic(t) {
		m.spec.types = append(m.spec.types, t)
		return
	}
	for range []int{1, 1, 1, 2, 3}[m.IntN(5)] {
		p := &pairSpec{from: pickOne(m.dice, m.spec.labels).name, to: pickOne(m.dice, m.spec.labels).name}
		if m.chance(25) {
			p.to = p.from
		}
		if slices.ContainsFunc(t.pairs, func(o *pairSpec) bool { return o.from == p.from && o.to == p.to }) {
			continue
		}
		m.mapping(t, p, key)
		if m.chance(18) { // more would leave too little to walk on
			p.unique = pickOne(m.dice, []string{"from", "from", "from", "to", "both"})
		}
		t.pairs = append(t.pairs, p)
	}
	m.spec.types = append(m.spec.types, t)
}

// mapping says how a pair is kept.
func (m *schemaMaker) mapping(t *typeSpec, p *pairSpec, key schema.Type) {
	from, to := m.spec.label(p.from), m.spec.label(p.to)
	p.props = m.relationshipProps()
	switch form := m.IntN(10); {
	case form < 2:
		p.form, p.held = keyOnFrom, m.columns(t.name, to)
		m.ownColumns(p.props, t.name)
	case form < 4:
		p.form, p.held = keyOnTo, m.columns(t.name, from)
		m.ownColumns(p.props, t.name)
	case form < 6 && single(from, schema.Int64) && single(to, schema.Int64):
		p.form, p.table, p.props = sharedTable, "edges", nil
		p.match = []string{"kind", t.name, "target", p.from + ">" + p.to}
		p.fromColumns, p.toColumns = []string{"source_id"}, []string{"target_id"}
	default:
		p.form = joinTable
		p.table = strings.ToLower(fmt.Sprintf("%s_%s_%s", t.name, p.from, p.to))
		if m.chance(60) || len(from.key) > 1 || len(to.key) > 1 {
			p.fromColumns, p.toColumns = m.columns("src", from), m.columns("dst", to)
		}
		if m.chance(35) {
			p.key = "k"
			p.props = append([]*propSpec{{name: "k", typ: key}}, p.props...)
		}
	}
}

func single(l *labelSpec, t schema.Type) bool { return len(l.key) == 1 && l.prop(l.key[0]).typ == t }

// columns names new columns for a label's key.
func (m *schemaMaker) columns(word string, l *labelSpec) []string {
	m.made++
	if len(l.key) == 1 {
		return []string{fmt.Sprintf(pickOne(m.dice, []string{"%s_%d", "%s ref %d", "Of_%s%d"}), strings.ToLower(word), m.made)}
	}
	var out []string
	for _, k := range l.key {
		out = append(out, fmt.Sprintf("%s_%d_%s", strings.ToLower(word), m.made, k))
	}
	return out
}

func (m *schemaMaker) ownColumns(props []*propSpec, word string) {
	for _, p := range props {
		m.made++
		p.column = fmt.Sprintf("%s_%d_%s", strings.ToLower(word), m.made, p.name)
		p.required = false
	}
}

// relationshipProps has the same types for the same names everywhere, so that
// a filter may stand on several pairs.
func (m *schemaMaker) relationshipProps() []*propSpec {
	all := []*propSpec{
		{name: "w", typ: m.weight, required: m.chance(60)}, {name: "since", typ: schema.Date}, {name: "note", typ: schema.String, required: m.chance(50)},
		{name: "ok", typ: schema.Bool},
	}
	return some(m.dice, all, 0, 3)
}

// polymorphic makes a type whose column says where it leads to; it reports
// false if no two labels have the same kind of key.
func (m *schemaMaker) polymorphic(t *typeSpec) bool {
	from := pickOne(m.dice, m.spec.labels)
	for _, kind := range []schema.Type{schema.Int64, schema.String, schema.UUID} {
		var targets []*labelSpec
		for _, l := range m.spec.labels {
			if single(l, kind) {
				targets = append(targets, l)
			}
		}
		if len(targets) < 2 {
			continue
		}
		id := m.columns(t.name, targets[0])
		for _, to := range targets {
			t.pairs = append(t.pairs, &pairSpec{from: from.name, to: to.name, form: polymorphic, held: id,
				typeColumn: strings.ToLower(t.name) + "_type", typeValue: "The" + to.name})
		}
		return true
	}
	return false
}
