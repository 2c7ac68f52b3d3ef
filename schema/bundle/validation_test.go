package bundle_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// TestDraft2020 compares what is accepted with what the draft says, over all
// keywords that are read.
func TestDraft2020(t *testing.T) {
	text, err := os.ReadFile("testdata/validation/cases.txt")
	require.NoError(t, err)
	type group struct {
		schema string
		values []string
		valid  []bool
	}
	var groups []group
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "", line[0] == '#':
		case strings.HasPrefix(line, "+ "), strings.HasPrefix(line, "- "):
			g := &groups[len(groups)-1]
			g.values, g.valid = append(g.values, line[2:]), append(g.valid, line[0] == '+')
		default:
			groups = append(groups, group{schema: line})
		}
	}
	const defs = `, "$defs": {"positive": {"minimum": 0}, "a/b": {"type": "string"}, "c%d": {"type": "integer"},
		"tree": {"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["value"]}}`
	cases, used := 0, map[string]bool{}
	for _, g := range groups {
		// In a list of schemas the property is of no single type, so that nothing
		// but the schema judges it.
		files := map[string]string{"schemas/thing.schema.json": typeOf("thing", `, "x": {"allOf": [`+g.schema+`]}`, defs)}
		var entities strings.Builder
		for i, v := range g.values {
			entities.WriteString(`{"id": "` + strings.Repeat("i", i+1) + `", "x": ` + v + "},\n")
			cases++
		}
		files["entities/things.yaml"] = "[" + entities.String() + "]"
		_, err := bundle.Read(small(files), bundle.Options{})
		ps, _ := err.(bundle.Problems)
		refused := map[int]bool{}
		for _, p := range ps {
			require.Equal(t, "entities/things.yaml", p.File, "%s: %s", g.schema, p)
			refused[p.Line-1] = true
		}
		for i, v := range g.values {
			require.Equal(t, g.valid[i], !refused[i], "%s of %s: %v", v, g.schema, err)
		}
		for _, k := range bundle.Keywords() {
			if strings.Contains(g.schema+defs, `"`+k+`"`) {
				used[k] = true
			}
		}
	}
	require.GreaterOrEqual(t, cases, 300)
	for _, k := range bundle.Keywords() {
		require.True(t, used[k] || k == "$schema" || k == "$id", "%q has no case", k)
	}
	t.Logf("%d cases of %d schemas", cases, len(groups))
}
