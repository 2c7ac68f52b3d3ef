package introspect_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/introspect"
)

// A key of PostgreSQL does not hold for the rows of tables that inherit the one that
// has it, which a statement about that one sees, too.
func TestInheritedTables(t *testing.T) {
	db := postgres(t)
	exec(t, db, "CREATE TABLE base (id integer PRIMARY KEY, email text NOT NULL UNIQUE)")
	exec(t, db, "CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (base)")
	exec(t, db, "CREATE TABLE split (id integer PRIMARY KEY) PARTITION BY HASH (id)")
	exec(t, db, "CREATE TABLE split_0 PARTITION OF split FOR VALUES WITH (MODULUS 1, REMAINDER 0)")
	draft, err := introspect.Read(context.Background(), db, introspect.Options{})
	require.NoError(t, err)
	require.Contains(t, string(draft.YAML()), "# left out: base (it shows the rows of tables that inherit it")
	s, err := draft.Schema()
	require.NoError(t, err)
	var labels []string
	for l := range s.Labels() {
		labels = append(labels, l.Name)
	}
	require.Equal(t, []string{"heir", "split"}, labels)

	mapped, err := schema.Parse("mapped.yaml", []byte("format: trellis.schema.v1\nnodes:\n  base: {key: id, properties: {id: int32}}\n"))
	require.NoError(t, err)
	report, err := introspect.Check(context.Background(), db, mapped, introspect.Options{})
	require.NoError(t, err)
	require.Len(t, report.Drift, 1)
	require.Equal(t, introspect.OtherKey, report.Drift[0].Kind)
}
