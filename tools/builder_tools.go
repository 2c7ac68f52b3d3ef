package tools

import "github.com/trellisgraph/trellis/graph"

func (b *builder) describe() *Tool {
	return b.tool(graph.ToolDescribe, "Describe the graph", describeShape, doc{
		"expand_schema", flag(false, "show everything in detail"),
		"expand_nodes", doc{"type", "array", "items", b.name("label_or_all", append(b.labels[:len(b.labels):len(b.labels)], "*")), "description", `labels to show in detail; "*" for all`},
		"expand_relationship_types", append(list(b.relationshipType(), 0), "description", "relationship types to show in detail"),
		"search", text("show only what has this text in a name or description"),
	})
}

func (b *builder) findNodes() *Tool {
	fields := append(doc{"node_label", b.label()}, b.nodeFields(false)...)
	return b.tool(graph.ToolFindNodes, "Find nodes", findShape, append(fields,
		"properties", append(b.shown(b.nodeProps), "description", "properties to show"),
		"order_by", b.order(),
		"limit", whole(1, b.limits.Rows, b.limits.Rows),
		"cursor", cursor(),
	))
}

func (b *builder) traverse() *Tool {
	return b.tool(graph.ToolTraverse, "Traverse relationships", traverseShape, doc{
		"from", b.node(),
		"relationships", append(filledList(b.step(), b.limits.Steps), "description", "the steps from start to target; the last one has no to"),
		"to", b.node(),
		"properties", b.shownByLabel(),
		"order_by", b.order(),
		"connections", flag(true, "also show the relationships and nodes between"),
		"limit", whole(1, b.limits.Rows, b.limits.Rows),
		"cursor", cursor(),
	})
}

func (b *builder) neighbors() *Tool {
	return b.tool(graph.ToolNeighbors, "Explore neighbors", neighborsShape, doc{
		"start_node", b.nodeID(),
		"max_hops", whole(1, b.limits.StepHops, min(2, b.limits.StepHops)),
		"direction", choice(directions, "both"),
		"node_types", filledList(b.label(), 0),
		"relationship_types", filledList(b.relationshipType(), 0),
		"filters", b.filtersByLabel(),
		"properties", b.shownByLabel(),
		"limit", whole(1, b.limits.Rows, b.limits.Rows),
		"cursor", cursor(),
	})
}

func (b *builder) paths() *Tool {
	return b.tool(graph.ToolPaths, "Find paths", pathsShape, doc{
		"from", b.nodeID(),
		"to", b.nodeID(),
		"mode", choice(modes, "shortest"),
		"k", append(whole(1, maxK, 3), "description", "number of paths, only with k_shortest"),
		"max_hops", whole(1, b.limits.PathHops, min(3, b.limits.PathHops)),
		"direction", choice(directions, "both"),
		"relationship_types", filledList(b.relationshipType(), 0),
		"node_types", filledList(b.label(), 0),
		"filters", b.filtersByLabel(),
		"properties", b.shownByLabel(),
		"weight", append(b.property(names(numeric(b.relProps))), "description", "numeric relationship property to minimise the sum of, only with shortest and k_shortest; not available on SQL stores"),
		"limit", whole(1, b.limits.Rows, b.limits.Rows),
	})
}

func (b *builder) aggregate() *Tool {
	property := b.property(names(unmasked(b.nodeProps)))
	as := doc{"type", "string", "pattern", "^[A-Za-z][A-Za-z0-9_]{0,62}$", "description", "name of the column"}
	aggregation := b.object(aggregationShape, doc{
		"function", oneOfNames(functions),
		"property", append(property[:len(property):len(property)], "description", "not with count"),
		"as", as,
		"filters", b.nodeFilters(),
		"where", append(filledText("CEL expression: count only these nodes"), "maxLength", b.limits.WhereBytes),
	})
	group := append(b.object(groupShape, doc{
		"property", doc{"anyOf", []doc{property, filledList(property, 0)}},
		"relationships", append(filledList(b.step(), maxRelatedSteps), "description", "single hops, each with to.label, to the node whose property is the key"),
		"truncate", choice(units, ""),
		"as", as,
	}), "anyOf", []doc{{"required", []string{"property"}}, {"required", []string{"relationships"}}})
	column := text("name of a column of the result; none made from a property that is not filterable")
	value := either(aNumber, aString, aBoolean)
	having := b.object(havingShape, doc{
		"as", column,
		"op", oneOfNames(allOperators),
		"value", either(value, list(value, b.limits.ListValues)),
	})
	order := b.object(columnOrderShape, doc{"as", column, "direction", choice(sortDirections, "asc")})
	fields := append(doc{
		"node_label", b.label(),
		"aggregations", filledList(aggregation, b.limits.Aggregations),
	}, b.nodeFields(false)...)
	return b.tool(graph.ToolAggregate, "Aggregate nodes", aggregateShape, append(fields,
		"group_by", list(group, b.limits.GroupKeys),
		"having", list(having, b.limits.Filters),
		"order_by", list(order, b.limits.OrderKeys),
		"limit", whole(1, b.limits.Groups, min(b.limits.Rows, b.limits.Groups)),
		"cursor", cursor(),
	))
}

func cursor() doc {
	return filledText("next_cursor of the last answer, with the other arguments unchanged")
}
