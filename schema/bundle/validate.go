package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// entityWork bounds how often schemas look at the values of one entity.
	entityWork = 300_000
	// bundleWork is as much for each byte that a bundle may have.
	bundleWork = 2
)

// valid checks an entity against its type's schema, and reports what is wrong,
// with the names of the properties that are. Without a schema that could be read
// every object is valid. Of values that could not be read nothing more is told.
func (r *reader) valid(file string, t *Type, d *draft, pointer string) (bad map[string]bool, ok bool) {
	if t.check == nil {
		return nil, true
	}
	n := &d.node
	work := t.work(n)
	if work > entityWork {
		r.found.report(file, n, pointer, "the entity is too large for its schema, which looks at each value %s", often(t.visits))
		return nil, false
	}
	if r.work += work; r.work > bundleWork*float64(r.limits.BundleBytes) {
		if !r.full {
			r.found.report(file, n, pointer, "from here on it takes too long to check entities: their schemas look at each value %s", often(t.visits))
		}
		r.full = true
		return nil, false
	}
	d.check(t)
	if !d.ok && len(d.list) == 0 {
		r.found.report(file, n, pointer, "the entity cannot be checked")
	}
	if !d.ok {
		bad = map[string]bool{}
	}
	for _, v := range d.list {
		v.settle(n)
		if at := n.find(v.at); v.name == "" && at != nil && at.unread {
			continue // what it would be if it could be read is not known
		}
		if len(v.at) > 0 {
			bad[v.at[0]] = true
		}
		p := r.found.report(file, v.place(n), v.pointer(pointer), "%s", v.subject()+v.text)
		p.Hint, p.DidYouMean = v.hint, v.near
		if at := n.find(v.at); v.hint == unquote && at != nil && !json.Valid([]byte(at.text)) {
			p.Hint = v.instead
		}
	}
	return bad, d.ok
}

// work is what it takes to check a value.
func (t *Type) work(n *node) float64 {
	values, texts := n.size()
	return t.visits*values + t.program*texts/64
}

// often tells a number of times.
func often(times float64) string {
	if times < 2 {
		return "once"
	}
	return fmt.Sprintf("up to %.0f times", times)
}

// violations runs the compiled schema; a fault of the library is a refusal.
func (t *Type) violations(v any) (list []violation, ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			list, ok = nil, false
		}
	}()
	err := t.check.Validate(v)
	var why *jsonschema.ValidationError
	if errors.As(err, &why) {
		return violations(why, t.namesAt), false
	}
	return nil, err == nil
}

// subject names the property that a message is about, where it says "it".
func (v *violation) subject() string {
	if v.name != "" || len(v.at) == 0 {
		return ""
	}
	return strings.Join(v.at, ".") + ": "
}

// namesAt are the properties that a schema lists which is at an address.
func (t *Type) namesAt(url string) []string {
	_, fragment, _ := strings.Cut(url, "#")
	fragment = strings.TrimSuffix(strings.TrimSuffix(fragment, "/unevaluatedProperties"), "/additionalProperties")
	n := refersTo(t.tree, "#"+fragment)
	if n == nil {
		return nil
	}
	if list := n.get("properties"); list != nil {
		return list.names()
	}
	return nil
}

// size counts the values of a tree, of which numbers with exponents count more,
// and the bytes of its texts.
func (n *node) size() (values, bytes float64) {
	values, bytes = 1, float64(len(n.text))
	if n.kind == numberNode {
		values += weight(n.text)
	}
	for i := range n.items {
		v, b := n.items[i].size()
		values, bytes = values+v, bytes+b
	}
	for i := range n.members {
		v, b := n.members[i].value.size()
		values, bytes = values+v, bytes+b+float64(len(n.members[i].name))
	}
	return values, bytes
}
