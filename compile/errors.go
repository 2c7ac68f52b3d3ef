package compile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// All texts of refusals stand in this file, so that they speak with one voice.

func errNoScope() *graph.Error {
	return &graph.Error{Code: graph.NoScope, Message: "this graph answers nobody without a scope", Hint: "the host sets the scope with graph.WithScope"}
}

// errName reports a name that is not there, with those that are.
func errName(code graph.Code, at *place, what, got string, allowed, similar []string) *graph.Error {
	e := &graph.Error{Code: code, Path: at.pointer(), DidYouMean: similar}
	e.SetGot(got)
	e.Message = "no " + what + " " + quote(e.Got)
	e.SetAllowed(graph.SortedNames(allowed))
	if len(similar) > 0 {
		e.Message += "; did you mean " + quote(similar[0]) + "?"
	}
	return e
}

func errMissing(at *place, what string) *graph.Error {
	return &graph.Error{Code: graph.MissingField, Path: at.pointer(), Message: what + " is required"}
}

func errLimit(at *place, what string, got, most int) *graph.Error {
	return &graph.Error{Code: graph.LimitExceeded, Path: at.pointer(), Got: strconv.Itoa(got),
		Message: fmt.Sprintf("%s: %d is over the cap of %d", what, got, most),
		Hint:    fmt.Sprintf("use at most %d", most)}
}

func errRange(at *place, what string, got, least int) *graph.Error {
	return &graph.Error{Code: graph.OutOfRange, Path: at.pointer(), Got: strconv.Itoa(got),
		Message: fmt.Sprintf("%s must be at least %d", what, least)}
}

func errEmptyList(at *place, what string) *graph.Error {
	return &graph.Error{Code: graph.OutOfRange, Path: at.pointer(), Got: "[]", Message: what + " must not be empty"}
}

func errEnum(at *place, what, got string, allowed []string) *graph.Error {
	e := &graph.Error{Code: graph.InvalidEnum, Path: at.pointer()}
	e.SetGot(got)
	e.Message = quote(e.Got) + " is not a " + what
	e.SetAllowed(allowed)
	e.DidYouMean = schema.Suggest(got, allowed)
	if word, ok := otherWords[strings.ToLower(got)]; ok && slices.Contains(allowed, word) {
		e.DidYouMean = []string{word}
	}
	e.Message += "; use one of " + strings.Join(e.Allowed, ", ")
	if len(e.DidYouMean) > 0 {
		e.Fix = replace(e.Path, e.DidYouMean[0])
	}
	return e
}

// otherWords are words that other languages have for ours.
var otherWords = map[string]string{
	"out": "outgoing", "outbound": "outgoing", "in": "incoming", "inbound": "incoming", "any": "both", "undirected": "both", "either": "both",
	"ascending": "asc", "descending": "desc",
	"average": "avg", "mean": "avg", "total": "sum", "minimum": "min", "maximum": "max", "distinct": "count_distinct", "unique": "count_distinct",
	"min": "minute", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year", "hourly": "hour",
}

func errUnsupported(at *place, message, hint string) *graph.Error {
	return &graph.Error{Code: graph.Unsupported, Path: at.pointer(), Message: message, Hint: hint}
}

func errType(at *place, message string) *graph.Error {
	return &graph.Error{Code: graph.InvalidType, Path: at.pointer(), Message: message}
}

func replace(path string, value any) []graph.Patch {
	return []graph.Patch{{Op: "replace", Path: path, Value: value}}
}

func quote(s string) string { return `"` + s + `"` }
