package forge

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

func TestEveryToolIsCalled(t *testing.T) {
	s, err := define()
	require.NoError(t, err)
	for tool := range tools.Graph(s, graph.Limits{}).Tools() {
		require.True(t, slices.ContainsFunc(calls, func(c call) bool { return c.tool == tool.Name }), tool.Name)
	}
}

func TestEveryCallIsAnswered(t *testing.T) {
	g, err := Build()
	require.NoError(t, err)
	sql, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	var answers [][]string
	for name, st := range map[string]store.Store{"memory": native.New(g, native.Options{}), "embedded": sql} {
		t.Run(name, func(t *testing.T) {
			defer st.Close()
			var out strings.Builder
			require.NoError(t, Ask(t.Context(), &out, g.Schema(), st))
			checkAnswers(t, out.String())
			var lines []string
			for line := range strings.Lines(out.String()) {
				if strings.HasPrefix(line, "=> ") {
					lines = append(lines, line)
				}
			}
			answers = append(answers, lines)
		})
	}
	require.Equal(t, answers[0], answers[1], "the stores differ in their SQL alone")
}

func checkAnswers(t *testing.T, out string) {
	sections := strings.Split(out, "\n# ")
	require.Len(t, sections, len(calls))
	last := len(sections) - 1
	for i, section := range sections[:last] {
		require.Contains(t, section, calls[i].args)
		require.Contains(t, section, "=> {", "an answer")
		if i > 0 {
			require.Contains(t, section, "    SELECT ")
		}
	}
	require.Contains(t, sections[1], `"id":"105"`)
	require.Contains(t, sections[1], `"id":"102"`)
	require.Less(t, strings.Index(sections[1], `"id":"105"`), strings.Index(sections[1], `"id":"102"`), "the newest first")
	require.Contains(t, sections[2], `=> {"label":"gl_user","id":"3","distance":2,"properties":{"name":"Ines Adeyemi"}}`)
	require.Contains(t, sections[3], `=> {"label":"gl_group","id":"1","distance":2,`)
	require.Contains(t, sections[3], `=> {"type":"MR_TO_PROJECT","from":{"label":"gl_mr","id":"200"},"to":{"label":"gl_project","id":"10"},"properties":{}}`)
	require.Regexp(t, `\n    … and \d+ more`, sections[3])
	for _, issue := range []string{"102", "103"} {
		require.Contains(t, sections[4], `=> {"nodes":[{"label":"gl_user","id":"3"},{"label":"gl_issue","id":"`+issue+`"},{"label":"gl_project","id":"10"}],`)
	}
	require.Contains(t, sections[5], `=> {"project":"lighthouse","quarter":"2026-01-01","count":3,"still_open":2}`)
	require.Contains(t, sections[5], `=> {"project":"lighthouse","quarter":"2026-07-01","count":1,"still_open":1}`)
	require.Contains(t, sections[5], `=> {"project":"tide-tables","quarter":"2026-01-01","count":1,"still_open":0}`)
	require.Contains(t, sections[5], `=> {"project":"tide-tables","quarter":"2026-10-01","count":1,"still_open":1}`)
	require.Contains(t, sections[last], "UNKNOWN_PROPERTY /filters/stat")
	require.Contains(t, sections[last], `fix: {"op":"move","from":"/filters/stat","path":"/filters/state"}`)
	require.Contains(t, sections[last], `=> {"label":"gl_issue","id":"105"`, "the mended call is answered")
}
