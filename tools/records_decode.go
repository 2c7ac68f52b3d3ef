package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A recordCall is a call of a recordTool that has been read.
type recordCall struct {
	tool *recordTool
	form graph.RecordForm
	// related are the filters of the query's related conditions, and references
	// those whose values are ids of other nodes.
	related    []*recordFilter
	references []referral
	sortList   bool // sort is a list
	sortTwice  bool // by one property
	single     bool // id in the place of ids
	// read says that there is a query: what is wrong from then on is told of its
	// own fields.
	read bool
}

// A referral is a filter of a call whose values are ids of other nodes.
type referral struct {
	*recordFilter
	in     bool // the values stand in a list
	values []graph.Value
}

// decode reads a call. The query is nil where there are mistakes: each is known,
// since all names and types are.
func (t *recordTool) decode(args []byte, limits *graph.Limits) (graph.Query, *recordCall, graph.Errors) {
	c := &recordCall{tool: t, form: t.form}
	if len(args) > limits.ArgumentBytes {
		return nil, c, graph.Errors{tooLarge(args, limits)}
	}
	d := &decoder{reader: reader{src: string(args), maxDepth: limits.ArgumentDepth}, limits: limits, conditions: &t.words}
	q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: t.label.Name}, Properties: t.show}
	if t.kind == getRecords {
		c.get(d, q)
	} else {
		c.list(d, q)
	}
	d.end()
	switch {
	case d.failed != nil:
		return nil, c, graph.Errors{d.failed}
	case len(d.errs) > 0:
		return nil, c, d.errs
	}
	c.read = true
	return q, c, nil
}

func (c *recordCall) list(d *decoder, q *graph.FindNodes) {
	t := c.tool
	q.Page, q.Limit = &graph.Page{}, min(defaultList, t.most(d.limits))
	o, ok := d.open(t.shape)
	for ok && d.next(&o) {
		switch o.key {
		case "filters":
			c.filters(d, q)
		case "sort":
			c.sort(d, q)
		case "limit":
			q.Limit = d.between("limit", 1, t.most(d.limits))
		case "offset":
			q.Page.Offset = d.between("offset", 0, graph.MaxOffset)
		}
	}
}

func (c *recordCall) get(d *decoder, q *graph.FindNodes) {
	t := c.tool
	o, ok := d.open(t.shape)
	had := ok
	var id graph.Value
	for ok && d.next(&o) {
		switch o.key {
		case "id":
			if at := d.pointer(); d.peek() == '[' {
				e, _ := d.wrongType("one id", 0, "")
				e.Hint, e.Fix = "several ids stand in ids", []graph.Patch{{Op: "move", From: at, Path: "/ids"}}
				continue
			}
			id = d.coerced(t.label.Key[0], true)
		case "ids":
			c.ids(d, q)
		}
	}
	one, many := o.seen&1 != 0, o.seen&2 != 0
	for _, e := range d.errs {
		if e.Got == "null" && one != many {
			e.Fix = nil // without it there is nothing to get
		}
	}
	switch {
	case !had || d.failed != nil:
	case one && many:
		e := d.mistake(graph.Unsupported, "/id", "id and ids do not go together")
		e.Hint = "id gets one record, ids several"
		e.Fix = []graph.Patch{{Op: "remove", Path: "/id"}}
		if id.Kind() != graph.KindInvalid && !slices.ContainsFunc(q.IDs, func(v graph.Value) bool { return v.Text() == id.Text() }) && len(q.IDs) < t.most(d.limits) {
			e.Fix = append(e.Fix, graph.Patch{Op: "add", Path: "/ids/0", Value: id})
		}
	case !one && !many && len(d.errs) == 0:
		d.mistake(graph.MissingField, "/id", t.name+" needs an id, or several in ids")
	}
	if !many {
		c.single, c.form.Kind = true, graph.RecordOne
		q.IDs, q.Limit = []graph.Value{id}, 1
		return
	}
	c.form.Kind = graph.RecordsByID
	q.Limit = max(len(q.IDs), 1)
	if q.Limit > d.limits.Rows {
		q.Page = &graph.Page{} // which may have more
	}
}

// ids reads the ids of several records, and keeps each once.
func (c *recordCall) ids(d *decoder, q *graph.FindNodes) {
	t, at := c.tool, d.pointer()
	if !d.openList("a list of ids", `"-0123456789`) {
		return
	}
	seen := map[string]bool{}
	n := 0
	for ; d.element(n); n++ {
		if n >= t.most(d.limits) {
			d.skip()
			continue
		}
		id := d.coerced(t.label.Key[0], true)
		if text := id.Text(); id.Kind() != graph.KindInvalid && !seen[text] {
			seen[text] = true
			q.IDs = append(q.IDs, id)
			c.form.Asked = append(c.form.Asked, text)
		}
	}
	switch {
	case d.failed != nil:
	case n == 0:
		d.emptyList()
	case n > t.most(d.limits):
		d.mistake(graph.LimitExceeded, at, fmt.Sprintf("%d ids are over the cap of %d", n, t.most(d.limits)))
	}
}

// between reads a whole number of a range, which is told whole.
func (d *decoder) between(what string, least, most int) int {
	if !isNumber(d.peek()) {
		d.wrongType("a whole number", '0', "")
		return least
	}
	lit := d.number()
	if d.failed != nil {
		return least
	}
	if !isInteger(lit) {
		d.notInteger(lit)
		return least
	}
	n, err := strconv.Atoi(lit)
	if err == nil && least <= n && n <= most {
		return n
	}
	e := d.mistake(graph.OutOfRange, d.pointer(), fmt.Sprintf("%s must be between %d and %d", what, least, most))
	e.SetGot(lit)
	nearest := most
	if lit[0] == '-' || err == nil && n < least {
		nearest = least
	}
	e.Fix = replace(e.Path, strconv.Itoa(nearest))
	return least
}

// coerced reads a value of a property; as a text too if that is told.
func (d *decoder) coerced(p *schema.Property, text bool) graph.Value {
	v := d.scalar()
	if d.failed != nil || v.Kind() == graph.KindInvalid {
		return unreadable
	}
	typed, e := p.Coerce(v, text)
	if e == nil {
		return typed
	}
	if d.full() {
		return unreadable
	}
	at := d.pointer()
	e.Path = at + e.Path
	for i := range e.Fix {
		e.Fix[i].Path = at + e.Fix[i].Path
	}
	d.errs = append(d.errs, e)
	return unreadable
}

// sort reads what records are sorted by: a name, after a minus for descending
// order, or a list of them.
func (c *recordCall) sort(d *decoder, q *graph.FindNodes) {
	switch d.peek() {
	case '"':
		if s, ok := d.textOf("a property"); ok {
			c.sortKey(d, q, s)
		}
	case '[':
		c.sortList = true
		if !d.enter() {
			return
		}
		n := 0
		for ; d.element(n); n++ {
			switch d.peek() {
			case '{':
				c.sortObject(d)
			default:
				if s, ok := d.textOf("a property"); ok {
					c.sortKey(d, q, s)
				}
			}
		}
		if n > d.limits.OrderKeys && d.failed == nil {
			d.mistake(graph.LimitExceeded, d.pointer(), fmt.Sprintf("%d properties are over the cap of %d", n, d.limits.OrderKeys))
		}
	case '{':
		c.sortObject(d)
	default:
		d.wrongType("a property, or a list of them", 0, "")
	}
}

// sortObject refuses a key as order_by has it.
func (c *recordCall) sortObject(d *decoder) {
	e, raw := d.wrongType("a property, or a list of them", 0, "")
	e.Hint = `"price" sorts from the least, "-price" from the greatest`
	inner := &decoder{reader: reader{src: raw, maxDepth: d.maxDepth}, limits: d.limits, conditions: &conditions{}}
	if raw == "" {
		return
	}
	if key := inner.orderKey(); len(inner.errs) == 0 && inner.failed == nil {
		name := key.Property
		if strings.EqualFold(string(key.Direction), string(graph.Desc)) {
			name = "-" + name
		}
		e.Fix = []graph.Patch{{Op: "replace", Path: e.Path, Value: name}}
	}
}

func (c *recordCall) sortKey(d *decoder, q *graph.FindNodes, text string) {
	name, descending := strings.CutPrefix(text, "-")
	if !slices.Contains(c.tool.sorts, name) {
		c.unknownSort(d, text)
		return
	}
	if slices.ContainsFunc(q.OrderBy, func(o graph.Order) bool { return o.Property == name }) {
		if !d.full() {
			e := d.mistake(graph.DuplicateKey, d.pointer(), fmt.Sprintf("records are sorted by %q already", name))
			e.SetGot(text)
			if !c.sortTwice { // since the places of what follows are others then
				e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
			}
			c.sortTwice = true
		}
		return
	}
	key := graph.Order{Property: name}
	if descending {
		key.Direction = graph.Desc
	}
	q.OrderBy = append(q.OrderBy, key)
}

func (c *recordCall) unknownSort(d *decoder, text string) {
	if d.full() {
		return
	}
	e := d.mistake(graph.UnknownProperty, d.pointer(), "")
	e.SetGot(text)
	e.SetAllowed(graph.SortedNames(c.tool.sorts))
	e.Message = fmt.Sprintf("records are not sorted by %q; use one of %s", e.Got, strings.Join(e.Allowed, ", "))
	e.Hint = "a minus before the name sorts from the greatest"
	// "price desc", "price:asc", "+price"
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :,+", r) })
	minus := ""
	if len(words) == 2 && strings.HasPrefix(strings.ToLower(words[1]), "desc") {
		minus = "-"
	}
	if len(words) == 0 {
		return
	}
	name, descending := strings.CutPrefix(words[0], "-")
	if descending {
		minus = "-"
	}
	meant := name
	if !slices.Contains(c.tool.sorts, meant) {
		if meant == "id" {
			e.DidYouMean = c.tool.sorts[:1]
		} else {
			e.DidYouMean = schema.Suggest(name, c.tool.sorts)
		}
		if len(e.DidYouMean) == 0 {
			return
		}
		meant = e.DidYouMean[0]
	}
	e.Fix = []graph.Patch{{Op: "replace", Path: e.Path, Value: minus + meant}}
}
