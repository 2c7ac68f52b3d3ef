package bundle

import "slices"

// A shape says what a keyword of JSON Schema holds, as far as sub-schemas go.
type shape uint8

const (
	noSchema   shape = iota
	oneSchema        // a schema
	listSchema       // a list of schemas
	mapSchema        // a map of schemas
)

// A reach says which value a sub-schema is about.
type reach uint8

const (
	nowhere   reach = iota // none, unless something refers to it
	inPlace                // the same value
	property               // the property of the sub-schema's name
	matching               // properties whose names match
	others                 // properties that have no sub-schema
	position_              // the item of the sub-schema's number
	rest                   // the items behind those
	items                  // every item
)

type keyword struct {
	name  string
	shape shape
	reach reach
}

// keywords are those of Draft 2020-12 that are read, in the order of its
// vocabularies.
var keywords = []keyword{
	{"$schema", noSchema, nowhere}, {"$id", noSchema, nowhere}, {"$ref", noSchema, nowhere}, {"$comment", noSchema, nowhere}, {"$defs", mapSchema, nowhere},

	{"allOf", listSchema, inPlace}, {"anyOf", listSchema, inPlace}, {"oneOf", listSchema, inPlace}, {"not", oneSchema, inPlace},
	{"if", oneSchema, inPlace}, {"then", oneSchema, inPlace}, {"else", oneSchema, inPlace}, {"dependentSchemas", mapSchema, inPlace},
	{"properties", mapSchema, property}, {"patternProperties", mapSchema, matching}, {"additionalProperties", oneSchema, others},
	{"propertyNames", oneSchema, matching},
	{"prefixItems", listSchema, position_}, {"items", oneSchema, rest}, {"contains", oneSchema, items},

	{"unevaluatedItems", oneSchema, rest}, {"unevaluatedProperties", oneSchema, others},

	{"type", noSchema, nowhere}, {"const", noSchema, nowhere}, {"enum", noSchema, nowhere},
	{"multipleOf", noSchema, nowhere}, {"maximum", noSchema, nowhere}, {"exclusiveMaximum", noSchema, nowhere}, {"minimum", noSchema, nowhere}, {"exclusiveMinimum", noSchema, nowhere},
	{"maxLength", noSchema, nowhere}, {"minLength", noSchema, nowhere}, {"pattern", noSchema, nowhere},
	{"maxItems", noSchema, nowhere}, {"minItems", noSchema, nowhere}, {"uniqueItems", noSchema, nowhere}, {"maxContains", noSchema, nowhere}, {"minContains", noSchema, nowhere},
	{"maxProperties", noSchema, nowhere}, {"minProperties", noSchema, nowhere}, {"required", noSchema, nowhere}, {"dependentRequired", noSchema, nowhere},

	{"title", noSchema, nowhere}, {"description", noSchema, nowhere}, {"default", noSchema, nowhere}, {"deprecated", noSchema, nowhere},
	{"readOnly", noSchema, nowhere}, {"writeOnly", noSchema, nowhere}, {"examples", noSchema, nowhere},

	{"format", noSchema, nowhere}, {"contentEncoding", noSchema, nowhere}, {"contentMediaType", noSchema, nowhere},
}

// refusedKeywords are those of some draft that are not read, and what to write
// instead.
var refusedKeywords = map[string]string{
	"$anchor":          "refer to a place of the file: {\"$ref\": \"#/$defs/name\"}",
	"$dynamicAnchor":   "refer to a place of the file: {\"$ref\": \"#/$defs/name\"}",
	"$dynamicRef":      "refer to a place of the file: {\"$ref\": \"#/$defs/name\"}",
	"$recursiveAnchor": "refer to a place of the file: {\"$ref\": \"#\"}",
	"$recursiveRef":    "refer to a place of the file: {\"$ref\": \"#\"}",
	"$vocabulary":      "the vocabularies are those of Draft 2020-12",
	"contentSchema":    "what is inside of a text is not looked at",
	"definitions":      "Draft 2020-12 has `$defs`",
	"dependencies":     "Draft 2020-12 has `dependentRequired` and `dependentSchemas`",
	"additionalItems":  "Draft 2020-12 has `prefixItems`, and `items` for those behind them",
	"id":               "Draft 2020-12 has `$id`",
	"extends":          "use `allOf`",
	"disallow":         "use `not`",
	"divisibleBy":      "use `multipleOf`",
	"nullable":         "use `\"type\": [\"string\", \"null\"]`",
	"discriminator":    "use `oneOf`",
	"example":          "use `examples`, a list",
}

// formats are the formats of Draft 2020-12. Of properties, date, date-time and
// uuid are asserted; all others say something to people.
var formats = []string{"date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference",
	"json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template", "uuid"}

func keywordOf(name string) (keyword, bool) {
	i := slices.IndexFunc(keywords, func(k keyword) bool { return k.name == name })
	if i < 0 {
		return keyword{}, false
	}
	return keywords[i], true
}

func keywordNames() []string {
	out := make([]string, len(keywords))
	for i, k := range keywords {
		out[i] = k.name
	}
	return out
}
