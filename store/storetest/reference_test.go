package storetest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/tools"
)

// The answers in the scripts were written down by hand, so they tell whether
// the reference is right. It knows no policies, reads no where expressions, has no
// budget and gives no advice.
func TestReferenceAnswersScripts(t *testing.T) {
	t.Parallel()
	graphs := map[string]*memory.Graph{}
	answered := map[string]int{}
	for _, name := range scriptNames(t, scriptFolders...) {
		for _, c := range readScript(t, name) {
			if isRefusal(c.want) || c.tool == graph.ToolDescribe || strings.Contains(c.args, `"where"`) || c.limits.Budget > 0 {
				continue
			}
			if graphs[c.fixture] == nil {
				graphs[c.fixture] = Fixture(t, c.fixture)
			}
			g := graphs[c.fixture]
			if g.Schema().HasPolicies() {
				continue
			}
			tool, page := paged(c.tool)
			q, mistakes := tools.Graph(g.Schema(), c.limits).Decode(tool, []byte(c.args))
			q = onPage(q, page)
			require.Empty(t, mistakes, c.where())
			r, err := NewReference(g, c.limits).Answer(Asked{Query: q})
			require.NoError(t, err, c.where())
			if isRecords(c.tool) {
				sameRecords(t, c, r)
				continue
			}
			r.NextCursor = ""
			got := render(r)
			if c.brief {
				got = renderBrief(r)
			}
			require.Equal(t, withoutAdvice(c.want), got, "%s %s", c.where(), c.args)
			answered[tool]++
		}
	}
	for _, tool := range toolNames() {
		require.Greater(t, answered[tool], 20, tool)
	}
}

// sameRecords compares which records a document has, and of how many, with an
// answer of the reference, which knows nodes alone.
func sameRecords(t *testing.T, c *testCase, r *graph.Result) {
	var doc struct {
		IDs             []string
		Items, Entities []map[string]any
		Total           *int64
		TruncatedBy     string `json:"truncated_by"`
	}
	text := c.want[0]
	if strings.HasPrefix(c.tool, "get_") && !strings.Contains(c.args, `"ids"`) {
		text = `{"items":[` + strings.TrimSuffix(strings.Replace(text, "null", "", 1), "\n") + `]}`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc), c.where())
	want := append([]string{}, doc.IDs...)
	for _, record := range append(doc.Items, doc.Entities...) {
		id := record["id"]
		if id == nil {
			id = record["number"]
		}
		want = append(want, fmt.Sprint(id))
	}
	got := []string{}
	for i := range r.Nodes {
		got = append(got, r.Nodes[i].ID)
	}
	if doc.Entities != nil {
		slices.Sort(want)
		slices.Sort(got)
	}
	if doc.TruncatedBy == "" {
		require.Equal(t, want, got, "%s %s", c.where(), c.args)
	}
	if doc.Total != nil {
		require.Equal(t, doc.Total, r.Total, "%s %s", c.where(), c.args)
	}
}

// withoutAdvice drops the warnings that say more than what was not found.
func withoutAdvice(lines []string) []string {
	advice := regexp.MustCompile(`(; )?warning EMPTY_MATCH [^;]*$`)
	var out []string
	for _, line := range lines {
		if line = advice.ReplaceAllString(line, ""); line != "" {
			out = append(out, line)
		}
	}
	return out
}

const weighedSchema = `
format: trellis.schema.v1
nodes:
  stop: {key: id, properties: {id: string}}
relationships:
  RIDE: {from: stop, to: stop, key: k, properties: {k: int64, w: int32}}
`

// No script asks for weights or k paths: stores over SQL have neither.
func TestReferenceWeighsPaths(t *testing.T) {
	spec := weighedSchema
	b := memory.NewBuilder(parseSchema(t, spec))
	for _, id := range []string{"a", "b", "c", "d"} {
		b.Node("stop", memory.Values{"id": id})
	}
	for i, r := range []struct {
		from, to string
		w        any
	}{{"a", "d", 9}, {"a", "b", 1}, {"b", "d", 7}, {"a", "b", 2}, {"b", "c", 1}, {"c", "d", 1}, {"a", "c", nil}} {
		b.Relationship("RIDE", graph.ID("stop", r.from), graph.ID("stop", r.to), memory.Values{"k": i, "w": r.w})
	}
	g, err := b.Build()
	require.NoError(t, err)
	paths := func(q graph.Paths) []string {
		q.From, q.To, q.Direction = graph.ID("stop", "a"), graph.ID("stop", "d"), graph.Outgoing
		r, err := NewReference(g, graph.Limits{}).Answer(Asked{Query: &q})
		require.NoError(t, err)
		var out []string
		for _, p := range r.Paths {
			line := ""
			for _, n := range p.Nodes {
				line += n.ID
			}
			for _, i := range p.Relationships {
				line += " " + r.Relationships[i].Value("k").Text()
			}
			out = append(out, strings.TrimSpace(line+" "+p.Weight.Text()))
		}
		return out
	}
	require.Equal(t, []string{"abcd 1 4 5 3"}, paths(graph.Paths{Weight: "w"}))
	require.Equal(t, []string{"abd 1 2 8"}, paths(graph.Paths{Weight: "w", MaxHops: 2}), "no more hops than asked for")
	require.Equal(t, []string{"abcd 1 4 5 3", "abd 1 2 8", "ad 0 9"}, paths(graph.Paths{Weight: "w", Mode: graph.KShortest}))
	require.Equal(t, []string{"ad 0"}, paths(graph.Paths{}))
	require.Equal(t, []string{"ad 0", "abd 1 2"}, paths(graph.Paths{Mode: graph.KShortest, K: 2}))
	require.Equal(t, []string{"ad 0", "abd 1 2", "acd 6 5", "abcd 1 4 5"}, paths(graph.Paths{Mode: graph.AllPaths}))
}
