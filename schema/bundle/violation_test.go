package bundle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// TestViolations tells what is said of each keyword, and where: line 3 is where
// the value of x begins.
func TestViolations(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type": "string"}`, "3", "3:6: x: it is number, not string (put it into quotes)"},
		{`{"type": "boolean"}`, `"true"`, "3:6: x: it is string, not boolean (take the quotes away)"},
		{`{"type": "boolean"}`, "no", "3:6: x: it is string, not boolean (write true or false)"},
		{`{"type": "integer"}`, "many", "3:6: x: it is string, not integer"},
		{`{"type": ["integer", "null"]}`, "[]", "3:6: x: it is array, not null or integer"},
		{`{"type": "array"}`, "a", "3:6: x: it is string, not array (a list, even of one)"},
		{`{"const": "a"}`, "b", `3:6: x: "b" is not "a", which alone is allowed`},
		{`{"enum": ["red", "green", 3, null]}`, "gren", `3:6: x: "gren" is not one of "red", "green", 3, null; did you mean "green"?`},
		{`{"multipleOf": 0.5}`, "0.7", "3:6: x: 0.7 is no multiple of 0.5"},
		{`{"minimum": 3}`, "-1", "3:6: x: -1 is less than 3"},
		{`{"maximum": 3}`, "4", "3:6: x: 4 is greater than 3"},
		{`{"exclusiveMinimum": 3}`, "3", "3:6: x: 3 is not greater than 3"},
		{`{"exclusiveMaximum": 3}`, "3", "3:6: x: 3 is not less than 3"},
		{`{"minLength": 2}`, "a", "3:6: x: it has 1 character, and at least 2 are needed"},
		{`{"maxLength": 2}`, "abc", "3:6: x: it has 3 characters, and at most 2 are allowed"},
		{`{"pattern": "^a+$"}`, "b", `3:6: x: "b" does not match ^a+$`},
		{`{"minItems": 1}`, "[]", "3:6: x: it has 0 items, and at least 1 are needed"},
		{`{"maxItems": 1}`, "[1, 2]", "3:6: x: it has 2 items, and at most 1 are allowed"},
		{`{"uniqueItems": true}`, "[1, 2, 1]", "3:6: x: the items 0 and 2 are the same"},
		{`{"contains": {"const": 1}}`, "[2]", `3:6: x: no item has the form that "contains" asks for`},
		{`{"contains": {"const": 1}, "minContains": 2}`, "[1]", `3:6: x: 1 item of the form that "contains" asks for, and at least 2 are needed`},
		{`{"contains": {"const": 1}, "maxContains": 1}`, "[1, 1]", `3:6: x: 2 items of the form that "contains" asks for, and at most 1 are allowed`},
		{`{"items": {"type": "string"}}`, "[a, 2]", "3:10: x.1: it is number, not string"},
		{`{"items": {"properties": {"a": {"type": "string"}}}}`, "\n    - a: b\n    - a: 2", "5:10: x.1.a: it is number, not string"},
		{`{"items": false}`, "[1]", "3:7: x.0: nothing is allowed here"},
		{`{"minProperties": 1}`, "{}", "3:6: x: it has 0 members, and at least 1 are needed"},
		{`{"maxProperties": 1}`, "{a: 1, b: 2}", "3:6: x: it has 2 members, and at most 1 are allowed"},
		{`{"required": ["a", "b"]}`, "{b: 1}", `3:6: "a" is missing`},
		{`{"dependentRequired": {"a": ["b"]}}`, "{a: 1}", `3:6: "b" is missing: where there is "a" it must be too`},
		{`{"properties": {"name": {}}, "additionalProperties": false}`, "{name: 1, nmae: 2}", `3:16: there is no property "nmae"; did you mean "name"?`},
		{`{"properties": {"name": {}}, "additionalProperties": false}`, "{qqq: 2}", `3:7: there is no property "qqq" (there are "name")`},
		{`{"properties": {"name": {}}, "unevaluatedProperties": false}`, "{nam: 2}", `3:7: there is no property "nam"; did you mean "name"?`},
		{`{"$ref": "#/$defs/d"}`, "{titel: a}", `3:7: there is no property "titel"; did you mean "title"?`},
		{`{"propertyNames": {"maxLength": 2}}`, "{abc: 1}", `3:7: "abc" is no name that is allowed here (it has 3 characters, and at most 2 are allowed)`},
		{`{"not": {"type": "string"}}`, "a", `3:6: x: it has the form that "not" excludes`},
		{`{"anyOf": [{"type": "string"}, {"type": "null"}]}`, "3", "3:6: x: it is not null or string"},
		{`{"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]}`, "abc", "3:6: x: it has 3 characters, and at most 1 are allowed"},
		{`{"anyOf": [{"minimum": 3}, {"multipleOf": 5}]}`, "1", `3:6: x: it fits none of the 2 alternatives of "anyOf"`},
		{`{"oneOf": [{"minimum": 3}, {"multipleOf": 5}]}`, "5", `3:6: x: it fits more than one alternative of "oneOf", those with the numbers 0 and 1`},
		{`{"oneOf": [{"type": "array"}, {"type": "object", "required": ["a"]}]}`, "{}", `3:6: "a" is missing`},
		{`{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, "{a: 1}", `3:6: "b" is missing`},
		{`{"allOf": [{"minimum": 3}, {"minimum": 4}]}`, "1", "3:6: x: 1 is less than 3"},
		{`false`, "1", "3:6: x: nothing is allowed here"},
		// What JSON Schema allows, and a column cannot hold.
		{`{"type": "integer"}`, "9223372036854775808", "3:6: x: 9223372036854775808 is out of the range of 64-bit integers"},
		{`{"type": "integer"}`, "1e30", "3:6: x: 1e30 is out of the range of 64-bit integers"},
		{`{"type": "string", "format": "date"}`, "2026-02-29", `3:6: x: "2026-02-29" is no date; one is written 2026-11-21`},
		{`{"type": "string", "format": "date-time"}`, "2026-01-01 10:00:00", `3:6: x: "2026-01-01 10:00:00" is no instant`},
		{`{"type": "string", "format": "uuid"}`, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "is no UUID in lower case"},
		{`{"type": "array", "items": {"type": "string", "format": "date"}}`, "[2026-01-01, x]", `3:19: x: "x" is no date`},
		// The YAML itself.
		{`{}`, "[1, 2", "did not find expected"},
		{`{}`, "a: b: c", "3:1: no YAML: mapping values are not allowed in this context"},
		{`{}`, "*a", "no YAML: unknown anchor 'a' referenced"},
		{`{}`, ".nan", "3:6: .nan is a number in a form that JSON does not have"},
		{`{}`, "{<<: 1}", "3:7: maps are not merged; write it out"},
		{`{}`, "{? [a] : 1}", "3:9: a name is a plain text"},
		{`{}`, "!!binary YQ==", `3:6: tags are not read, and this has "!!binary"`},
		{`{}`, "1\n---\n- id: b", "4:1: a file holds one document, and a second begins here"},
	} {
		_, err := bundle.Read(small(map[string]string{
			"schemas/thing.schema.json": typeOf("thing", `, "x": `+c.schema, `, "$defs": {"d": {"properties": {"title": {}}, "additionalProperties": false}}`),
			"entities/things.yaml":      "- id: ä\n\n  x: " + c.value + "\n",
		}), bundle.Options{})
		require.ErrorContains(t, err, c.want, "%s of %s", c.value, c.schema)
	}
}

// Values have the types of their columns.
func TestTypedValues(t *testing.T) {
	for schema, values := range map[string]map[string]string{
		`{"type": "integer"}`:                             {"3": "int 3", "3.0": "int 3", "1e2": "int 100", "-9223372036854775808": "int -9223372036854775808"},
		`{"type": "number"}`:                              {"3": "float 3", "-0.5": "float -0.5"},
		`{"type": "boolean"}`:                             {"true": "bool true"},
		`{"type": "string"}`:                              {"2026-01-01": `string "2026-01-01"`, "yes": `string "yes"`},
		`{"type": "string", "format": "date"}`:            {"2026-01-01": `date "2026-01-01"`},
		`{"type": "string", "format": "date-time"}`:       {`"2026-01-01T12:00:00+02:00"`: `datetime "2026-01-01T10:00:00Z"`},
		`{"type": "string", "format": "uuid"}`:            {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11": `uuid "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
		`{"type": ["string", "null"]}`:                    {"~": "null null", "": "null null"},
		`{"type": "array", "items": {"type": "integer"}}`: {"[1, 2.0]": "list [1,2]"},
		`{}`: {"{b: [1.50, ~], a: x}": `json {"a":"x","b":[1.50,null]}`},
	} {
		for value, want := range values {
			b, err := bundle.Read(small(map[string]string{
				"schemas/thing.schema.json": typeOf("thing", `, "x": `+schema, ""),
				"entities/things.yaml":      "- id: a\n  x: " + value + "\n",
			}), bundle.Options{})
			require.NoError(t, err, "%s of %s", value, schema)
			thing, _ := b.Type("thing")
			v := thing.Entities[0].Values[1]
			require.Equal(t, want, v.Kind().String()+" "+v.String())
		}
	}
}
