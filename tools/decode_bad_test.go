package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools"
)

// A badCall is a call with its mistakes, each "CODE pointer". mended is the
// call after its fixes, "" where a mistake has none.
type badCall struct {
	tool, args, want, mended string
}

const count = `"aggregations":[{"function":"count"}]`

var bad = []badCall{
	// The whole.
	{"find_nodes", `[]`, "INVALID_TYPE ", ""},
	{"find_nodes", `null`, "INVALID_TYPE ", ""},
	{"find_nodes", `"{\"node_label\":\"book\"}"`, "INVALID_TYPE ", `{"node_label":"book"}`},
	{"find_nodes", `"book"`, "INVALID_TYPE ", ""},
	{"find_nodes", `{}`, "MISSING_FIELD /node_label", ""},
	{"traverse_relationships", `{}`, "MISSING_FIELD /from; MISSING_FIELD /relationships; MISSING_FIELD /to", ""},
	{"explore_neighbors", `{}`, "MISSING_FIELD /start_node", ""},
	{"find_paths", `{}`, "MISSING_FIELD /from; MISSING_FIELD /to", ""},
	{"aggregate_nodes", `{}`, "MISSING_FIELD /node_label; MISSING_FIELD /aggregations", ""},

	// Fields.
	{"find_nodes", `{"Node_Label":"book"}`, "UNKNOWN_FIELD /Node_Label; MISSING_FIELD /node_label", `{"node_label":"book"}`},
	{"find_nodes", `{"label":"book"}`, "UNKNOWN_FIELD /label; MISSING_FIELD /node_label", `{"node_label":"book"}`},
	{"find_nodes", `{"node_label":"book","NODE_LABEL":"x"}`, "UNKNOWN_FIELD /NODE_LABEL", `{"node_label":"book"}`},
	{"find_nodes", `{"node_label":"book","filter":{"state":"in"}}`, "UNKNOWN_FIELD /filter", `{"node_label":"book","filters":{"state":"in"}}`},
	{"find_nodes", `{"node_label":"book","sort":[{"property":"title"}]}`, "UNKNOWN_FIELD /sort", `{"node_label":"book","order_by":[{"property":"title"}]}`},
	{"find_nodes", `{"node_label":"person","id":7}`, "UNKNOWN_FIELD /id", `{"node_label":"person","ids":[7]}`},
	{"find_nodes", `{"node_label":"person","id":[7]}`, "UNKNOWN_FIELD /id", `{"node_label":"person","ids":[7]}`},
	{"find_nodes", `{"node_label":"book","a/b~c":1}`, "UNKNOWN_FIELD /a~1b~0c", ""}, // without it the call would ask for more
	{"find_nodes", `{"node_label":"book","a/b~c":null,"offset":0,"include_total":true}`, "UNKNOWN_FIELD /a~1b~0c; UNKNOWN_FIELD /offset; UNKNOWN_FIELD /include_total", `{"node_label":"book"}`},
	{"find_nodes", `{"node_label":"book","pages":3,"filters":"{\"state\":\"in\"}"}`, "UNKNOWN_FIELD /pages; INVALID_TYPE /filters", `{"node_label":"book","filters":{"state":"in","pages":3}}`},
	{"find_nodes", `{"node_label":"book","offset":10}`, "UNKNOWN_FIELD /offset", ""},
	{"find_nodes", `{"node_label":"book","stat":"in","page":{"gt":3}}`, "UNKNOWN_FIELD /stat; UNKNOWN_FIELD /page", `{"node_label":"book","filters":{"state":"in","pages":{"gt":3}}}`},
	{"find_nodes", `{"node_label":"book","tenant_id":"x","_meta":{"tenant":"y"}}`, "UNKNOWN_FIELD /tenant_id; UNKNOWN_FIELD /_meta", `{"node_label":"book"}`},
	{"explore_neighbors", `{"start_node":{"label":"person","id":7}}`, "UNKNOWN_FIELD /start_node/id; MISSING_FIELD /start_node/node_id", `{"start_node":{"label":"person","node_id":7}}`},
	{"explore_neighbors", `{"start_node":{"label":"person","node_id":7},"depth":2}`, "UNKNOWN_FIELD /depth", `{"start_node":{"label":"person","node_id":7},"max_hops":2}`},
	{"traverse_relationships", `{"from":{"label":"person","limit":3},"relationships":[{"type":"WROTE"}],"to":{"label":"book"}}`, "UNKNOWN_FIELD /from/limit", ""},
	{"traverse_relationships", `{"from":{"label":"person","meta":3},"relationships":[{"types":["WROTE"]}],"to":{"label":"book"}}`,
		"UNKNOWN_FIELD /from/meta; UNKNOWN_FIELD /relationships/0/types; MISSING_FIELD /relationships/0/type",
		`{"from":{"label":"person"},"relationships":[{"type":["WROTE"]}],"to":{"label":"book"}}`},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS","to":{"label":"person","related":[]}}]}]}`,
		"UNKNOWN_FIELD /related/0/relationships/0/to/related",
		`{"node_label":"person","related":[{"relationships":[{"type":"KNOWS","to":{"label":"person"}}]}]}`},
	{"find_nodes", `{"node_label":"book","state":"in","pages":{"gt":3}}`, "UNKNOWN_FIELD /state; UNKNOWN_FIELD /pages", `{"node_label":"book","filters":{"state":"in","pages":{"gt":3}}}`},
	{"find_nodes", `{"state":"in","node_label":"book","filters":{"pages":3}}`, "UNKNOWN_FIELD /state", `{"node_label":"book","filters":{"pages":3,"state":"in"}}`},
	{"find_nodes", `{"secret":"in","node_label":"book"}`, "UNKNOWN_FIELD /secret", ""},
	{"traverse_relationships", `{"from":{"label":"person","name":"Ada"},"relationships":[{"type":"WROTE","year":1999}],"to":{"label":"book"}}`,
		"UNKNOWN_FIELD /from/name; UNKNOWN_FIELD /relationships/0/year",
		`{"from":{"label":"person","filters":{"name":"Ada"}},"relationships":[{"type":"WROTE","filters":{"year":1999}}],"to":{"label":"book"}}`},
	{"get_graph_schema", `{"expand":true}`, "UNKNOWN_FIELD /expand", `{"expand_schema":true}`},

	// Duplicates.
	{"find_nodes", `{"node_label":"book","node_label":"book"}`, "DUPLICATE_KEY /node_label", ""},
	{"find_nodes", `{"node_label":"book","n\u006fde_label":"person"}`, "DUPLICATE_KEY /node_label", ""},
	{"find_nodes", `{"node_label":"book","filters":{"state":"in","stat\u0065":"lent"}}`, "DUPLICATE_KEY /filters/state", ""},
	{"find_nodes", `{"node_label":"book","filters":{"pages":{"gt":1,"gt":2}}}`, "DUPLICATE_KEY /filters/pages/gt", ""},
	{"find_nodes", `{"node_label":"book","x":1,"x":2}`, "UNKNOWN_FIELD /x; DUPLICATE_KEY /x", ""},
	{"explore_neighbors", `{"start_node":{"label":"person","node_id":7},"properties":{"book":[],"book":[]}}`, "DUPLICATE_KEY /properties/book", ""},

	// Null.
	{"find_nodes", `{"node_label":null}`, "INVALID_TYPE /node_label", ""},
	{"find_nodes", `{"node_label":"book","limit":null,"where":null}`, "INVALID_TYPE /limit; INVALID_TYPE /where", `{"node_label":"book"}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":null}}`, "INVALID_TYPE /filters/state", `{"node_label":"book","filters":{"state":{"is_null":true}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"eq":null}}}`, "INVALID_TYPE /filters/state/eq", `{"node_label":"book","filters":{"state":{"is_null":true}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"ne":null}}}`, "INVALID_TYPE /filters/state/ne", `{"node_label":"book","filters":{"state":{"is_null":false}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"in":["in",null]}}}`, "INVALID_TYPE /filters/state/in/1", `{"node_label":"book","filters":{"state":{"in":["in"]}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"pages":{"gt":null}}}`, "INVALID_TYPE /filters/pages/gt", ""},

	// Integers.
	{"find_nodes", `{"node_label":"book","limit":0}`, "OUT_OF_RANGE /limit", `{"node_label":"book","limit":1}`},
	{"find_nodes", `{"node_label":"book","limit":-1}`, "OUT_OF_RANGE /limit", `{"node_label":"book","limit":1}`},
	{"find_nodes", `{"node_label":"book","limit":1.0}`, "INVALID_TYPE /limit", `{"node_label":"book","limit":1}`},
	{"find_nodes", `{"node_label":"book","limit":2e1}`, "INVALID_TYPE /limit", `{"node_label":"book","limit":20}`},
	{"find_nodes", `{"node_label":"book","limit":1.5}`, "INVALID_TYPE /limit", ""},
	{"find_nodes", `{"node_label":"book","limit":-0}`, "INVALID_TYPE /limit", `{"node_label":"book","limit":1}`},
	{"find_nodes", `{"node_label":"book","limit":"30"}`, "INVALID_TYPE /limit", `{"node_label":"book","limit":30}`},
	{"find_nodes", `{"node_label":"book","limit":"many"}`, "INVALID_TYPE /limit", ""},
	{"find_nodes", `{"node_label":"book","limit":"1.0"}`, "INVALID_TYPE /limit", ""},
	{"find_nodes", `{"node_label":"book","limit":true}`, "INVALID_TYPE /limit", ""},
	{"find_nodes", `{"node_label":"book","limit":9223372036854775808}`, "LIMIT_EXCEEDED /limit", `{"node_label":"book","limit":30}`},
	{"find_nodes", `{"node_label":"book","limit":1e309}`, "INVALID_TYPE /limit", ""},
	{"find_nodes", `{"node_label":"book","limit":-99999999999999999999}`, "OUT_OF_RANGE /limit", `{"node_label":"book","limit":1}`},
	{"explore_neighbors", `{"start_node":{"label":"person","node_id":7},"max_hops":0}`, "OUT_OF_RANGE /max_hops", `{"start_node":{"label":"person","node_id":7},"max_hops":1}`},
	{"find_paths", `{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"mode":"k_shortest","k":0,"max_hops":-1,"limit":0}`,
		"OUT_OF_RANGE /k; OUT_OF_RANGE /max_hops; OUT_OF_RANGE /limit", `{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"mode":"k_shortest","k":1,"max_hops":1,"limit":1}`},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":"KNOWS","min_hops":0,"max_hops":0}],"to":{"label":"person"}}`,
		"OUT_OF_RANGE /relationships/0/min_hops; OUT_OF_RANGE /relationships/0/max_hops",
		`{"from":{"label":"person"},"relationships":[{"type":"KNOWS","min_hops":1,"max_hops":1}],"to":{"label":"person"}}`},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":{"gte":-1,"lt":99999999999999999999}}]}`,
		"OUT_OF_RANGE /related/0/count/gte; OUT_OF_RANGE /related/0/count/lt", ""},

	// Lists.
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":[],"to":{"label":"book"}}`, "OUT_OF_RANGE /relationships", ""},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":[]}],"to":{"label":"book"}}`, "OUT_OF_RANGE /relationships/0/type", ""},
	{"aggregate_nodes", `{"node_label":"book","aggregations":[]}`, "OUT_OF_RANGE /aggregations", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"group_by":[{"relationships":[]}]}`, "OUT_OF_RANGE /group_by/0/relationships", ""},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[]}]}`, "OUT_OF_RANGE /related/0/relationships", ""},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":{"type":"WROTE"},"to":{"label":"book"}}`, "INVALID_TYPE /relationships",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"}}`},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":"WROTE","to":{"label":"book"}}`, "INVALID_TYPE /relationships",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"}}`},
	{"find_nodes", `{"node_label":"book","properties":"title"}`, "INVALID_TYPE /properties", `{"node_label":"book","properties":["title"]}`},
	{"find_nodes", `{"node_label":"book","properties":{"book":["title"]}}`, "INVALID_TYPE /properties", `{"node_label":"book","properties":["title"]}`},
	{"find_nodes", `{"properties":{"person":["name"],"book":["title"]},"node_label":"book"}`, "INVALID_TYPE /properties", `{"properties":["title"],"node_label":"book"}`},
	{"find_nodes", `{"node_label":"book","properties":{"person":["title"]}}`, "INVALID_TYPE /properties", ""},
	{"find_nodes", `{"node_label":"book","properties":["title",7]}`, "INVALID_TYPE /properties/1", ""},
	{"find_nodes", `{"node_label":"book","properties":"[\"title\"]"}`, "INVALID_TYPE /properties", `{"node_label":"book","properties":["title"]}`},
	{"find_nodes", `{"node_label":"person","ids":7}`, "INVALID_TYPE /ids", `{"node_label":"person","ids":[7]}`},
	{"find_nodes", `{"node_label":"person","ids":[7.0,-0,1e2,true,null,{},[["a"]]]}`,
		"INVALID_TYPE /ids/0; INVALID_TYPE /ids/1; INVALID_TYPE /ids/2; INVALID_TYPE /ids/3; INVALID_TYPE /ids/4; INVALID_TYPE /ids/5; INVALID_TYPE /ids/6/0", ""},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"},"properties":["title"]}`, "INVALID_TYPE /properties",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"},"properties":{"book":["title"]}}`},
	{"find_nodes", `{"node_label":"book","order_by":"title"}`, "INVALID_TYPE /order_by", `{"node_label":"book","order_by":[{"property":"title"}]}`},
	{"find_nodes", `{"node_label":"book","order_by":["title"]}`, "INVALID_TYPE /order_by/0", `{"node_label":"book","order_by":[{"property":"title"}]}`},
	{"find_nodes", `{"node_label":"book","order_by":[{}]}`, "MISSING_FIELD /order_by/0/property", ""},

	// Objects, texts, words and truth.
	{"explore_neighbors", `{"start_node":"person"}`, "INVALID_TYPE /start_node", ""},
	{"traverse_relationships", `{"from":"person","relationships":["WROTE"],"to":"{\"label\":\"book\"}"}`, "INVALID_TYPE /from; INVALID_TYPE /relationships/0; INVALID_TYPE /to",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"}}`},
	{"find_nodes", `{"node_label":7}`, "INVALID_TYPE /node_label", ""},
	{"find_nodes", `{"node_label":["book"]}`, "INVALID_TYPE /node_label", ""},
	{"find_nodes", `{"node_label":"book","where":"","search":"","cursor":""}`, "INVALID_EXPRESSION /where; OUT_OF_RANGE /search; INVALID_CURSOR /cursor", `{"node_label":"book"}`},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":"WROTE","direction":""}],"to":{"label":"book"},"connections":"false"}`,
		"INVALID_ENUM /relationships/0/direction; INVALID_TYPE /connections",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE","direction":"outgoing"}],"to":{"label":"book"},"connections":false}`},
	{"traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":"WROTE","direction":1}],"to":{"label":"book"},"connections":0}`,
		"INVALID_TYPE /relationships/0/direction; INVALID_TYPE /connections", ""},
	{"find_paths", `{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"mode":"","weight":""}`, "INVALID_ENUM /mode; UNKNOWN_PROPERTY /weight",
		`{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"mode":"shortest"}`},
	{"get_graph_schema", `{"expand_schema":"true","expand_nodes":"*"}`, "INVALID_TYPE /expand_schema; INVALID_TYPE /expand_nodes", `{"expand_schema":true,"expand_nodes":["*"]}`},

	// Filters.
	{"find_nodes", `{"node_label":"book","filters":"{\"state\":\"in\"}"}`, "INVALID_TYPE /filters", `{"node_label":"book","filters":{"state":"in"}}`},
	{"find_nodes", `{"node_label":"book","filters":"state = in"}`, "INVALID_TYPE /filters", ""},
	{"find_nodes", `{"node_label":"book","filters":[]}`, "INVALID_TYPE /filters", `{"node_label":"book","filters":{}}`},
	{"find_nodes", `{"node_label":"book","filters":[{"property":"pages","operator":"gt","value":3},{"field":"pages","op":"lt","value":9},{"name":"state","value":"in"}]}`,
		"INVALID_TYPE /filters", `{"node_label":"book","filters":{"pages":{"gt":3,"lt":9},"state":{"eq":"in"}}}`},
	{"find_nodes", `{"node_label":"book","filters":[{"property":"pages"}]}`, "INVALID_TYPE /filters", ""},
	{"find_nodes", `{"node_label":"book","filters":["pages > 3"]}`, "INVALID_TYPE /filters", ""},
	{"find_nodes", `{"node_label":"book","filters":{"state":{}}}`, "MISSING_FIELD /filters/state", ""},
	{"find_nodes", `{"node_label":"book","filters":{"state":["in","lent"]}}`, "INVALID_TYPE /filters/state", `{"node_label":"book","filters":{"state":{"in":["in","lent"]}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"eq":["in"]}}}`, "INVALID_TYPE /filters/state/eq", `{"node_label":"book","filters":{"state":{"in":["in"]}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"in":"lent"}}}`, "INVALID_TYPE /filters/state/in", `{"node_label":"book","filters":{"state":{"in":["lent"]}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"in":[["lent"],{}]}}}`, "INVALID_TYPE /filters/state/in/0; INVALID_TYPE /filters/state/in/1", ""},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"eq":{"x":1}}}}`, "INVALID_TYPE /filters/state/eq", ""},
	{"find_nodes", `{"node_label":"book","filters":{"notes":{"is_null":"true"}}}`, "INVALID_TYPE /filters/notes/is_null", `{"node_label":"book","filters":{"notes":{"is_null":true}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"notes":{"is_null":1}}}`, "INVALID_TYPE /filters/notes/is_null", ""},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"contains":7}}}`, "INVALID_TYPE /filters/title/contains", ""},
	{"find_nodes", `{"node_label":"book","filters":{"pages":{">":3}}}`, "UNKNOWN_OPERATOR /filters/pages/>", `{"node_label":"book","filters":{"pages":{"gt":3}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"pages":{"$gte":3,"<":9}}}`, "UNKNOWN_OPERATOR /filters/pages/$gte; UNKNOWN_OPERATOR /filters/pages/<", `{"node_label":"book","filters":{"pages":{"gte":3,"lt":9}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"==":"in"}}}`, "UNKNOWN_OPERATOR /filters/state/==", `{"node_label":"book","filters":{"state":{"eq":"in"}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"state":{"EQ":"in"}}}`, "UNKNOWN_OPERATOR /filters/state/EQ", `{"node_label":"book","filters":{"state":{"eq":"in"}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"like":"%go%"}}}`, "UNKNOWN_OPERATOR /filters/title/like", `{"node_label":"book","filters":{"title":{"contains":"go"}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"ILIKE":"go%"}}}`, "UNKNOWN_OPERATOR /filters/title/ILIKE", `{"node_label":"book","filters":{"title":{"starts_with":"go"}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"like":"%go"}}}`, "UNKNOWN_OPERATOR /filters/title/like", `{"node_label":"book","filters":{"title":{"ends_with":"go"}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"startsWith":"go"}}}`, "UNKNOWN_OPERATOR /filters/title/startsWith", `{"node_label":"book","filters":{"title":{"starts_with":"go"}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"not_null":true}}}`, "UNKNOWN_OPERATOR /filters/title/not_null", `{"node_label":"book","filters":{"title":{"is_null":false}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"exists":false}}}`, "UNKNOWN_OPERATOR /filters/title/exists", `{"node_label":"book","filters":{"title":{"is_null":true}}}`},
	{"find_nodes", `{"node_label":"book","filters":{"title":{"regex":"(a+)+$"}}}`, "UNKNOWN_OPERATOR /filters/title/regex", ""},
	{"find_nodes", `{"node_label":"book","filters":{"pages":{"between":[1,2]}}}`, "UNKNOWN_OPERATOR /filters/pages/between", ""},
	{"find_nodes", `{"node_label":"book","filters":{"pages":{"a/b":1}}}`, "UNKNOWN_OPERATOR /filters/pages/a~1b", ""},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":3}]}`, "INVALID_TYPE /related/0/count",
		`{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":{"eq":3}}]}`},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":{">=":3}}]}`, "UNKNOWN_OPERATOR /related/0/count/>=",
		`{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":{"gte":3}}]}`},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":{"in":[3]}}]}`, "UNKNOWN_OPERATOR /related/0/count/in", ""},
	{"find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"count":{}}]}`, "MISSING_FIELD /related/0/count", ""},
	{"find_nodes", `{"node_label":"person","related":[{"type":"KNOWS","exists":false,"direction":"both"}]}`,
		"UNKNOWN_FIELD /related/0/type; UNKNOWN_FIELD /related/0/direction; MISSING_FIELD /related/0/relationships",
		`{"node_label":"person","related":[{"exists":false,"relationships":[{"type":"KNOWS","direction":"both"}]}]}`},
	{"find_nodes", `{"node_label":"shelf","node_id":["a",7]}`, "UNKNOWN_FIELD /node_id", `{"node_label":"shelf","ids":[["a",7]]}`},
	{"find_nodes", `{"node_label":"person","related":[{}]}`, "MISSING_FIELD /related/0/relationships", ""},
	{"find_nodes", `{"node_label":"person","related":{"relationships":[{"type":"KNOWS"}]}}`, "INVALID_TYPE /related", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}]}]}`},
	{"explore_neighbors", `{"start_node":{"label":"person","node_id":7},"filters":{"book":"{\"pages\":3}","person":{"name":{"=":"x"}}}}`,
		"INVALID_TYPE /filters/book; UNKNOWN_OPERATOR /filters/person/name/=", `{"start_node":{"label":"person","node_id":7},"filters":{"book":{"pages":3},"person":{"name":{"eq":"x"}}}}`},

	// Aggregates.
	{"aggregate_nodes", `{"node_label":"book","aggregations":["count"]}`, "INVALID_TYPE /aggregations/0", `{"node_label":"book",` + count + `}`},
	{"aggregate_nodes", `{"node_label":"book","aggregations":{"function":"count"}}`, "INVALID_TYPE /aggregations", `{"node_label":"book",` + count + `}`},
	{"aggregate_nodes", `{"node_label":"book","aggregations":[{"function":"","property":"","as":"","where":""}]}`,
		"INVALID_ENUM /aggregations/0/function; UNKNOWN_PROPERTY /aggregations/0/property; INVALID_STRING /aggregations/0/as; INVALID_EXPRESSION /aggregations/0/where", `{"node_label":"book",` + count + `}`},
	{"aggregate_nodes", `{"node_label":"book","aggregations":[{}]}`, "MISSING_FIELD /aggregations/0/function", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"group_by":"state"}`, "INVALID_TYPE /group_by", `{"node_label":"book",` + count + `,"group_by":[{"property":"state"}]}`},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"group_by":["state"]}`, "INVALID_TYPE /group_by/0", `{"node_label":"book",` + count + `,"group_by":[{"property":"state"}]}`},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"group_by":[{}]}`, "MISSING_FIELD /group_by/0/property", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"group_by":[{"property":[]}]}`, "OUT_OF_RANGE /group_by/0/property", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"group_by":[{"property":"added","truncate":""}]}`, "INVALID_ENUM /group_by/0/truncate",
		`{"node_label":"book",` + count + `,"group_by":[{"property":"added","truncate":"minute"}]}`},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"having":[{"as":"count","op":">","value":3}]}`, "UNKNOWN_OPERATOR /having/0/op",
		`{"node_label":"book",` + count + `,"having":[{"as":"count","op":"gt","value":3}]}`},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"having":[{}]}`, "MISSING_FIELD /having/0/as; MISSING_FIELD /having/0/op; MISSING_FIELD /having/0/value", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"having":[{"as":"count","op":"eq","value":null}]}`, "INVALID_TYPE /having/0/value", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"having":[{"as":"count","op":"in","value":[[1],{}]}]}`, "INVALID_TYPE /having/0/value/0; INVALID_TYPE /having/0/value/1", ""},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"order_by":["count"],"limit":0}`, "INVALID_TYPE /order_by/0; OUT_OF_RANGE /limit",
		`{"node_label":"book",` + count + `,"order_by":[{"as":"count"}],"limit":1}`},
	{"aggregate_nodes", `{"node_label":"book",` + count + `,"order_by":[{"property":"count"}]}`, "UNKNOWN_FIELD /order_by/0/property; MISSING_FIELD /order_by/0/as",
		`{"node_label":"book",` + count + `,"order_by":[{"as":"count"}]}`},

	// Strings.
	{"find_nodes", `{"node_label":"bo\u0000ok"}`, "INVALID_STRING /node_label", ""},
	{"find_nodes", `{"node_label":"book","filters":{"title":"\ud800"}}`, "INVALID_STRING /filters/title", ""},
	{"find_nodes", "{\"node_label\":\"book\",\"filters\":{\"title\":{\"in\":[\"a\",\"\xff\"]}}}", "INVALID_STRING /filters/title/in/1", ""},
	{"find_nodes", `{"node_label\u0000":"book"}`, "INVALID_STRING ; MISSING_FIELD /node_label", ""},
	{"find_nodes", "{\"node_label\":\"book\",\"filters\":{\"\xc0\xaf\":1}}", "INVALID_STRING /filters", ""},
}

// Every mistake is reported with its code and place, and the fixes, applied
// one after the other as a caller would, give a call that can be read.
func TestDecodeBad(t *testing.T) {
	r := libraryTools(t)
	for _, c := range bad {
		t.Run(c.tool+c.args, func(t *testing.T) {
			_, errs := r.Decode(c.tool, []byte(c.args))
			require.Equal(t, c.want, summary(errs))
			for _, e := range errs {
				require.NotEmpty(t, e.Message)
				require.False(t, e.Retryable)
			}
			mended, rest := mend(t, r, c.tool, []byte(c.args))
			if c.mended == "" {
				require.NotEmpty(t, rest, "mended to %s", mended)
				return
			}
			require.Empty(t, rest)
			require.Equal(t, c.mended, string(mended))
		})
	}
}

func summary(errs graph.Errors) string {
	var out []string
	for _, e := range errs {
		out = append(out, string(e.Code)+" "+e.Path)
	}
	return strings.Join(out, "; ")
}

// mend applies first fixes until nothing is left to apply, and returns what is
// then still wrong.
func mend(t *testing.T, r *tools.Registry, tool string, args []byte) ([]byte, graph.Errors) {
	t.Helper()
	for range 20 {
		_, errs := r.Decode(tool, args)
		var fix []graph.Patch
		for _, e := range errs {
			if fix = e.Fix; fix != nil {
				break
			}
		}
		if fix == nil {
			return args, errs
		}
		var err error
		args, err = graph.ApplyFix(args, fix)
		require.NoError(t, err)
	}
	t.Fatalf("the fixes of %s do not end", args)
	return nil, nil
}
