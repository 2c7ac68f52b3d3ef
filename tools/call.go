package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

// Query decodes a call's arguments and checks what could be decoded, so that
// all mistakes, of form and of meaning, come together as graph.Errors.
func (r *Registry) Query(ctx context.Context, e *engine.Engine, name string, args []byte) (graph.Query, error) {
	q, mistakes := r.Decode(name, args)
	if len(mistakes) == 0 {
		return q, nil
	}
	if q != nil {
		var more graph.Errors
		if _, err := e.Check(ctx, q); errors.As(err, &more) {
			mistakes = mistakes.Merge(more)
		}
	}
	return nil, mistakes
}

// Call answers a tool call with its JSON document: the answer, or, with the
// error that it documents, the refusal. The bytes are always there.
func (r *Registry) Call(ctx context.Context, e *engine.Engine, name string, args []byte) ([]byte, error) {
	q, err := r.Query(ctx, e, name, args)
	if err != nil {
		return refusal(name, err), err
	}
	res, err := e.Run(ctx, q)
	if err != nil {
		return refusal(name, err), err
	}
	if res.Schema != nil {
		return marshal(res.Schema), nil
	}
	doc, err := res.AppendJSON(nil)
	if err != nil {
		return refusal(name, err), err
	}
	return doc, nil
}

func refusal(name string, err error) []byte { return marshal(graph.NewErrorDocument(name, err)) }

// marshal writes a document of Trellis's own types, which all have a JSON form.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(`{"format":"` + graph.ErrorFormat + `","errors":[],"errors_total":0}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
