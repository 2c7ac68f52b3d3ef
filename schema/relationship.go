package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// relationship checks a relationship type and adds it to the schema.
func (b *builder) relationship(def *RelationshipDefinition) {
	path := graph.Pointer("/relationships", def.Type)
	b.name(path, "relationship type", def.Type)
	if b.schema.byType[def.Type] != nil {
		b.report(path, "the relationship type %q is defined twice", def.Type).atName = true
		return
	}
	b.texts(path, def.Description, def.Synonyms)
	t := &RelationshipType{Name: def.Type, Description: def.Description, Synonyms: slices.Clone(def.Synonyms), Policy: def.Policy}
	b.schema.types = append(b.schema.types, t)
	b.schema.byType[t.Name] = t
	if len(def.Pairs) == 0 {
		b.report(path+"/pairs", "the relationship type %q has no pairs", t.Name).Hint = "say which labels it is `from` and `to`"
	}
	for i := range def.Pairs {
		b.pairs(item(path+"/pairs", i), t, &def.Pairs[i])
	}
	t.own = t.Description
	if t.describe(); utf8.RuneCountInString(t.Description) > MaxDescription && utf8.RuneCountInString(t.own) <= MaxDescription {
		b.report(path+"/description", "the descriptions of the type and of its pairs are together longer than %d characters", MaxDescription)
	}
	b.sameTypes(path, t)
}

// describe makes the description of a type, of which those of the pairs are a part.
func (t *RelationshipType) describe() {
	texts := []string{""} // which needs no saying
	if t.own != "" {
		texts = append(texts, t.own)
	}
	for _, p := range t.Pairs {
		if !slices.Contains(texts, p.Description) {
			texts = append(texts, p.Description)
		}
	}
	t.Description = strings.Join(texts[1:], " ")
}

// pairs adds what a pair definition makes: one pair, or one for each value of a
// polymorphic reference.
func (b *builder) pairs(path string, t *RelationshipType, def *PairDefinition) {
	from := b.end(path+"/from", def.From)
	props, byName := b.properties(path+"/properties", def.Properties)
	for i := range def.Properties {
		if def.Properties[i].Unique {
			b.report(graph.Pointer(path+"/properties", def.Properties[i].Name)+"/unique", "a relationship's property is not unique; what tells relationships apart is their `key`")
		}
		if name := def.Properties[i].Name; slices.Contains(reserved, name) {
			b.report(graph.Pointer(path+"/properties", name), "a relationship's property cannot be called %q: its files have a column of that name", name).atName = true
		}
	}
	b.texts(path, def.Description, nil)
	p := Pair{Type: t, From: from, Description: def.Description, Properties: props, byName: byName, Policy: def.Policy, Key: b.pairKey(path+"/key", byName, props, def.Key)}
	p.UniqueFrom, p.UniqueTo = b.unique(path+"/unique", def.Unique)
	if p.Policy == "" {
		p.Policy = t.Policy
	} else if t.Policy != "" {
		b.report(path+"/policy", "the relationship type has a policy already").Hint = "write it on the type or on its pairs, not on both"
	}
	switch {
	case def.Polymorphic != nil:
		b.polymorphic(path, p, def)
	case def.ForeignKey != nil:
		p.To = b.end(path+"/to", def.To)
		b.foreignKey(path, p, def)
	default:
		p.To = b.end(path+"/to", def.To)
		b.joinTable(path, p, def)
	}
}

// uniques are the ends that a pair can be unique at.
var uniques = []string{"from", "to", "both"}

// unique reads at which ends a node has one relationship at most.
func (b *builder) unique(path, ends string) (from, to bool) {
	if ends != "" && !slices.Contains(uniques, ends) {
		b.unknown(path, "%q is no end", ends, uniques)
	}
	return ends == "from" || ends == "both", ends == "to" || ends == "both"
}

// reserved are the columns that relationship files have beside the properties.
var reserved = []string{"from", "to", "from_label", "to_label"}

// end resolves the label at an end of a pair, nil if there is none.
func (b *builder) end(path, name string) *Label {
	l, ok := b.schema.byLabel[name]
	switch {
	case name == "":
		b.report(path, "the label is missing")
	case !ok:
		names := make([]string, len(b.schema.labels))
		for i, l := range b.schema.labels {
			names[i] = l.Name
		}
		b.unknown(path, "there is no label %q", name, names)
	}
	return l
}

// pairKey resolves what tells parallel relationships apart.
func (b *builder) pairKey(path string, byName map[string]*Property, props []*Property, name string) *Property {
	if name == "" {
		return nil
	}
	p, ok := byName[name]
	if !ok {
		b.unknown(path, "the key %q is no property of the relationship", name, propertyNames(props, false)).Hint =
			"list it in `properties`, with its type"
		return nil
	}
	b.identifies(path, p, Int32, Int64, String, UUID, Date, DateTime, Enum)
	return p
}

func (b *builder) joinTable(path string, p Pair, def *PairDefinition) {
	p.Table = b.table(path, def.Table, p.Type.Name)
	p.Match = b.match(path, def.Match)
	p.FromColumns = b.columns(path+"/from_column", def.FromColumns, "from_id", p.From)
	p.ToColumns = b.columns(path+"/to_column", def.ToColumns, "to_id", p.To)
	for i, c := range p.ToColumns {
		if slices.Contains(p.FromColumns, c) {
			b.report(columnPath(path+"/to_column", p.ToColumns, i), "the column %q stands for both ends", short(c))
		}
	}
	b.add(path, path, &p)
}

func (b *builder) foreignKey(path string, p Pair, def *PairDefinition) {
	b.ownTable(path, def)
	fk := def.ForeignKey
	holder, other := p.From, p.To
	if fk.OnTo {
		holder, other = p.To, p.From
	}
	refers := b.columns(path+"/foreign_key/column", fk.Columns, "", other)
	if holder == nil || other == nil {
		return
	}
	p.Holder, p.HolderIsTo, p.Table = holder, fk.OnTo, holder.Table
	p.Match = b.bothMatch(path, holder.Match, b.match(path, def.Match))
	p.FromColumns, p.ToColumns = keyColumns(holder), refers
	if fk.OnTo {
		p.FromColumns, p.ToColumns = refers, keyColumns(holder)
	}
	p.UniqueFrom, p.UniqueTo = p.UniqueFrom || !fk.OnTo, p.UniqueTo || fk.OnTo
	b.add(path, path, &p)
}

func (b *builder) polymorphic(path string, p Pair, def *PairDefinition) {
	b.ownTable(path, def)
	to, at := def.Polymorphic, path+"/to"
	if def.To != "" || def.ForeignKey != nil {
		b.report(at, "a polymorphic reference has neither one label nor a foreign key beside it")
	}
	b.stored(at+"/type_column", "type column", to.TypeColumn)
	if slices.Contains(to.IDColumns, to.TypeColumn) {
		b.report(at+"/type_column", "the type column is one of the id columns")
	}
	if len(to.Values) == 0 {
		b.report(at+"/values", "the polymorphic reference has no values")
	}
	own := b.match(path, def.Match)
	seen := map[string]bool{}
	for i, v := range to.Values {
		where := graph.Pointer(at+"/values", v.Value)
		b.value(where, "value of the type column", v.Value)
		if seen[v.Value] {
			b.report(where, "the value %q is listed twice", short(v.Value)).atName = true
			continue
		}
		seen[v.Value] = true
		pair := p
		pair.To = b.end(where, v.Label)
		var columns []string
		if i == 0 || pair.To != nil && len(pair.To.Key) != len(to.IDColumns) {
			columns = b.columns(at+"/id_column", to.IDColumns, "", pair.To)
		} else {
			columns = slices.Clone(to.IDColumns)
		}
		if pair.From == nil || pair.To == nil {
			continue
		}
		pair.Holder, pair.Table, pair.UniqueFrom = pair.From, pair.From.Table, true
		pair.Match = b.bothMatch(path, pair.From.Match, append(slices.Clone(own), Match{to.TypeColumn, v.Value}))
		pair.FromColumns, pair.ToColumns = keyColumns(pair.From), columns
		b.add(where, path, &pair)
	}
}

// ownTable refuses what only a join table has.
func (b *builder) ownTable(path string, def *PairDefinition) {
	const message = "only a relationship in a join table has this, and this one is in the table of an end"
	if def.Table != (Table{}) {
		b.report(path+"/table", message)
	}
	if len(def.FromColumns) > 0 {
		b.report(path+"/from_column", message)
	}
	if len(def.ToColumns) > 0 {
		b.report(path+"/to_column", message)
	}
}

// columns checks that there is a column for each part of a label's key. A
// default holds for keys of one part only.
func (b *builder) columns(path string, list []string, def string, l *Label) []string {
	if len(list) == 0 && def != "" {
		if l != nil && len(l.Key) > 1 {
			b.report(path, "the key of %q has %s, and their columns are not listed", l.Name, count(len(l.Key), "part")).Hint =
				"for the key " + strings.Join(propertyNames(l.Key, false), ", ")
			return nil
		}
		list = []string{def}
	}
	for i, c := range list {
		b.stored(columnPath(path, list, i), "column", c)
	}
	b.duplicates(path, "column", list)
	if l != nil && len(l.Key) > 0 && len(list) != len(l.Key) {
		b.report(path, "%s here, and the key of %q has %s", count(len(list), "column"), l.Name, count(len(l.Key), "part")).Hint =
			"for the key " + strings.Join(propertyNames(l.Key, false), ", ")
	}
	return slices.Clone(list)
}

func columnPath(path string, list []string, i int) string {
	if len(list) == 1 {
		return path
	}
	return item(path, i)
}

// bothMatch joins what marks the rows of a holder and of the relationship.
func (b *builder) bothMatch(path string, holder, own []Match) []Match {
	out := slices.Clone(holder)
	for _, m := range own {
		i := slices.IndexFunc(holder, func(h Match) bool { return h.Column == m.Column })
		switch {
		case i < 0:
			out = append(out, m)
		case holder[i].Value != m.Value:
			b.report(path+"/match", "the column %q is %q here, and %q in the rows of its label", short(m.Column), m.Value, holder[i].Value)
		}
	}
	return sortedMatch(out)
}

// add adds a pair whose mapping is resolved. What makes it stands at a place of
// its definition, which is path.
func (b *builder) add(at, path string, p *Pair) {
	if p.From == nil || p.To == nil {
		return
	}
	for _, other := range p.Type.Pairs {
		if other.From == p.From && other.To == p.To {
			b.report(at, "the pair from %q to %q is listed twice", p.From.Name, p.To.Name)
			return
		}
	}
	p.Type.Pairs = append(p.Type.Pairs, p)
	b.paths[p] = path
}

// sameTypes refuses properties of one name with different types: a call names
// the property of a relationship type, not of a pair.
func (b *builder) sameTypes(path string, t *RelationshipType) {
	first := map[string]*Property{}
	for _, pair := range t.Pairs {
		for _, p := range pair.Properties {
			if f, ok := first[p.Name]; !ok {
				first[p.Name] = p
			} else if f.Type != p.Type || !slices.Equal(f.EnumNames(), p.EnumNames()) {
				b.report(path, "the property %q is not the same in all pairs: %s from %q to %q", p.Name, p.Type, pair.From.Name, pair.To.Name)
				return
			}
		}
	}
}

func keyColumns(l *Label) []string {
	out := make([]string, len(l.Key))
	for i, k := range l.Key {
		out[i] = k.Column
	}
	return out
}
