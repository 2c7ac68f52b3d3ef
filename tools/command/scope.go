package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// scopeUsage explains the JSON form of a scope.
const scopeUsage = `on whose behalf, as ` + "`JSON`" + `: {"tenant": "…", "view": "…", "principal": "…", "claims": {…}}`

// parseScope reads a scope from JSON; nil for no text.
func parseScope(text []byte) (*graph.Scope, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var s *struct {
		Tenant    string         `json:"tenant"`
		View      string         `json:"view"`
		Principal string         `json:"principal"`
		TokenID   string         `json:"token_id"`
		Claims    map[string]any `json:"claims"`
	}
	var wrong *json.UnmarshalTypeError
	switch err := decodeStrictly(text, &s); {
	case errors.As(err, &wrong) && wrong.Field != "":
		return nil, fmt.Errorf("%s cannot be of type %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("it is an object, and not of type %s", wrong.Value)
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if s == nil {
		return nil, errors.New("null is not a scope")
	}
	return &graph.Scope{Tenant: s.Tenant, View: s.View, Principal: s.Principal, TokenID: s.TokenID, Claims: s.Claims}, nil
}

// decodeStrictly decodes one JSON value and refuses unknown fields and
// whatever follows the value. Numbers keep their digits.
func decodeStrictly(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}
