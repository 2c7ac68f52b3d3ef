package storetest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An asker makes random calls of a graph, guided by what is in it, so that
// most find something.
type asker struct {
	dice
	ref   *Reference
	where map[string]graph.Filter // of the call in the making
}

func operatorsOf(t schema.Type) []graph.Op {
	switch t {
	case schema.JSON:
		return []graph.Op{graph.IsNull}
	case schema.Bool:
		return []graph.Op{graph.Eq, graph.Ne, graph.IsNull}
	case schema.Enum, schema.UUID:
		return []graph.Op{graph.Eq, graph.Ne, graph.In, graph.NotIn, graph.IsNull}
	case schema.String:
		return graph.Ops()
	}
	return []graph.Op{graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.In, graph.NotIn, graph.IsNull}
}

// compare makes a comparison of a property; one that is true of b if there is
// such a b, mostly.
func (k asker) compare(p *schema.Property, b *bearer) graph.Compare {
	var c graph.Compare
	for range 8 {
		c = graph.Compare{Property: p.Name, Op: pickOne(k.dice, operatorsOf(p.Type))}
		switch c.Op {
		case graph.IsNull:
			c.Value = graph.Bool(k.chance(50))
		case graph.In, graph.NotIn:
			var list []graph.Value
			for range k.IntN(4) {
				list = append(list, k.operand(p, b))
			}
			c.Value = graph.List(list...)
		case graph.Contains, graph.StartsWith, graph.EndsWith:
			text := []rune(k.operand(p, b).Text())
			from := k.IntN(len(text) + 1)
			to := from + k.IntN(len(text)-from+1)
			c.Value = graph.String(string(text[from:to]))
		default:
			c.Value = k.operand(p, b)
		}
		if b == nil || holds(c, *b) {
			return c
		}
	}
	if b == nil || b.values[p.Name].IsNull() || p.Type == schema.JSON {
		return graph.Compare{Property: p.Name, Op: graph.IsNull, Value: graph.Bool(b == nil || b.values[p.Name].IsNull())}
	}
	return graph.Compare{Property: p.Name, Op: graph.Eq, Value: b.values[p.Name]}
}

// operand returns a value to compare with: often the one that is there.
func (k asker) operand(p *schema.Property, b *bearer) graph.Value {
	if b != nil && k.chance(50) && !b.values[p.Name].IsNull() {
		return b.values[p.Name]
	}
	return k.value(&propSpec{name: p.Name, typ: p.Type, values: p.EnumNames()})
}

// usable lists the properties that conditions may stand on. A label has its
// key at least.
func usable(props []*schema.Property) []*schema.Property {
	return slices.DeleteFunc(slices.Clone(props), func(p *schema.Property) bool { return p.NotFilterable })
}

// filter makes a conjunction, as the filters of a call are one.
func (k asker) filter(props []*schema.Property, b *bearer) graph.Filter {
	var all graph.And
	props = usable(props)
	for _, p := range some(k.dice, props, 1, 2) {
		for range k.oneOrTwo(20) {
			c := k.compare(p, b)
			if !slices.ContainsFunc(all, func(f graph.Filter) bool {
				o := f.(graph.Compare)
				return o.Property == c.Property && o.Op == c.Op
			}) {
				all = append(all, k.respelt(c))
			}
		}
	}
	return all
}

// respelt writes a comparison's values in another way that a call may.
func (k asker) respelt(c graph.Compare) graph.Compare {
	if list := c.Value.List(); list != nil {
		other := make([]graph.Value, len(list))
		for i, v := range list {
			other[i] = k.spelling(v)
		}
		c.Value = graph.List(other...)
	} else {
		c.Value = k.spelling(c.Value)
	}
	return c
}

// spelling writes a decimal as a number, and an instant in another zone.
func (k asker) spelling(v graph.Value) graph.Value {
	switch {
	case k.chance(50):
	case v.Kind() == graph.KindDecimal:
		return graph.Number(v.Text())
	case v.Kind() == graph.KindDateTime && v.Time().Year() > 1 && v.Time().Year() < 9999:
		return graph.String(v.Time().In(time.FixedZone("", 5400)).Format(time.RFC3339Nano))
	}
	return v
}

// expression makes a where expression and notes what it means.
func (k asker) expression(props []*schema.Property, b *bearer) string {
	var f graph.Filter
	props = usable(props)
	for range 6 {
		f = k.tree(props, b, 3)
		if b == nil || holds(f, *b) {
			break
		}
	}
	text := celText(f)
	k.where[text] = f
	return text
}

func (k asker) tree(props []*schema.Property, b *bearer, depth int) graph.Filter {
	if depth == 0 || k.chance(30) {
		if k.chance(30) {
			b = nil
		}
		return k.compare(pickOne(k.dice, props), b)
	}
	parts := func() []graph.Filter {
		var out []graph.Filter
		for range 2 + k.IntN(2) {
			out = append(out, k.tree(props, b, depth-1))
		}
		return out
	}
	switch k.IntN(3) {
	case 0:
		return graph.And(parts())
	case 1:
		return graph.Or(parts())
	}
	return graph.Not{Filter: k.tree(props, nil, depth-1)}
}

// celText writes a condition as an expression.
func celText(f graph.Filter) string {
	join := func(parts []graph.Filter, op string) string {
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = celText(part)
		}
		return "(" + strings.Join(texts, op) + ")"
	}
	switch f := f.(type) {
	case graph.And:
		return join(f, " && ")
	case graph.Or:
		return join(f, " || ")
	case graph.Not:
		return "!(" + celText(f.Filter) + ")"
	case graph.Compare:
		return celCompare(f)
	}
	return "true"
}

func celCompare(c graph.Compare) string {
	switch c.Op {
	case graph.IsNull:
		if c.Value.Bool() {
			return c.Property + " == null"
		}
		return c.Property + " != null"
	case graph.In, graph.NotIn:
		var list []string
		for _, v := range c.Value.List() {
			list = append(list, celLiteral(v))
		}
		text := c.Property + " in [" + strings.Join(list, ", ") + "]"
		if c.Op == graph.NotIn {
			return "!(" + text + ")"
		}
		return text
	case graph.Contains, graph.StartsWith, graph.EndsWith:
		name := map[graph.Op]string{graph.Contains: "contains", graph.StartsWith: "startsWith", graph.EndsWith: "endsWith"}[c.Op]
		return c.Property + "." + name + "(" + celLiteral(c.Value) + ")"
	}
	sign := map[graph.Op]string{graph.Eq: "==", graph.Ne: "!=", graph.Lt: "<", graph.Lte: "<=", graph.Gt: ">", graph.Gte: ">="}[c.Op]
	literal := celLiteral(c.Value)
	switch {
	case c.Op == graph.Eq && literal == "true":
		return c.Property
	case len(literal)%3 == 0: // some the other way round
		return literal + " " + strings.NewReplacer("<", ">", ">", "<").Replace(sign) + " " + c.Property
	}
	return c.Property + " " + sign + " " + literal
}

func celLiteral(v graph.Value) string {
	switch v.Kind() {
	case graph.KindDate:
		return `date("` + v.Text() + `")`
	case graph.KindDateTime:
		return `timestamp("` + v.Text() + `")`
	case graph.KindFloat:
		if f := v.Float(); f == math.Trunc(f) {
			return strconv.FormatFloat(f, 'f', 1, 64)
		}
		return v.Text()
	case graph.KindInt, graph.KindDecimal, graph.KindBool:
		return v.Text()
	}
	return quotedText(v.Text())
}
