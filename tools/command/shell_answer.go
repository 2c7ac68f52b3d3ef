package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

// call prints the answer of a call.
func (sh *shell) call(ctx context.Context, tool string, args []byte) {
	document, err := sh.document(ctx, tool, args)
	if err != nil && sh.people {
		sh.refuse(tool, err)
		return
	}
	text := string(bytes.TrimSuffix(document, []byte{'\n'}))
	if sh.people {
		text = clean(text)
	}
	_, _ = io.WriteString(sh.std.out, text+"\n") // nobody reads, if it fails
	sh.failed(err)
}

// refuse prints why a call has no answer: for people in lines, otherwise as the
// error document.
func (sh *shell) refuse(tool string, err error) {
	if !sh.people {
		_ = writeDocument(sh.std.out, graph.NewErrorDocument(tool, err))
		sh.failed(err)
		return
	}
	for _, e := range graph.NewErrorDocument(tool, err).Errors {
		sh.say("%s %s %s\n", sh.paint.red(string(e.Code)), e.Path, e.Message)
		if e.Hint != "" {
			sh.say("  %s\n", e.Hint)
		}
		if len(e.Allowed) > 0 {
			sh.say("  there are: %s\n", strings.Join(e.Allowed, ", "))
		}
	}
	sh.failed(err)
}

// failed keeps the worst outcome, and tells what failed below.
func (sh *shell) failed(err error) {
	err = sh.hide(fault(err))
	switch {
	case err == nil, errors.Is(err, errRefused) && sh.worst != nil:
	case errors.Is(err, errRefused):
		sh.worst = err
	default:
		fmt.Fprintf(sh.std.err, "trellis: %s\n", err)
		sh.worst = errors.New("not every call could be answered")
	}
}

// explained prints how a call would be answered.
func (sh *shell) explained(tool string, e *engine.Explanation) {
	if !sh.people {
		_ = writeDocument(sh.std.out, explainedDocument(tool, e))
		return
	}
	sh.say("%s\n%s\n", sh.paint.bold("plan"), e.Plan)
	for _, g := range e.Guards {
		sh.say("%s %s\n", sh.paint.bold("guard"), g)
	}
	if e.Estimate != nil {
		text, err := json.Marshal(e.Estimate)
		if err == nil {
			sh.say("%s %s\n", sh.paint.bold("estimate"), string(text))
		}
	}
	for i, st := range e.Statements {
		sh.say("%s\n%s\n", sh.paint.bold("statement"), st.SQL)
		for _, p := range st.Parameters {
			sh.say("-- %d %s %s\n", p.Position, p.Type, p.Value.String())
		}
		if i < len(e.Database) && e.Database[i] != "" {
			sh.say("%s\n%s\n", sh.paint.bold("database"), e.Database[i])
		}
	}
}

// schemaArguments are those of get_graph_schema for some names: labels where
// there are such, otherwise types.
func (sh *shell) schemaArguments(ctx context.Context, names []string) []byte {
	visible, err := sh.engine.View(ctx)
	if err != nil {
		return []byte("{}") // which is refused for the same reason
	}
	var args struct {
		Nodes []string `json:"expand_nodes,omitempty"`
		Types []string `json:"expand_relationship_types,omitempty"`
	}
	for _, name := range names {
		if _, isType := visible.Relationship(name); isType {
			args.Types = append(args.Types, name)
		} else {
			args.Nodes = append(args.Nodes, name) // or the refusal names what there is
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return []byte("{}")
	}
	return text
}

// say prints to people: texts without orders to their terminal.
func (sh *shell) say(form string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = clean(text)
		}
	}
	fmt.Fprintf(sh.std.out, form, args...)
}
