package compile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

func TestPlacePointer(t *testing.T) {
	var root *place
	require.Equal(t, "", root.pointer())
	require.Equal(t, "/from", root.member("from").pointer())
	require.Equal(t, "/from/ids/0", root.member("from").member("ids").item(0).pointer())
	require.Equal(t, "/a/12/b", root.member("a").item(12).member("b").pointer())
	require.Equal(t, "/a~1b/~0c", root.member("a/b").member("~c").pointer())
	require.Equal(t, "/0", root.member("0").pointer(), "a member that looks like an index")
}

func TestOperators(t *testing.T) {
	ops := func(p schema.Property) string {
		var names []string
		for _, op := range OpsOf(&p) {
			names = append(names, string(op))
		}
		return strings.Join(names, " ")
	}
	const equal, ordered = "eq ne in not_in is_null", "eq ne lt lte gt gte in not_in is_null"
	for _, typ := range []schema.Type{schema.Int32, schema.Int64, schema.Float, schema.Decimal, schema.Date, schema.DateTime} {
		require.Equal(t, ordered, ops(schema.Property{Type: typ}), typ)
	}
	require.Equal(t, "eq ne lt lte gt gte in not_in contains starts_with ends_with is_null", ops(schema.Property{Type: schema.String}))
	require.Equal(t, ordered, ops(schema.Property{Type: schema.String, NoPatterns: true}))
	require.Equal(t, equal, ops(schema.Property{Type: schema.Enum}))
	require.Equal(t, equal, ops(schema.Property{Type: schema.UUID}))
	require.Equal(t, "eq ne is_null", ops(schema.Property{Type: schema.Bool}))
	require.Equal(t, "is_null", ops(schema.Property{Type: schema.JSON}))
}

func TestListClass(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 16, 500: 512} {
		require.Equal(t, want, listClass(n), n)
	}
}
