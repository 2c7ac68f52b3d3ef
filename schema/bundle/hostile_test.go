package bundle_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// doubling is a chain of definitions of which each asks twice for the next.
func doubling(levels int, twice string) string {
	var b strings.Builder
	for i := range levels {
		next := fmt.Sprintf(`{"$ref": "#/$defs/d%d"}`, i+1)
		fmt.Fprintf(&b, `"d%d": `+twice+`, `, i, next, next)
	}
	return fmt.Sprintf(`, "x": {"$ref": "#/$defs/d0"}}, "$defs": {%s"d%d": {"type": "string"}`, b.String(), levels)
}

// subsets is a schema by which a value of depth n can be looked at by any subset
// of n schemas.
func subsets(n int) string {
	var b strings.Builder
	b.WriteString(`, "x": {"$ref": "#/$defs/s0"}}, "$defs": {"s0": {"properties": {"a": {"allOf": [{"$ref": "#/$defs/s0"}, {"$ref": "#/$defs/s1"}]}, "b": {"$ref": "#/$defs/s0"}}}`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `, "s%d": {"properties": {"a": {"$ref": "#/$defs/s%d"}, "b": {"$ref": "#/$defs/s%d"}}}`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `, "s%d": {}`, n)
	return b.String()
}

// TestT55 is about schemas that hang, crash or betray a library of JSON Schema:
// they are refused in a moment, before one sees them.
func TestT55(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	cases := map[string]struct{ properties, more, want string }{
		"itself":                {"", `, "$ref": "#"`, "the schema refers to itself for the same value, which never ends"},
		"itself below":          {`, "x": {"$ref": "#/properties/x"}`, "", "the schema refers to itself for the same value"},
		"mutual":                {`, "x": {"$ref": "#/$defs/a"}`, `, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}`, "the schema refers to itself for the same value"},
		"in not":                {`, "x": {"not": {"$ref": "#/properties/x"}}`, "", "the schema refers to itself for the same value"},
		"in if":                 {`, "x": {"if": true, "then": {"$ref": "#/properties/x"}}`, "", "the schema refers to itself for the same value"},
		"in dependentSchemas":   {"", `, "dependentSchemas": {"id": {"$ref": "#"}}`, "the schema refers to itself for the same value"},
		"doubling allOf":        {doubling(22, `{"allOf": [%s, %s]}`), "", "one value could be looked at more than 10000 times"},
		"doubling anyOf":        {doubling(14, `{"anyOf": [%s, %s]}`), "", "one value could be looked at more than 10000 times"},
		"doubling by level":     {doubling(22, `{"allOf": [{"properties": {"a": %s}}, {"properties": {"a": %s}}]}`), "", "one value could be looked at more than 10000 times"},
		"doubling by itself":    {`, "x": {"allOf": [{"properties": {"a": {"$ref": "#/properties/x"}}}, {"properties": {"a": {"$ref": "#/properties/x"}}}]}`, "", "one value could be looked at more than 10000 times"},
		"doubling items":        {`, "x": {"items": {"$ref": "#/properties/x"}, "contains": {"$ref": "#/properties/x"}}`, "", "one value could be looked at more than 10000 times"},
		"doubling patterns":     {`, "x": {"patternProperties": {"a": {"$ref": "#/properties/x"}, "b": {"$ref": "#/properties/x"}}}`, "", "one value could be looked at more than 10000 times"},
		"subsets":               {subsets(60), "", "there are more than 1000 ways to look at a value"},
		"depth":                 {`, "x": ` + strings.Repeat(`{"not": `, 5000) + "true" + strings.Repeat("}", 5000), "", "the nesting is deeper than 32"},
		"depth of lists":        {`, "x": {"default": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", "", "the nesting is deeper than 32"},
		"size":                  {`, "x": {"description": "` + strings.Repeat("x", 1<<20) + `"}`, "", "the file is larger than 65536 bytes"},
		"many schemas":          {`, "x": {"anyOf": [` + strings.Repeat("{}, ", 600) + "{}]}", "", "there are more than 500 schemas in this one"},
		"many booleans":         {`, "x": {"anyOf": [` + strings.Repeat("true, ", 5000) + "true]}", "", "there are more than 500 schemas in this one"},
		"long pattern":          {`, "x": {"type": "string", "pattern": "` + strings.Repeat("a", 513) + `"}`, "", "the regular expression is 513 bytes long, and at most 512 are allowed"},
		"repeating pattern":     {`, "x": {"type": "string", "pattern": "(a{1000}){1000}"}`, "", "is no regular expression"},
		"repeating patterns":    {`, "x": {"type": "string", "pattern": "` + strings.Repeat("[a-z]{1000}", 40) + `"}`, "", "the regular expression repeats too much"},
		"many patterns":         {`, "x": {"anyOf": [` + strings.Repeat(`{"pattern": "[a-z]{900}[0-9]{900}"}, `, 400) + `{}]}`, "", "the regular expressions up to this one repeat too much"},
		"many bad patterns":     {`, "x": {"anyOf": [` + strings.Repeat(`{"pattern": "`+strings.Repeat("[a-z]{1000}", 40)+`"}, `, 120) + `{}]}`, "", "the regular expression repeats too much"},
		"name's pattern":        {`, "x": {"patternProperties": {"` + strings.Repeat("[a-z]{1000}", 40) + `": {}}}`, "", "the regular expression repeats too much"},
		"backreference":         {`, "x": {"type": "string", "pattern": "(a)\\1"}`, "", "is no regular expression: invalid escape sequence"},
		"looking ahead":         {`, "x": {"type": "string", "pattern": "(?=a)"}`, "", "is no regular expression"},
		"remote":                {`, "x": {"$ref": "` + server.URL + `/schema.json"}`, "", "is not in this file, and nothing else is read"},
		"file":                  {`, "x": {"$ref": "file:///etc/passwd"}`, "", `"file:///etc/passwd" is not in this file`},
		"relative":              {`, "x": {"$ref": "other.json#/a"}`, "", `"other.json#/a" is not in this file`},
		"meta-schema":           {`, "x": {"$ref": "https://json-schema.org/draft/2020-12/schema"}`, "", "is not in this file"},
		"anchor":                {`, "x": {"$ref": "#name"}`, `, "$defs": {"a": {}}`, `"#name" leads nowhere`},
		"nowhere":               {`, "x": {"$ref": "#/$defs/prise"}`, `, "$defs": {"price": {}}`, `"#/$defs/prise" leads nowhere; did you mean "#/$defs/price"?`},
		"no schema":             {`, "x": {"$ref": "#/properties/y/default"}, "y": {"default": {"$ref": "#"}}`, "", "is no schema"},
		"no text":               {`, "x": {"$ref": 3}`, "", "a reference is a text, not a number"},
		"escapes":               {`, "x": {"$ref": "#/%zz"}`, "", "leads nowhere"},
		"$dynamicRef":           {`, "x": {"$dynamicRef": "#a"}`, "", `"$dynamicRef" is no keyword that is read`},
		"$dynamicAnchor":        {`, "x": {"$dynamicAnchor": "a"}`, "", `"$dynamicAnchor" is no keyword that is read`},
		"$recursiveRef":         {`, "x": {"$recursiveRef": "#"}`, "", `"$recursiveRef" is no keyword that is read`},
		"$anchor":               {`, "x": {"$anchor": "a"}`, "", `"$anchor" is no keyword that is read`},
		"$vocabulary":           {"", `, "$vocabulary": {"` + server.URL + `": true}`, `"$vocabulary" is no keyword that is read`},
		"$id below":             {`, "x": {"$id": "` + server.URL + `"}`, "", `only the whole schema has "$id"`},
		"$schema below":         {`, "x": {"$schema": "http://json-schema.org/draft-07/schema#"}`, "", `only the whole schema has "$schema"`},
		"$schema":               {"", `, "$schema": "` + server.URL + `"`, `"$schema" is here twice`},
		"number":                {`, "x": {"multipleOf": 1e1000000000}`, "", "the exponent of a number is between -400 and 400"},
		"small number":          {`, "x": {"multipleOf": 1e-1000000000}`, "", "the exponent of a number is between -400 and 400"},
		"long number":           {`, "x": {"maximum": ` + strings.Repeat("9", 10000) + "}", "", "a number has at most 64 characters"},
		"const's number":        {`, "x": {"const": [1e999]}`, "", "the exponent of a number"},
		"length":                {`, "x": {"maxLength": 1e300}`, "", "maxLength\" is a whole number from 0 to 2147483647"},
		"name twice":            {`, "x": {}, "\u0078": {}`, "", `"x" is here twice; the first is on line`},
		"lone surrogate":        {`, "x": {"title": "\ud800"}`, "", "half of a surrogate pair"},
		"NUL":                   {`, "x": {"title": "\u0000"}`, "", "the character NUL"},
		"invisible":             {`, "x": {"description": "a\u202eb"}`, "", "has the character U+202E, which nobody sees"},
		"tags":                  {`, "x": {"description": "a\udb40\udc69"}`, "", "has the character U+E0069, which nobody sees"},
		"not UTF-8":             {", \"x\": {\"title\": \"\xff\"}", "", "the file is not UTF-8"},
		"text behind":           {"", "} {", "text follows the JSON value"},
		"draft 4":               {`, "x": {"exclusiveMinimum": true}`, "", "exclusiveMinimum: it is boolean, not number"},
		"type":                  {`, "x": {"type": "strin"}`, "", `"strin" is not one of`},
		"properties":            {`, "x": {"properties": []}`, "", "properties: it is array, not object"},
		"a schema that is none": {`, "x": 3`, "", "a schema is an object, true or false, not a number"},
		"keyword":               {`, "x": {"minimun": 3}`, "", `"minimun" is no keyword that is read; did you mean "minimum"?`},
		"of draft 7":            {`, "x": {"type": "array", "additionalItems": false}`, "", "Draft 2020-12 has `prefixItems`"},
		"of OpenAPI":            {`, "x": {"type": "string", "nullable": true}`, "", `"nullable" is no keyword that is read`},
		"format":                {`, "x": {"type": "string", "format": "datetime"}`, "", `there is no format "datetime"; did you mean "date-time"?`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			files := small(map[string]string{"schemas/thing.schema.json": typeOf("thing", c.properties, c.more)})
			least := time.Hour
			for i := 0; i < 3 || least >= 100*time.Millisecond && i < 30; i++ { // the machine may be busy
				start := time.Now()
				_, err := bundle.Read(files, bundle.Options{})
				least = min(least, time.Since(start))
				require.ErrorContains(t, err, c.want)
				var ps bundle.Problems
				require.ErrorAs(t, err, &ps)
				require.Equal(t, graph.InvalidSchema, ps.Code())
			}
			require.Less(t, least, 100*time.Millisecond)
		})
	}
	for dialect, ok := range map[string]bool{
		"https://json-schema.org/draft/2020-12/schema": true, "https://json-schema.org/draft/2020-12/schema#": true,
		"http://json-schema.org/draft-07/schema#": false, "https://json-schema.org/draft/2019-09/schema": false, server.URL: false, "file:///etc/passwd": false, "": false,
	} {
		_, err := bundle.Read(small(map[string]string{"schemas/thing.schema.json": strings.Replace(smallSchema, "https://json-schema.org/draft/2020-12/schema", dialect, 1)}), bundle.Options{})
		if ok {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "only Draft 2020-12 is read")
		}
	}
	require.Zero(t, asked.Load(), "nothing was loaded")
}

// Many schemas that each take a moment take no more than a moment each.
func TestManyHostileSchemas(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		name := fmt.Sprintf("thing%03d", i)
		files["schemas/"+name+".schema.json"] = typeOf(name, subsets(60), "")
	}
	start := time.Now()
	require.ErrorContains(t, problems(t, small(files)), "with this schema there are more than 50000 ways")
	require.Less(t, time.Since(start), 20*time.Second)
}

// Schemas that recur, and many that are large, are not hostile.
func TestHarmlessSchemas(t *testing.T) {
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, `, "p%d": {"type": ["string", "null"], "maxLength": 10, "pattern": "^[a-z]{0,64}$"}`, i)
	}
	for name, c := range map[string]struct{ properties, more string }{
		"tree":              {`, "x": {"properties": {"left": {"$ref": "#/properties/x"}, "right": {"$ref": "#/properties/x"}}, "additionalProperties": {"$ref": "#/properties/x"}}`, ""},
		"grammar":           {`, "x": {"properties": {"left": {"$ref": "#/properties/x"}, "right": {"$ref": "#/properties/y"}}}, "y": {"properties": {"left": {"$ref": "#/properties/x"}, "right": {"$ref": "#/properties/y"}}}`, ""},
		"whole":             {`, "x": {"items": {"$ref": "#"}}`, ""},
		"list":              {`, "x": {"prefixItems": [{"$ref": "#/properties/x"}, {"$ref": "#/properties/x"}], "items": {"$ref": "#/properties/x"}}`, ""},
		"wide":              {many.String(), ""},
		"a few levels":      {doubling(6, `{"allOf": [%s, %s]}`), ""},
		"a few anchors":     {`, "x": {"$ref": "#/$defs/a%20b"}`, `, "$defs": {"a b": {"type": "string"}}`},
		"slashes":           {`, "x": {"$ref": "#/$defs/a~1b"}`, `, "$defs": {"a/b": {"type": "string"}}`},
		"nested quantifier": {`, "x": {"type": "string", "pattern": "^(a+)+$"}`, ""},
	} {
		_, err := bundle.Read(small(map[string]string{"schemas/thing.schema.json": typeOf("thing", c.properties, c.more), "entities/things.yaml": "- {id: a}\n"}), bundle.Options{})
		require.NoError(t, err, name)
	}
}

// An entity cannot make a schema that is allowed slow.
func TestEntitiesThatAreSlow(t *testing.T) {
	wide := typeOf("thing", doubling(11, `{"allOf": [%s, %s]}`), "")
	wide = strings.Replace(wide, `{"$ref": "#/$defs/d0"}`, `{"items": {"$ref": "#/$defs/d0"}}`, 1)
	_, err := bundle.Read(small(map[string]string{"schemas/thing.schema.json": wide, "entities/things.yaml": "- {id: a, x: [" + strings.Repeat("a,", 20000) + "a]}"}), bundle.Options{})
	require.ErrorContains(t, err, "the entity is too large for its schema")

	one := "- {id: a%d, x: [" + strings.Repeat("a,", 30) + "a]}\n"
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, one, i)
	}
	start := time.Now()
	_, err = bundle.Read(small(map[string]string{"schemas/thing.schema.json": wide, "entities/things.yaml": all.String()}), bundle.Options{Limits: bundle.Limits{BundleBytes: 1 << 20}})
	require.ErrorContains(t, err, "from here on it takes too long to check entities")
	require.Less(t, time.Since(start), 20*time.Second)

	slow := typeOf("thing", `, "x": {"type": "string", "pattern": "`+strings.Repeat("(a|aa){300}", 2)+`$"}`, "")
	_, err = bundle.Read(small(map[string]string{"schemas/thing.schema.json": slow, "entities/things.yaml": "- {id: a, x: " + strings.Repeat("a", 90_000) + "}"}), bundle.Options{})
	require.ErrorContains(t, err, "the entity is too large for its schema")
}
