package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// What an object is shown without is gone by its name, however that is escaped;
// what is left keeps its bytes.
func TestMaskMembers(t *testing.T) {
	p := &schema.Property{Name: "record", Type: schema.JSON, Masked: schema.MaskMembers, Without: []string{"a", "ü", ""}}
	for from, to := range map[string]string{
		`{"a":1,"b":2}`: `{"b":2}`, `{"b":1.50e3,"a":{"b":[1]},"c":{"a":9007199254740993}}`: `{"b":1.50e3,"c":{"a":9007199254740993}}`,
		`{"\u0061":1,"\u00fc":[],"":null}`: `{}`, `{"A":"\u2028<","aa":null}`: `{"A":"\u2028<","aa":null}`, `{}`: `{}`,
		`["a"]`: `null`, `"a"`: `null`, `null`: `null`, `{"b":1,`: `null`, ``: `null`,
	} {
		require.Equal(t, to, string((&Plan{}).Mask(p, graph.JSON(from)).AppendJSON(nil)), from)
	}
	require.Equal(t, `{"a":1}`, (&Plan{unmasked: true}).Mask(p, graph.JSON(`{"a":1}`)).Text())
}
