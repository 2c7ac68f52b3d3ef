package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/tools"
)

// A doc is a JSON object.
type doc = map[string]any

// describe returns the OpenAPI 3.1 document of the API, with an operation for
// each tool. The arguments' schemas are those of the tools; their definitions
// become components, under the tool's name.
func describe(list []*tools.Tool, version string, authenticated bool) ([]byte, error) {
	if version == "" {
		version = "0"
	}
	schemas := doc{"trellis.problem": problemSchema}
	paths := doc{
		"/tools": doc{"get": read("listTools", "The tools that the caller may call", jsonMedia, doc{
			"type": "object", "required": []string{"format", "tools"}, "properties": doc{
				"format": doc{"type": "string", "const": "trellis.tools.v1"},
				"tools": doc{"type": "array", "items": doc{"type": "object", "required": []string{"name", "title", "description", "parameters"}, "properties": doc{
					"name": text, "title": text, "description": text, "parameters": doc{"type": "object"},
				}}},
			},
		})},
		"/schema": doc{"get": read("getSchema", "The part of the graph's schema that the caller may see", jsonMedia, doc{"type": "object"})},
	}
	for _, tool := range list {
		arguments, err := componentOf(schemas, tool.Name, tool.Parameters)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tool.Name, err)
		}
		answer, err := componentOf(schemas, tool.Answers+answerSuffix, tools.AnswerSchema(tool.Answers))
		if err != nil {
			return nil, fmt.Errorf("the answer of %s: %w", tool.Answers, err)
		}
		paths["/tools/"+tool.Name] = doc{"post": operation(tool, arguments, answer)}
	}
	api := doc{
		"openapi": "3.1.0",
		"info":    doc{"title": "Trellis", "version": version, "description": "Questions about a graph, asked as tool calls."},
		"paths":   paths,
	}
	components := doc{"schemas": schemas}
	if authenticated {
		components["securitySchemes"] = doc{"token": doc{"type": "http", "scheme": "bearer"}}
		api["security"] = []doc{{"token": []string{}}}
	}
	api["components"] = components
	return marshal(api), nil
}

var text = doc{"type": "string"}

// answerSuffix ends the name of a component that is an answer: no tool's name has
// a dot.
const answerSuffix = ".answer"

// read is an operation that reads something.
func read(id, summary, media string, schema doc) doc {
	responses := doc{
		"200": doc{"description": summary, "content": doc{media: doc{"schema": schema}}},
		"304": doc{"description": "It is what If-None-Match has"},
	}
	maps.Copy(responses, problems(http.StatusUnauthorized, http.StatusInternalServerError, http.StatusServiceUnavailable))
	return doc{"operationId": id, "summary": summary, "responses": responses}
}

// operation is a call of a tool.
func operation(tool *tools.Tool, arguments, answer doc) doc {
	content := doc{}
	var formats []string
	all := format.All()
	if tool.Records() {
		all = []format.Format{format.JSON}
	}
	for _, f := range all {
		formats = append(formats, string(f))
		media, _, _ := strings.Cut(f.MediaType(), ";")
		switch f {
		case format.JSON:
			content[media] = doc{"schema": answer}
			if !tool.Records() {
				content[media] = doc{"schema": doc{"anyOf": []doc{answer, inColumns}}}
			}
		case format.Columns: // JSON too
		default:
			content[media] = doc{"schema": text}
		}
	}
	refused := slices.Compact(slices.Sorted(maps.Values(statuses)))
	responses := doc{"200": doc{"description": "The answer", "content": content}}
	maps.Copy(responses, problems(append(refused, http.StatusRequestTimeout, http.StatusNotAcceptable, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)...))
	return doc{
		"operationId": tool.Name, "summary": tool.Title, "description": tool.Description,
		"parameters": []doc{{"name": "format", "in": "query", "description": "the form of the answer, before what Accept says",
			"schema": doc{"type": "string", "enum": formats, "default": formats[0]}}},
		"requestBody": doc{"required": true, "content": doc{jsonMedia: doc{"schema": arguments}}},
		"responses":   responses,
	}
}

// problems are the responses of some statuses.
func problems(statuses ...int) doc {
	out := doc{}
	for _, status := range statuses {
		title := http.StatusText(status)
		if status == statusClosed {
			continue // nobody gets it
		}
		response := doc{"description": title, "content": doc{"application/problem+json": doc{"schema": doc{"$ref": "#/components/schemas/trellis.problem"}}}}
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			response["headers"] = doc{"Retry-After": doc{"description": "seconds to wait", "schema": doc{"type": "integer"}}}
		}
		out[strconv.Itoa(status)] = response
	}
	return out
}

// inColumns is the schema of an answer in columns.
var inColumns = doc{"type": "object", "required": []string{"format"}, "properties": doc{"format": doc{"type": "string", "const": format.ColumnsFormat}}}

// problemSchema is that of a problem, whatever its status.
var problemSchema = doc{
	"type": "object", "required": []string{"type", "title", "status", "detail", "format", "tool", "errors", "errors_total"},
	"properties": doc{
		"type": text, "title": text, "status": doc{"type": "integer"}, "detail": text, "format": text, "tool": text,
		"errors_total": doc{"type": "integer"},
		"errors": doc{"type": "array", "items": doc{
			"type": "object", "required": []string{"code", "path", "message", "retryable"},
			"properties": doc{
				"code": text, "path": doc{"type": "string", "description": "a JSON Pointer into the arguments"}, "message": text, "got": text, "hint": text,
				"allowed": doc{"type": "array", "items": text}, "allowed_total": doc{"type": "integer"}, "did_you_mean": doc{"type": "array", "items": text},
				"fix":       doc{"type": "array", "description": "a JSON Patch (RFC 6902) on the arguments", "items": doc{"type": "object"}},
				"retryable": doc{"type": "boolean"}, "retry_after_ms": doc{"type": "integer"}, "error_id": text,
			},
		}},
	},
}

// componentOf puts a tool's schema among the components, with its definitions,
// and returns a reference to it.
func componentOf(schemas doc, name string, parameters json.RawMessage) (doc, error) {
	var schema doc
	if err := json.Unmarshal(parameters, &schema); err != nil {
		return nil, err
	}
	definitions, _ := schema["definitions"].(doc)
	delete(schema, "definitions")
	for key, definition := range definitions {
		schemas[name+"."+key] = referring(definition, name)
	}
	schemas[name] = referring(schema, name)
	return doc{"$ref": "#/components/schemas/" + name}, nil
}

// referring turns references to a tool's definitions into ones to its
// components. A property may be called $ref: that one is no text.
func referring(v any, tool string) any {
	switch v := v.(type) {
	case doc:
		out := make(doc, len(v))
		for key, member := range v {
			if text, ok := member.(string); ok && key == "$ref" {
				out[key] = "#/components/schemas/" + tool + "." + strings.TrimPrefix(text, "#/definitions/")
			} else {
				out[key] = referring(member, tool)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = referring(v[i], tool)
		}
	}
	return v
}
