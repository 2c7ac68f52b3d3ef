package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// groundedPrompt is there for everybody: how to answer a question from the graph and
// from nothing else.
var groundedPrompt = &mcp.Prompt{
	Name: "grounded_answer", Title: "Answer from the graph",
	Description: "How to answer a question from this graph and nothing else: which labels, codes and tools there are, what to do when nothing is found, and what to cite.",
	Arguments: []*mcp.PromptArgument{
		{Name: "question", Title: "Question", Description: "What is to be answered.", Required: true},
		{Name: "label", Title: "Label", Description: "What the question is about, if that is known."},
		{Name: "property", Title: "Property", Description: "A property of the label that has a known value."},
		{Name: "value", Title: "Value", Description: "The value of the property."},
		{Name: "relationship_type", Title: "Relationship type", Description: "A relationship to follow, if that is known."},
	},
}

// recordsPrompt is there for who is offered records: the steps that answers from
// them keep to.
var recordsPrompt = &mcp.Prompt{
	Name: "records_workflow", Title: "Answer from the records",
	Description: "The mandatory workflow of answers from these records: identify the type, use the tools and invent no ids, say when nothing is found, cite.",
	Arguments:   []*mcp.PromptArgument{{Name: "question", Title: "Question", Description: "What is to be answered."}},
}

func (s *Server) listPrompts(ctx context.Context) (*mcp.ListPromptsResult, error) {
	text, err := s.tools.Workflow(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	out := &mcp.ListPromptsResult{Prompts: []*mcp.Prompt{groundedPrompt}, Cacheable: private}
	if text != "" {
		about, err := s.aboutRecords(ctx)
		if err != nil {
			return nil, protocolError(err)
		}
		records := *recordsPrompt
		records.Description = about
		out.Prompts = append(out.Prompts, &records)
	}
	return out, nil
}

// aboutRecords is the description of the prompt for records, and of the graph that
// they are in.
func (s *Server) aboutRecords(ctx context.Context) (string, error) {
	sch, err := s.tools.Schema(ctx)
	if err != nil || sch.Description() == "" {
		return recordsPrompt.Description, err
	}
	return recordsPrompt.Description + "\n\n" + sch.Description(), nil
}

// getRecordsPrompt is the workflow of records for the caller.
func (s *Server) getRecordsPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text, err := s.tools.Workflow(ctx)
	switch {
	case err != nil:
		return nil, protocolError(err)
	case text == "":
		return nil, invalid("there is no prompt %q", req.Params.Name)
	}
	about, err := s.aboutRecords(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	for name, value := range req.Params.Arguments {
		if name != "question" {
			return nil, invalid("the prompt has no argument %q", name)
		}
		if value = strings.TrimSpace(value); value != "" {
			text += "\nThe question: " + value + "\n"
		}
	}
	return &mcp.GetPromptResult{
		Description: about,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}, nil
}

func (s *Server) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	sch, err := s.tools.Schema(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	list, err := s.tools.List(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	w := &workflow{schema: sch}
	for _, t := range list {
		if t.Asks != t.Name {
			w.queries = append(w.queries, t)
		}
	}
	if err := w.read(req.Params.Arguments); err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{
		Description: groundedPrompt.Description,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: w.text()}}},
	}, nil
}

// read resolves the prompt's arguments in the caller's schema.
func (w *workflow) read(args map[string]string) error {
	for name := range args {
		if !isArgument(name) {
			return invalid("the prompt has no argument %q", name)
		}
	}
	w.question = strings.TrimSpace(args["question"])
	if w.question == "" {
		return invalid("the argument question is missing")
	}
	if name := args["label"]; name != "" {
		l, ok := w.schema.Label(name)
		if !ok {
			return unknown("label", name, w.schema.SuggestLabel(name))
		}
		w.label = l
	}
	if name := args["relationship_type"]; name != "" {
		t, ok := w.schema.Relationship(name)
		if !ok {
			return unknown("relationship type", name, w.schema.SuggestRelationship(name))
		}
		w.follow = t
	}
	name, value := args["property"], args["value"]
	switch {
	case name == "" && value == "":
		return nil
	case w.label == nil:
		return invalid("a property and its value need the label that has them")
	case name == "":
		return invalid("the value needs the property that has it")
	}
	p, ok := w.label.Property(name)
	if !ok || !usable(p) {
		return unknown("property of "+w.label.Name, name, w.schema.SuggestProperty(usableOf(w.label.Properties), name))
	}
	w.property = p
	if value == "" {
		return nil
	}
	v, mistake := p.Coerce(graph.String(value), true)
	if mistake != nil {
		return invalid("the value: %s", mistake.Message)
	}
	w.value = v
	return nil
}

func isArgument(name string) bool {
	for _, a := range groundedPrompt.Arguments {
		if a.Name == name {
			return true
		}
	}
	return false
}

// usable reports whether a caller may put conditions on a property.
func usable(p *schema.Property) bool {
	return !p.Hidden && p.Masked == "" && !p.NotFilterable && p.Type != schema.JSON
}

func usableOf(list []*schema.Property) (out []*schema.Property) {
	for _, p := range list {
		if usable(p) {
			out = append(out, p)
		}
	}
	return out
}

func unknown(what, name string, suggestions []string) error {
	if len(suggestions) > 0 {
		return invalid("there is no %s %q; did you mean %q?", what, name, suggestions[0])
	}
	return invalid("there is no %s %q", what, name)
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
