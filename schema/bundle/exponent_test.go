package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// Exact arithmetic with large exponents takes long: numbers that have them are
// looked at less often, in an entity as in its schema.
func TestExponentsWeigh(t *testing.T) {
	read := func(keywords, number string, times int) error {
		x := fmt.Sprintf(`, "x": {"items": {"anyOf": [%s{}]}}`, strings.Repeat("{"+keywords+"}, ", 90))
		files := small(map[string]string{
			"schemas/thing.schema.json": typeOf("thing", x, ""),
			"entities/things.yaml":      "- {id: a, x: [" + strings.Repeat(number+",", times) + number + "]}",
		})
		_, err := bundle.Read(files, bundle.Options{})
		return err
	}
	const much, few = 3000, 5
	for _, c := range []struct{ keywords, number string }{
		{`"multipleOf": 1e-320`, "1"}, {`"maximum": 1e308`, "1"}, {`"minimum": -1E308`, "1"}, {`"exclusiveMaximum": 1e308`, "1"}, {`"exclusiveMinimum": -1e+308`, "1"},
		{`"const": 1e-320`, "1"}, {`"enum": [1e-320, {"a": [1e308]}]`, "1"}, {`"multipleOf": 1`, "1e308"}, {`"type": "integer"`, "1e-320"}, {`"maximum": 1`, "[1.5e-300]"},
		{`"maximum": 1e-320, "minimum": -1e308`, "1e308"},
	} {
		start := time.Now()
		require.ErrorContains(t, read(c.keywords, c.number, much), "the entity is too large for its schema", "%v", c)
		require.Less(t, time.Since(start), 10*time.Second)
		if c.keywords != `"maximum": 1e-320, "minimum": -1e308` {
			require.NoError(t, read(c.keywords, c.number, few), "%v", c)
		}
	}
	for _, number := range []string{"1", "1.25", "1e0", "100000000000000000000"} {
		require.NoError(t, read(`"multipleOf": 1, "maximum": 5`, number, much), number)
	}
}
