package format

import (
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A Format is a form in which an answer is written.
type Format string

// The formats.
const (
	JSON     Format = "json"
	Columns  Format = "columns"
	CSV      Format = "csv"
	Markdown Format = "markdown"
	Mermaid  Format = "mermaid"
)

// All lists the formats, the default first.
func All() []Format { return []Format{JSON, Columns, CSV, Markdown, Mermaid} }

// Names lists the formats as a message names them.
func Names() string {
	var names []string
	for _, f := range All() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Parse returns the format of that name.
func Parse(name string) (Format, bool) {
	for _, f := range All() {
		if string(f) == name {
			return f, true
		}
	}
	return "", false
}

// MediaType is the media type of what is written in the format.
func (f Format) MediaType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case Markdown:
		return "text/markdown; charset=utf-8"
	case Mermaid:
		return "text/vnd.mermaid; charset=utf-8"
	}
	return "application/json"
}

// Append appends an answer in a format. The error is a *graph.Error with the
// code UNSUPPORTED where the format cannot hold such an answer: an aggregate has
// no structure that Mermaid could draw, and records are documents that no table
// has room for.
func Append(dst []byte, f Format, r *graph.Result) ([]byte, error) {
	if r.Records != nil && f != JSON {
		return dst, &graph.Error{Code: graph.Unsupported, Message: "records are written as json, and not as " + string(f), Hint: "find_nodes answers in every format"}
	}
	switch f {
	case Columns:
		return appendColumns(dst, r)
	case CSV:
		return appendCSV(dst, r)
	case Markdown:
		return appendMarkdown(dst, r)
	case Mermaid:
		return appendMermaid(dst, r)
	}
	return r.AppendJSON(dst)
}
