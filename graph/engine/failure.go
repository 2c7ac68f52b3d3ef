package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime/debug"

	"github.com/trellisgraph/trellis/graph"
)

// reported returns an error as callers get it: what failed below the call is
// logged under an id that the caller sees, and the caller sees nothing else of
// it. Refusals pass as they are.
func (e *Engine) reported(ctx context.Context, c *call, err error) graph.Errors {
	list := errorsOf(err)
	if c.request != nil && c.request.Reword != nil && !c.held {
		list = reworded(c.request, list)
	}
	out := list
	for i, known := range list {
		if known.Cause == nil && (known.Code.Refusal() || known.Code == graph.Overloaded || known.Code == graph.Unavailable) {
			continue // there is nothing more to tell
		}
		failed := *known
		failed.ErrorID = errorID()
		e.log.ErrorContext(ctx, "call failed", "error_id", failed.ErrorID, "code", failed.Code, "tool", c.tool, "cause", failed.Cause)
		if &out[0] == &list[0] {
			out = append(graph.Errors(nil), list...)
		}
		out[i] = &failed
	}
	return out
}

// reworded lets a request tell its mistakes. Where it cannot, that is the
// failure to tell: the mistakes as they are may show what it hides.
func reworded(r *Request, list graph.Errors) (out graph.Errors) {
	defer func() {
		if p := recover(); p != nil {
			out = graph.Errors{panicked(p)}
		}
	}()
	if out = r.Reword(list); len(out) == 0 {
		return graph.Errors{{Code: graph.Internal, Message: "the call failed", Cause: list}}
	}
	return out
}

// errorsOf returns an error as the list that all calls return.
func errorsOf(err error) graph.Errors {
	switch known := err.(type) { // and not errors.As: what a cause is, is for the log
	case graph.Errors:
		if len(known) > 0 {
			return known
		}
	case *graph.Error:
		return graph.Errors{known}
	}
	return graph.Errors{{Code: graph.Internal, Message: "the call could not be answered", Cause: err}}
}

// panicked is the error of a panic, of a store or of one of the host's
// functions: one call must not take the host's process with it.
func panicked(p any) *graph.Error {
	return &graph.Error{Code: graph.Internal, Message: "the call could not be answered",
		Cause: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
}

func errorID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
