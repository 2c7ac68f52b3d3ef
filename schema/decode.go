package schema

import (
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// decode reads a definition out of a document. What has not the form that the
// published JSON Schema asks for it leaves out: that is reported already.
func decode(root *yaml.Node) (def Definition, problems Problems) {
	for field, v := range members(root) {
		switch field.Value {
		case "revised":
			revised, err := time.Parse(time.RFC3339Nano, v.Value)
			if err != nil {
				problems = append(problems, Problem{Path: "/revised", Message: "expected a time in RFC 3339, got " + kindOf(v)})
			}
			def.Revised = revised
		case "description":
			def.Description = text(v)
		case "nodes":
			for label, n := range members(v) {
				def.Nodes = append(def.Nodes, decodeNode(label.Value, n))
			}
		case "relationships":
			for name, n := range members(v) {
				def.Relationships = append(def.Relationships, decodeRelationship(name.Value, n))
			}
		}
	}
	return def, problems
}

func decodeNode(label string, n *yaml.Node) NodeDefinition {
	def := NodeDefinition{Label: label}
	for name, v := range members(n) {
		switch name.Value {
		case "description":
			def.Description = text(v)
		case "synonyms":
			def.Synonyms = texts(v)
		case "table":
			def.Table = decodeTable(v)
		case "key":
			def.Key = oneOrMany(v)
		case "default_properties":
			if v.Kind == yaml.SequenceNode {
				def.DefaultProperties = append([]string{}, texts(v)...)
			}
		case "display":
			def.Display = text(v)
		case "match":
			def.Match = decodeMatch(v)
		case "policy":
			def.Policy = text(v)
		case "properties":
			def.Properties = decodeProperties(v)
		case "records":
			def.Records = decodeRecords(v)
		}
	}
	return def
}

// decodeRecords reads what a label says of its records: true, or a map.
func decodeRecords(n *yaml.Node) *RecordsDefinition {
	if isFalse(n) {
		return nil
	}
	def := &RecordsDefinition{}
	for name, v := range members(n) {
		switch name.Value {
		case "tools":
			if v.Kind == yaml.SequenceNode {
				def.Tools = append([]string{}, texts(v)...)
			}
		case "description":
			def.Description = text(v)
		case "summary":
			def.Summary = texts(v)
		case "document":
			def.Document = text(v)
		case "filters":
			for name, f := range members(v) {
				def.Filters = append(def.Filters, decodeRecordFilter(name.Value, f))
			}
		}
	}
	return def
}

// decodeRecordFilter reads a filter: a relationship type, or a map.
func decodeRecordFilter(name string, n *yaml.Node) RecordFilter {
	def := RecordFilter{Name: name, Relationship: text(n)}
	for field, v := range members(n) {
		switch field.Value {
		case "relationship":
			def.Relationship = text(v)
		case "property":
			def.Property = text(v)
		case "values":
			def.Values = texts(v)
		}
	}
	return def
}

// defaultScale is the scale of a decimal in a file that gives none.
const defaultScale = 2

func decodeProperties(n *yaml.Node) []PropertyDefinition {
	var defs []PropertyDefinition
	for name, v := range members(n) {
		def := PropertyDefinition{Name: name.Value}
		if v.Kind == yaml.ScalarNode {
			def.Type, _ = TypeOf(text(v))
		}
		scaled := false
		for field, v := range members(v) {
			decodeProperty(&def, field.Value, v)
			scaled = scaled || field.Value == "scale"
		}
		if def.Type == Decimal && !scaled {
			def.Scale = defaultScale
		}
		defs = append(defs, def)
	}
	return defs
}

func decodeProperty(def *PropertyDefinition, field string, v *yaml.Node) {
	switch field {
	case "type":
		def.Type, _ = TypeOf(text(v))
	case "column":
		def.Column = text(v)
	case "nullable":
		def.Required = isFalse(v)
	case "description":
		def.Description = text(v)
	case "synonyms":
		def.Synonyms = texts(v)
	case "values":
		def.Values = decodeValues(v)
	case "scale":
		def.Scale, _ = strconv.Atoi(v.Value)
	case "index":
		def.Index = isTrue(v)
	case "search":
		def.Search = isTrue(v)
	case "unique":
		def.Unique = isTrue(v)
	case "filterable":
		def.NotFilterable = isFalse(v)
	case "patterns":
		def.NoPatterns = isFalse(v)
	case "visible":
		def.Hidden, def.VisibleIf = isFalse(v), text(v)
	case "mask":
		def.Mask = v.Value
		if v.ShortTag() == "!!null" {
			def.Mask = "null" // the word, not the absence
		}
	case "exposes_key":
		def.ExposesKey = isTrue(v)
	case "refers":
		def.Refers = text(v)
	}
}

// relationship reads the three ways to write a type: one pair, a list of
// pairs, a map with a list of pairs.
func decodeRelationship(name string, n *yaml.Node) RelationshipDefinition {
	def := RelationshipDefinition{Type: name}
	if n.Kind == yaml.SequenceNode {
		def.Pairs = decodePairs(n)
		return def
	}
	single := true
	for name, v := range members(n) {
		switch name.Value {
		case "description":
			def.Description = text(v)
		case "synonyms":
			def.Synonyms = texts(v)
		case "policy":
			def.Policy = text(v)
		case "pairs":
			def.Pairs, single = decodePairs(v), false
		}
	}
	if single {
		def.Pairs = []PairDefinition{decodePair(n)}
		def.Pairs[0].Policy, def.Pairs[0].Description = "", "" // they are the type's
	}
	return def
}

func decodePairs(n *yaml.Node) []PairDefinition {
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	defs := make([]PairDefinition, len(n.Content))
	for i, c := range n.Content {
		defs[i] = decodePair(c)
	}
	return defs
}

func decodePair(n *yaml.Node) PairDefinition {
	var def PairDefinition
	for name, v := range members(n) {
		switch name.Value {
		case "from":
			def.From = text(v)
		case "to":
			def.To, def.Polymorphic = text(v), decodePolymorphic(v)
		case "description":
			def.Description = text(v)
		case "foreign_key":
			def.ForeignKey = decodeForeignKey(v)
		case "table":
			def.Table = decodeTable(v)
		case "from_column":
			def.FromColumns = oneOrMany(v)
		case "to_column":
			def.ToColumns = oneOrMany(v)
		case "match":
			def.Match = decodeMatch(v)
		case "unique":
			def.Unique = text(v)
		case "key":
			def.Key = text(v)
		case "policy":
			def.Policy = text(v)
		case "properties":
			def.Properties = decodeProperties(v)
		}
	}
	def.Properties = withKey(def.Properties, def.Key)
	return def
}

// withKey lists a relationship's key among its properties: a file may leave it
// out where it is an int64.
func withKey(props []PropertyDefinition, key string) []PropertyDefinition {
	if key == "" || slices.ContainsFunc(props, func(p PropertyDefinition) bool { return p.Name == key }) {
		return props
	}
	return append([]PropertyDefinition{{Name: key, Type: Int64, Required: true}}, props...)
}

func decodeForeignKey(n *yaml.Node) *ForeignKey {
	if n.Kind != yaml.MappingNode {
		return &ForeignKey{Columns: oneOrMany(n)}
	}
	fk := &ForeignKey{}
	for name, v := range members(n) {
		switch name.Value {
		case "side":
			fk.OnTo = text(v) == "to"
		case "column":
			fk.Columns = oneOrMany(v)
		}
	}
	return fk
}

func decodePolymorphic(n *yaml.Node) *Polymorphic {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	p := &Polymorphic{}
	for name, v := range members(n) {
		switch name.Value {
		case "type_column":
			p.TypeColumn = text(v)
		case "id_column":
			p.IDColumns = oneOrMany(v)
		case "values":
			for value, label := range members(v) {
				p.Values = append(p.Values, PolymorphicValue{value.Value, text(label)})
			}
		}
	}
	return p
}

func decodeTable(n *yaml.Node) Table {
	if n.Kind != yaml.MappingNode {
		return Table{Name: text(n)}
	}
	var t Table
	for name, v := range members(n) {
		switch name.Value {
		case "schema":
			t.Schema = text(v)
		case "name":
			t.Name = text(v)
		}
	}
	return t
}

func decodeMatch(n *yaml.Node) []Match {
	var list []Match
	for column, v := range members(n) {
		list = append(list, Match{column.Value, v.Value})
	}
	return list
}

// decodeValues reads a list of names, or a map from integers to names, in order.
func decodeValues(n *yaml.Node) []EnumValue {
	var out []EnumValue
	for _, name := range texts(n) {
		out = append(out, EnumValue{Name: name})
	}
	for number, name := range members(n) {
		i, _ := strconv.ParseInt(number.Value, 10, 64)
		out = append(out, EnumValue{Name: text(name), IsInt: true, Int: i})
	}
	return out
}

// text is the value of a text, "" of anything else.
func text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	s, _ := plain(n).(string)
	return s
}

func texts(n *yaml.Node) []string {
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]string, len(n.Content))
	for i, c := range n.Content {
		out[i] = text(c)
	}
	return out
}

// oneOrMany reads a text or a list of texts.
func oneOrMany(n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{text(n)}
	}
	return texts(n)
}

func isTrue(n *yaml.Node) bool  { return n.Kind == yaml.ScalarNode && plain(n) == true }
func isFalse(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && plain(n) == false }
