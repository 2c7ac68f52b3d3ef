package bundle

import (
	"math"
	"net/url"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// dialect is the one that schemas are written in.
const dialect = "https://json-schema.org/draft/2020-12/schema"

const (
	// maxProgram bounds the program that a regular expression is compiled into: a
	// short one can repeat much.
	maxProgram = 4000
	// maxPrograms bounds those of all regular expressions of a schema together.
	maxPrograms = 40_000
)

// A sub is a schema within the file: the root, or what a keyword holds.
type sub struct {
	n       *node
	pointer string
	edges   []edge
	cost    float64 // of looking at a value
	program float64 // instructions of regular expressions
}

// An edge leads to the schema that a schema hands a value, or a part of it.
type edge struct {
	to    int
	reach reach
	name  string // of a property
	index int    // of an item
	at    *node
}

// A fence looks at a schema before a library of JSON Schema does: schemas are
// anyone's, and could make one run for ever, or read files.
type fence struct {
	file   string
	limits Limits
	found  *found
	root   *node
	subs   []*sub
	byNode map[*node]int
	refs   []ref
	bad    bool
	steps  int  // of regular expressions so far
	states *int // of values, in all schemas of the bundle so far
	// visits is how much work one value can make, program how many instructions
	// of regular expressions one character.
	visits, program float64
}

type ref struct {
	from int
	n    *node
}

// check reports whether the schema may be compiled.
func (f *fence) check() bool {
	if f.byNode = map[*node]int{}; f.states == nil {
		f.states = new(int)
	}
	f.sub(f.root, "")
	if f.bad {
		return false
	}
	for _, r := range f.refs {
		f.ref(r)
	}
	if f.bad {
		return false
	}
	order, ok := f.order()
	if ok {
		ok = f.expand(order)
	}
	return ok
}

func (f *fence) fail(n *node, pointer, format string, args ...any) *Problem {
	f.bad = true
	return f.found.report(f.file, n, pointer, format, args...)
}

// sub notes a schema and those within.
func (f *fence) sub(n *node, pointer string) int {
	if n.kind == boolNode {
		if pointer == "" {
			f.fail(n, pointer, "a schema of entities is an object, not %s", n.text)
		}
	} else if n.kind != objectNode {
		f.fail(n, pointer, "a schema is an object, true or false, not %s", n.kind)
	}
	id := len(f.subs)
	if id >= f.limits.SubSchemas {
		if id == f.limits.SubSchemas {
			f.fail(n, pointer, "there are more than %d schemas in this one", f.limits.SubSchemas)
			f.subs = append(f.subs, nil)
		}
		return id
	}
	s := &sub{n: n, pointer: pointer, cost: 1}
	f.subs, f.byNode[n] = append(f.subs, s), id
	for i := range n.members {
		f.keyword(id, s, &n.members[i])
	}
	return id
}

// keyword checks a member of a schema.
func (f *fence) keyword(id int, s *sub, m *member) {
	at := graph.Pointer(s.pointer, m.name)
	k, known := keywordOf(m.name)
	switch {
	case strings.HasPrefix(m.name, "x-"):
		return // an annotation
	case !known:
		p := f.found.report(f.file, m.at(), at, "%q is no keyword that is read", short(m.name))
		f.bad = f.bad || strings.HasPrefix(m.name, "$") // of others the library knows nothing
		if p.Hint = refusedKeywords[m.name]; p.Hint == "" {
			p.DidYouMean = schema.Suggest(m.name, append(keywordNames(), annotationNames()...))
		}
		return
	}
	v := &m.value
	switch {
	case k.shape == oneSchema:
		f.edge(s, k, f.sub(v, at), "", 0, v)
	case k.shape == listSchema && v.kind == listNode:
		for i := range v.items {
			f.edge(s, k, f.sub(&v.items[i], item(at, i)), "", i, &v.items[i])
		}
	case k.shape == mapSchema && v.kind == objectNode:
		for i := range v.members {
			c := &v.members[i]
			f.edge(s, k, f.sub(&c.value, graph.Pointer(at, c.name)), c.name, 0, &c.value)
			if k.name == "patternProperties" {
				f.pattern(s, c.at(), graph.Pointer(at, c.name), c.name)
			}
		}
	}
	switch m.name {
	case "$schema":
		if s.pointer != "" {
			f.fail(m.at(), at, "only the whole schema has %q", m.name)
		} else if v.text != dialect && v.text != dialect+"#" {
			f.fail(v, at, "the schema is of %s, and only Draft 2020-12 is read", v.told()).Hint = `"$schema": "` + dialect + `"`
		}
	case "$id":
		if s.pointer != "" {
			f.fail(m.at(), at, "only the whole schema has %q", m.name)
		}
	case "$ref":
		f.refs = append(f.refs, ref{id, v})
	case "pattern":
		if v.kind == textNode {
			f.pattern(s, v, at, v.text)
		}
	case "maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties", "minProperties":
		if n, ok := integer(v.text); v.kind != numberNode || !ok || n < 0 || n > math.MaxInt32 {
			f.fail(v, at, "%q is a whole number from 0 to %d, not %s", m.name, math.MaxInt32, v.told())
		}
	case "multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum":
		if v.kind == numberNode {
			s.cost += weight(v.text)
		}
	case "const":
		s.cost += v.weight()
	case "enum":
		s.cost += float64(len(v.items))/8 + v.weight()
	case "uniqueItems":
		s.cost++
	case "format":
		if v.kind == textNode && !slices.Contains(formats, v.text) {
			f.found.report(f.file, v, at, "there is no format %q", short(v.text)).DidYouMean = schema.Suggest(v.text, formats)
		}
	}
}

func (f *fence) edge(s *sub, k keyword, to int, name string, index int, at *node) {
	if k.reach != nowhere && to < f.limits.SubSchemas {
		s.edges = append(s.edges, edge{to, k.reach, name, index, at})
	}
}

// pattern checks a regular expression.
func (f *fence) pattern(s *sub, n *node, at, pattern string) {
	if f.steps > maxPrograms {
		return // it is reported, and more would take too long
	}
	if len(pattern) > f.limits.PatternBytes {
		f.fail(n, at, "the regular expression is %d bytes long, and at most %d are allowed", len(pattern), f.limits.PatternBytes)
		return
	}
	const hint = "in the syntax of RE2: without backreferences and without looking ahead or behind"
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		f.fail(n, at, "%q is no regular expression: %s", short(pattern), short(strings.TrimPrefix(err.Error(), "error parsing regexp: "))).Hint = hint
		return
	}
	prog, err := syntax.Compile(re.Simplify())
	if err == nil {
		f.steps += len(prog.Inst)
	}
	switch {
	case err != nil:
		f.fail(n, at, "%q is no regular expression: %s", short(pattern), short(err.Error())).Hint = hint
	case len(prog.Inst) > maxProgram:
		f.fail(n, at, "the regular expression repeats too much: it takes %d steps, and at most %d are allowed", len(prog.Inst), maxProgram)
	case f.steps > maxPrograms:
		f.fail(n, at, "the regular expressions up to this one repeat too much: they take %d steps, and at most %d are allowed in a schema", f.steps, maxPrograms)
	default:
		s.program += float64(len(prog.Inst))
	}
}

// ref resolves a reference to a schema of the same file.
func (f *fence) ref(r ref) {
	s := f.subs[r.from]
	at := s.pointer + "/$ref"
	const hint = `refer to a place of the file: {"$ref": "#/$defs/name"}`
	if r.n.kind != textNode {
		f.fail(r.n, at, "a reference is a text, not %s", r.n.kind).Hint = hint
		return
	}
	if !strings.HasPrefix(r.n.text, "#") {
		f.fail(r.n, at, "%q is not in this file, and nothing else is read", short(r.n.text)).Hint = hint
		return
	}
	target := refersTo(f.root, r.n.text)
	to, isSchema := f.byNode[target]
	switch {
	case target == nil:
		p := f.fail(r.n, at, "%q leads nowhere", short(r.n.text))
		var places []string
		for _, s := range f.subs {
			if strings.HasPrefix(s.pointer, "/$defs/") && strings.Count(s.pointer, "/") == 2 {
				places = append(places, "#"+s.pointer)
			}
		}
		p.Hint, p.DidYouMean = hint, schema.Suggest(r.n.text, places)
	case !isSchema:
		f.fail(r.n, at, "%q is no schema", short(r.n.text)).Hint = hint
	default:
		s.edges = append(s.edges, edge{to: to, reach: inPlace, at: r.n})
	}
}

// refersTo is what a reference within a file refers to, nil for nothing.
func refersTo(root *node, reference string) *node {
	pointer, err := url.PathUnescape(strings.TrimPrefix(reference, "#"))
	if err != nil {
		return nil
	}
	return root.resolve(pointer)
}

// order sorts the schemas so that each stands before those that it hands the
// same value. A circle of them would never end.
func (f *fence) order() ([]int, bool) {
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(f.subs))
	var order []int
	var visit func(i int) bool
	visit = func(i int) bool {
		state[i] = open
		for _, e := range f.subs[i].edges {
			if e.reach != inPlace || state[e.to] == done {
				continue
			}
			if state[e.to] == open {
				f.fail(e.at, f.subs[i].pointer, "the schema refers to itself for the same value, which never ends").Hint = "a schema may refer to itself within properties or items"
				return false
			}
			if !visit(e.to) {
				return false
			}
		}
		state[i] = done
		order = append(order, i)
		return true
	}
	for i := range f.subs {
		if state[i] == unseen && !visit(i) {
			return nil, false
		}
	}
	slices.Reverse(order)
	return order, true
}
