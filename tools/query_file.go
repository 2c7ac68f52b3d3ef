package tools

import (
	_ "embed"
	"encoding/json"
	"io"
	"os"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

//go:embed schema/trellis.queries.v1.json
var publishedQueries string

// QueriesJSONSchema returns the published JSON Schema (draft-07) of the file
// format trellis.queries.v1, for editors and other checkers.
func QueriesJSONSchema() []byte { return []byte(publishedQueries) }

// ParseQueries reads named queries in the file format trellis.queries.v1, JSON
// where the name ends in .json and YAML otherwise:
//
//	format: trellis.queries.v1
//	queries:
//	  open_issues_of:
//	    description: The open issues that a user reported.
//	    tool: traverse_relationships
//	    parameters:
//	      user: int64
//	      limit: {type: int32, required: false, description: How many at most.}
//	    arguments:
//	      from: {label: gl_user, ids: [{$parameter: user}]}
//	      relationships: [{type: AUTHORED_ISSUE}]
//	      to: {label: gl_issue, filters: {state: opened}}
//	      limit: {$parameter: limit}
//
// A parameter is a type, or a map of type, values (of an enum), list, description,
// required (true unless said, or with a default) and default. The queries are
// checked as by NewQueries, of a nil schema too. The error is a schema.Problems, with all mistakes and
// their places.
func ParseQueries(name string, data []byte, s *schema.Schema, l graph.Limits) (*Queries, error) {
	doc, err := schema.ReadDocument(name, data, publishedQueries)
	if err != nil {
		return nil, err
	}
	out, problems := loadQueries(s, l, readQueries(doc))
	if all := doc.Problems(problems); len(all) > 0 {
		return nil, all
	}
	return out, nil
}

// maxQueriesFile is more than a file of queries can have; it is refused then.
const maxQueriesFile = 2 << 20

// ReadQueries reads named queries from a file; see ParseQueries. Errors of
// reading are those of package os.
func ReadQueries(path string, s *schema.Schema, l graph.Limits) (*Queries, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxQueriesFile))
	if err != nil {
		return nil, err
	}
	return ParseQueries(path, data, s, l)
}

// readQueries reads the queries of a document. What has not the right form it
// leaves out: that is reported already.
func readQueries(doc *schema.Document) (queries []NamedQuery) {
	for _, name := range doc.Members("/queries") {
		at := graph.Pointer("/queries", name)
		q := NamedQuery{Name: name, Arguments: doc.JSON(at + "/arguments")}
		into(doc, at+"/title", &q.Title)
		into(doc, at+"/description", &q.Description)
		into(doc, at+"/tool", &q.Tool)
		for _, parameter := range doc.Members(at + "/parameters") {
			q.Parameters = append(q.Parameters, readParameter(doc, graph.Pointer(at+"/parameters", parameter), parameter))
		}
		queries = append(queries, q)
	}
	return queries
}

func readParameter(doc *schema.Document, at, name string) QueryParameter {
	p := QueryParameter{Name: name}
	var typ string
	into(doc, at, &typ) // the short form
	into(doc, at+"/type", &typ)
	p.Type, _ = schema.TypeOf(typ)
	into(doc, at+"/description", &p.Description)
	into(doc, at+"/values", &p.Values)
	into(doc, at+"/list", &p.List)
	required := true
	into(doc, at+"/required", &required)
	p.Optional = !required
	if text := doc.JSON(at + "/default"); text != nil {
		p.Default = text
	}
	return p
}

// into reads the value at a place, if there is one of that type.
func into[T any](doc *schema.Document, at string, to *T) {
	var v T
	if text := doc.JSON(at); text != nil && json.Unmarshal(text, &v) == nil {
		*to = v
	}
}
