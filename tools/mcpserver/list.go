package mcpserver

import (
	"bytes"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/tools"
)

func (s *Server) listTools(ctx context.Context, req *mcp.ListToolsRequest) (*mcp.ListToolsResult, error) {
	list, err := s.tools.List(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	var cursor string
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	list, next, err := page(list, cursor, s.opts.PageSize, func(t *tools.Tool) string { return t.Name })
	if err != nil {
		return nil, err
	}
	out := make([]*mcp.Tool, len(list))
	for i, t := range list {
		out[i] = s.tool(t)
	}
	return &mcp.ListToolsResult{Tools: out, NextCursor: next, Cacheable: private}, nil
}

// tool is a tool as the protocol publishes it.
func (s *Server) tool(t *tools.Tool) *mcp.Tool {
	no := false
	out := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Parameters,
		Annotations: &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}
	if s.opts.OutputSchemas {
		// The protocol has schemas of objects alone, and a record may be null.
		if answer := tools.AnswerSchema(t.Answers); bytes.HasPrefix(answer, []byte(`{"type":"object"`)) {
			out.OutputSchema = answer
		}
	}
	return out
}
