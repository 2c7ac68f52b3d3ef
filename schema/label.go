package schema

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// item is the pointer to an item of a list.
func item(path string, i int) string { return path + "/" + strconv.Itoa(i) }

// label checks a label and adds it to the schema.
func (b *builder) label(def *NodeDefinition) {
	path := graph.Pointer("/nodes", def.Label)
	b.labelName(path, def.Label)
	if b.schema.byLabel[def.Label] != nil {
		b.report(path, "the label %q is defined twice", def.Label).atName = true
		return
	}
	b.texts(path, def.Description, def.Synonyms)
	l := &Label{
		Name:        def.Label,
		Description: def.Description,
		Synonyms:    slices.Clone(def.Synonyms),
		Table:       b.table(path, def.Table, def.Label),
		Match:       b.match(path, def.Match),
		Policy:      def.Policy,
	}
	b.schema.labels = append(b.schema.labels, l)
	b.schema.byLabel[l.Name] = l
	b.labelled = append(b.labelled, labelled{l, def, path})

	l.Properties, l.byName = b.properties(path+"/properties", def.Properties)
	if len(def.Properties) == 0 {
		b.report(path+"/properties", "the label %q has no properties", l.Name).Hint = "its key is one at least"
	}
	b.key(path+"/key", l, def.Key)
	l.Default = b.defaults(path+"/default_properties", l, def.DefaultProperties)
	if def.Display != "" {
		l.Display = b.visible(path+"/display", l, def.Display)
	}
}

// key resolves the key of a label.
func (b *builder) key(path string, l *Label, names []string) {
	if len(names) == 0 {
		b.report(path, "the label %q has no key", l.Name).Hint = "name the property that identifies a node"
		return
	}
	b.duplicates(path, "key part", names)
	for i, name := range names {
		at := path
		if len(names) > 1 {
			at = item(path, i)
		}
		p, ok := l.byName[name]
		if !ok {
			b.unknown(at, "the key %q is no property", name, propertyNames(l.Properties, false))
			continue
		}
		b.identifies(at, p, identifying...)
		if p.Mask != "" || p.VisibleIf != "" {
			b.report(at, "the key %q cannot be shown to some only: the id of a node shows it to all", name)
		}
		l.Key = append(l.Key, p)
	}
}

// identifying are the types of values that tell nodes apart.
var identifying = []Type{Int32, Int64, String, UUID, Date}

func namesOf(types []Type) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return names
}

// identifies checks a property of a key and makes it one: never null.
func (b *builder) identifies(path string, p *Property, types ...Type) {
	p.Nullable = false
	if p.Type != 0 && !slices.Contains(types, p.Type) {
		b.report(path, "the key %q is of type %s, which no key can be", p.Name, p.Type).Hint = "one of " + quoted(namesOf(types), ", ")
	}
}

// defaults resolves the properties shown when a call names none.
func (b *builder) defaults(path string, l *Label, names []string) []*Property {
	out := make([]*Property, 0, len(l.Properties))
	if names == nil {
		for _, p := range l.Properties {
			if !p.Hidden {
				out = append(out, p)
			}
		}
		return out
	}
	b.duplicates(path, "property", names)
	for i, name := range names {
		if p := b.visible(item(path, i), l, name); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// visible resolves the name of a property that is to be shown.
func (b *builder) visible(path string, l *Label, name string) *Property {
	p, ok := l.byName[name]
	switch {
	case !ok:
		b.unknown(path, "%q is no property of "+l.Name, name, propertyNames(l.Properties, true))
		return nil
	case p.Hidden:
		b.report(path, "%q is never visible, so it cannot be shown", name)
		return nil
	}
	return p
}

// table fills in the default name of a table.
func (b *builder) table(path string, t Table, def string) Table {
	if t.Name == "" && t.Schema == "" {
		t.Name = def
	}
	b.stored(path+"/table/name", "table", t.Name)
	if t.Schema != "" {
		b.stored(path+"/table/schema", "table's schema", t.Schema)
	}
	return t
}

// match returns the fixed columns in the order of their names, so that it does
// not matter how they were written.
func (b *builder) match(path string, list []Match) []Match {
	seen := map[string]bool{}
	for _, m := range list {
		at := graph.Pointer(path+"/match", m.Column)
		b.stored(at, "column", m.Column)
		b.value(at, "value of the column", m.Value)
		if seen[m.Column] {
			b.report(at, "the column %q is matched twice", short(m.Column))
		}
		seen[m.Column] = true
	}
	return sortedMatch(list)
}

func propertyNames(props []*Property, visibleOnly bool) []string {
	var names []string
	for _, p := range props {
		if !visibleOnly || !p.Hidden {
			names = append(names, p.Name)
		}
	}
	return names
}
