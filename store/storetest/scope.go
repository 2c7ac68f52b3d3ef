package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/trellisgraph/trellis/graph"
)

// scopeFile is a scope as scripts write it.
type scopeFile struct {
	Tenant    string         `json:"tenant,omitempty"`
	View      string         `json:"view,omitempty"`
	Principal string         `json:"principal,omitempty"`
	TokenID   string         `json:"token_id,omitempty"`
	Claims    map[string]any `json:"claims,omitempty"`
}

// parseScope reads a scope. Numbers stay as they are written.
func parseScope(text string) (*graph.Scope, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	d.DisallowUnknownFields()
	var f scopeFile
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%q is no scope: %w", text, err)
	}
	return &graph.Scope{Tenant: f.Tenant, View: f.View, Principal: f.Principal, TokenID: f.TokenID, Claims: f.Claims}, nil
}

func scopeJSON(s *graph.Scope) string {
	b, err := json.Marshal(scopeFile{s.Tenant, s.View, s.Principal, s.TokenID, s.Claims})
	if err != nil {
		return err.Error()
	}
	return string(b)
}
