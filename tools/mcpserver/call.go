package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/graph"
)

// callTool answers a call of the tool that the context names, in its scope.
func (s *Server) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args := []byte(req.Params.Arguments)
	if args == nil {
		args = []byte("{}")
	}
	name, _ := ctx.Value(nameKey{}).(string)
	stop := s.progress(ctx, req, name)
	document, err := s.tools.Call(ctx, name, args)
	stop()
	if errors.Is(err, graph.UnknownTool) {
		return nil, protocolError(err)
	}
	out := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(document)}}, IsError: err != nil}
	if s.opts.OutputSchemas && err == nil && document[0] == '{' { // and not null, which is no object
		out.StructuredContent = json.RawMessage(document)
	}
	return out, nil
}

// protocolError is a refusal where the protocol has no place for its document
// but an error: what was asked for does not exist, or not for this caller.
func protocolError(err error) error {
	var list graph.Errors
	var single *graph.Error
	code := int64(jsonrpc.CodeInternalError)
	message := "the request could not be answered"
	switch {
	case errors.As(err, &list) && len(list) > 0:
		single = list[0]
	case errors.As(err, &single):
	}
	if single != nil {
		message = single.Error()
		if single.Code.Refusal() {
			code = jsonrpc.CodeInvalidParams
		}
	}
	data, _ := json.Marshal(graph.NewErrorDocument("", err)) // of Trellis's own types, which all have a JSON form
	return &jsonrpc.Error{Code: code, Message: message, Data: data}
}
