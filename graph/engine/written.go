package engine

import (
	"bytes"
	"encoding/json"
)

// written are a call's arguments as JSON, for its record: those of a tool call
// as they came, those of a query that passed the check as its fields, without
// the ones that are not set.
func (c *call) asked() []byte {
	if c.request != nil {
		return c.request.Arguments
	}
	if c.plan == nil {
		return nil // it may be anything, of any depth
	}
	b, err := json.Marshal(c.query)
	if err != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var fields any
	if d.Decode(&fields) != nil {
		return nil
	}
	unset(fields)
	b, _ = json.Marshal(fields) // what was JSON is JSON
	return b
}

// unset takes the fields out of a query that have their zero values. What a
// filter compares with stays, whatever it is.
func unset(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			unset(e)
		}
	case map[string]any:
		for name, field := range v {
			switch {
			case name == "Value":
			case field == nil, field == "", field == false, field == json.Number("0"):
				delete(v, name)
			default:
				unset(field)
			}
		}
	}
}
