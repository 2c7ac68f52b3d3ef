package storetest

import (
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A threat is a check that one kind of attack fails.
type threat struct {
	name, fixture string
	check         func(t *testing.T, s *schema.Schema, st store.Store)
}

func threats() []threat {
	return []threat{
		{"T02 hostile names are no names", "gitlab", hostileNames},
		{"T03 directions are exact", "gitlab", refused(directionAttacks()...)},
		{"T04 property names are exact", "types", refused(propertyAttacks()...)},
		{"T05 values have the shape of their type", "gitlab", refused(shapeAttacks()...)},
		{"T06 reserved words are no properties", "gitlab", refused(reservedWordAttacks()...)},
		{"T07 patterns match literally", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "word", "filters": {"text": {"contains": "%"}}}`:                       "11 17 19",
			`{"node_label": "word", "filters": {"text": {"contains": "_"}}}`:                       "12 18",
			`{"node_label": "word", "filters": {"text": {"ends_with": "\\"}}}`:                     "13 25",
			`{"node_label": "word", "filters": {"text": {"contains": "[a]"}}}`:                     "26",
			`{"node_label": "word", "filters": {"text": {"starts_with": "!"}}}`:                    "14",
			`{"node_label": "word", "where": "text.contains('%') && !text.endsWith('%')"}`:         "19",
			`{"node_label": "word", "filters": {"text": {"contains": "a%b", "ends_with": "b"}}}`:   "19",
			`{"node_label": "word", "filters": {"text": {"contains": "%%"}}}`:                      nothing,
			`{"node_label": "word", "filters": {"text": {"starts_with": "a_", "ne": "a_b"}}}`:      nothing,
			`{"node_label": "word", "filters": {"note": {"contains": "\\N", "ends_with": "\\N"}}}`: "28",
		})},
		{"T08 patterns are short", "types", refused(
			find(`{"node_label": "word", "filters": {"text": {"contains": "`+strings.Repeat("%a", 1000)+`"}}}`, graph.LimitExceeded, "/filters/text/contains"),
			find(`{"node_label": "word", "filters": {"text": {"starts_with": "`+strings.Repeat("a", 257)+`"}}}`, graph.LimitExceeded, "/filters/text/starts_with"),
			find(`{"node_label": "word", "filters": {"text": {"ends_with": "`+strings.Repeat("é", 129)+`"}}}`, graph.LimitExceeded, "/filters/text/ends_with"),
			find(`{"node_label": "word", "filters": {"text": {"contains": "`+strings.Repeat("a", 10<<10)+`"}}}`, graph.LimitExceeded, "/filters/text/contains"),
		)},
		{"T08 a pattern of 256 bytes is searched", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "word", "filters": {"text": {"contains": "` + strings.Repeat("%a", 128) + `"}}}`: nothing,
		})},
		{"T09 there are no regular expressions", "gitlab", refused(
			find(`{"node_label": "gl_issue", "filters": {"title": {"regex": "(a+)+$"}}}`, graph.UnknownOperator, "/filters/title/regex"),
			find(`{"node_label": "gl_issue", "filters": {"title": {"matches": "(a+)+$"}}}`, graph.UnknownOperator, "/filters/title/matches"),
			find(`{"node_label": "gl_issue", "where": "title.matches('(a+)+$')"}`, graph.InvalidExpression, "/where"),
		)},
		{"T10 lists are bounded", "types", listLengths},
		{"T11 limits are refused or kept, never bent", "types", refused(limitAttacks()...)},
		{"T11 good limits", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "fact", "limit": 30}`: "1 2 3 4",
			`{"node_label": "fact", "limit": 1}`:  "1; truncated rows",
		})},
		{"T12 keys are exact or refused", "types", refused(append(finds(`{"node_label": "num", "ids": [%s]}`,
			[]string{"9223372036854775808", "18446744073709551615", `"9223372036854775808"`, "-9223372036854775809"}, graph.OutOfRange, "/ids/0"),
			append(finds(`{"node_label": "num", "ids": [%s]}`, []string{`"NaN"`, `"Infinity"`, `"1e3"`, `"9007199254740993.0"`, "9007199254740993.0", "1e3"}, graph.InvalidType, "/ids/0"),
				finds(`{"node_label": "num", "ids": [%s]}`, []string{"NaN", "Infinity", "0x10", "1_000"}, graph.Syntax, "")...)...)...)},
		{"T12 keys beyond 2^53 are not rounded", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "num", "ids": [9007199254740993]}`:                               "9007199254740993",
			`{"node_label": "num", "ids": [9007199254740992]}`:                               "9007199254740992",
			`{"node_label": "num", "ids": ["-9223372036854775808"]}`:                         "-9223372036854775808",
			`{"node_label": "num", "filters": {"id": {"gt": 9007199254740992}}}`:             "9007199254740993 9223372036854775807",
			`{"node_label": "num", "where": "id > 9007199254740992"}`:                        "9007199254740993 9223372036854775807",
			`{"node_label": "thing", "filters": {"i64": {"lt": 9007199254740993, "gt": 7}}}`: "7",
		})},
		{"T13 duplicate names are refused", "gitlab", refused(
			find(`{"node_label": "gl_user", "node_label": "gl_group"}`, graph.DuplicateKey, "/node_label"),
			find(`{"node_label": "gl_user", "node_l\u0061bel": "gl_group"}`, graph.DuplicateKey, "/node_label"),
			find(`{"node_label": "gl_user", "filters": {"bot": true, "bot": false}}`, graph.DuplicateKey, "/filters/bot"),
			find(`{"node_label": "gl_user", "filters": {"id": {"gt": 1, "g\u0074": 0}}}`, graph.DuplicateKey, "/filters/id/gt"),
			find(`{"node_label": "gl_user", "order_by": [{"property": "id", "property": "name"}]}`, graph.DuplicateKey, "/order_by/0/property"),
		)},
		{"T14 names differ by case", "gitlab", refused(
			find(`{"node_label": "gl_user", "LIMIT": 1}`, graph.UnknownField, "/LIMIT"),
			find(`{"Node_label": "gl_user"}`, graph.UnknownField, "/Node_label"),
			find(`{"node_label": "gl_user", "\u017fearch": "x"}`, graph.UnknownField, "/ſearch"),
			attack{graph.ToolPaths, `{"from": {"label": "gl_user", "node_id": 1}, "to": {"label": "gl_user", "node_id": 2}, "\u212a": 3}`, graph.UnknownField, "/\u212a"},
		)},
		{"T15 no NUL", "gitlab", refused(
			find(`{"node_label": "gl_user", "filters": {"name": "a\u0000b"}}`, graph.InvalidString, "/filters/name"),
			find(`{"node_label": "gl_user", "ids": ["1\u0000"]}`, graph.InvalidString, "/ids/0"),
			find(`{"node_label": "gl_user\u0000"}`, graph.InvalidString, "/node_label"),
		)},
		{"T15 no NUL in names", "gitlab", anyRefusal(`{"node_label\u0000": "gl_user"}`, `{"node_label": "gl_user", "filters": {"na\u0000me": "x"}}`, "{\"node_label\": \"gl_user\x00\"}")},
		{"T16 only good UTF-8", "gitlab", anyRefusal(badUTF8()...)},
		{"T17 one JSON value, and nothing after it", "gitlab", refused(finds("%s", []string{
			`{"node_label": "gl_user"} {}`, `{"node_label": "gl_user"}]`, `{"node_label": "gl_user"} // x`, `/* x */ {"node_label": "gl_user"}`,
			`{"node_label": "gl_user", "limit": NaN}`, `{"node_label": "gl_user", "limit": Infinity}`, `{"node_label": "gl_user",}`, `{'node_label': "gl_user"}`,
			`{"node_label": "gl_user", "limit": 1.}`, `{"node_label": "gl_user", "limit": 0x1}`, `{"node_label": "gl_user", "ids": [1,]}`, `{"node_label": "gl_user"`, `{"node_label" "gl_user"}`,
			`{"node_label": "gl` + "\n" + `_user"}`, `{"node_label": tru}`, ``, ` `, `{`, `"`, `{"a"`, `{"a":`, "\ufeff" + `{"node_label": "gl_user"}`,
		}, graph.Syntax, "")...)},
		{"T18 depth and size are bounded", "gitlab", bounded},
		{"T19 names are not what they look like", "gitlab", refused(
			find(`{"node_label": "gl_us\u0435r"}`, graph.UnknownLabel, "/node_label"),
			find(`{"node_label": "\uff47l_user"}`, graph.UnknownLabel, "/node_label"),
			find(`{"node_label": "gl_user\u200b"}`, graph.UnknownLabel, "/node_label"),
			find(`{"node_label": "\u202egl_user"}`, graph.UnknownLabel, "/node_label"),
			find(`{"node_label": "gl_user", "filters": {"n\u0430me": "x"}}`, graph.UnknownProperty, "/filters/n\u0430me"),
		)},
		{"T20 normal forms differ", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "word", "filters": {"text": "\u00e1"}}`:                                   "3",
			`{"node_label": "word", "filters": {"text": "a\u0301"}}`:                                  "4",
			`{"node_label": "word", "filters": {"text": {"contains": "\u0301"}}}`:                     "4",
			`{"node_label": "tag", "ids": ["\u00e1"]}`:                                                "\u00e1",
			`{"node_label": "tag", "ids": ["a\u0301"]}`:                                               "nothing; warning NOT_FOUND /ids/0",
			`{"node_label": "word", "filters": {"text": {"in": ["\u00e1", "a\u0301"]}}}`:              "3 4",
			`{"node_label": "word", "filters": {"text": {"starts_with": "a", "contains": "\u0301"}}}`: "4",
		})},
		{"T21 hops and steps are bounded", "gitlab", refused(hopAttacks()...)},
		{"T34 a cursor serves its own call only", "types", spoiltCursors},
		{"T61 sums and averages", "types", answered(graph.ToolAggregate, map[string]string{
			`{"node_label": "fact", "aggregations": [{"function": "sum", "property": "i64"}, {"function": "avg", "property": "i32"}]}`:                                     "9223372036854775807 11.25",
			`{"node_label": "fact", "ids": [77], "aggregations": [{"function": "avg", "property": "i32"}, {"function": "sum", "property": "i64"}, {"function": "count"}]}`: "null null 0",
			`{"node_label": "thing", "aggregations": [{"function": "count_distinct", "property": "s"}, {"function": "min", "property": "s"}, {"function": "count"}]}`:      `7 "" 8`,
		})},
		{"T61 a sum that overflows is refused", "types", overflow},
		{"T62 p, not p and p is null make up all", "types", threeValues},
		{"T63 instants are exact or refused", "types", refused(instantAttacks()...)},
		{"T63 zones, leap days, microseconds", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "thing", "filters": {"dt": "2024-02-29T14:30:00+02:00"}}`:                                                "7 8",
			`{"node_label": "thing", "filters": {"dt": "2024-02-29T00:30:00-12:00"}}`:                                                "7 8",
			`{"node_label": "thing", "filters": {"dt": {"gt": "2024-02-29T12:00:00.499999Z", "lt": "2024-02-29T12:00:00.500001Z"}}}`: "4",
			`{"node_label": "thing", "filters": {"d": "2024-02-29"}}`:                                                                "4 7",
			`{"node_label": "thing", "filters": {"dt": {"gte": "9999-12-31T23:59:59.999999Z"}}}`:                                     "2",
			`{"node_label": "thing", "filters": {"dt": {"lte": "0001-01-01T00:00:00Z"}}}`:                                            "1",
		})},
		{"T64 case counts in = and contains and order", "types", answered(graph.ToolFindNodes, map[string]string{
			`{"node_label": "thing", "filters": {"s": "A"}}`:                                                      "5",
			`{"node_label": "thing", "filters": {"s": {"contains": "A"}}}`:                                        "5",
			`{"node_label": "thing", "filters": {"s": {"in": ["a", "A", "á"]}}, "order_by": [{"property": "s"}]}`: "5 4 7",
			`{"node_label": "tag", "filters": {"text": {"gte": "A", "lt": "b"}}}`:                                 `A a "a "`,
			`{"node_label": "word", "filters": {"text": "a "}}`:                                                   "5",
		})},
	}
}
