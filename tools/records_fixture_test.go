package tools_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// catalogDir is the fixture of records: see its schema.
const catalogDir = "../store/storetest/testdata/fixtures/records"

func catalog(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.ReadFile(catalogDir + "/schema.yaml")
	require.NoError(t, err)
	return s
}

// catalogTools are the tools of the fixture over its graph.
func catalogTools(t testing.TB, opts engine.Options) *tools.Tools {
	t.Helper()
	s := catalog(t)
	g, err := memory.Load(t.Context(), s, os.DirFS(catalogDir), memory.Options{})
	require.NoError(t, err)
	opts.Prompt = true
	return tools.New(engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), opts), tools.Options{})
}

func catalogJudge(t testing.TB) *judge {
	s := catalog(t)
	j := &judge{schema: s, registry: tools.Graph(s, graph.Limits{}), compiler: compile.New(compile.Options{}), validators: map[string]*tools.Validator{}}
	for tool := range j.registry.Tools() {
		v, err := tools.NewValidator(tool)
		require.NoError(t, err)
		j.validators[tool.Name] = v
	}
	return j
}

// goodRecords are calls that are answered.
var goodRecords = []struct{ tool, args string }{
	{"list_product", `{}`},
	{"list_product", `{"filters":{},"sort":[],"limit":1,"offset":0}`},
	{"list_product", `{"filters":{"grade":"stage","tag":"violin","maker_id":{"in":["acme","bear"]},"price":{"gte":1,"lt":"900.5"}},"sort":"-price","limit":500,"offset":1000000000}`},
	{"list_product", `{"filters":{"strings":{"in":[]},"weight":{"gt":1,"lte":2.5},"released":{"gte":"2024-01-01"},"changed":{"lt":"2026-01-02T11:00:00+01:00"},"sold":false,"code":"00000000-0000-4000-8000-000000000001"},"sort":["grade","-title","id"]}`},
	{"list_product", `{"filters":{"sold":{"in":[true,false]}}}`},
	{"list_product", `{"filters":{"see_also":{"in":["aria-1"]},"title":"Aria One"}}`},
	{"list_product_ids", `{"filters":{"grade":{"in":["stage","collector"]}},"sort":"title"}`},
	{"list_maker_ids", `{"limit":2}`},
	{"list_maker", `{"filters":{"founded":{"lt":1900}}}`},
	{"list_part", `{"filters":{"number":{"in":[1,"10"]},"of":"aria-1","maker":"Acme Violins"},"sort":"-number"}`},
	{"get_product", `{"id":"aria-1"}`},
	{"get_product", `{"ids":["cello-x","nope","aria-1","cello-x"]}`},
	{"get_part", `{"id":1}`},
	{"get_part", `{"ids":["10",-3]}`},
}

// badRecords are calls that are refused: with their codes and places, and what
// answers once the first fixes are applied; "" for those without.
var badRecords = []struct{ tool, args, want, mended string }{
	{"list_product", `{"limit":0}`, "OUT_OF_RANGE /limit", `{"limit":1}`},
	{"list_product", `{"limit":501}`, "OUT_OF_RANGE /limit", `{"limit":500}`},
	{"list_product", `{"limit":-1}`, "OUT_OF_RANGE /limit", `{"limit":1}`},
	{"list_product", `{"limit":99999999999999999999}`, "OUT_OF_RANGE /limit", `{"limit":500}`},
	{"list_product", `{"limit":1.0}`, "INVALID_TYPE /limit", `{"limit":1}`},
	{"list_product", `{"limit":"3"}`, "INVALID_TYPE /limit", `{"limit":3}`},
	{"list_product", `{"limit":null}`, "INVALID_TYPE /limit", `{}`},
	{"list_product", `{"offset":-1}`, "OUT_OF_RANGE /offset", `{"offset":0}`},
	{"list_product", `{"offset":1000000001}`, "OUT_OF_RANGE /offset", `{"offset":1000000000}`},
	{"list_product", `{"offset":4611686018427387904}`, "OUT_OF_RANGE /offset", `{"offset":1000000000}`},
	{"list_product", `{"filters":{"garde":"stage"}}`, "UNKNOWN_PROPERTY /filters/garde", `{"filters":{"grade":"stage"}}`},
	{"list_product", `{"filters":{"colour":"red"}}`, "UNKNOWN_PROPERTY /filters/colour", ""},
	{"list_product", `{"filters":{"note":"used"}}`, "UNKNOWN_PROPERTY /filters/note", ""},
	{"list_product", `{"filters":{"record":"used"}}`, "UNKNOWN_PROPERTY /filters/record", ""},
	{"list_product", `{"filters":"{\"grade\":\"stage\"}"}`, "INVALID_TYPE /filters", `{"filters":{"grade":"stage"}}`},
	{"list_product", `{"filters":"grade=stage"}`, "INVALID_TYPE /filters", ""},
	{"list_product", `{"filters":[{"field":"grade","op":"in","value":["stage"]}]}`, "INVALID_TYPE /filters", `{"filters":{"grade":{"in":["stage"]}}}`},
	{"list_product", `{"filters":{"strings":"3"}}`, "INVALID_TYPE /filters/strings", `{"filters":{"strings":3}}`},
	{"list_product", `{"filters":{"title":3}}`, "INVALID_TYPE /filters/title", `{"filters":{"title":"3"}}`},
	{"list_product", `{"filters":{"strings":{"in":["3",4]}}}`, "INVALID_TYPE /filters/strings/in/0", `{"filters":{"strings":{"in":[3,4]}}}`},
	{"list_product", `{"filters":{"strings":{"in":3}}}`, "INVALID_TYPE /filters/strings/in", `{"filters":{"strings":{"in":[3]}}}`},
	{"list_product", `{"filters":{"strings":[3,4]}}`, "INVALID_TYPE /filters/strings", `{"filters":{"strings":{"in":[3,4]}}}`},
	{"list_product", `{"filters":{"strings":{"min":3}}}`, "UNKNOWN_OPERATOR /filters/strings/min", `{"filters":{"strings":{"gte":3}}}`},
	{"list_product", `{"filters":{"strings":{"$gte":3}}}`, "UNKNOWN_OPERATOR /filters/strings/$gte", `{"filters":{"strings":{"gte":3}}}`},
	{"list_product", `{"filters":{"strings":{}}}`, "MISSING_FIELD /filters/strings", ""},
	{"list_product", `{"filters":{"strings":null}}`, "INVALID_TYPE /filters/strings", `{"filters":{}}`},
	{"list_product", `{"filters":{"grade":"Stage"}}`, "INVALID_ENUM /filters/grade", `{"filters":{"grade":"stage"}}`},
	{"list_product", `{"filters":{"grade":{"eq":"stage"}}}`, "UNKNOWN_OPERATOR /filters/grade/eq", `{"filters":{"grade":"stage"}}`},
	{"list_product", `{"filters":{"grade":{"gte":"stage"}}}`, "UNKNOWN_OPERATOR /filters/grade/gte", ""},
	{"list_product", `{"filters":{"title":{"contains":"Aria"}}}`, "UNKNOWN_OPERATOR /filters/title/contains", ""},
	{"list_product", `{"filters":{"tag":{"contains":"violin"}}}`, "UNKNOWN_OPERATOR /filters/tag/contains", `{"filters":{"tag":"violin"}}`},
	{"list_product", `{"filters":{"tag":["violin","new"]}}`, "INVALID_TYPE /filters/tag", `{"filters":{"tag":{"in":["violin","new"]}}}`},
	{"list_product", `{"filters":{"tag":7}}`, "INVALID_TYPE /filters/tag", `{"filters":{"tag":"7"}}`},
	{"list_product", `{"filters":{"sold":"false"}}`, "INVALID_TYPE /filters/sold", `{"filters":{"sold":false}}`},
	{"list_product", `{"filters":{"sold":{"eq":true}}}`, "UNKNOWN_OPERATOR /filters/sold/eq", `{"filters":{"sold":true}}`},
	{"list_product", `{"filters":{"sold":{"in":["true"]}}}`, "INVALID_TYPE /filters/sold/in/0", `{"filters":{"sold":{"in":[true]}}}`},
	{"list_product", `{"filters":{"sold":[true]}}`, "INVALID_TYPE /filters/sold", `{"filters":{"sold":{"in":[true]}}}`},
	{"list_product", `{"filters":{"released":"January 15, 2024"}}`, "INVALID_TYPE /filters/released", `{"filters":{"released":"2024-01-15"}}`},
	{"list_product", `{"filters":{"title":"\u0000"}}`, "INVALID_STRING /filters/title", ""},
	{"list_product", `{"filters":{"grade":"stage","grade":"stage"}}`, "DUPLICATE_KEY /filters/grade", ""},
	{"list_product", `{"grade":"stage"}`, "UNKNOWN_FIELD /grade", `{"filters":{"grade":"stage"}}`},
	{"list_product", `{"filters":{"tag":"new"},"grade":"stage"}`, "UNKNOWN_FIELD /grade", `{"filters":{"tag":"new","grade":"stage"}}`},
	{"list_product", `{"tenant_id":"acme"}`, "UNKNOWN_FIELD /tenant_id", `{}`},
	{"list_product", `{"organization_id":"acme"}`, "UNKNOWN_FIELD /organization_id", `{}`},
	{"list_product", `{"_meta":{"tenant":"acme"}}`, "UNKNOWN_FIELD /_meta", `{}`},
	{"list_product", `{"where":"strings > 3"}`, "UNKNOWN_FIELD /where", ""},
	{"list_product", `{"cursor":"x"}`, "UNKNOWN_FIELD /cursor", ""},
	{"list_product", `{"Limit":3}`, "UNKNOWN_FIELD /Limit", `{"limit":3}`},
	{"list_product", `{"page_size":3}`, "UNKNOWN_FIELD /page_size", `{"limit":3}`},
	{"list_product", `{"skip":3}`, "UNKNOWN_FIELD /skip", `{"offset":3}`},
	{"list_product", `{"order_by":"price"}`, "UNKNOWN_FIELD /order_by", `{"sort":"price"}`},
	{"list_product", `{"sort":"prize"}`, "UNKNOWN_PROPERTY /sort", `{"sort":"price"}`},
	{"list_product", `{"sort":"-prize"}`, "UNKNOWN_PROPERTY /sort", `{"sort":"-price"}`},
	{"list_product", `{"sort":"price desc"}`, "UNKNOWN_PROPERTY /sort", `{"sort":"-price"}`},
	{"list_product", `{"sort":"price:asc"}`, "UNKNOWN_PROPERTY /sort", `{"sort":"price"}`},
	{"list_product", `{"sort":"+price"}`, "UNKNOWN_PROPERTY /sort", `{"sort":"price"}`},
	{"list_product", `{"sort":"stock"}`, "UNKNOWN_PROPERTY /sort", ""},
	{"list_product", `{"sort":""}`, "UNKNOWN_PROPERTY /sort", ""},
	{"list_product", `{"sort":7}`, "INVALID_TYPE /sort", ""},
	{"list_product", `{"sort":{"property":"price","direction":"desc"}}`, "INVALID_TYPE /sort", `{"sort":"-price"}`},
	{"list_product", `{"sort":[{"property":"price"},"grade"]}`, "INVALID_TYPE /sort/0", `{"sort":["price","grade"]}`},
	{"list_product", `{"sort":["price","grade","title","strings","weight"]}`, "LIMIT_EXCEEDED /sort", ""},
	{"list_product", `{"sort":["price","grade","price"]}`, "DUPLICATE_KEY /sort/2", `{"sort":["price","grade"]}`},
	{"list_product", `{"sort":["price","-price"]}`, "DUPLICATE_KEY /sort/1", `{"sort":["price"]}`},
	{"list_part", `{"sort":"id"}`, "UNKNOWN_PROPERTY /sort", `{"sort":"number"}`},
	{"list_part", `{"filters":{"number":"one"}}`, "INVALID_TYPE /filters/number", ""},
	{"list_product", `[]`, "INVALID_TYPE ", ""},
	{"list_product", `"{}"`, "INVALID_TYPE ", `{}`},
	{"list_product", `{`, "SYNTAX ", ""},
	{"list_product", `{} {}`, "SYNTAX ", ""},
	{"get_product", `{}`, "MISSING_FIELD /id", ""},
	{"get_product", `{"id":"aria-1","ids":["aria-2"]}`, "UNSUPPORTED /id", `{"ids":["aria-1","aria-2"]}`},
	{"get_product", `{"id":"aria-1","ids":["aria-1"]}`, "UNSUPPORTED /id", `{"ids":["aria-1"]}`},
	{"get_product", `{"ids":[]}`, "OUT_OF_RANGE /ids", ""},
	{"get_product", `{"id":["aria-1"]}`, "INVALID_TYPE /id", `{"ids":["aria-1"]}`},
	{"get_product", `{"ids":"aria-1"}`, "INVALID_TYPE /ids", `{"ids":["aria-1"]}`},
	{"get_product", `{"ids":"[\"aria-1\"]"}`, "INVALID_TYPE /ids", `{"ids":["aria-1"]}`},
	{"get_product", `{"ids":[1,"a"]}`, "INVALID_TYPE /ids/0", `{"ids":["1","a"]}`},
	{"get_product", `{"id":7}`, "INVALID_TYPE /id", `{"id":"7"}`},
	{"get_product", `{"id":null}`, "INVALID_TYPE /id", ""},
	{"get_product", `{"node_id":"aria-1"}`, "UNKNOWN_FIELD /node_id", `{"ids":["aria-1"]}`},
	{"get_product", `{"ID":"aria-1"}`, "UNKNOWN_FIELD /ID", `{"id":"aria-1"}`},
	{"get_product", `{"filters":{"grade":"stage"}}`, "UNKNOWN_FIELD /filters", ""},
	{"get_product", `{"ids":[` + strings.Repeat(`"a",`, 500) + `"b"]}`, "LIMIT_EXCEEDED /ids", ""},
	{"get_part", `{"id":"007"}`, "INVALID_TYPE /id", ""},
	{"get_part", `{"id":1.5}`, "INVALID_TYPE /id", ""},
	{"get_part", `{"id":9223372036854775808}`, "OUT_OF_RANGE /id", ""},
}
