package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools"
)

// The resources: the schema as the caller sees it, whole or in parts, and the
// caller's named queries.
const (
	schemaURI   = "trellis://schema"
	labelURI    = "trellis://schema/labels/{label}"
	typeURI     = "trellis://schema/relationship-types/{relationship_type}"
	propertyURI = "trellis://schema/labels/{label}/properties/{property}"
	queryURI    = "trellis://queries/{query}"

	jsonType = "application/json"
)

func (s *Server) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	list, err := s.tools.List(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	all := []*mcp.Resource{{
		URI: schemaURI, Name: "schema", Title: "The graph's schema", MIMEType: jsonType,
		Description: "All labels, relationship types and properties, as get_graph_schema tells them with expand_schema.",
	}}
	for _, t := range list {
		if t.Asks != t.Name {
			all = append(all, &mcp.Resource{
				URI: strings.Replace(queryURI, "{query}", t.Name, 1), Name: t.Name, Title: t.Title, MIMEType: jsonType, Description: t.Description,
			})
		}
	}
	var cursor string
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	some, next, err := page(all, cursor, s.opts.PageSize, func(r *mcp.Resource) string { return r.URI })
	if err != nil {
		return nil, err
	}
	return &mcp.ListResourcesResult{Resources: some, NextCursor: next, Cacheable: private}, nil
}

func (s *Server) listTemplates(ctx context.Context) (*mcp.ListResourceTemplatesResult, error) {
	if _, err := s.tools.Schema(ctx); err != nil {
		return nil, protocolError(err)
	}
	return &mcp.ListResourceTemplatesResult{Cacheable: private, ResourceTemplates: []*mcp.ResourceTemplate{
		{URITemplate: labelURI, Name: "label", Title: "A label", MIMEType: jsonType, Description: "The properties and relationships of one label."},
		{URITemplate: typeURI, Name: "relationship_type", Title: "A relationship type", MIMEType: jsonType, Description: "The labels that one relationship type connects, and its properties."},
		{URITemplate: propertyURI, Name: "property", Title: "A property", MIMEType: jsonType, Description: "The type of one property of a label, and its values if they are an enum's."},
		{URITemplate: queryURI, Name: "query", Title: "A named query", MIMEType: jsonType, Description: "What one named query asks, and its parameters."},
	}}, nil
}

func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	document, err := s.resource(ctx, req.Params.URI)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Cacheable: private, Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: jsonType, Text: string(document)}}}, nil
}

// resource reads a resource in the context's scope. What this caller cannot see
// does not exist.
func (s *Server) resource(ctx context.Context, uri string) ([]byte, error) {
	rest, ok := strings.CutPrefix(uri, "trellis://")
	parts := strings.Split(rest, "/")
	for i := range parts {
		part, err := url.PathUnescape(parts[i])
		if err != nil {
			ok = false
		}
		parts[i] = part
	}
	switch {
	case !ok:
	case len(parts) == 1 && parts[0] == "schema":
		return s.describe(ctx, uri, map[string]any{"expand_schema": true}, whole)
	case len(parts) == 3 && parts[0] == "schema" && parts[1] == "labels":
		return s.describe(ctx, uri, map[string]any{"expand_nodes": []string{parts[2]}}, func(d *graph.Description) any { return labelOf(d, parts[2]) })
	case len(parts) == 3 && parts[0] == "schema" && parts[1] == "relationship-types":
		return s.describe(ctx, uri, map[string]any{"expand_relationship_types": []string{parts[2]}}, func(d *graph.Description) any { return typeOf(d, parts[2]) })
	case len(parts) == 5 && parts[0] == "schema" && parts[1] == "labels" && parts[3] == "properties":
		return s.describe(ctx, uri, map[string]any{"expand_nodes": []string{parts[2]}}, func(d *graph.Description) any { return propertyOf(d, parts[2], parts[4]) })
	case len(parts) == 2 && parts[0] == "queries":
		return s.query(ctx, uri, parts[1])
	}
	return nil, notFound(uri, "")
}

// spelled is the one spelling of a resource's URI with no more escapes than it
// needs.
func spelled(uri string) string {
	rest, ok := strings.CutPrefix(uri, "trellis://")
	if !ok {
		return uri
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		if text, err := url.PathUnescape(part); err == nil {
			parts[i] = url.PathEscape(text)
		}
	}
	return "trellis://" + strings.Join(parts, "/")
}

// describe reads a part of the schema. It is a call of get_graph_schema like
// any other.
func (s *Server) describe(ctx context.Context, uri string, args map[string]any, part func(*graph.Description) any) ([]byte, error) {
	call, _ := json.Marshal(args) // texts, which always have a JSON form
	document, err := s.tools.Call(ctx, graph.ToolDescribe, call)
	switch {
	case errors.Is(err, graph.UnknownLabel), errors.Is(err, graph.UnknownRelationship), errors.Is(err, graph.InvalidString):
		return nil, notFound(uri, err.Error())
	case err != nil:
		return nil, protocolError(err)
	}
	var d graph.Description
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	found := part(&d)
	if found == nil {
		return nil, notFound(uri, "")
	}
	if found == &d {
		return document, nil
	}
	return marshal(found)
}

func whole(d *graph.Description) any { return d }

func labelOf(d *graph.Description, name string) any {
	for i := range d.NodeTypes {
		if d.NodeTypes[i].Name == name && d.NodeTypes[i].Properties != nil {
			return &d.NodeTypes[i]
		}
	}
	return nil
}

func typeOf(d *graph.Description, name string) any {
	for i := range d.RelationshipTypes {
		if d.RelationshipTypes[i].Name == name {
			return &d.RelationshipTypes[i]
		}
	}
	return nil
}

func propertyOf(d *graph.Description, label, name string) any {
	l, ok := labelOf(d, label).(*graph.NodeTypeInfo)
	if !ok {
		return nil
	}
	for i, p := range *l.Properties {
		if p.Name == name {
			return &(*l.Properties)[i]
		}
	}
	return nil
}

// query reads a named query.
func (s *Server) query(ctx context.Context, uri, name string) ([]byte, error) {
	r, err := s.tools.Registry(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	t, ok := r.Lookup(name)
	if !ok || t.Asks == t.Name {
		return nil, notFound(uri, "")
	}
	return marshal(struct {
		*tools.Tool
		Asks string `json:"asks"`
	}{t, t.Asks})
}

func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

func notFound(uri, why string) error {
	message := "there is no such resource"
	if why != "" {
		message += ": " + why
	}
	data, _ := json.Marshal(map[string]string{"uri": uri}) // texts, which always have a JSON form
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message, Data: data}
}
