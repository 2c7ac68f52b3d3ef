package storetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A store keeps the statements of a shape, in which three ids and four are one
// class: what is said of the ids must come from the call all the same.
func TestWarningsOfCallsOfOneShape(t *testing.T) {
	g := storetest.Fixture(t, "gitlab")
	st := inProcess(t, g)
	c := storetest.NewCaller(g.Schema(), st, graph.Limits{})
	for _, call := range []struct {
		tool, args string
		paths      []string
	}{
		{"find_nodes", `{"node_label": "gl_user", "ids": [1, 2, 901]}`, []string{"/ids/2"}},
		{"find_nodes", `{"node_label": "gl_user", "ids": [1, 2, 901, 902]}`, []string{"/ids/2", "/ids/3"}},
		{"find_nodes", `{"node_label": "gl_user", "ids": [1, 903, 2]}`, []string{"/ids/1"}},
		{"traverse_relationships", `{"from": {"label": "gl_user", "ids": [1, 2, 3, 901]}, "relationships": [{"type": "AUTHORED_ISSUE"}], "to": {"label": "gl_issue"}}`, []string{"/from/ids/3"}},
		{"traverse_relationships", `{"from": {"label": "gl_user", "ids": [1, 2, 901]}, "relationships": [{"type": "AUTHORED_ISSUE"}], "to": {"label": "gl_issue"}}`, []string{"/from/ids/2"}},
	} {
		r, err := c.Call(call.tool, []byte(call.args))
		require.NoError(t, err)
		var paths []string
		for _, w := range r.Warnings {
			paths = append(paths, w.Path)
		}
		require.Equal(t, call.paths, paths, call.args)
	}
	require.NoError(t, st.Close())
}
