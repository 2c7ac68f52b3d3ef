package native_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
)

// Documents of far more nodes than an encoder remembers the places of, one after
// the other in the same memory, hold what the same answers hold as values.
func TestIDsOfLargeDocuments(t *testing.T) {
	g, err := social.New(social.Options{})
	require.NoError(t, err)
	st := twice{native.New(g, native.Options{HideStatements: true})}
	c := compile.New(compile.Options{Limits: graph.Limits{Rows: 1000, Connections: 5000, Bytes: 4 << 20}})
	for _, q := range questions(t, g) {
		for _, limit := range []int{1000, 3, 700} {
			switch q := q.query.(type) {
			case *graph.Neighbors:
				q.Limit = limit
			case *graph.Traverse:
				q.Limit = limit
			}
			plan, err := c.Check(g.Schema(), nil, q.query)
			require.NoError(t, err, q.name)
			var res graph.Result
			_, err = st.Run(context.Background(), plan, graph.Collector{Result: &res})
			require.NoError(t, err, q.name)
			if q.name == "q6" && limit == 1000 {
				require.Greater(t, len(res.Nodes), 500)
				require.Greater(t, len(res.Relationships), 500)
			}
		}
	}
}
