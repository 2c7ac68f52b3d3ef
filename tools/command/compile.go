package command

import (
	"context"
	"flag"
	"reflect"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

func compileCommand() *command {
	return &command{
		name:    "compile",
		args:    "TOOL 'ARGS' --schema FILE --dialect NAME",
		summary: "Print the plan and the SQL of a call, without a database",
		help: `
Prints one JSON document: the plan as text, and the statements with their
parameters. Every value of the call is a parameter; the text of a statement
depends on the call's shape alone. Shown is all that may run, in one snapshot: a
traversal may ask for its targets first and then for what connects them;
explore_neighbors and find_paths go out level by level, with a statement for
each kind of relationship, which takes a level's keys as one list. Keys that one
statement finds for another are null here, and lists of them are empty.

    trellis compile find_nodes '{"node_label": "person"}' \
        --schema schema.yaml --dialect postgres`,
		define: func(flags *flag.FlagSet) action {
			file := flags.String("schema", "", "the schema `file`, or a graph directory")
			dialect := flags.String("dialect", "", "the SQL to write, a `name`: "+strings.Join(dialectNames(), ", "))
			scope := flags.String("scope", "", scopeUsage)
			queries := flags.String("queries", "", queriesUsage)
			var most bounds
			most.define(flags)
			return func(ctx context.Context, std streams, args []string) error {
				d, known := compile.DialectNamed(*dialect)
				switch {
				case len(args) != 2:
					return usagef("compile takes a tool and its arguments, one JSON object in quotes; there are %d arguments", len(args))
				case *file == "":
					return usagef("which schema? Give --schema FILE")
				case *dialect == "":
					return usagef("which dialect? Give --dialect, one of %s", strings.Join(dialectNames(), ", "))
				case !known:
					return usagef("there is no dialect %q; the dialects are %s", *dialect, strings.Join(dialectNames(), ", "))
				}
				caller, err := parseScope([]byte(*scope))
				if err != nil {
					return usagef("--scope is not a scope: %s", err)
				}
				s, err := readSchema(*file, 0)
				if err != nil {
					return refuseOpening(std, args[0], err)
				}
				offered, err := readTools(s, nil, *queries, engine.Options{Limits: most.limits(), Cursors: cursorKeys()})
				if err != nil {
					return refuseOpening(std, args[0], err)
				}
				compiled, err := offered.compile(within(ctx, caller), d, args[0], []byte(args[1]))
				if err != nil {
					return refuse(std.out, args[0], err)
				}
				return writeDocument(std.out, compiled)
			}
		},
	}
}

// A compiledCall is the document that compile prints.
type compiledCall struct {
	Tool       string              `json:"tool"`
	Dialect    string              `json:"dialect"`
	Plan       string              `json:"plan"`
	Guards     []string            `json:"guards"` // the conditions of the policies
	Statements []compiledStatement `json:"statements"`
}

type compiledStatement struct {
	SQL        string            `json:"sql"`
	Parameters []graph.Parameter `json:"parameters"`
}

// compile checks a call and lowers its plan to a dialect.
func (s *session) compile(ctx context.Context, d *compile.Dialect, tool string, args []byte) (*compiledCall, error) {
	plan, err := s.tools.Check(ctx, tool, args)
	if err != nil {
		return nil, err
	}
	out := &compiledCall{Tool: tool, Dialect: d.Name(), Plan: plan.String(), Guards: append([]string{}, plan.Guards()...), Statements: []compiledStatement{}}
	if _, ok := plan.Root.(*compile.Describe); ok {
		return out, nil // the schema itself has the answer
	}
	program, err := compile.SQL(plan, d)
	if err != nil {
		return nil, err
	}
	for _, st := range program.Statements() {
		_, parameters := st.Bind(plan.Params)
		shown := compiledStatement{st.Text(plan.Params), parameters}
		known := func(s compiledStatement) bool { return reflect.DeepEqual(s, shown) }
		if !slices.ContainsFunc(out.Statements, known) { // a search from both ends goes the same ways
			out.Statements = append(out.Statements, shown)
		}
	}
	return out, nil
}

func dialectNames() []string {
	var names []string
	for _, d := range compile.Dialects() {
		names = append(names, d.Name())
	}
	return names
}
