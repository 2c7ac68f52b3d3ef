//lint:file-ignore SA1019 the suite asks for logging, sampling and roots, which are deprecated
package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/schema"
)

// The smallest picture and the smallest sound.
var (
	picture = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	sound   = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func fixtureSchema(name string) json.RawMessage {
	switch name {
	case "json_schema_2020_12_tool":
		return json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
			"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
			"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
			"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
			"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
			"additionalProperties":false}`)
	case "test_x_mcp_header":
		return json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`)
	}
	return json.RawMessage(`{"type":"object"}`)
}

type call = mcp.ToolHandler

// answers is a tool that always answers the same.
func answers(content ...mcp.Content) call {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func says(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func fixtureTools(catalog *schema.Catalog) map[string]call {
	text := &mcp.TextContent{Text: "This is a simple text response for testing."}
	image := &mcp.ImageContent{Data: picture, MIMEType: "image/png"}
	embedded := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "An embedded resource."}}
	failed := says("This tool intentionally returns an error for testing")
	failed.IsError = true
	swap := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		catalog.Swap(catalog.Current())
		return says("swapped"), nil
	}
	return map[string]call{
		"test_simple_text":                          answers(text),
		"test_image_content":                        answers(image),
		"test_audio_content":                        answers(&mcp.AudioContent{Data: sound, MIMEType: "audio/wav"}),
		"test_embedded_resource":                    answers(embedded),
		"test_multiple_content_types":               answers(text, image, embedded),
		"test_error_handling":                       func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return failed, nil },
		"json_schema_2020_12_tool":                  answers(text),
		"test_x_mcp_header":                         answers(text),
		"test_reconnection":                         answers(text),
		"test_streaming_elicitation":                answers(text),
		"test_tool_with_logging":                    logs(3),
		"test_logging_tool":                         logs(1),
		"test_tool_with_progress":                   progresses,
		"test_trigger_tool_change":                  swap,
		"test_trigger_prompt_change":                swap,
		"test_sampling":                             asks("answer", sampling("Say something.")),
		"test_elicitation":                          asks("answer", elicitation("username", "string")),
		"test_elicitation_sep1034_defaults":         asks("answer", elicitation("name", "string")),
		"test_elicitation_sep1330_enums":            asks("answer", elicitation("name", "string")),
		"test_missing_capability":                   needsSampling,
		"test_input_required_result_elicitation":    asks("user_name", elicitation("name", "string")),
		"test_input_required_result_sampling":       asks("capital_question", sampling("What is the capital of France?")),
		"test_input_required_result_list_roots":     asks("client_roots", &mcp.ListRootsParams{}),
		"test_input_required_result_request_state":  keepsState,
		"test_input_required_result_tampered_state": keepsState,
		"test_input_required_result_multi_round":    rounds,
		"test_input_required_result_multiple_inputs": func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			all := mcp.InputRequestMap{"user_name": elicitation("name", "string"), "greeting": sampling("Greet."), "client_roots": &mcp.ListRootsParams{}}
			if len(req.Params.InputResponses) == len(all) {
				return says("all three are there"), nil
			}
			return &mcp.CallToolResult{InputRequests: all, RequestState: "three"}, nil
		},
		"test_input_required_result_capabilities": asksWhatCan,
	}
}

func logs(times int) call {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for range times {
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "a message"})
			time.Sleep(20 * time.Millisecond)
		}
		return says("logged"), nil
	}
}

func progresses(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100})
		time.Sleep(20 * time.Millisecond)
	}
	return says("%v", token), nil
}

func elicitation(property, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: "Please tell.", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{property: map[string]any{"type": kind}}, "required": []string{property},
	}}
}

func sampling(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: prompt}}}, MaxTokens: 50}
}

// accepted is what a user has filled in.
func accepted(req *mcp.CallToolRequest, key string) map[string]any {
	if r, ok := req.Params.InputResponses[key].(*mcp.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

// asks is a tool that asks its client one thing before it answers.
func asks(key string, question mcp.InputRequest) call {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, isForm := question.(*mcp.ElicitParams)
		if response := req.Params.InputResponses[key]; response != nil && (!isForm || accepted(req, key)["name"] != nil) {
			told, err := json.Marshal(response)
			return says("The client said %s", told), err
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{key: question}}, nil
	}
}

func needsSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return says("there is sampling"), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is needed", Data: data}
}

// keepsState gives the client a state and wants it back as it was.
func keepsState(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	const state = "the state"
	switch {
	case req.Params.RequestState != "" && req.Params.RequestState != state:
		return nil, invalid("the state was changed")
	case req.Params.RequestState == state && accepted(req, "confirm") != nil:
		return says("state-ok"), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"confirm": elicitation("ok", "boolean")}, RequestState: state}, nil
}

// rounds asks twice, and keeps the first answer in the state.
func rounds(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, second := strings.CutPrefix(req.Params.RequestState, "second:")
	switch {
	case req.Params.RequestState == "":
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step1": elicitation("name", "string")}, RequestState: "first"}, nil
	case !second:
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"step2": elicitation("color", "string")},
			RequestState:  fmt.Sprintf("second:%v", accepted(req, "step1")["name"]),
		}, nil
	}
	return says("%s likes %v", name, accepted(req, "step2")["color"]), nil
}

// asksWhatCan asks only what the client has said that it can answer.
func asksWhatCan(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	caps, questions := req.ClientCapabilities(), mcp.InputRequestMap{}
	if caps != nil && caps.Elicitation != nil {
		questions["user_name"] = elicitation("name", "string")
	}
	if caps != nil && caps.Sampling != nil {
		questions["greeting"] = sampling("Greet.")
	}
	if len(questions) == 0 || len(req.Params.InputResponses) > 0 {
		return says("nothing more to ask"), nil
	}
	return &mcp.CallToolResult{InputRequests: questions}, nil
}

func addFixturePrompts(s *mcp.Server) {
	add := func(name string, arguments []string, content func(map[string]string) []mcp.Content) {
		p := &mcp.Prompt{Name: name, Description: "A fixture."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "An argument.", Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			out := &mcp.GetPromptResult{}
			for _, c := range content(req.Params.Arguments) {
				out.Messages = append(out.Messages, &mcp.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	text := &mcp.TextContent{Text: "This is a simple prompt for testing."}
	add("test_simple_prompt", nil, func(map[string]string) []mcp.Content { return []mcp.Content{text} })
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(args map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("arg1='%s', arg2='%s'", args["arg1"], args["arg2"])}}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(args map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: args["resourceUri"], MIMEType: "text/plain", Text: "An embedded resource."}}, text}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: picture, MIMEType: "image/png"}, text}
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A fixture."}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if r, ok := req.Params.InputResponses["user_context"].(*mcp.ElicitResult); ok && r.Action == "accept" {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprint(r.Content["context"])}}}}, nil
		}
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": elicitation("context", "string")}}, nil
	})
}

func addFixtureResources(s *mcp.Server) {
	read := func(of mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c := of
			c.URI = req.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
		}
	}
	s.AddResource(&mcp.Resource{Name: "static-text", URI: "test://static-text", MIMEType: "text/plain"}, read(mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(&mcp.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"}, read(mcp.ResourceContents{MIMEType: "image/png", Blob: picture}))
	s.AddResource(&mcp.Resource{Name: "watched", URI: "test://watched-resource", MIMEType: "text/plain"}, read(mcp.ResourceContents{MIMEType: "text/plain", Text: "Watched."}))
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.Split(req.Params.URI, "/")[3]
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
				URI: req.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id),
			}}}, nil
		})
}
