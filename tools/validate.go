package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/xeipuuv/gojsonschema"

	"github.com/trellisgraph/trellis/graph"
)

// A Validator checks arguments against the published schema of a tool, as a
// client would. Trellis itself does not need it: Decode and the check accept
// nothing that a Validator refuses, and say more. It is safe for concurrent use.
type Validator struct{ schema *gojsonschema.Schema }

// NewValidator compiles a tool's schema. The error says what is wrong with the
// schema.
func NewValidator(t *Tool) (*Validator, error) {
	s, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(t.Parameters))
	if err != nil {
		return nil, fmt.Errorf("tools: the schema of %s: %w", t.Name, err)
	}
	return &Validator{s}, nil
}

// Validate returns nil or graph.Errors, with a pointer for each place where the
// arguments do not fit. Numbers are compared exactly. It does not see what no JSON
// Schema sees, such as duplicate names.
func (v *Validator) Validate(args []byte) error {
	if !json.Valid(args) {
		return graph.Errors{{Code: graph.Syntax, Message: "the arguments are not a JSON text"}}
	}
	result, err := v.schema.Validate(gojsonschema.NewBytesLoader(args))
	if err != nil {
		return graph.Errors{{Code: graph.Syntax, Message: "the arguments cannot be read", Cause: err}}
	}
	if result.Valid() {
		return nil
	}
	var errs graph.Errors
	for _, r := range result.Errors() {
		errs = append(errs, &graph.Error{Code: codeOf(r.Type()), Path: pointerOf(r), Message: r.Description()})
	}
	return errs
}

// pointerOf is the place of a result, with the member's name where a member is
// missing or one too many.
func pointerOf(r gojsonschema.ResultError) string {
	const separator = "\x00"
	at := graph.Pointer("", strings.Split(r.Context().String(separator), separator)[1:]...)
	switch r.Type() {
	case "required", "additional_property_not_allowed":
		if name, ok := r.Details()["property"].(string); ok {
			return graph.Pointer(at, name)
		}
	}
	return at
}

func codeOf(kind string) graph.Code {
	switch kind {
	case "required":
		return graph.MissingField
	case "additional_property_not_allowed":
		return graph.UnknownField
	case "enum":
		return graph.InvalidEnum
	case "number_gte", "array_min_items", "string_gte", "array_min_properties":
		return graph.OutOfRange
	case "number_lte", "array_max_items", "string_lte", "array_max_properties":
		return graph.LimitExceeded
	}
	return graph.InvalidType
}
