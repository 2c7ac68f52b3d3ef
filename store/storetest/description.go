package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// compareJSON compares a document with the one expected, in which "*" stands
// for anything and a text that ends in "*" for whatever begins like it.
func compareJSON(want string, got any) (wanted, differs []string) {
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return []string{"JSON"}, []string{err.Error()}
	}
	text, err := json.Marshal(got)
	if err != nil {
		return []string{"JSON"}, []string{err.Error()}
	}
	if err := json.Unmarshal(text, &g); err != nil {
		return []string{"JSON"}, []string{err.Error()}
	}
	compareValues("", w, g, func(at string, w, g any) {
		wanted = append(wanted, fmt.Sprintf("%s: %s", at, short(w)))
		differs = append(differs, fmt.Sprintf("%s: %s", at, short(g)))
	})
	return wanted, differs
}

func short(v any) string {
	if v == nil {
		return "nothing"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func compareValues(at string, want, got any, differ func(at string, want, got any)) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			differ(at, want, got)
			return
		}
		for _, name := range memberNames(w, g) {
			compareValues(at+"/"+name, w[name], g[name], differ)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(w) != len(g) {
			differ(at, want, got)
			return
		}
		for i := range w {
			compareValues(fmt.Sprintf("%s/%d", at, i), w[i], g[i], differ)
		}
	case string:
		g, isText := got.(string)
		start, wild := strings.CutSuffix(w, "*")
		if w == "*" && got != nil || isText && (g == w || wild && strings.HasPrefix(g, start)) {
			return
		}
		differ(at, want, got)
	default:
		if want != got {
			differ(at, want, got)
		}
	}
}

func memberNames(objects ...map[string]any) []string {
	var names []string
	for _, o := range objects {
		for name := range o {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return slices.Compact(names)
}
