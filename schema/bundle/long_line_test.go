package bundle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// A line of very many values is read: with a look at the whole line for each of them
// this would take minutes.
func TestLongLines(t *testing.T) {
	files := small(map[string]string{"entities/things.yaml": "- {id: a, x: [" + strings.Repeat("\"é\", ", 400_000) + "1]}\n"})
	start := time.Now()
	_, err := bundle.Read(files, bundle.Options{})
	require.ErrorContains(t, err, "the entity is too large for its schema")
	require.Less(t, time.Since(start), 30*time.Second)
}

// Columns are told in characters wherever in a line a value stands.
func TestColumnsOfLongLines(t *testing.T) {
	_, err := bundle.Read(small(map[string]string{
		"schemas/thing.schema.json": typeOf("thing", `, "x": {"type": "array", "items": {"type": "string"}}`, ""),
		"entities/things.yaml":      "- {id: a, x: [é, 1, 'éé', 2]}\n- {id: b, x: [é, 1]}\n- id: c\n  x: [é, é, 3]\n",
	}), bundle.Options{})
	var problems bundle.Problems
	require.ErrorAs(t, err, &problems)
	var places [][2]int
	for _, p := range problems {
		places = append(places, [2]int{p.Line, p.Column})
	}
	require.Equal(t, [][2]int{{1, 18}, {1, 27}, {2, 18}, {4, 13}}, places)
}
