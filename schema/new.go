package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// New makes a schema of a definition. The error is a Problems, with all
// mistakes at once; their paths are those that the definition has in the file
// format, each relationship type written with a list of pairs.
//
// The definition may be changed afterwards.
func New(def Definition) (*Schema, error) {
	s, problems := build(def)
	if len(problems) > 0 {
		return nil, problems.clip()
	}
	return s, nil
}

// A builder makes a schema and notes what is wrong with its definition. Where
// something is wrong it goes on with what is left, so that it finds the rest.
type builder struct {
	schema   *Schema
	problems Problems
	labelled []labelled       // the labels in the order of the definition
	paths    map[*Pair]string // where each pair is defined
	tells    map[*Property][]reference
}

// A labelled is a label with the definition that it came from.
type labelled struct {
	*Label
	def  *NodeDefinition
	path string
}

func build(def Definition) (*Schema, Problems) {
	b := &builder{paths: map[*Pair]string{}, tells: map[*Property][]reference{}, schema: &Schema{
		revised:  revisedOf(def),
		about:    def.Description,
		byLabel:  map[string]*Label{},
		byType:   map[string]*RelationshipType{},
		outgoing: map[*Label][]*Pair{},
		incoming: map[*Label][]*Pair{},
	}}
	if year := b.schema.revised.Year(); year < 1 || year > 9999 {
		b.report("/revised", "the year %d is not between 1 and 9999", year)
	}
	b.texts("", def.Description, nil)
	if len(def.Nodes) == 0 {
		b.report("/nodes", "the schema has no labels").Hint = "define one at least"
	}
	for i := range def.Nodes {
		b.label(&def.Nodes[i])
	}
	b.distinctInCase("/nodes", "labels", labelNames(def.Nodes))
	for i := range def.Relationships {
		b.relationship(&def.Relationships[i])
	}
	b.distinctInCase("/relationships", "relationship types", typeNamesOf(def.Relationships))
	b.index()
	b.records()
	b.refers()
	b.checkRows()
	b.checkPolicies()
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	b.schema.document, b.schema.hash = written(canonical(def))
	return b.schema, nil
}

// report notes a mistake. The pointer is good until the next one.
func (b *builder) report(path, format string, args ...any) *Problem {
	b.problems = append(b.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	return &b.problems[len(b.problems)-1]
}

// unknown notes that a name means nothing, and what may have been meant.
func (b *builder) unknown(path, format, got string, names []string) *Problem {
	p := b.report(path, format, short(got))
	if len(b.problems) <= maxProblems {
		p.DidYouMean = Suggest(got, names)
	}
	return p
}

// index sorts labels and types, and connects them.
func (b *builder) index() {
	s := b.schema
	slices.SortFunc(s.labels, func(x, y *Label) int { return strings.Compare(x.Name, y.Name) })
	slices.SortFunc(s.types, func(x, y *RelationshipType) int { return strings.Compare(x.Name, y.Name) })
	s.connect()
}

// connect finds the pairs of each label.
func (s *Schema) connect() {
	for _, t := range s.types {
		for _, p := range t.Pairs {
			s.outgoing[p.From] = append(s.outgoing[p.From], p)
			s.incoming[p.To] = append(s.incoming[p.To], p)
		}
	}
}

// checkRows refuses pairs whose rows cannot be told apart: those of the same
// columns of the same table that lead to different tables.
func (b *builder) checkRows() {
	type place struct {
		table    Table
		from, to string
	}
	const any = "[]" // the key of an empty match
	uses := map[place]map[string]*Pair{}
	for _, t := range b.schema.types {
		for _, p := range t.Pairs {
			at := place{p.Table, strings.Join(p.FromColumns, "\x00"), strings.Join(p.ToColumns, "\x00")}
			if uses[at] == nil {
				uses[at] = map[string]*Pair{"first": p, fmt.Sprint(p.Match): p}
				continue
			}
			key := fmt.Sprint(p.Match)
			other := cmp.Or(uses[at][key], uses[at][any])
			if key == any {
				other = uses[at]["first"]
			}
			if other == nil {
				uses[at][key] = p
			} else if other.From.Table != p.From.Table || other.To.Table != p.To.Table {
				b.report(b.paths[p], "its rows in table %q cannot be told from those of %s from %q to %q",
					p.Table, other.Type.Name, other.From.Name, other.To.Name).Hint = "give it a table of its own, or a `match`"
			}
		}
	}
}

func labelNames(nodes []NodeDefinition) []string {
	names := make([]string, len(nodes))
	for i := range nodes {
		names[i] = nodes[i].Label
	}
	return names
}

func typeNamesOf(rels []RelationshipDefinition) []string {
	names := make([]string, len(rels))
	for i := range rels {
		names[i] = rels[i].Type
	}
	return names
}
