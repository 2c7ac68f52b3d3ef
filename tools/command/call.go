package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/schema"
)

func callCommand() *command {
	return &command{
		name:    "call",
		args:    "TOOL 'ARGS' --graph DIR | --schema FILE --dsn URL",
		summary: "Call a tool and print its answer",
		help: `
TOOL is get_graph_schema, find_nodes, traverse_relationships, explore_neighbors,
find_paths or aggregate_nodes, or a named query of --queries; ARGS is its
arguments, one JSON object. The answer is one JSON document, with the SQL that was run. "trellis tools" tells
what the arguments are.

    trellis call get_graph_schema '{}' --graph DIR
    trellis call find_nodes '{"node_label": "person", "limit": 3}' --graph DIR
    trellis call aggregate_nodes \
        '{"node_label": "person", "aggregations": [{"function": "count"}]}' \
        --schema schema.yaml --dsn postgres://user@localhost:5432/name

With --batch, calls come from a file, or from standard input if it is "-": one
JSON object a line, {"tool": …, "arguments": {…}, "scope": {…}?}. Each line gets
one line of answer, in order; a line that cannot be read or is refused gets an
error document, and the batch goes on. The exit status is the worst of all
lines.

    trellis call --batch calls.jsonl --graph DIR

With --fix a call that is refused is made once more, with the fixes that its
error document offers, and standard error tells how many calls were answered at
once, after their fixes, and not at all.

    trellis call --batch calls.jsonl --graph DIR --fix

With --format the answer has another form: columns is JSON that says each name
once, csv and markdown are tables, mermaid is a drawing. A refusal is JSON.

    trellis call find_nodes '{"node_label": "person"}' --graph DIR --format csv

A schema with policies answers on behalf of --scope only. With --dry-run a call
is checked, with all its rights and limits, and its plan is printed instead of
an answer. With --audit each call leaves one line of JSON in a file, values
hashed, and a call whose line cannot be written is not answered.

    trellis call find_nodes '{"node_label": "person"}' --graph DIR \
        --scope '{"tenant": "acme", "principal": "ada"}' --audit audit.jsonl

The account of a --dsn needs no right but to SELECT from the graph's tables.
What else it may do is told on standard error; with --require-read-only it is
refused.

A password in a --dsn is written with %XX for special characters. It is never
printed.`,
		define: func(flags *flag.FlagSet) action {
			var from source
			var how host
			from.define(flags)
			how.define(flags)
			flags.StringVar(&how.audit, "audit", "", "append a record of each call to a `file`, as lines of JSON")
			flags.BoolVar(&how.dry, "dry-run", false, "check the call and print its plan; ask no store")
			fix := flags.Bool("fix", false, "make a call that is refused once more, with the fixes of its mistakes")
			batch := flags.String("batch", "", "read calls from a `file`, - for standard input")
			scope := flags.String("scope", "", scopeUsage)
			form := flags.String("format", string(format.JSON), "the `format` of the answer: "+format.Names())
			return func(ctx context.Context, std streams, args []string) error {
				f, known := format.Parse(*form)
				switch {
				case !known:
					return usagef("there is no format %q; the formats are %s", *form, format.Names())
				case f != format.JSON && how.dry:
					return usagef("a plan is JSON; leave out --format %s", f)
				case *batch != "" && f != format.JSON && f != format.Columns:
					return usagef("--batch answers in lines: the format is json or columns")
				}
				caller, err := parseScope([]byte(*scope))
				if err != nil {
					return usagef("--scope is not a scope: %s", err)
				}
				switch {
				case *batch != "" && len(args) > 0:
					return usagef("--batch brings its own calls; leave out %q", args[0])
				case *batch == "" && len(args) != 2:
					return usagef("call takes a tool and its arguments, one JSON object in quotes; there are %d arguments", len(args))
				}
				how.estimate = how.dry
				s, err := from.open(ctx, std, &how)
				if err != nil {
					tool := ""
					if len(args) > 0 {
						tool = args[0]
					}
					return refuseOpening(std, tool, err)
				}
				defer s.close()
				s.format, std.out = f, shown(std.out)
				if *fix {
					s.fixes = &fixes{}
					defer func() { fmt.Fprintf(std.err, "trellis: %s\n", s.fixes) }()
				}
				if *batch != "" {
					return s.batch(ctx, std, *batch, caller)
				}
				return s.answer(ctx, std.out, caller, args[0], []byte(args[1]))
			}
		},
	}
}

// answer answers one call, with the fixes of a refusal where they are asked for.
func (s *session) answer(ctx context.Context, w io.Writer, scope *graph.Scope, tool string, args []byte) error {
	if s.fixes != nil {
		return s.fixed(ctx, w, scope, tool, args)
	}
	return s.call(ctx, w, scope, tool, args)
}

// call answers one call. It returns errRefused where the call is at fault, and a
// failure otherwise; either way the document has been written.
func (s *session) call(ctx context.Context, w io.Writer, scope *graph.Scope, tool string, args []byte) error {
	ctx = within(ctx, scope)
	if s.dry {
		e, err := s.tools.DryRun(ctx, tool, args)
		if err != nil {
			return s.hide(refuse(w, tool, err))
		}
		return writeDocument(w, dryRun{tool, true, e.Plan, append([]string{}, e.Guards...), e.Estimate})
	}
	document, err := s.document(ctx, tool, args)
	if err := writeLine(w, bytes.TrimSuffix(document, []byte{'\n'})); err != nil {
		return err
	}
	return s.hide(fault(err))
}

// document is the answer of a call in the session's format, or the refusal, which
// is JSON.
func (s *session) document(ctx context.Context, tool string, args []byte) ([]byte, error) {
	if s.format == "" || s.format == format.JSON {
		return s.tools.Call(ctx, tool, args)
	}
	res, err := s.tools.Result(ctx, tool, args)
	if err == nil {
		var out []byte
		if out, err = format.Append(nil, s.format, res); err == nil {
			return out, nil
		}
	}
	var refusal bytes.Buffer
	if failure := writeDocument(&refusal, graph.NewErrorDocument(tool, err)); failure != nil {
		return nil, failure
	}
	return refusal.Bytes(), err
}

// A dryRun is the document that call prints with --dry-run.
type dryRun struct {
	Tool     string            `json:"tool"`
	DryRun   bool              `json:"dry_run"`
	Plan     string            `json:"plan"`
	Guards   []string          `json:"guards"`
	Estimate *compile.Estimate `json:"estimate,omitempty"` // of a graph directory
}

// within returns a context in which calls are made on behalf of scope; nil is
// for nobody.
func within(ctx context.Context, scope *graph.Scope) context.Context {
	if scope == nil {
		return ctx
	}
	return graph.WithScope(ctx, scope)
}

// refuse writes the error document of a call and returns what call does.
func refuse(w io.Writer, tool string, err error) error {
	if err := writeDocument(w, graph.NewErrorDocument(tool, err)); err != nil {
		return err
	}
	return fault(err)
}

// fault returns errRefused for an error that is the call's own fault. Any other
// one is a failure; it gets what failed below, which its document leaves out.
func fault(err error) error {
	var e *graph.Error
	switch {
	case err == nil:
		return nil
	case isRefusal(err):
		return errRefused
	case errors.As(err, &e) && e.Cause != nil:
		return fmt.Errorf("%w: %w", err, e.Cause)
	}
	return err
}

// refuseOpening turns a mistake of the schema into an error document: with such
// a schema, every call is refused. Other errors are failures.
func refuseOpening(std streams, tool string, err error) error {
	list := asErrors(err)
	var problems schema.Problems
	if !errors.As(err, &problems) && list == nil {
		return err
	}
	for _, p := range problems {
		list = append(list, &graph.Error{Code: graph.InvalidSchema, Path: p.Path, Message: p.String()})
	}
	if err := writeDocument(std.out, graph.NewErrorDocument(tool, list)); err != nil {
		return err
	}
	return errRefused
}

// isRefusal reports whether each of an error's codes says that the call is at
// fault.
func isRefusal(err error) bool {
	var list graph.Errors
	var single *graph.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &single):
		list = graph.Errors{single}
	default:
		return false
	}
	for _, e := range list {
		if !e.Code.Refusal() {
			return false
		}
	}
	return true
}

func writeDocument(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}

func writeLine(w io.Writer, line []byte) error {
	_, err := w.Write(append(line, '\n'))
	return err
}
