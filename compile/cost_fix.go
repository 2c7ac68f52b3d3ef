package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// affordable returns the least patch with which the query stays within a cost,
// nil if there is none: fewer hops, or a text that an index can find by its
// beginning.
func affordable(q graph.Query, stats *Statistics, bound float64, again func(graph.Query) *Plan) []graph.Patch {
	fits := func(q graph.Query) bool {
		p := again(q)
		return p != nil && (&estimator{plan: p, stats: stats}).estimate().Cost <= bound
	}
	asked, places := q, hopPlaces(q)
	for _, at := range places {
		for n := at.most - 1; n >= at.least; n-- {
			if fits(at.with(n)) {
				return []graph.Patch{{Op: "add", Path: at.path, Value: n}}
			}
		}
	}
	// Lowering one place is not enough: all of them to the least.
	var patch []graph.Patch
	for i := range places {
		at := hopPlaces(q)[i]
		if at.most > at.least {
			q = at.with(at.least)
			patch = append(patch, graph.Patch{Op: "add", Path: at.path, Value: at.least})
		}
	}
	if len(patch) > 1 && fits(q) {
		return patch
	}
	for _, at := range patternPlaces(asked) {
		if fits(at.anchored) {
			return []graph.Patch{{Op: "move", From: at.path + "/contains", Path: at.path + "/starts_with"}}
		}
	}
	return nil
}

// A hopPlace is a place in a query that bounds hops.
type hopPlace struct {
	path        string
	least, most int
	// with returns the query with another bound.
	with func(most int) graph.Query
}

func hopPlaces(q graph.Query) []hopPlace {
	var places []hopPlace
	switch q := q.(type) {
	case *graph.Traverse:
		places = stepHops("/relationships", q.Relationships, func(steps []graph.Step) graph.Query {
			c := *q
			c.Relationships = steps
			return &c
		})
	case *graph.Neighbors:
		return []hopPlace{{"/max_hops", 1, usual(q.MaxHops, defaultExploreHops), func(most int) graph.Query {
			c := *q
			c.MaxHops = most
			return &c
		}}}
	case *graph.Paths:
		return []hopPlace{{"/max_hops", 1, usual(q.MaxHops, defaultPathHops), func(most int) graph.Query {
			c := *q
			c.MaxHops = most
			return &c
		}}}
	}
	for _, n := range nodePlaces(q) {
		places = append(places, nodeHops(n)...)
	}
	return places
}

// A nodePlace is a place in a query that describes nodes.
type nodePlace struct {
	path string
	graph.NodePattern
	// with returns the query with another description.
	with func(graph.NodePattern) graph.Query
}

// nodePlaces lists what a query says of the nodes that it begins or ends with.
func nodePlaces(q graph.Query) []nodePlace {
	switch q := q.(type) {
	case *graph.FindNodes:
		return []nodePlace{{"", q.NodePattern, func(n graph.NodePattern) graph.Query {
			c := *q
			c.NodePattern = n
			return &c
		}}}
	case *graph.Aggregate:
		return []nodePlace{{"", q.NodePattern, func(n graph.NodePattern) graph.Query {
			c := *q
			c.NodePattern = n
			return &c
		}}}
	case *graph.Traverse:
		return []nodePlace{
			{"/from", q.From, func(n graph.NodePattern) graph.Query {
				c := *q
				c.From = n
				return &c
			}},
			{"/to", q.To, func(n graph.NodePattern) graph.Query {
				c := *q
				c.To = n
				return &c
			}},
		}
	}
	return nil
}

// A patternPlace is a text looked for anywhere in a property.
type patternPlace struct {
	path string // of the property's conditions
	// anchored is the query that looks for it at the beginning.
	anchored graph.Query
}

// patternPlaces lists the conditions "contains" in filters, where nothing else
// is asked of the property's beginning.
func patternPlaces(q graph.Query) []patternPlace {
	var places []patternPlace
	for _, n := range nodePlaces(q) {
		all, ok := n.Filter.(graph.And)
		if !ok {
			all = graph.And{n.Filter}
		}
		for i, f := range all {
			c, ok := f.(graph.Compare)
			if !ok || c.Op != graph.Contains || slices.ContainsFunc(all, func(f graph.Filter) bool {
				o, ok := f.(graph.Compare)
				return ok && o.Property == c.Property && o.Op == graph.StartsWith
			}) {
				continue
			}
			c.Op = graph.StartsWith
			changed := slices.Clone(all)
			changed[i] = c
			p := n.NodePattern
			p.Filter = changed
			places = append(places, patternPlace{graph.Pointer(n.path+"/filters", c.Property), n.with(p)})
		}
	}
	return places
}

func usual(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

func nodeHops(n nodePlace) []hopPlace {
	var places []hopPlace
	for i := range n.Related {
		places = append(places, stepHops(n.path+"/related/"+strconv.Itoa(i)+"/relationships", n.Related[i].Relationships, func(steps []graph.Step) graph.Query {
			c := n.NodePattern
			c.Related = slices.Clone(n.Related)
			c.Related[i].Relationships = steps
			return n.with(c)
		})...)
	}
	return places
}

func stepHops(base string, steps []graph.Step, with func([]graph.Step) graph.Query) []hopPlace {
	var places []hopPlace
	for i, s := range steps {
		least := max(s.MinHops, 1)
		places = append(places, hopPlace{base + "/" + strconv.Itoa(i) + "/max_hops", least, usual(s.MaxHops, least), func(most int) graph.Query {
			c := slices.Clone(steps)
			c[i].MaxHops = most
			return with(c)
		}})
	}
	return places
}
