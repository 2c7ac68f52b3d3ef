package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools"
)

// toolFormats are the forms in which clients want tool definitions.
var toolFormats = []string{"json", "openai", "anthropic", "markdown", "prompt"}

func toolsCommand() *command {
	return &command{
		name:    "tools",
		args:    "--schema FILE",
		summary: "Print the tool definitions for a language model",
		help: `
Prints the tools with their JSON Schemas, filled in with the labels, types
and properties of the schema: as json (name, description, parameters), in the
forms that the APIs of openai and anthropic take, or as markdown to read. Of a
schema whose labels are records, prompt is the workflow that a model has to keep
to which answers from them.

    trellis tools --schema schema.yaml
    trellis tools --schema schema.yaml --format anthropic
    trellis tools --schema DIR --format markdown

With --scope these are the tools of a caller: what policies hide from the caller
is in none of them. A schema with policies has no others. With --queries the
named queries of a file are there too.

    trellis tools --schema schema.yaml --scope '{"tenant": "acme"}'`,
		define: func(flags *flag.FlagSet) action {
			file := flags.String("schema", "", "the schema `file`, or a graph directory")
			format := flags.String("format", "json", "the `format`: json, openai, anthropic, markdown or prompt")
			scope := flags.String("scope", "", scopeUsage)
			queries := flags.String("queries", "", queriesUsage)
			var most bounds
			most.define(flags)
			return func(ctx context.Context, std streams, args []string) error {
				switch {
				case len(args) > 0:
					return usagef("tools takes flags only, not %q", args[0])
				case *file == "":
					return usagef("which schema? Give --schema FILE")
				case !slices.Contains(toolFormats, *format):
					return usagef("there is no format %q; the formats are %s", *format, strings.Join(toolFormats, ", "))
				}
				caller, err := parseScope([]byte(*scope))
				if err != nil {
					return usagef("--scope is not a scope: %s", err)
				}
				s, err := readSchema(*file, 0)
				if err != nil {
					return refuseOpening(std, "", err)
				}
				offered, err := readTools(s, nil, *queries, engine.Options{Limits: most.limits()})
				if err != nil {
					return refuseOpening(std, "", err)
				}
				list, err := offered.tools.List(within(ctx, caller))
				if err != nil {
					return refuse(std.out, "", err)
				}
				if *format == "prompt" {
					text, err := offered.tools.Workflow(within(ctx, caller))
					switch {
					case err != nil:
						return refuse(std.out, "", err)
					case text == "":
						return usagef("no label of the schema offers its nodes as `records`, and so there is no prompt")
					}
					_, err = io.WriteString(std.out, text)
					return err
				}
				return exportTools(std.out, list, *format)
			}
		},
	}
}

func exportTools(w io.Writer, list []*tools.Tool, format string) error {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	switch format {
	case "openai":
		type tool struct {
			Type     string   `json:"type"`
			Function function `json:"function"`
		}
		var out []tool
		for _, t := range list {
			out = append(out, tool{"function", function{t.Name, t.Description, t.Parameters}})
		}
		return writeDocument(w, out)
	case "anthropic":
		type tool struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		}
		var out []tool
		for _, t := range list {
			out = append(out, tool{t.Name, t.Description, t.Parameters})
		}
		return writeDocument(w, out)
	case "markdown":
		for i, t := range list {
			if i > 0 {
				fmt.Fprintln(w)
			}
			var schema bytes.Buffer
			if err := json.Indent(&schema, t.Parameters, "", "  "); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "## %s\n\n%s\n\n```json\n%s\n```\n", t.Name, t.Description, &schema); err != nil {
				return err
			}
		}
		return nil
	}
	var out []function
	for _, t := range list {
		out = append(out, function{t.Name, t.Description, t.Parameters})
	}
	return writeDocument(w, out)
}
