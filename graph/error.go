package graph

import (
	"encoding/json"
	"sort"
	"strings"
)

// A Code names a kind of refusal or failure. It is an error itself, so that
// errors.Is(err, graph.UnknownLabel) works.
type Code string

// The codes of refusals: the call must change.
const (
	Syntax              Code = "SYNTAX"
	TooLarge            Code = "TOO_LARGE"
	TooDeep             Code = "TOO_DEEP"
	DuplicateKey        Code = "DUPLICATE_KEY"
	InvalidString       Code = "INVALID_STRING"
	UnknownTool         Code = "UNKNOWN_TOOL"
	UnknownField        Code = "UNKNOWN_FIELD"
	MissingField        Code = "MISSING_FIELD"
	UnknownLabel        Code = "UNKNOWN_LABEL"
	UnknownRelationship Code = "UNKNOWN_RELATIONSHIP"
	UnknownProperty     Code = "UNKNOWN_PROPERTY"
	UnknownOperator     Code = "UNKNOWN_OPERATOR"
	InvalidEnum         Code = "INVALID_ENUM"
	InvalidType         Code = "INVALID_TYPE"
	OutOfRange          Code = "OUT_OF_RANGE"
	LimitExceeded       Code = "LIMIT_EXCEEDED"
	ImpossibleStep      Code = "IMPOSSIBLE_STEP"
	InvalidExpression   Code = "INVALID_EXPRESSION"
	Unsupported         Code = "UNSUPPORTED"
	InvalidCursor       Code = "INVALID_CURSOR"
	InvalidSchema       Code = "INVALID_SCHEMA"
	TooCostly           Code = "TOO_COSTLY"
)

// The codes of rights and quotas.
const (
	NoScope       Code = "NO_SCOPE"
	Forbidden     Code = "FORBIDDEN"
	RateLimited   Code = "RATE_LIMITED"
	QuotaExceeded Code = "QUOTA_EXCEEDED"
)

// The codes of failures while a call runs.
const (
	Timeout     Code = "TIMEOUT"
	Canceled    Code = "CANCELED"
	Overloaded  Code = "OVERLOADED"
	Unavailable Code = "UNAVAILABLE"
	Conflict    Code = "CONFLICT"
	StorageFull Code = "STORAGE_FULL"
	InvalidData Code = "INVALID_DATA"
	Internal    Code = "INTERNAL"
)

// The codes of warnings, beside those above.
const (
	// NotFound warns that an id names no visible node.
	NotFound Code = "NOT_FOUND"
	// EmptyMatch warns that an equality on a display text matched nothing.
	EmptyMatch Code = "EMPTY_MATCH"
)

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return string(c) }

// Refusal reports whether the code says that the call itself is at fault,
// rather than the store or the moment.
func (c Code) Refusal() bool {
	switch c {
	case Timeout, Canceled, Overloaded, Unavailable, StorageFull, InvalidData, Internal:
		return false
	}
	return true
}

// A Patch is one operation of an RFC 6902 JSON Patch.
type Patch struct {
	Op    string `json:"op"` // add, remove, replace, move
	From  string `json:"from,omitempty"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"` // a JSON value, for add and replace
}

// MarshalJSON writes value exactly where the operation has one, null included.
func (p Patch) MarshalJSON() ([]byte, error) {
	type noValue struct {
		Op   string `json:"op"`
		From string `json:"from,omitempty"`
		Path string `json:"path"`
	}
	if p.Op == "add" || p.Op == "replace" {
		return json.Marshal(struct {
			Op    string `json:"op"`
			Path  string `json:"path"`
			Value any    `json:"value"`
		}{p.Op, p.Path, p.Value})
	}
	return json.Marshal(noValue{p.Op, p.From, p.Path})
}

// maxAllowed is how many allowed names an error lists.
const maxAllowed = 20

// An Error is one mistake in a call, or one failure.
type Error struct {
	Code Code `json:"code"`
	// Path is a JSON Pointer into the arguments, "" for the whole.
	Path    string `json:"path"`
	Message string `json:"message"`
	// Got is what stood there, cut to a readable length.
	Got string `json:"got,omitempty"`
	// Allowed are names that would work, at most 20, but for the filters of a list
	// of records, which are up to 200; AllowedTotal counts all.
	Allowed      []string `json:"allowed,omitempty"`
	AllowedTotal int      `json:"allowed_total,omitempty"`
	DidYouMean   []string `json:"did_you_mean,omitempty"`
	Hint         string   `json:"hint,omitempty"`
	// Fix is a patch on the arguments that mends this mistake.
	Fix       []Patch `json:"fix,omitempty"`
	Retryable bool    `json:"retryable"`
	// RetryAfterMS is how many milliseconds to wait before the call is worth
	// repeating; 0 where nobody can tell.
	RetryAfterMS int `json:"retry_after_ms,omitempty"`
	// ErrorID finds the details in the host's log, where they must stay.
	ErrorID string `json:"error_id,omitempty"`

	// Cause is what failed below, for the host's log. It is never marshalled.
	Cause error `json:"-"`
}

// SetAllowed fills Allowed and AllowedTotal.
func (e *Error) SetAllowed(names []string) {
	e.AllowedTotal = len(names)
	if len(names) > maxAllowed {
		names = names[:maxAllowed]
	}
	e.Allowed = names
}

// SetGot fills Got, cut to at most 80 bytes.
func (e *Error) SetGot(got string) {
	const most = 80
	if len(got) > most {
		got = strings.ToValidUTF8(got[:most], "") + "…"
	}
	e.Got = got
}

func (e *Error) Error() string {
	if e.Path == "" {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + " " + e.Path + ": " + e.Message
}

// Is reports whether target is the error's code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errors are all the mistakes of one call. As an error it matches, by errors.Is
// and errors.As, whatever one of them matches.
type Errors []*Error

func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap returns the single errors.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// Merge returns the mistakes of decoding and those of checking what could be
// decoded, without those checks that only follow from a mistake of decoding:
// whatever is reported at or below a place that could not be read, and what the
// rest would cost. Where the name at such a place is wrong as well, that is the
// mistake to tell.
func (es Errors) Merge(checked Errors) Errors {
	out := append(Errors(nil), es...)
next:
	for _, c := range checked {
		if c.Code == TooCostly && len(es) > 0 {
			continue
		}
		for i, e := range es {
			if e.Code == UnknownField || !within(c.Path, e.Path) {
				continue
			}
			if c.Path == e.Path && c.Code == UnknownProperty && c.Got != "" {
				out[i] = c
			}
			continue next
		}
		out = append(out, c)
	}
	return out
}

func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root) && (root == "" || path[len(root)] == '/')
}

// Pointer appends reference tokens to a JSON Pointer, escaping them as RFC 6901 asks.
func Pointer(base string, tokens ...string) string {
	for _, t := range tokens {
		if strings.ContainsAny(t, "~/") {
			t = strings.ReplaceAll(strings.ReplaceAll(t, "~", "~0"), "/", "~1")
		}
		base += "/" + t
	}
	return base
}

// maxErrors is how many mistakes an error document lists.
const maxErrors = 20

// ErrorFormat names the format of an error document.
const ErrorFormat = "knowledge_graph.error.v1"

// An ErrorDocument is the answer to a call that was refused or failed.
type ErrorDocument struct {
	Format      string `json:"format"`
	Tool        string `json:"tool"`
	Errors      Errors `json:"errors"`
	ErrorsTotal int    `json:"errors_total"`
}

// NewErrorDocument returns the document for an error of a call. An error that
// is not one of Trellis's own becomes INTERNAL, without its text.
func NewErrorDocument(tool string, err error) *ErrorDocument {
	var es Errors
	switch e := err.(type) {
	case Errors:
		es = e
	case *Error:
		es = Errors{e}
	default:
		es = Errors{{Code: Internal, Message: "the call failed; the host's log has the details", Cause: err}}
	}
	doc := &ErrorDocument{Format: ErrorFormat, Tool: tool, Errors: es, ErrorsTotal: len(es)}
	if len(es) > maxErrors {
		doc.Errors = es[:maxErrors]
	}
	return doc
}

// SortedNames returns the names in ascending order, as errors list them.
func SortedNames(names []string) []string {
	out := append([]string(nil), names...)
	sort.Strings(out)
	return out
}
