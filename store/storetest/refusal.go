package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A refusal is one expected error line of a script:
//
//	error CODE POINTER [FACET; ...]
//
// Only what the line says is compared: its code, its pointer and its facets.
type refusal struct {
	code, path string
	facets     []string
}

func isRefusal(want []string) bool { return strings.HasPrefix(want[0], "error ") }

func parseRefusal(line string) (refusal, error) {
	head, rest, _ := strings.Cut(line, ": ")
	words := strings.Fields(head)
	if len(words) != 3 || words[0] != "error" {
		return refusal{}, fmt.Errorf("%q is no error line", line)
	}
	r := refusal{code: words[1], path: words[2]}
	for facet := range strings.SplitSeq(rest, "; ") {
		if facet != "" {
			r.facets = append(r.facets, facet)
		}
	}
	return r, nil
}

// check tells how an error differs from what the line says, "" if it does not.
func (r refusal) check(e *graph.Error) string {
	for _, facet := range r.facets {
		ok := false
		switch name, rest, _ := strings.Cut(facet, " "); name {
		case "did_you_mean":
			ok = slices.Equal(e.DidYouMean, quoted(rest))
		case "allowed":
			ok = slices.Equal(e.Allowed, quoted(rest))
		case "hint":
			ok = containsAll(e.Hint, quoted(rest))
		case "message":
			ok = containsAll(e.Message, quoted(rest))
		case "fix":
			ok = len(e.Fix) > 0 && (rest == "" || sameJSON(rest, e.Fix))
		case "no_fix":
			ok = len(e.Fix) == 0
		}
		if !ok {
			return facet
		}
	}
	return ""
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return len(parts) > 0
}

// quoted reads Go-quoted strings separated by spaces.
func quoted(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			return append(out, s)
		}
		text, err := strconv.Unquote(q)
		if err != nil {
			return append(out, s)
		}
		out, s = append(out, text), s[len(q):]
	}
	return out
}

func sameJSON(want string, got any) bool {
	b, err := json.Marshal(got)
	if err != nil {
		return false
	}
	var w, g any
	return json.Unmarshal([]byte(want), &w) == nil && json.Unmarshal(b, &g) == nil && reflect.DeepEqual(w, g)
}

// compareRefusal compares error lines with the error of a call, whatever the
// order, and returns two lists of lines that are equal if all agrees.
func compareRefusal(want []string, err error) (wanted, got []string) {
	mistakes := Mistakes(err)
	used := make([]bool, len(mistakes))
next:
	for _, line := range want {
		r, parseErr := parseRefusal(line)
		if parseErr != nil {
			return []string{line}, []string{parseErr.Error()}
		}
		for i, e := range mistakes {
			if used[i] || r.code != string(e.Code) || r.path != renderPointer(e.Path) {
				continue
			}
			used[i] = true
			if facet := r.check(e); facet != "" {
				wanted = append(wanted, line)
				got = append(got, describe(e)+" // differs: "+facet)
			}
			continue next
		}
		wanted = append(wanted, line)
	}
	for i, e := range mistakes {
		if !used[i] {
			got = append(got, describe(e))
		}
	}
	return wanted, got
}

// describe writes an error with everything that a line can say about it.
func describe(e *graph.Error) string {
	line := "error " + string(e.Code) + " " + renderPointer(e.Path)
	var facets []string
	if len(e.DidYouMean) > 0 {
		facets = append(facets, "did_you_mean "+strings.Join(quote(e.DidYouMean), " "))
	}
	if len(e.Allowed) > 0 {
		facets = append(facets, "allowed "+strings.Join(quote(e.Allowed), " "))
	}
	if e.Hint != "" {
		facets = append(facets, "hint "+strconv.Quote(e.Hint))
	}
	if len(e.Fix) > 0 {
		b, _ := json.Marshal(e.Fix)
		facets = append(facets, "fix "+string(b))
	}
	facets = append(facets, "message "+strconv.Quote(e.Message))
	return line + ": " + strings.Join(facets, "; ")
}

func quote(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return out
}

// Mistakes returns the single errors of a call's error, which may be one
// *graph.Error or a graph.Errors; any other error becomes INTERNAL.
func Mistakes(err error) graph.Errors {
	var all graph.Errors
	var one *graph.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &all):
		return all
	case errors.As(err, &one):
		return graph.Errors{one}
	}
	return graph.Errors{{Code: graph.Internal, Message: err.Error(), Cause: err}}
}
