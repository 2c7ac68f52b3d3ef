package storetest

import (
	"fmt"
	"github.com/trellisgraph/trellis/graph"
	"strings"
)

// An attack is a call that must be refused before the store is asked.
type attack struct {
	tool, args string
	code       graph.Code
	path       string
}

func find(args string, code graph.Code, path string) attack {
	return attack{graph.ToolFindNodes, args, code, path}
}

func finds(template string, values []string, code graph.Code, path string) []attack {
	var out []attack
	for _, v := range values {
		out = append(out, find(fmt.Sprintf(template, v), code, path))
	}
	return out
}

func directionAttacks() []attack {
	var out []attack
	for _, d := range []string{"DESC; drop table gl_user", " desc", "Desc", "DESC", "descending", "", "asc,", "asc\\u0020"} {
		out = append(out, find(`{"node_label": "gl_user", "order_by": [{"property": "id", "direction": "`+d+`"}]}`, graph.InvalidEnum, "/order_by/0/direction"))
	}
	for _, d := range []string{"out", "OUTGOING", " both", "->", "outgoing' OR '1'='1"} {
		out = append(out, attack{graph.ToolTraverse, `{"from": {"label": "gl_user"}, "relationships": [{"type": "FOLLOWS", "direction": "` + d + `"}], "to": {"label": "gl_user"}}`, graph.InvalidEnum, "/relationships/0/direction"})
	}
	return out
}

func propertyAttacks() []attack {
	var out []attack
	for _, name := range []string{"j.b", "j->>'a'", "s'::int", "$.x", `x"`, "s`", "j->'a'", "meta->>'k'", "s OR 1=1", "thing.s", "s;", "*", "s COLLATE x", "S"} {
		quoted, at := quoteJSON(name), graph.Pointer("", name)
		out = append(out,
			find(`{"node_label": "thing", "filters": {`+quoted+`: "x"}}`, graph.UnknownProperty, "/filters"+at),
			find(`{"node_label": "thing", "order_by": [{"property": `+quoted+`}]}`, graph.UnknownProperty, "/order_by/0/property"),
			find(`{"node_label": "thing", "properties": [`+quoted+`]}`, graph.UnknownProperty, "/properties/0"),
			attack{graph.ToolAggregate, `{"node_label": "thing", "aggregations": [{"function": "max", "property": ` + quoted + `}]}`, graph.UnknownProperty, "/aggregations/0/property"},
			attack{graph.ToolAggregate, `{"node_label": "thing", "aggregations": [{"function": "count"}], "group_by": [{"property": ` + quoted + `}]}`, graph.UnknownProperty, "/group_by/0/property"})
	}
	return out
}

func shapeAttacks() []attack {
	out := finds(`{"node_label": "gl_issue", "filters": {"title": %s}}`, []string{"[]", `["a"]`, "[[1]]", "5", "true"}, graph.InvalidType, "/filters/title")
	out = append(out, finds(`{"node_label": "gl_issue", "filters": {"title": {"eq": %s}}}`, []string{"{}", `{"eq": "x"}`, "[]", "null"}, graph.InvalidType, "/filters/title/eq")...)
	out = append(out, finds(`{"node_label": "gl_issue", "filters": {"iid": {"in": [1, %s]}}}`, []string{"[1]", "{}", "null", `"1"`, "1.0", "true"}, graph.InvalidType, "/filters/iid/in/1")...)
	return append(out, finds(`{"node_label": "gl_issue", "filters": {"iid": {"in": %s}}}`, []string{"{}", "1", `"1"`, "null"}, graph.InvalidType, "/filters/iid/in")...)
}

func reservedWordAttacks() []attack {
	var out []attack
	for _, name := range []string{"_connector", "_negated", "$or", "$where", "__proto__", "constructor", "and", "or", "not", "AND", ""} {
		out = append(out, find(`{"node_label": "gl_issue", "filters": {`+quoteJSON(name)+`: "x"}}`, graph.UnknownProperty, "/filters/"+name))
	}
	return append(out, find(`{"node_label": "gl_issue", "filters": {"iid": {"$gt": 1}}}`, graph.UnknownOperator, "/filters/iid/$gt"),
		find(`{"node_label": "gl_issue", "filters": {"iid": {"": 1}}}`, graph.UnknownOperator, "/filters/iid/"))
}

func limitAttacks() []attack {
	out := finds(`{"node_label": "fact", "limit": %s}`, []string{"0", "-1", "-2147483648"}, graph.OutOfRange, "/limit")
	out = append(out, finds(`{"node_label": "fact", "limit": %s}`, []string{"31", "2147483647", "2147483648", "4294967296"}, graph.LimitExceeded, "/limit")...)
	return append(out, finds(`{"node_label": "fact", "limit": %s}`, []string{"1.0", "1e2", "1E0", `"30"`, "null", "true", "-0", "[1]", "{}", "3.5"}, graph.InvalidType, "/limit")...)
}

func instantAttacks() []attack {
	out := finds(`{"node_label": "thing", "filters": {"dt": %s}}`, []string{`"2024-02-29 12:00:00"`, `"2024-02-29T12:00:00"`, `"2024-02-29T12:00:00.1234567Z"`, `"now"`, "0", `"20240229T120000Z"`}, graph.InvalidType, "/filters/dt")
	return append(out, finds(`{"node_label": "thing", "filters": {"d": %s}}`, []string{`"29.2.2024"`, `"2024-2-29"`, `"2024-02-29T00:00:00Z"`, "20240229", `"today"`}, graph.InvalidType, "/filters/d")...)
}

func hopAttacks() []attack {
	walk := func(steps, path string, code graph.Code) attack {
		return attack{graph.ToolTraverse, `{"from": {"label": "gl_user"}, "relationships": [` + steps + `], "to": {"label": "gl_user"}}`, code, path}
	}
	step := func(hops string) string { return `{"type": "FOLLOWS", "direction": "both", "max_hops": ` + hops + `}` }
	six := strings.TrimSuffix(strings.Repeat(step("1")+",", 6), ",")
	return []attack{
		walk(step("0"), "/relationships/0/max_hops", graph.OutOfRange),
		walk(step("-1"), "/relationships/0/max_hops", graph.OutOfRange),
		walk(step("4"), "/relationships/0/max_hops", graph.LimitExceeded),
		walk(step("2147483648"), "/relationships/0/max_hops", graph.LimitExceeded),
		walk(step("1.0"), "/relationships/0/max_hops", graph.InvalidType),
		walk(`{"type": "FOLLOWS", "min_hops": 0}`, "/relationships/0/min_hops", graph.OutOfRange),
		walk(`{"type": "FOLLOWS", "min_hops": 3, "max_hops": 1}`, "/relationships/0/min_hops", graph.OutOfRange),
		walk(six, "/relationships", graph.LimitExceeded),
		walk(step("3")+","+step("3")+","+step("3"), "/relationships", graph.LimitExceeded),
		{graph.ToolNeighbors, `{"start_node": {"label": "gl_user", "node_id": 1}, "max_hops": 4}`, graph.LimitExceeded, "/max_hops"},
		{graph.ToolNeighbors, `{"start_node": {"label": "gl_user", "node_id": 1}, "max_hops": 0}`, graph.OutOfRange, "/max_hops"},
		{graph.ToolPaths, `{"from": {"label": "gl_user", "node_id": 1}, "to": {"label": "gl_user", "node_id": 2}, "max_hops": 7}`, graph.LimitExceeded, "/max_hops"},
		{graph.ToolPaths, `{"from": {"label": "gl_user", "node_id": 1}, "to": {"label": "gl_user", "node_id": 2}, "max_hops": -1}`, graph.OutOfRange, "/max_hops"},
	}
}

// badUTF8 are arguments with bytes that are not UTF-8, or escapes of half
// characters.
func badUTF8() []string {
	var out []string
	for _, bad := range []string{"\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xed\xb0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "a\x80", `\ud800`, `\udc00`, `\ud83dx`, `\ud83d\u0041`, `\ude00\ud83d`} {
		out = append(out, `{"node_label": "gl_user", "filters": {"name": "`+bad+`"}}`, `{"node_label": "gl_user", "filters": {"`+bad+`": "x"}}`, `{"node_label": "`+bad+`"}`)
	}
	return out
}
