package command

import (
	"context"
	"flag"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

func explainCommand() *command {
	return &command{
		name:    "explain",
		args:    "TOOL 'ARGS' --graph DIR | --schema FILE --dsn URL",
		summary: "Tell how a call would be answered",
		help: `
Prints one JSON document: the plan as text, the conditions that the policies of
the schema put on each label and relationship for the caller, what answering is
expected to read, the statements with their parameters, and the database's own
plan of each statement. Nothing is answered:
the statements are all those that may run, with null or an empty list for keys
that one of them would find for another.

    trellis explain find_nodes '{"node_label": "person"}' --graph DIR
    trellis explain find_nodes '{"node_label": "person"}' \
        --schema schema.yaml --dsn mysql://user@localhost:3306/name

What a database would read is told with --count only, which counts all its
tables first.`,
		define: func(flags *flag.FlagSet) action {
			var from source
			var how host
			from.define(flags)
			how.define(flags)
			how.estimate = true
			flags.BoolVar(&how.count, "count", false, "count the tables of --dsn, to estimate what the call would read")
			scope := flags.String("scope", "", scopeUsage)
			return func(ctx context.Context, std streams, args []string) error {
				if len(args) != 2 {
					return usagef("explain takes a tool and its arguments, one JSON object in quotes; there are %d arguments", len(args))
				}
				caller, err := parseScope([]byte(*scope))
				if err != nil {
					return usagef("--scope is not a scope: %s", err)
				}
				s, err := from.open(ctx, std, &how)
				if err != nil {
					return refuseOpening(std, args[0], err)
				}
				defer s.close()
				return s.explain(ctx, std, caller, args[0], []byte(args[1]))
			}
		},
	}
}

// An explained call is the document that explain prints.
type explainedCall struct {
	Tool string `json:"tool"`
	Plan string `json:"plan"`
	// Guards are the conditions of the policies; empty for a schema without.
	Guards     []string          `json:"guards"`
	Estimate   *compile.Estimate `json:"estimate,omitempty"`
	Executed   string            `json:"executed"`
	Statements []graph.Statement `json:"statements"`
	// Database holds the database's own plan of each statement.
	Database []string `json:"database"`
}

func (s *session) explain(ctx context.Context, std streams, scope *graph.Scope, tool string, args []byte) error {
	ctx = within(ctx, scope)
	e, err := s.tools.Explain(ctx, tool, args)
	if err != nil {
		return s.hide(refuse(std.out, tool, err))
	}
	return writeDocument(std.out, explainedDocument(tool, e))
}

func explainedDocument(tool string, e *engine.Explanation) *explainedCall {
	doc := &explainedCall{tool, e.Plan, append([]string{}, e.Guards...), e.Estimate, e.Executed, e.Statements, e.Database}
	if doc.Statements == nil { // the schema itself has the answer
		doc.Statements, doc.Database = []graph.Statement{}, []string{}
	}
	return doc
}
