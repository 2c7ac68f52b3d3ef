package bundle_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// Names within entities are those that the canonical form can be read with again,
// whether they were read as JSON or as YAML.
func TestNamesOfMembers(t *testing.T) {
	for name, wrong := range map[string]string{
		"a b": "", "ü": "", "": "", "1": "", "null": "", `"`: "", "- x: y": "", "<<": "",
		strings.Repeat("n", 512):      "",
		strings.Repeat(`"`, 499):      "",
		strings.Repeat("n", 513):      "a name has at most 512 bytes",
		strings.Repeat(`"`, 500):      "a name has at most 1000 bytes where what is not printable is escaped",
		strings.Repeat("\u00a0", 256): "a name has at most 1000 bytes where what is not printable is escaped",
		"tab\there":                   "a name has control characters",
		"line\nbreak":                 "a name has control characters",
		"next\u0085line":              "a name has control characters",
	} {
		raw, err := json.Marshal(name)
		require.NoError(t, err)
		inYAML := strings.ReplaceAll(string(raw), "\u0085", `\u0085`) // it ends a line there
		for entities, quoted := range map[string]string{`[{"id": "a", "any": {%s: 1}}]`: strconv.QuoteToASCII(name), "- id: a\n  any:\n    - {%s: 1}\n": inYAML} {
			files := small(map[string]string{
				"schemas/thing.schema.json": typeOf("thing", `, "any": {}`, ""),
				"entities/things.yaml":      fmt.Sprintf(entities, quoted),
			})
			if wrong != "" {
				require.ErrorContains(t, problems(t, files), wrong, "%q", name)
				continue
			}
			b, err := bundle.Read(files, bundle.Options{})
			require.NoError(t, err, "%q", name)
			again, err := bundle.ReadFiles(b.Files(), bundle.Options{})
			require.NoError(t, err, "%q", name)
			require.Equal(t, b.Revision(), again.Revision(), "%q", name)
		}
	}
}

// Integers in any form are what they say, to the last digit.
func TestIntegersAreExact(t *testing.T) {
	for number, want := range map[string]string{
		"9007199254740993.0": "9007199254740993", "1e17": "100000000000000000", "9223372036854775807.0": "9223372036854775807", "-9.223372036854775808e18": "-9223372036854775808",
		"12.50e1": "125", "0e400": "0", "1e-2": "", "9223372036854775808.0": "", "1e19": "",
	} {
		b, err := bundle.Read(small(map[string]string{
			"schemas/thing.schema.json": typeOf("thing", `, "n": {"type": "integer"}`, ""),
			"entities/things.yaml":      "- {id: a, n: " + number + "}",
		}), bundle.Options{})
		if want == "" {
			require.Error(t, err, number)
			continue
		}
		require.NoError(t, err, number)
		thing := b.Types()[0]
		found := false
		for i, p := range thing.Properties {
			if p.Name == "n" {
				found = true
				require.Equal(t, want, thing.Entities[0].Values[i].Text(), number)
			}
		}
		require.True(t, found)
	}
}
