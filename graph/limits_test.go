package graph_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// Every limit has a default, and can be added to.
func TestLimitsAreWithinBounds(t *testing.T) {
	var none, high graph.Limits
	for v, i := reflect.ValueOf(&high).Elem(), 0; i < v.NumField(); i++ {
		v.Field(i).SetInt(math.MaxInt)
	}
	none, high = none.WithDefaults(), high.WithDefaults()
	for i := range reflect.TypeFor[graph.Limits]().NumField() {
		f := reflect.TypeFor[graph.Limits]().Field(i)
		require.Positive(t, reflect.ValueOf(none).Field(i).Int(), f.Name)
		if n := reflect.ValueOf(high).Field(i).Int(); f.Name != "Timeout" {
			require.EqualValues(t, 1_000_000_000, n, f.Name)
		}
	}
	require.Equal(t, none, none.WithDefaults())
	require.Equal(t, high, high.WithDefaults())
}
