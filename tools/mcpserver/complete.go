package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/schema"
)

// complete completes arguments of the prompt and of the resources' templates:
// labels, relationship types, properties, the codes of enums and the named
// queries, of what the caller sees.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, name := req.Params.Ref, req.Params.Argument.Name
	switch {
	case ref.Type == "ref/prompt" && ref.Name == groundedPrompt.Name && isArgument(name):
	case ref.Type == "ref/resource" && strings.Contains(ref.URI, "{"+name+"}") && slices.Contains([]string{labelURI, typeURI, propertyURI, queryURI}, ref.URI):
	default:
		return nil, invalid("there is no argument %q to complete there", name)
	}
	sch, err := s.tools.Schema(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	var label *schema.Label
	known := map[string]string{}
	if req.Params.Context != nil {
		known = req.Params.Context.Arguments
		label, _ = sch.Label(known["label"])
	}
	var names []string
	switch name {
	case "label":
		for l := range sch.Labels() {
			names = append(names, l.Name)
		}
	case "relationship_type":
		for t := range sch.Relationships() {
			if label == nil || touches(t, label) {
				names = append(names, t.Name)
			}
		}
	case "property":
		names = propertiesOf(sch, label)
	case "value":
		names = valuesOf(label, known["property"])
	case "query":
		if names, err = s.queryNames(ctx); err != nil {
			return nil, err
		}
	}
	return &mcp.CompleteResult{Completion: matching(names, req.Params.Argument.Value)}, nil
}

// propertiesOf names the properties of a label, or of all labels if it is nil.
func propertiesOf(sch *schema.Schema, label *schema.Label) (names []string) {
	seen := map[string]bool{}
	for l := range sch.Labels() {
		if label != nil && label != l {
			continue
		}
		for _, p := range l.Properties {
			if !p.Hidden && !seen[p.Name] {
				seen[p.Name] = true
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// valuesOf are the values of a property that has few.
func valuesOf(label *schema.Label, property string) []string {
	if label == nil {
		return nil
	}
	p, ok := label.Property(property)
	switch {
	case !ok || !usable(p):
		return nil
	case p.Type == schema.Enum:
		return p.EnumNames()
	case p.Type == schema.Bool:
		return []string{"true", "false"}
	}
	return nil
}

func (s *Server) queryNames(ctx context.Context) (names []string, err error) {
	list, err := s.tools.List(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	for _, t := range list {
		if t.Asks != t.Name {
			names = append(names, t.Name)
		}
	}
	return names, nil
}

// matching are the names that begin with what was typed, then those that have
// it elsewhere, whatever its case; 100 at most, which the protocol allows.
func matching(names []string, typed string) mcp.CompletionResultDetails {
	typed = strings.ToLower(typed)
	begin, within := []string{}, []string{}
	for _, n := range names {
		switch lower := strings.ToLower(n); {
		case strings.HasPrefix(lower, typed):
			begin = append(begin, n)
		case strings.Contains(lower, typed):
			within = append(within, n)
		}
	}
	all := append(begin, within...)
	const highest = 100
	return mcp.CompletionResultDetails{Values: all[:min(len(all), highest)], Total: len(all), HasMore: len(all) > highest}
}
