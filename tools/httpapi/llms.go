package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/tools"
)

// mostNames bounds how many names of a kind /llms.txt lists: get_graph_schema
// tells the rest.
const mostNames = 40

// llms answers with a guide for language models, of what this caller sees.
func (a *API) llms(r *request) {
	s, err := a.tools.Schema(r.ctx)
	if err != nil {
		a.refuse(r, err)
		return
	}
	list, err := a.tools.List(r.ctx)
	if err != nil {
		a.refuse(r, err)
		return
	}
	var labels, types []string
	for l := range s.Labels() {
		labels = append(labels, l.Name)
	}
	for t := range s.Relationships() {
		types = append(types, t.Name)
	}
	a.send(r, reply{status: http.StatusOK, media: "text/plain; charset=utf-8", revalidate: true, body: []byte(guide(s.Description(), labels, types, list))})
}

// guide writes the text, in the form of https://llmstxt.org.
func guide(about string, labels, types []string, list []*tools.Tool) string {
	var b strings.Builder
	b.WriteString(`# A graph, asked with Trellis

> Facts about labeled nodes and the relationships between them. Every question is a tool call: POST /tools/NAME with a JSON object of arguments. Tools only read.

`)
	if about != "" {
		b.WriteString(strings.ReplaceAll(about, "\n", " ") + "\n\n")
	}
	names(&b, "Labels", labels)
	names(&b, "Relationship types", types)
	b.WriteString(`
## Tools

`)
	records := 0
	for _, t := range list {
		if t.Records() {
			if records++; records > mostNames {
				continue
			}
		}
		fmt.Fprintf(&b, "- %s: %s\n", t.Name, sentence(t.Description))
	}
	if records > mostNames {
		fmt.Fprintf(&b, "- and %d more of the kind of list_… and get_…, which /tools lists\n", records-mostNames)
	}
	b.WriteString(`
## Calls

- Begin with get_graph_schema and {"expand_nodes": ["LABEL"]}: properties, their types and values, and where relationships lead.
- Write names and enum values exactly as the schema has them. A filter is {"property": value} or {"property": {"gte": 3, "lt": 9}}. The operators are eq, ne, lt, lte, gt, gte, in, not_in, contains, starts_with, ends_with and is_null.
- Take ids from answers and nowhere else. Let aggregate_nodes count and add up.
- "properties" names what an answer shows; fewer cost fewer tokens, and so does ?format=columns, csv or markdown.
- "truncated": false means that the answer is complete. Otherwise "truncated_by" says why; with the same arguments and "cursor": the answer's next_cursor, if there is one, the next page comes.
`)
	if slices.ContainsFunc(list, (*tools.Tool).Records) {
		b.WriteString(`- list_… and get_… answer whole records, as JSON only. Lists take {"filters": {"name": value}, "sort": "-name", "limit": 50, "offset": 0}; "total" counts all that match. {"id": …} gets a record or null, {"ids": […]} several.
`)
	}
	b.WriteString(`
## Errors

A refusal is application/problem+json with all mistakes in "errors". Each has "path", the JSON Pointer of its place in the arguments; "allowed" and "did_you_mean", what would have been right; and where there is a remedy "fix", a JSON Patch (RFC 6902) of the arguments. Apply the first one and call again. With "retryable": true the same call may be made again, after "retry_after_ms" if it is there. Nothing found is an answer, not an error.

## Files

- [Tools](/tools): names, descriptions and the JSON Schemas of the arguments
- [Schema](/schema): all that you may see of it
- [OpenAPI](/openapi.json): the same calls as OpenAPI 3.1
`)
	return b.String()
}

func names(b *strings.Builder, kind string, list []string) {
	if len(list) == 0 {
		return
	}
	more := ""
	if len(list) > mostNames {
		more = fmt.Sprintf(" and %d more", len(list)-mostNames)
		list = list[:mostNames]
	}
	fmt.Fprintf(b, "%s: %s%s.\n", kind, strings.Join(list, ", "), more)
}

// sentence is the first one of a description, on one line.
func sentence(text string) string {
	text, _, _ = strings.Cut(strings.Join(strings.Fields(text), " "), ". ")
	return strings.TrimSuffix(text, ".") + "."
}
