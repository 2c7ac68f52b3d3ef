package engine

import (
	"context"
	"sync"

	"github.com/trellisgraph/trellis/graph"
)

// RunJSON is Run for those who want the answer's document only: it appends it
// to dst, with the bytes that marshalling Run's result gives. Where the store
// writes its answer node by node, nothing is collected. After an error dst has
// what it had.
func (e *Engine) RunJSON(ctx context.Context, dst []byte, q graph.Query) ([]byte, error) {
	c := e.call(toolOf(q))
	defer e.release(c)
	c.query = q
	return e.document(ctx, dst, c)
}

// CallJSON is RunJSON for Call.
func (e *Engine) CallJSON(ctx context.Context, dst []byte, r Request) ([]byte, error) {
	c := e.call(r.Tool)
	defer e.release(c)
	c.requested, c.request = r, &c.requested
	return e.document(ctx, dst, c)
}

func (e *Engine) document(ctx context.Context, dst []byte, c *call) ([]byte, error) {
	c.json, c.dst = true, dst
	res, err := e.do(ctx, c)
	if err != nil {
		return dst, err
	}
	var b []byte
	switch {
	case c.writer == nil:
		b, err = res.AppendJSON(dst)
	default:
		b, err = c.writer.Finish(&res.Summary)
		if !e.prompt && err == nil {
			own := b
			b = append(dst, own...)
			if cap(own) <= longDocument {
				documents.Put(&own)
			}
		}
	}
	if err != nil {
		return dst, err
	}
	return b, nil
}

// documents are memory for answers of stores that are not prompt. It comes back with
// calls that have returned, and never with one that was abandoned.
var documents = sync.Pool{New: func() any {
	b := make([]byte, 0, 1<<10)
	return &b
}}

// longDocument is how long a document may be whose memory is kept.
const longDocument = 64 << 10

// stream lets the store write the answer's document. A store that may be
// abandoned writes to memory of its own.
func (e *Engine) stream(ctx context.Context, c *call) (collected, error) {
	dst := c.dst
	if !e.prompt {
		dst = (*documents.Get().(*[]byte))[:0]
	}
	json := graph.NewJSONWriter(dst, c.plan.Tool())
	if form := c.form(); form != nil {
		json.ResetRecords(dst, form)
	}
	out, err := e.run(ctx, c.snapshot.Store, c.plan, json)
	return collected{result: &graph.Result{Tool: c.plan.Tool()}, Outcome: out, ran: out.Statements, writer: json}, err
}
