package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/tools"
)

// toolFormats are the forms in which clients want tool definitions.
var toolFormats = []string{"json", "openai", "anthropic", "markdown"}

func toolsCommand() *command {
	return &command{
		name:    "tools",
		args:    "--schema FILE",
		summary: "Print the tool definitions for a language model",
		help: `
Prints the six tools with their JSON Schemas, filled in with the labels, types
and properties of the schema: as json (name, description, parameters), in the
forms that the APIs of openai and anthropic take, or as markdown to read.

    trellis tools --schema schema.yaml
    trellis tools --schema schema.yaml --format anthropic
    trellis tools --schema DIR --format markdown`,
		define: func(flags *flag.FlagSet) action {
			file := flags.String("schema", "", "the schema `file`, or a graph directory")
			format := flags.String("format", "json", "the `format`: json, openai, anthropic or markdown")
			var most bounds
			most.define(flags)
			return func(_ context.Context, std streams, args []string) error {
				switch {
				case len(args) > 0:
					return usagef("tools takes flags only, not %q", args[0])
				case *file == "":
					return usagef("which schema? Give --schema FILE")
				case !slices.Contains(toolFormats, *format):
					return usagef("there is no format %q; the formats are %s", *format, strings.Join(toolFormats, ", "))
				}
				s, err := readSchema(*file)
				if err != nil {
					return refuseOpening(std, "", err)
				}
				return exportTools(std.out, slices.Collect(tools.Graph(s, most.limits()).Tools()), *format)
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
