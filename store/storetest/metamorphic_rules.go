package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// A relation is a rule about the answers of several calls that begin at a
// random node.
type relation struct {
	name  string
	holds func(m *metamorph, v *vertex) error
}

func metamorphicRules() []relation {
	return []relation{
		{"p, not p and p is null are everything", threeParts},
		{"a further filter gives a subset", furtherFilter},
		{"a further related condition gives a subset", furtherRelated},
		{"a higher limit extends", higherLimit},
		{"all pages are the unpaged answer", allPages},
		{"pages by their offsets are the unpaged answer, and the total is its length", offsetPages},
		{"outgoing from A to B is incoming from B to A", turned},
		{"both is outgoing and incoming", bothWays},
		{"more hops reach more", moreHops},
		{"a related condition is a traversal from the other end", relatedIsReached},
		{"relationships of a path exist", pathsExist},
		{"the shortest path is as long as the distance", pathIsDistance},
		{"exploring one hop is exploring each type", exploreTypes},
		{"count is the length of the list", countIsLength},
		{"groups add up to the total", groupsAddUp},
		{"renaming ids renames answers", renamed},
	}
}

func matchingNodes(n graph.NodePattern) *graph.FindNodes {
	return &graph.FindNodes{NodePattern: n, Properties: []string{}}
}

func threeParts(m *metamorph, v *vertex) error {
	p := pickOne(m.dice, v.label.Properties)
	c := m.compare(p, nil)
	if c.Op == graph.IsNull {
		return errOther
	}
	part := func(f graph.Filter) (map[string]bool, error) {
		return m.set(matchingNodes(graph.NodePattern{Label: v.label.Name, Where: celText(f)}))
	}
	all, err := m.set(matchingNodes(graph.NodePattern{Label: v.label.Name}))
	if err != nil {
		return err
	}
	total := 0
	sum := map[string]bool{}
	for _, f := range []graph.Filter{c, graph.Not{Filter: c}, graph.Compare{Property: p.Name, Op: graph.IsNull, Value: graph.Bool(true)}} {
		s, err := part(f)
		if err != nil {
			return err
		}
		total += len(s)
		sum = union(sum, s)
	}
	if total != len(sum) {
		return fmt.Errorf("the parts overlap: %d nodes, %d different ones", total, len(sum))
	}
	return equalSets(sum, all)
}

func furtherFilter(m *metamorph, v *vertex) error {
	n := m.pattern(v, true)
	n.Where = ""
	wide, err := m.set(matchingNodes(n))
	if err != nil {
		return err
	}
	n.Where = m.expression(v.label.Properties, nil)
	narrow, err := m.set(matchingNodes(n))
	if err != nil {
		return err
	}
	return subset(narrow, wide)
}

func furtherRelated(m *metamorph, v *vertex) error {
	n := m.pattern(v, false)
	wide, err := m.set(matchingNodes(n))
	if err != nil {
		return err
	}
	r, ok := m.related(v)
	if !ok {
		return errOther
	}
	n.Related = []graph.Related{r}
	narrow, err := m.set(matchingNodes(n))
	if err != nil {
		return err
	}
	return subset(narrow, wide)
}

// ordered makes a call that pages, without a limit.
func (m *metamorph) ordered(v *vertex) graph.Query {
	switch m.IntN(4) {
	case 0:
		q := m.findNodes(v).(*graph.FindNodes)
		q.Limit, q.Page = generous.Rows, nil
		return q
	case 1:
		if q, ok := m.traverse(v).(*graph.Traverse); ok {
			q.Limit = generous.Rows
			return q
		}
		return nil
	case 2:
		q := m.neighbors(v).(*graph.Neighbors)
		q.Limit = generous.Rows
		return q
	}
	q := m.aggregate(v).(*graph.Aggregate)
	q.Limit = generous.Groups
	return q
}

func limited(q graph.Query, limit int) graph.Query {
	switch q := q.(type) {
	case *graph.FindNodes:
		c := *q
		c.Limit, c.Page = limit, nil
		return &c
	case *graph.Traverse:
		c := *q
		c.Limit = limit
		return &c
	case *graph.Neighbors:
		c := *q
		c.Limit = limit
		return &c
	case *graph.Aggregate:
		c := *q
		c.Limit = limit
		return &c
	}
	return q
}

// answers writes what a call answers, in order.
func answers(r *graph.Result) []string {
	var out []string
	for _, n := range r.Answers() {
		out = append(out, renderNode(n, false))
	}
	for _, row := range r.Rows {
		out = append(out, renderRow(row))
	}
	return out
}

func higherLimit(m *metamorph, v *vertex) error {
	q := m.ordered(v)
	if q == nil {
		return errOther
	}
	low := 1 + m.IntN(4)
	few, err := m.call(limited(q, low))
	if err != nil {
		return refusedSum(err)
	}
	more, err := m.call(limited(q, low+1+m.IntN(4)))
	if err != nil {
		return refusedSum(err)
	}
	if a, b := answers(few), answers(more); len(b) < len(a) || !slices.Equal(a, b[:len(a)]) {
		return errors.New("the longer answer begins otherwise" + diff(a, b))
	}
	return nil
}

// refusedSum lets a sum pass that does not fit.
func refusedSum(err error) error {
	var known *graph.Error
	if errors.As(err, &known) && known.Code == graph.OutOfRange {
		return errOther
	}
	return err
}

func allPages(m *metamorph, v *vertex) error {
	q := m.ordered(v)
	if q == nil {
		return errOther
	}
	whole, err := m.call(q)
	if err != nil {
		return refusedSum(err)
	}
	var pages []string
	paged := limited(q, 1+m.IntN(4))
	for cursor := ""; ; {
		r, err := m.callWith(paged, cursor)
		if err != nil {
			return refusedSum(err)
		}
		pages = append(pages, answers(r)...)
		if cursor = r.NextCursor; cursor == "" || len(pages) > whole.Returned {
			break
		}
	}
	if w := answers(whole); !slices.Equal(w, pages) {
		return errors.New("the pages differ from the whole" + diff(w, pages))
	}
	return nil
}

func offsetPages(m *metamorph, v *vertex) error {
	q := m.findNodes(v).(*graph.FindNodes)
	q.Limit, q.Page = generous.Rows, nil
	whole, err := m.call(q)
	if err != nil {
		return err
	}
	q.Limit = 1 + m.IntN(4)
	var pages []string
	for offset := 0; offset <= whole.Returned+q.Limit; offset += q.Limit {
		q.Page = &graph.Page{Offset: offset}
		r, err := m.call(q)
		switch {
		case err != nil:
			return err
		case r.Total == nil || *r.Total != int64(whole.Returned):
			return fmt.Errorf("the page at %d has another total than the %d of the answer", offset, whole.Returned)
		case (r.TruncatedBy == graph.Complete) != (offset+r.Returned >= whole.Returned):
			return fmt.Errorf("the page at %d of %d says of %d nodes that more follow, or does not", offset, whole.Returned, r.Returned)
		}
		pages = append(pages, answers(r)...)
	}
	if w := answers(whole); !slices.Equal(w, pages) {
		return errors.New("the pages differ from the whole" + diff(w, pages))
	}
	return nil
}

func countIsLength(m *metamorph, v *vertex) error {
	n := m.pattern(v, true)
	list, err := m.set(matchingNodes(n))
	if err != nil {
		return err
	}
	r, err := m.call(&graph.Aggregate{NodePattern: n, Aggregations: []graph.Aggregation{{Function: graph.Count}}})
	if err != nil {
		return err
	}
	if got := r.Rows[0][0].Int(); got != int64(len(list)) {
		return fmt.Errorf("the count is %d, the list has %d", got, len(list))
	}
	return nil
}

func groupsAddUp(m *metamorph, v *vertex) error {
	n := m.pattern(v, true)
	count := []graph.Aggregation{{Function: graph.Count}}
	total, err := m.call(&graph.Aggregate{NodePattern: n, Aggregations: count})
	if err != nil {
		return err
	}
	p := pickOne(m.dice, groupable(v.label))
	g := graph.GroupKey{Property: p.Name}
	if units := unitsOf(p.Type); units != nil && m.chance(60) {
		g.Truncate = pickOne(m.dice, units)
	}
	groups, err := m.call(&graph.Aggregate{NodePattern: n, Aggregations: count, GroupBy: []graph.GroupKey{g}, Limit: generous.Groups})
	if err != nil {
		return err
	}
	var sum int64
	for _, row := range groups.Rows {
		sum += row[1].Int()
	}
	if want := total.Rows[0][0].Int(); sum != want {
		return fmt.Errorf("the groups add up to %d, the total is %d", sum, want)
	}
	return nil
}
