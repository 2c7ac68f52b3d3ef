package format_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

var update = flag.Bool("update", false, "write the table of sizes into doc.go")

// tokens estimates how many tokens a text is, as the package's doc says.
func tokens(text string) (n int) {
	var last rune // a letter, a digit or something else, as one of each
	left := 0
	for _, r := range text {
		class, most := '.', 3
		switch {
		case r == ' ' && last != ' ': // goes with what follows
			last, left = ' ', 0
			continue
		case unicode.IsLetter(r):
			class, most = 'a', 6
		case unicode.IsDigit(r):
			class, most = '0', 3
		}
		if class != last || left == 0 {
			n, left = n+1, most
		}
		last, left = class, left-1
	}
	return n
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "person": 1, "persons": 2, "a b": 2, "12345": 2, `","`: 1, `{"id":"7"}`: 5, "  ": 1} {
		require.Equal(t, want, tokens(text), text)
	}
}

// The table in the package's doc is what the formats make of these answers.
func TestSizes(t *testing.T) {
	ctx := t.Context()
	g, err := social.New(social.Options{Persons: 500})
	require.NoError(t, err)
	st := native.New(g, native.Options{})
	defer st.Close()
	keys, err := compile.NewCursorKeys([]byte("the same cursors every time"))
	require.NoError(t, err)
	offered := tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Statements: engine.HideStatements, Cursors: keys}), tools.Options{})
	p, err := social.Pick(g)
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "//\t%-34s", "")
	for _, f := range format.All() {
		fmt.Fprintf(&b, " %13s", f)
	}
	for _, q := range []struct{ name, tool, args string }{
		{"the schema, expanded", graph.ToolDescribe, `{"expand_schema": true}`},
		{"30 persons, all properties", graph.ToolFindNodes, `{"node_label": "person"}`},
		{"13 friends of one, and since when", graph.ToolTraverse, fmt.Sprintf(`{"from": {"label": "person", "ids": [%d]}, "relationships": [{"type": "KNOWS"}], "to": {"label": "person"}, "properties": {"person": ["firstName", "lastName"]}}`, p.Person)},
		{"30 nodes within two hops", graph.ToolNeighbors, fmt.Sprintf(`{"start_node": {"label": "person", "node_id": %d}, "direction": "both"}`, p.Person)},
		{"three paths", graph.ToolPaths, fmt.Sprintf(`{"from": {"label": "person", "node_id": %d}, "to": {"label": "person", "node_id": %d}, "mode": "k_shortest", "relationship_types": ["KNOWS"], "direction": "both"}`, p.Person, p.Other)},
		{"counts by browser and gender", graph.ToolAggregate, `{"node_label": "person", "aggregations": [{"function": "count"}], "group_by": [{"property": "browserUsed"}, {"property": "gender"}]}`},
	} {
		res, err := offered.Result(ctx, q.tool, []byte(q.args))
		require.NoError(t, err, q.name)
		fmt.Fprintf(&b, "\n//\t%-34s", q.name)
		sizes := map[format.Format]int{}
		for _, f := range format.All() {
			if f == format.Mermaid && q.tool == graph.ToolAggregate {
				fmt.Fprintf(&b, " %13s", "-")
				continue
			}
			doc, err := format.Append(nil, f, res)
			require.NoError(t, err)
			sizes[f] = tokens(string(doc))
			fmt.Fprintf(&b, " %13s", fmt.Sprintf("%d / %d", len(doc), sizes[f]))
		}
		if q.tool != graph.ToolDescribe {
			require.Less(t, sizes[format.CSV], sizes[format.JSON], "what is it for")
		}
	}
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	head, _, found := strings.Cut(string(source), "their proportions hardly.\n//\n")
	require.True(t, found)
	want := head + "their proportions hardly.\n//\n" + b.String() + "\npackage format\n"
	if *update {
		require.NoError(t, os.WriteFile("doc.go", []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(source), "go test ./graph/format -update writes it")
}
