package command

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

func lintCommand() *command {
	return &command{
		name:    "lint",
		args:    "FILE | DIR",
		summary: "Check a schema file and list every mistake in it",
		help: `
Reads a schema (YAML or JSON), or the one in a graph directory. Every mistake is
listed at once, on standard error as FILE:LINE:COLUMN: MESSAGE and on standard
output as one JSON document. The exit status is 1 if there is a mistake.

    trellis lint schema.yaml
    trellis lint --schema schema.yaml
    trellis lint --graph DIR
    trellis lint --bundle DIR       as "trellis bundle lint" does

With --queries the named queries of a file are checked against the schema.

    trellis lint schema.yaml --queries queries.yaml`,
		define: func(flags *flag.FlagSet) action {
			file := flags.String("schema", "", "the schema `file`")
			dir := flags.String("graph", "", "a graph `directory` or file, whose schema is read")
			source := flags.String("bundle", "", "a bundle's `directory` or archive, all of which is checked")
			of := &bundleFlags{}
			defineBundleBytes(flags, &of.bundleBytes)
			queries := flags.String("queries", "", "a `file` of named queries (trellis.queries.v1) to check too")
			return func(ctx context.Context, std streams, args []string) error {
				for _, flag := range []string{*file, *dir} {
					if flag != "" {
						args = append(args, flag)
					}
				}
				if *source != "" && len(args) == 0 && *queries == "" {
					return lintBundle(ctx, std, of, []string{*source})
				}
				if *source != "" {
					args = append(args, *source)
				}
				if len(args) != 1 {
					return usagef("lint takes one schema file, graph directory or --bundle; there are %d others", len(args))
				}
				s, err := readSchema(args[0], of.bundleBytes)
				if err == nil && *queries != "" {
					_, err = tools.ReadQueries(*queries, s, graph.Limits{})
				}
				return lint(std, s, err)
			}
		},
	}
}

// A lintReport is the document that lint prints.
type lintReport struct {
	Format   string        `json:"format"`
	Problems []lintProblem `json:"problems"`
	// Of a schema without problems:
	Revision      string `json:"revision,omitempty"`
	Labels        int    `json:"labels,omitempty"`
	Relationships int    `json:"relationship_types,omitempty"`
}

type lintProblem struct {
	File       string   `json:"file,omitempty"`
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	Path       string   `json:"path"`
	Message    string   `json:"message"`
	DidYouMean []string `json:"did_you_mean,omitempty"`
	Hint       string   `json:"hint,omitempty"`
}

func lint(std streams, s *schema.Schema, err error) error {
	report := lintReport{Format: "trellis.lint.v1", Problems: []lintProblem{}}
	var problems schema.Problems
	switch {
	case err == nil:
		report.Revision = s.Revision(s.ViewHash())
		for range s.Labels() {
			report.Labels++
		}
		for range s.Relationships() {
			report.Relationships++
		}
		return writeDocument(std.out, report)
	case !errors.As(err, &problems):
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(std.err, p)
		report.Problems = append(report.Problems, lintProblem{p.File, p.Line, p.Column, p.Path, p.Message, p.DidYouMean, p.Hint})
	}
	if err := writeDocument(std.out, report); err != nil {
		return err
	}
	return errRefused
}
