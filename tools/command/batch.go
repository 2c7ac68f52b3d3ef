package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// maxLine is the length of the longest line of a batch that is read. The
// arguments of a call have a lower limit of their own.
const maxLine = 1 << 20

// batch answers the calls of a file, one line each. It goes on after a call
// that is refused or fails, and returns the worst outcome.
func (s *session) batch(ctx context.Context, std streams, file string, scope *graph.Scope) error {
	in := std.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewReaderSize(in, 64<<10)
	out := bufio.NewWriter(std.out)
	var worst error
	for n := 1; ctx.Err() == nil; n++ {
		line, err := readLine(lines)
		if err == io.EOF {
			break
		}
		var failure error
		if errors.Is(err, errLongLine) {
			tooLarge := &graph.Error{Code: graph.TooLarge, Message: fmt.Sprintf("the line is longer than %d bytes", maxLine)}
			failure = refuse(out, "", tooLarge)
		} else if err != nil {
			return errors.Join(err, out.Flush())
		} else {
			failure = s.answerLine(ctx, out, line, scope)
		}
		// Each answer is out before the next call is read, so that the other end
		// of a pipe can take turns.
		if err := out.Flush(); err != nil {
			return err
		}
		switch {
		case failure == nil, errors.Is(failure, errRefused) && worst != nil:
		case errors.Is(failure, errRefused):
			worst = failure
		default:
			fmt.Fprintf(std.err, "trellis: line %d: %s\n", n, failure)
			worst = errors.New("not every call of the batch could be answered")
		}
	}
	return errors.Join(worst, ctx.Err())
}

// answerLine answers one line of a batch.
func (s *session) answerLine(ctx context.Context, w io.Writer, line []byte, scope *graph.Scope) error {
	call, mistakes := readCall(line)
	if len(mistakes) > 0 {
		return refuse(w, call.tool, mistakes)
	}
	if call.scope != nil {
		scope = call.scope
	}
	return s.answer(ctx, w, scope, call.tool, call.arguments)
}

// A batchCall is one line of a batch.
type batchCall struct {
	tool      string
	arguments []byte
	scope     *graph.Scope // nil if the line has none of its own
}

var callMembers = []string{"tool", "arguments", "scope"}

// readCall reads a line. Its mistakes come together; their places are in the
// line, not in the arguments.
func readCall(line []byte) (call batchCall, mistakes graph.Errors) {
	mistake := func(code graph.Code, path, message, hint string) *graph.Error {
		e := &graph.Error{Code: code, Path: path, Message: message, Hint: hint}
		mistakes = append(mistakes, e)
		return e
	}
	var members map[string]json.RawMessage
	switch {
	case !json.Valid(line):
		mistake(graph.Syntax, "", "the line is not JSON", `a line is {"tool": "…", "arguments": {…}}`)
		return call, mistakes
	case json.Unmarshal(line, &members) != nil || members == nil:
		mistake(graph.InvalidType, "", "the line is not an object", `a line is {"tool": "…", "arguments": {…}}, and may have a "scope"`)
		return call, mistakes
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(callMembers, name) {
			e := mistake(graph.UnknownField, graph.Pointer("", name), "a line has no such member", "")
			e.SetGot(name)
			e.SetAllowed(callMembers)
			e.DidYouMean = schema.Suggest(name, callMembers)
		}
	}
	switch tool, ok := members["tool"]; {
	case !ok:
		mistake(graph.MissingField, "/tool", "the line names no tool", "")
	case tool[0] != '"':
		mistake(graph.InvalidType, "/tool", "the name of a tool is a text", "")
	default:
		_ = json.Unmarshal(tool, &call.tool) // a text, as has been seen
	}
	if call.arguments = members["arguments"]; call.arguments == nil {
		mistake(graph.MissingField, "/arguments", "the line has no arguments", `a call without arguments has "arguments": {}`)
	}
	if scope, ok := members["scope"]; ok {
		var err error
		if call.scope, err = parseScope(scope); err != nil {
			mistake(graph.InvalidType, "/scope", "the scope cannot be read: "+err.Error(), "")
		}
	}
	return call, mistakes
}

var errLongLine = errors.New("the line is too long")

// readLine returns the next line without its end. A line that is too long is
// skipped. The last line may lack its end; after it comes io.EOF.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long, line = true, nil
		} else if !long {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0 && !long:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case long:
			return nil, errLongLine
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		return line, nil
	}
}
