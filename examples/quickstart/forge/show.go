package forge

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// most is how many statements are shown of an answer. A search that goes out from
// a node has one for each kind of relationship on its way.
const most = 3

// showAnswer prints the statements of an answer and then what it holds, a line
// for each node, relationship, path and row.
func showAnswer(w io.Writer, document []byte) error {
	var a struct {
		Statements []struct {
			SQL        string
			Parameters []struct {
				Position int
				Type     string
				Value    json.RawMessage
			}
		}
		NodeTypes         []json.RawMessage `json:"node_types"`
		RelationshipTypes []json.RawMessage `json:"relationship_types"`
		Nodes             []json.RawMessage
		Relationships     []json.RawMessage
		Paths             []json.RawMessage
		Rows              []json.RawMessage
	}
	if err := json.Unmarshal(document, &a); err != nil {
		return err
	}
	for i, s := range a.Statements {
		if i == most {
			fmt.Fprintf(w, "    … and %d more, for other relationships and labels\n\n", len(a.Statements)-most)
			break
		}
		fmt.Fprint(w, wrap(s.SQL))
		for _, p := range s.Parameters {
			fmt.Fprintf(w, "    %d: %s %s\n", p.Position, p.Type, p.Value)
		}
		fmt.Fprintln(w)
	}
	for _, part := range [][]json.RawMessage{a.NodeTypes, a.RelationshipTypes, a.Nodes, a.Relationships, a.Paths, a.Rows} {
		for _, line := range part {
			fmt.Fprintf(w, "=> %s\n", line)
		}
	}
	fmt.Fprintln(w)
	return nil
}

// wrap breaks a statement into indented lines of at most 100 characters, where
// it has spaces.
func wrap(sql string) string {
	var lines strings.Builder
	line := "   "
	for word := range strings.FieldsSeq(sql) {
		if len(line)+1+len(word) > 100 {
			lines.WriteString(line + "\n")
			line = "   "
		}
		line += " " + word
	}
	return lines.String() + line + "\n"
}

// showRefusal prints what is wrong with a call, and the patch that mends it.
func showRefusal(w io.Writer, mistake *graph.Error) {
	fmt.Fprintf(w, "=> %s\n", mistake)
	for _, p := range mistake.Fix {
		operation, err := json.Marshal(p)
		if err == nil {
			fmt.Fprintf(w, "   fix: %s\n", operation)
		}
	}
	fmt.Fprintln(w)
}
