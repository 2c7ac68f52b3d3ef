package compile

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func sortedKeys[V any](m map[string]V) []string { return appendKeys(nil, m) }

// appendKeys appends the keys of a map to an empty list, in order.
func appendKeys[V any](keys []string, m map[string]V) []string {
	if len(m) == 0 {
		return keys
	}
	keys = slices.Grow(keys, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// maxTerms is how many terms a search may have.
const maxTerms = 8

// nodeSet checks a node pattern. labelKey is the name of the member that holds
// its label.
func (k *checker) nodeSet(at *place, labelKey string, pattern *graph.NodePattern) *NodeSet {
	l := k.label(at.member(labelKey), pattern.Label)
	if l == nil {
		return nil
	}
	set := &NodeSet{NodeRef: k.node(l), Keys: Keys{N: -1}}
	if pattern.IDs != nil {
		set.Keys = k.ids(at.member("ids"), l, pattern.IDs)
	}
	var conds [3]Cond
	n := 0
	add := func(c Cond) {
		if c != nil {
			conds[n] = c
			n++
		}
	}
	owner := owner{props: l.Properties, name: l.Name, label: l}
	add(k.filter(at.member("filters"), owner, pattern.Filter))
	k.emptyMatch(at.member("filters"), l, pattern.Filter, true)
	where, cond := k.whereFilter(at.member("where"), l, owner, pattern.Where)
	add(cond)
	k.emptyMatch(at.member("where"), l, where, false)
	add(k.search(at.member("search"), l, pattern.Search))
	switch n {
	case 0:
	case 1:
		set.Cond = conds[0]
	default:
		set.Cond = slices.Clone(And(conds[:n]))
	}
	set.Related = k.related(at.member("related"), l, pattern.Related)
	return set
}

// ids takes keys into the plan.
func (k *checker) ids(at *place, l *schema.Label, ids []graph.Value) Keys {
	if len(ids) > k.limits.IDs {
		k.report(errLimit(at, "ids", len(ids), k.limits.IDs))
		return Keys{N: -1}
	}
	keys := Keys{First: Slot(len(k.plan.Params)), N: len(ids)}
	if len(ids) == 0 {
		k.report(errEmptyList(at, "ids"))
	}
	ok := true
	for i, id := range ids {
		ok = k.key(at.item(i), l, id) && ok
	}
	if ok {
		k.pad(len(ids), len(l.Key))
	}
	return keys
}

// key takes one key into the plan, a slot for each of its parts.
func (k *checker) key(at *place, l *schema.Label, id graph.Value) bool {
	if len(l.Key) == 1 && id.Kind() != graph.KindList && !id.IsNull() {
		if v, bad := l.Key[0].Coerce(id, true); bad == nil { // as CoerceKey does
			k.slot(v)
			k.bind(at, bind{property: l.Key[0], text: true})
			return true
		}
	}
	parts, e := l.CoerceKey(id)
	if e != nil {
		e.Path = at.pointer() + e.Path
		for i := range e.Fix {
			e.Fix[i].Path = at.pointer() + e.Fix[i].Path
		}
		k.report(e)
		return false
	}
	for _, v := range parts {
		k.slot(v)
	}
	if len(parts) == 1 {
		k.bind(at, bind{property: l.Key[0], text: true})
	}
	return true
}

// single checks a reference to one node.
func (k *checker) single(at *place, n graph.NodeID) *NodeSet {
	l := k.label(at.member("label"), n.Label)
	if n.ID.IsNull() {
		k.report(errMissing(at.member("node_id"), "node_id"))
		return nil
	}
	if l == nil || !k.decided(at.member("label"), l) {
		return nil
	}
	set := &NodeSet{NodeRef: k.node(l), Keys: Keys{First: Slot(len(k.plan.Params)), N: 1}}
	if !k.key(at.member("node_id"), l, n.ID) {
		return nil
	}
	return set
}

// search splits a text into terms and looks for them in the label's
// searchable properties.
func (k *checker) search(at *place, l *schema.Label, text string) Cond {
	if text == "" {
		return nil
	}
	props := l.Searchable()
	if len(props) == 0 {
		e := errUnsupported(at, l.Name+" has no searchable property", "filter with contains instead")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
		return nil
	}
	if e := schema.CheckText(graph.String(text)); e != nil {
		e.Path = at.pointer()
		k.report(e)
		return nil
	}
	terms := strings.Fields(foldASCII(text))
	if len(terms) == 0 {
		e := &graph.Error{Code: graph.OutOfRange, Path: at.pointer(), Message: "search has no term"}
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
		return nil
	}
	if len(terms) > maxTerms {
		k.report(errLimit(at, "terms of search", len(terms), maxTerms))
		return nil
	}
	s := Search{Properties: props, Slot: Slot(len(k.plan.Params)), N: len(terms)}
	for _, t := range terms {
		if len(t) > k.limits.PatternBytes {
			k.report(errLimit(at, "bytes of a search term", len(t), k.limits.PatternBytes))
			return nil
		}
		k.slot(graph.String(t))
	}
	return s
}

// related checks the semi-joins of a node.
func (k *checker) related(at *place, l *schema.Label, list []graph.Related) []*Semi {
	if len(list) > k.limits.Related {
		k.report(errLimit(at, "related conditions", len(list), k.limits.Related))
	}
	var out []*Semi
	for i, r := range list {
		out = append(out, k.semi(at.item(i), l, r))
	}
	return out
}

// maxRelatedSteps is how many steps a related condition may have.
const maxRelatedSteps = 3

func (k *checker) semi(at *place, l *schema.Label, r graph.Related) *Semi {
	s := &Semi{None: r.None}
	steps := at.member("relationships").clone()
	switch n := len(r.Relationships); {
	case n == 0 && r.Relationships == nil:
		k.report(errMissing(steps, "relationships"))
	case n == 0:
		k.report(errEmptyList(steps, "relationships"))
	case n > maxRelatedSteps:
		k.report(errLimit(steps, "steps of a related condition", n, maxRelatedSteps))
	default:
		warnings := len(k.plan.empty)
		s.Steps = k.chain(steps, k.scratch.labels.of(l), r.Relationships, nil)
		if r.None || len(r.Count) > 0 { // such a path need not exist
			k.plan.empty = k.plan.empty[:warnings]
		}
	}
	count := at.member("count")
	if r.None && len(r.Count) > 0 {
		e := errUnsupported(count, "count does not go with exists: false", "exists: false is the same as count: {\"eq\": 0}")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
	}
	for _, c := range r.Count {
		switch c.Op {
		case graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte:
		default:
			k.report(errName(graph.UnknownOperator, count.member(string(c.Op)), "operator", string(c.Op), countOps, schema.Suggest(string(c.Op), countOps)))
			continue
		}
		if c.N < 0 {
			k.report(errRange(count.member(string(c.Op)), "a count", c.N, 0))
			continue
		}
		s.Count = append(s.Count, CountCond{Op: c.Op, Slot: k.slot(graph.Int(int64(c.N)))})
	}
	return s
}

var countOps = []string{"eq", "ne", "lt", "lte", "gt", "gte"}
