package schema

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// maxScale is the most digits that a decimal keeps after the point.
const maxScale = 30

// masks are what those may see who may not see a value.
var masks = []string{"null", "hash", "last4"}

// properties checks a list of properties.
func (b *builder) properties(path string, defs []PropertyDefinition) ([]*Property, map[string]*Property) {
	var list []*Property
	byName := make(map[string]*Property, len(defs))
	columns := make(map[string]*Property, len(defs))
	names := make([]string, 0, len(defs))
	for i := range defs {
		def := &defs[i]
		at := graph.Pointer(path, def.Name)
		b.name(at, "property", def.Name)
		if byName[def.Name] != nil {
			b.report(at, "the property %q is defined twice", def.Name).atName = true
			continue
		}
		p := b.property(at, def)
		list, byName[p.Name], names = append(list, p), p, append(names, p.Name)
		// Not every database tells columns apart that differ only in case.
		column := strings.ToLower(p.Column)
		if other := columns[column]; other != nil && !strings.EqualFold(other.Name, p.Name) {
			b.report(at+"/column", "the properties %q and %q have the same column %q", other.Name, p.Name, p.Column)
		}
		columns[column] = p
	}
	b.distinctInCase(path, "properties", names)
	return list, byName
}

// property checks one property by itself.
func (b *builder) property(path string, def *PropertyDefinition) *Property {
	p := &Property{
		Name:          def.Name,
		Description:   def.Description,
		Synonyms:      slices.Clone(def.Synonyms),
		Type:          def.Type,
		Column:        def.Column,
		Nullable:      !def.Required,
		Values:        slices.Clone(def.Values),
		Scale:         def.Scale,
		Index:         def.Index,
		Search:        def.Search,
		Unique:        def.Unique,
		NotFilterable: def.NotFilterable,
		NoPatterns:    def.NoPatterns,
		Hidden:        def.Hidden,
		VisibleIf:     def.VisibleIf,
		Mask:          def.Mask,
		ExposesKey:    def.ExposesKey,
		Refers:        def.Refers,
		Without:       slices.Clone(def.Without),
	}
	if p.Column == "" {
		p.Column = p.Name
	}
	b.stored(path+"/column", "column", p.Column)
	b.texts(path, p.Description, p.Synonyms)
	if p.Type.String() == "" {
		b.report(path+"/type", "the property %q has no type", p.Name).Hint = "one of " + quoted(typeNames[1:], ", ")
	}
	b.values(path+"/values", p)
	switch {
	case p.Type != Decimal && p.Scale != 0:
		b.report(path+"/scale", "only a decimal has a scale")
	case p.Scale < 0 || p.Scale > maxScale:
		b.report(path+"/scale", "a scale is between 0 and %d", maxScale)
	}
	if p.Search && p.Type != String {
		b.report(path+"/search", "only a string can be searched, and %q is of type %s", p.Name, p.Type)
	} else if p.Search && p.Hidden {
		b.report(path+"/search", "%q is never visible, so it cannot be searched", p.Name)
	}
	if p.Unique && p.Type != 0 && !slices.Contains(identifying, p.Type) {
		b.report(path+"/unique", "%q is of type %s, of which equal values may be stored in several forms", p.Name, p.Type).Hint =
			"one of " + quoted(namesOf(identifying), ", ")
	}
	b.visibility(path, p)
	if len(p.Without) > 0 {
		p.Masked = MaskMembers
		if p.Type != JSON {
			b.report(path, "only json has members to be shown without, and %q is of type %s", p.Name, p.Type)
		}
	}
	return p
}

// visibility checks who may see a property, and what the others see.
func (b *builder) visibility(path string, p *Property) {
	if p.Hidden && p.VisibleIf != "" {
		b.report(path+"/visible", "the property %q is both never visible and visible on a condition", p.Name)
	}
	switch {
	case p.Mask == "":
	case !slices.Contains(masks, p.Mask):
		b.unknown(path+"/mask", "%q is no mask", p.Mask, masks)
	case p.VisibleIf == "":
		b.report(path+"/mask", "a mask needs a condition in `visible`: it is for those who do not fulfil it")
	case p.Mask != "null" && p.Type != String:
		b.report(path+"/mask", "the mask %q makes a text, and %q is of type %s", p.Mask, p.Name, p.Type).Hint = `use "null"`
	}
}

// values checks the values of an enum.
func (b *builder) values(path string, p *Property) {
	if p.Type != Enum {
		if len(p.Values) > 0 {
			b.report(path, "only an enum has values, and %q is of type %s", p.Name, p.Type)
		}
		return
	}
	if len(p.Values) == 0 {
		b.report(path, "the enum %q has no values", p.Name)
		return
	}
	names, numbers := map[string]bool{}, map[int64]bool{}
	for i, v := range p.Values {
		at := item(path, i)
		b.value(at, "value", v.Name)
		if names[v.Name] {
			b.report(at, "the value %q is listed twice", short(v.Name))
		}
		names[v.Name] = true
		if v.IsInt != p.Values[0].IsInt {
			b.report(at, "the values of %q are stored as texts and as integers", p.Name)
		} else if v.IsInt && numbers[v.Int] {
			b.report(at, "the number %d is listed twice", v.Int)
		}
		numbers[v.Int] = true
	}
}
