package tools

import "github.com/trellisgraph/trellis/schema"

// nodeFields are the fields of a node beside its label.
func (b *builder) nodeFields(inner bool) doc {
	fields := doc{
		"ids", b.ids(),
		"filters", b.nodeFilters(),
		"where", append(filledText("CEL expression over the label's properties, such as: age > 30 && name != null"), "maxLength", b.limits.WhereBytes),
		"search", doc{"type", "string", "pattern", `\S`, "description", "words that must all occur in the searchable properties"},
	}
	if !inner {
		fields = append(fields, "related", list(b.related(), b.limits.Related))
	}
	return fields
}

func (b *builder) nodeFilters() doc {
	return b.define("filters", func() doc {
		return append(b.filters(b.nodeProps), "description", "conditions by property of the label, all and-ed: a value for equality, or operators")
	})
}

func (b *builder) node() doc {
	return b.define("node", func() doc {
		return b.object(nodeShape, append(doc{"label", b.label()}, b.nodeFields(false)...))
	})
}

func (b *builder) innerNode() doc {
	return b.define("related_node", func() doc {
		return b.object(innerShape, append(doc{"label", b.label()}, b.nodeFields(true)...))
	})
}

func (b *builder) step() doc {
	return b.define("step", func() doc { return b.stepTo(b.node()) })
}

func (b *builder) innerStep() doc {
	return b.define("related_step", func() doc { return b.stepTo(b.innerNode()) })
}

func (b *builder) stepTo(node doc) doc {
	one := b.relationshipType()
	fields := doc{
		"type", doc{"anyOf", []doc{one, filledList(one, b.limits.StepTypes)}},
		"direction", choice(directions, "outgoing"),
		"min_hops", whole(1, b.limits.StepHops, 1),
		"max_hops", whole(1, b.limits.StepHops, 0),
	}
	filters := b.define("relationship_filters", func() doc { return b.filters(b.relProps) })
	return b.object(stepShape, append(fields, "filters", filters, "to", node))
}

func (b *builder) related() doc {
	return b.define("related", func() doc {
		var bounds doc
		for _, op := range countOperators {
			bounds = append(bounds, op, doc{"type", "integer", "minimum", 0})
		}
		return b.object(relatedShape, doc{
			"relationships", filledList(b.innerStep(), maxRelatedSteps),
			"exists", flag(true, "false: there must be no such path"),
			"count", doc{"type", "object", "properties", bounds, "additionalProperties", false, "minProperties", 1,
				"description", "how many distinct nodes the path reaches"},
		})
	})
}

// id is the schema of a key: it depends on the labels, of which any may be
// meant.
func (b *builder) id() doc {
	return b.define("id", func() doc {
		part := either(anInteger, aString)
		for l := range b.schema.Labels() {
			if len(l.Key) > 1 {
				return either(part, list(part, 0))
			}
		}
		return part
	})
}

func (b *builder) ids() doc { return filledList(b.id(), b.limits.IDs) }

func (b *builder) nodeID() doc {
	return b.define("node_id", func() doc {
		return b.object(nodeIDShape, doc{"label", b.label(), "node_id", b.id()})
	})
}

// shown is the schema of a list of a label's properties.
func (b *builder) shown(props []*schema.Property) doc {
	return list(b.property(names(props)), 0)
}

func (b *builder) shownByLabel() doc {
	some := func() doc { return list(doc{"type", "string"}, 0) }
	return append(b.byLabel(some, func(l *schema.Label) doc { return b.shown(visible(l.Properties)) }),
		"description", "properties to show, by label; a label left out shows its default")
}

func (b *builder) filtersByLabel() doc { return b.byLabel(b.someFilters, b.filtersOf) }

// order is the schema of the order of nodes.
func (b *builder) order() doc {
	key := b.object(orderShape, doc{
		"property", b.property(ordered(b.nodeProps)),
		"direction", choice(sortDirections, "asc"),
	})
	return list(key, b.limits.OrderKeys)
}

// ordered names the properties that have an order.
func ordered(props []*schema.Property) []string {
	var out []*schema.Property
	for _, p := range props {
		if p.Type != schema.JSON && conditional(p) {
			out = append(out, p)
		}
	}
	return names(out)
}

// numeric are the properties that can be added up.
func numeric(props []*schema.Property) []*schema.Property {
	var out []*schema.Property
	for _, p := range props {
		if p.Type.Numeric() && p.Masked == "" {
			out = append(out, p)
		}
	}
	return out
}

// unmasked are the properties whose values the caller may know.
func unmasked(props []*schema.Property) []*schema.Property {
	var out []*schema.Property
	for _, p := range props {
		if p.Masked == "" {
			out = append(out, p)
		}
	}
	return out
}
