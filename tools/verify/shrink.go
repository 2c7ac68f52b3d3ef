package verify

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// shrinkTime bounds how long a call is made smaller.
const shrinkTime = 30 * time.Second

// shrink leaves out of a call one member or element after the other, as long as
// the stores answer it differently. Of a difference on a later page it looks for
// one on a longer first page, which needs no cursor.
func (v *verifier) shrink(tool string, best *Difference, args object) (*Difference, error) {
	end := time.Now().Add(shrinkTime)
	whole := maps.Clone(args)
	delete(whole, "limit")
	if d, _, err := v.compare(tool, whole); err != nil {
		return nil, err
	} else if d != nil {
		best = d
	}
	for smaller := true; smaller; {
		smaller = false
		for _, candidate := range smallerThan(best.Arguments) {
			if time.Now().After(end) {
				return best, nil
			}
			d, _, err := v.compare(tool, candidate)
			if err != nil {
				return nil, err
			}
			if d != nil && answered(d.One) == answered(best.One) && answered(d.Other) == answered(best.Other) {
				best, smaller = d, true
				break
			}
		}
	}
	return best, nil
}

// answered reports whether a document is an answer and no refusal.
func answered(document []byte) bool {
	var doc map[string]json.RawMessage
	return json.Unmarshal(document, &doc) == nil && doc["errors"] == nil
}

// smallerThan lists the arguments with one member or element left out.
func smallerThan(args []byte) []object {
	var out []object
	// Each way to leave something out is found by its number in a fixed order.
	for n := 0; ; n++ {
		root, err := decoded(args)
		if err != nil {
			return out
		}
		left := n
		if !leaveOut(root, func(any) {}, &left) {
			return out
		}
		out = append(out, root)
	}
}

// leaveOut leaves out the thing of that number and reports whether there is one.
func leaveOut(v any, set func(any), n *int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *n == 0 {
				delete(v, name)
				return true
			}
			*n--
			if leaveOut(v[name], func(x any) { v[name] = x }, n) {
				return true
			}
		}
	case []any:
		for i := range v {
			if *n == 0 {
				set(slices.Delete(slices.Clone(v), i, i+1))
				return true
			}
			*n--
			if leaveOut(v[i], func(x any) { v[i] = x }, n) {
				return true
			}
		}
	}
	return false
}
