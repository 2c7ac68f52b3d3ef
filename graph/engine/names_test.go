package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

// A property that is called as a flag is has values.
func TestT60FlagsAreNoProperties(t *testing.T) {
	parse := func(property string) *schema.Schema {
		s, err := schema.Parse("s.yaml", []byte("format: trellis.schema.v1\nnodes: {a: {key: id, properties: {id: int64, "+property+": bool}}}\n"))
		require.NoError(t, err)
		return s
	}
	var names nameCache
	require.True(t, names.of(parse("sold")).Flag("exists"))
	require.False(t, names.of(parse("sold")).Flag("sold"))
	require.False(t, names.of(parse("exists")).Flag("exists"))
	require.True(t, names.of(parse("exists")).Word("exists"))
	require.True(t, names.of(parse("sold")).Word("month"))
	require.False(t, names.of(parse("sold")).Word("March"))
}
