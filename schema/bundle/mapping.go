package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/trellisgraph/trellis/schema"
)

// A mapping says what the types of some bundles become in a graph.
type mapping struct {
	types  []*Type // by name
	byName map[string]*Type
	of     map[*Type]*Bundle

	documents map[*Type]string   // the property that holds the whole entity
	hidden    map[*Property]bool // those that refer to what is left out
	references,
	values []*link
	tables names
}

// A link is a property that becomes a relationship: to the entities that it
// refers to, or to values of its own.
type link struct {
	from         *Type
	property     int
	to           *Type  // nil for values
	relationship string // its type
	label        string // of the values
	table        string // of the relationship; empty where the property's column is its foreign key
}

func (l *link) prop() *Property { return l.from.Properties[l.property] }

// names are names in use, in lower case.
type names map[string]bool

// take returns the first of a name and others made of it that is not in use.
func (n names) take(most int, base, suffix string) string {
	name := fit(most, base)
	for i := 2; n[strings.ToLower(name)]; i++ {
		name = fit(most, base+suffix)
		if i > 2 {
			name = fit(most, fmt.Sprintf("%s%s_%d", base, suffix, i))
		}
	}
	n[strings.ToLower(name)] = true
	return name
}

// fit shortens a name; what is cut off is told by a hash.
func fit(most int, name string) string {
	if len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:most-9] + "_" + hex.EncodeToString(sum[:4])
}

// newMapping maps the types of bundles. The names within a bundle are made of it
// alone: whatever else there is changes none of them, and two bundles that make
// one label do not go together.
func newMapping(bundles []*Bundle) (*mapping, error) {
	m := &mapping{byName: map[string]*Type{}, of: map[*Type]*Bundle{}, documents: map[*Type]string{}, tables: names{}}
	var clashes found
	for _, b := range bundles {
		for _, t := range b.types {
			if other := m.byName[t.Name]; other != nil {
				clashes.report(t.file, nil, "", "the entity type %q is in the bundle %q and in the bundle %q", t.Name, m.of[other].name, b.name)
				continue
			}
			m.types, m.byName[t.Name], m.of[t] = append(m.types, t), t, b
		}
	}
	if err := clashes.err(); err != nil {
		return nil, err
	}
	slices.SortFunc(m.types, func(a, b *Type) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range m.types {
		m.document(t)
		m.refer(t)
	}
	labels, relationships := map[*Bundle]names{}, map[*Bundle]names{}
	for _, b := range bundles {
		labels[b], relationships[b] = names{}, names{}
	}
	for _, t := range m.types {
		labels[m.of[t]][t.Name], m.tables[t.Name] = true, true
	}
	for _, l := range m.references {
		relationships[m.of[l.from]][strings.ToLower(l.relationship)] = true
	}
	made := map[string]*link{}
	for _, t := range m.types {
		for _, l := range valuesOf(t, labels[m.of[t]], relationships[m.of[t]]) {
			m.values, m.tables[strings.ToLower(l.label)] = append(m.values, l), true
			b := m.of[t].name
			if other := m.byName[l.label]; other != nil {
				clashes.report(t.file, nil, "", "the label %q of the values of %s.%s of the bundle %q is an entity type of the bundle %q", l.label, t.Name, l.prop().Name, b, m.of[other].name)
			} else if other := made[l.label]; other != nil {
				clashes.report(t.file, nil, "", "the label %q is that of the values of %s.%s of the bundle %q and of %s.%s of the bundle %q",
					l.label, t.Name, l.prop().Name, b, other.from.Name, other.prop().Name, m.of[other.from].name)
			}
			made[l.label] = l
		}
	}
	for _, l := range slices.Concat(m.references, m.values) {
		if l.to == nil || l.prop().Array || l.prop().Ref.Field != l.to.IDField {
			l.table = m.tables.take(schema.MaxStored, l.from.Name+"__"+l.prop().Name, "_ref")
		}
	}
	return m, clashes.err()
}

// hides reports whether a property refers to what is left out.
func (m *mapping) hides(p *Property) bool { return m.hidden[p] }

// A Label is a label that a bundle makes.
type Label struct {
	Name string
	Type *Type
	// Property is the list whose values have the label; empty where it is that of
	// the type's entities.
	Property string
}

// Labels are the labels that the bundle makes, whatever others there are: two
// bundles with one of a name make no schema together. Those of the types come
// first.
func (b *Bundle) Labels() []Label {
	m, err := newMapping([]*Bundle{b})
	if err != nil { // cannot be, of a single one
		return nil
	}
	var list []Label
	for _, t := range m.types {
		list = append(list, Label{Name: t.Name, Type: t})
	}
	for _, l := range m.values {
		list = append(list, Label{l.label, l.from, l.prop().Name})
	}
	return list
}

// document chooses the name of the property that holds the whole entity.
func (m *mapping) document(t *Type) {
	taken := names{}
	for _, p := range t.Properties {
		taken[strings.ToLower(p.Name)] = true
	}
	name := "record"
	for taken[name] {
		name += "_"
	}
	m.documents[t] = name
}

// refer finds the relationships of a type's references.
func (m *mapping) refer(t *Type) {
	used := map[string]int{}
	for _, p := range t.Properties {
		if p.Ref != nil {
			used[relationshipName(p.Name, true)]++
		}
	}
	own := names{}
	for i, p := range t.Properties {
		if p.Ref == nil {
			continue
		}
		name := relationshipName(p.Name, true)
		if used[name] > 1 {
			name = relationshipName(p.Name, false)
		}
		l := &link{from: t, property: i, to: m.byName[p.Ref.Type], relationship: own.take(schema.MaxName, name, "")}
		m.references = append(m.references, l)
	}
}

// valuesOf finds the labels of the values that a type's lists hold, if lists
// are filters: what a list contains is asked by what the entity is connected to.
func valuesOf(t *Type, labels, relationships names) []*link {
	var list []*link
	for i, p := range t.Properties {
		if !p.Array || !p.Index || p.Ref != nil {
			continue
		}
		list = append(list, &link{from: t, property: i,
			label:        labels.take(schema.MaxName, t.Name+"_"+p.Name, "_value"),
			relationship: relationships.take(schema.MaxName, relationshipName(t.Name+"_"+p.Name, false), "_VALUE"),
		})
	}
	return list
}

// relationshipName is a property's name in upper case, its words separated; if
// asked for, without the word id at its end.
func relationshipName(property string, short bool) string {
	base := property
	if short {
		for _, suffix := range []string{"_ids", "_id", "Ids", "Id", "IDs", "ID"} {
			if cut, ok := strings.CutSuffix(property, suffix); ok && strings.Trim(cut, "_") != "" {
				base = cut
				break
			}
		}
	}
	var b strings.Builder
	for i, c := range base {
		if i > 0 && unicode.IsUpper(c) && unicode.IsLower(rune(base[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(c))
	}
	return b.String()
}
