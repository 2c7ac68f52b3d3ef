package tools_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools"
)

// refusals requires that each call is refused with the mistakes "CODE pointer"
// that stand beside it.
func refusals(t *testing.T, tool string, want map[string]string) {
	t.Helper()
	j := newJudge(t)
	for args, w := range want {
		require.Equal(t, w, summary(j.trellis(tool, []byte(args))), args)
	}
}

const injection = `x'; DROP TABLE book; --`

func TestT02NamesAreNotText(t *testing.T) {
	q := func(format string) string { return strings.ReplaceAll(format, "?", injection) }
	refusals(t, "find_nodes", map[string]string{
		q(`{"node_label":"?"}`):                                                                "UNKNOWN_LABEL /node_label",
		q(`{"node_label":"book","filters":{"?":1}}`):                                           "UNKNOWN_PROPERTY /filters/" + injection,
		q(`{"node_label":"book","order_by":[{"property":"?"}]}`):                               "UNKNOWN_PROPERTY /order_by/0/property",
		q(`{"node_label":"book","properties":["?"]}`):                                          "UNKNOWN_PROPERTY /properties/0",
		q(`{"node_label":"book","?":1}`):                                                       "UNKNOWN_FIELD /" + injection,
		q(`{"node_label":"book","filters":{"title":{"?":1}}}`):                                 "UNKNOWN_OPERATOR /filters/title/" + injection,
		q(`{"node_label":"person","related":[{"relationships":[{"type":"?"}]}]}`):              "UNKNOWN_RELATIONSHIP /related/0/relationships/0/type",
		q(`{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"?":true}]}`): "UNKNOWN_FIELD /related/0/" + injection,
	})
	refusals(t, "aggregate_nodes", map[string]string{
		q(`{"node_label":"book","aggregations":[{"function":"?"}]}`):                                                  "INVALID_ENUM /aggregations/0/function",
		q(`{"node_label":"book","aggregations":[{"function":"count","as":"?"}]}`):                                     "INVALID_STRING /aggregations/0/as",
		q(`{"node_label":"book","aggregations":[{"function":"count"}],"group_by":[{"property":"?"}]}`):                "UNKNOWN_PROPERTY /group_by/0/property",
		q(`{"node_label":"book","aggregations":[{"function":"count"}],"order_by":[{"as":"?"}]}`):                      "UNKNOWN_PROPERTY /order_by/0/as",
		q(`{"node_label":"book","aggregations":[{"function":"sum","property":"?"}]}`):                                 "UNKNOWN_PROPERTY /aggregations/0/property",
		q(`{"node_label":"book","aggregations":[{"function":"count"}],"having":[{"as":"count","op":"?","value":1}]}`): "UNKNOWN_OPERATOR /having/0/op",
	})
}

func TestT03WordsMatchExactly(t *testing.T) {
	for _, word := range []string{"DESC; drop", " desc", "Desc", "desc ", "DESC", ""} {
		text, err := json.Marshal(map[string]any{"node_label": "book", "order_by": []any{map[string]any{"property": "title", "direction": word}}})
		require.NoError(t, err)
		refusals(t, "find_nodes", map[string]string{string(text): "INVALID_ENUM /order_by/0/direction"})
	}
	for _, word := range []string{"Outgoing", "out", " both", "both\n", "DESC; drop", ""} {
		text, err := json.Marshal(map[string]any{"start_node": map[string]any{"label": "person", "node_id": 7}, "direction": word})
		require.NoError(t, err)
		refusals(t, "explore_neighbors", map[string]string{string(text): "INVALID_ENUM /direction"})
	}
}

func TestT04PropertyKeys(t *testing.T) {
	for _, key := range []string{"a.b", "title'::int", "$.x", `title"`, "`title`", "meta->>'k'", "title ", "Title\u200b", "book.title", "title/x", "~0"} {
		text, err := json.Marshal(map[string]any{"node_label": "book", "filters": map[string]any{key: "x"}})
		require.NoError(t, err)
		refusals(t, "find_nodes", map[string]string{string(text): "UNKNOWN_PROPERTY " + graph.Pointer("/filters", key)})
	}
}

func TestT05ValuesAreScalars(t *testing.T) {
	refusals(t, "find_nodes", map[string]string{
		`{"node_label":"book","filters":{"title":["x"]}}`:              "INVALID_TYPE /filters/title",
		`{"node_label":"book","filters":{"title":{"eq":["x"]}}}`:       "INVALID_TYPE /filters/title/eq",
		`{"node_label":"book","filters":{"title":{"eq":{"a":"x"}}}}`:   "INVALID_TYPE /filters/title/eq",
		`{"node_label":"book","filters":{"title":{"in":[["x"]]}}}`:     "INVALID_TYPE /filters/title/in/0",
		`{"node_label":"book","filters":{"title":{"in":[{"a":1}]}}}`:   "INVALID_TYPE /filters/title/in/0",
		`{"node_label":"book","filters":{"title":{"in":{"0":"x"}}}}`:   "INVALID_TYPE /filters/title/in",
		`{"node_label":"book","filters":{"title":{"contains":["x"]}}}`: "INVALID_TYPE /filters/title/contains",
		`{"node_label":["book"]}`:                                      "INVALID_TYPE /node_label",
		`{"node_label":"person","ids":[{"$gt":0}]}`:                    "INVALID_TYPE /ids/0",
	})
}

func TestT06ReservedKeys(t *testing.T) {
	for _, key := range []string{"_connector", "$or", "$where", "__proto__", "constructor", "and", "or", "not", ""} {
		text, err := json.Marshal(map[string]any{"node_label": "book", "filters": map[string]any{key: "x"}})
		require.NoError(t, err)
		refusals(t, "find_nodes", map[string]string{string(text): "UNKNOWN_PROPERTY /filters/" + key})
		text, err = json.Marshal(map[string]any{"node_label": "book", key: []any{}})
		require.NoError(t, err)
		refusals(t, "find_nodes", map[string]string{string(text): "UNKNOWN_FIELD /" + key})
	}
}

func TestT09NoRegularExpressions(t *testing.T) {
	for _, op := range []string{"regex", "regexp", "$regex", "~", "matches", "rlike", "similar"} {
		refusals(t, "find_nodes", map[string]string{
			`{"node_label":"book","filters":{"title":{"` + op + `":"(a+)+$"}}}`: "UNKNOWN_OPERATOR /filters/title/" + graph.Pointer("", op)[1:],
		})
	}
}

func TestT10Lists(t *testing.T) {
	j := newJudge(t)
	call := func(n int, value string) []byte {
		return []byte(`{"node_label":"person","filters":{"name":{"in":[` + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + `]}}}`)
	}
	for n, want := range map[int]string{0: "", 1: "", 500: "", 501: "LIMIT_EXCEEDED /filters/name/in", 20_000: "TOO_LARGE ", 1_000_000: "TOO_LARGE "} {
		require.Equal(t, want, summary(j.trellis("find_nodes", call(n, `"a"`))), n)
	}
	require.Equal(t, "INVALID_TYPE /filters/name/in/0", summary(j.trellis("find_nodes", call(1, `null`))))
}

func TestT11Limits(t *testing.T) {
	for limit, want := range map[string]string{
		"1": "", "30": "",
		"0": "OUT_OF_RANGE", "-1": "OUT_OF_RANGE", "31": "LIMIT_EXCEEDED", "2147483648": "LIMIT_EXCEEDED", "9223372036854775808": "LIMIT_EXCEEDED", "-9223372036854775809": "OUT_OF_RANGE",
		"1.0": "INVALID_TYPE", "1e2": "INVALID_TYPE", `"30"`: "INVALID_TYPE", "1e309": "INVALID_TYPE", "null": "INVALID_TYPE", "true": "INVALID_TYPE", "-0": "INVALID_TYPE", "[]": "INVALID_TYPE", "{}": "INVALID_TYPE",
	} {
		if want != "" {
			want += " /limit"
		}
		refusals(t, "find_nodes", map[string]string{`{"node_label":"book","limit":` + limit + `}`: want})
	}
}

func TestT12Numbers(t *testing.T) {
	r := libraryTools(t)
	for _, id := range []string{"9007199254740993", "-9223372036854775808", "9223372036854775807"} {
		q, errs := r.Decode("find_nodes", []byte(`{"node_label":"person","ids":[`+id+`],"filters":{"id":`+id+`}}`))
		require.Empty(t, errs)
		require.Equal(t, id, q.(*graph.FindNodes).IDs[0].Text())
		require.Equal(t, id, q.(*graph.FindNodes).Filter.(graph.And)[0].(graph.Compare).Value.Text())
	}
	refusals(t, "find_nodes", map[string]string{
		`{"node_label":"person","ids":[9007199254740993,-9223372036854775808]}`: "",
		`{"node_label":"person","ids":[18446744073709551615]}`:                  "OUT_OF_RANGE /ids/0",
		`{"node_label":"person","ids":[1e400]}`:                                 "INVALID_TYPE /ids/0",
		`{"node_label":"person","ids":[NaN]}`:                                   "SYNTAX ",
		`{"node_label":"person","ids":[Infinity]}`:                              "SYNTAX ",
		`{"node_label":"person","ids":["NaN"]}`:                                 "INVALID_TYPE /ids/0",
	})
}

func TestT13DuplicateKeys(t *testing.T) {
	refusals(t, "traverse_relationships", map[string]string{
		`{"from":{"label":"person","l\u0061bel":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"}}`:                            "DUPLICATE_KEY /from/label",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE","type":"WROTE"}],"to":{"label":"book"}}`:                                   "DUPLICATE_KEY /relationships/0/type",
		`{"from":{"label":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book","filters":{"pages":{"gt":1,"g\u0074":2}}},"to":{}}`: "DUPLICATE_KEY /to/filters/pages/gt; DUPLICATE_KEY /to",
	})
}

func TestT14CaseFoldedFields(t *testing.T) {
	for _, key := range []string{"LABEL", "Label", "lAbel", "label "} {
		refusals(t, "traverse_relationships", map[string]string{
			`{"from":{"label":"person","` + key + `":"person"},"relationships":[{"type":"WROTE"}],"to":{"label":"book"}}`: "UNKNOWN_FIELD /from/" + key,
		})
	}
	refusals(t, "find_nodes", map[string]string{
		`{"node_label":"book","order_by":[],"ID\u017f":[]}`: "UNKNOWN_FIELD /IDſ",    // long s folds to s
		`{"node_label":"book","\u212a":1}`:                  "UNKNOWN_FIELD /\u212a", // the Kelvin sign folds to k
	})
}

func TestT15NUL(t *testing.T) {
	refusals(t, "find_nodes", map[string]string{
		`{"node_label":"book","label\u0000":1}`:                      "INVALID_STRING ",
		`{"node_label":"book","filters":{"title\u0000":"x"}}`:        "INVALID_STRING /filters",
		`{"node_label":"book","filters":{"title":"a\u0000b"}}`:       "INVALID_STRING /filters/title",
		"{\"node_label\":\"book\",\"filters\":{\"title\":\"\x00\"}}": "SYNTAX ",
		`{"node_label":"book\u0000"}`:                                "INVALID_STRING /node_label",
		`{"node_label":"book","ids":["\u0000"]}`:                     "INVALID_STRING /ids/0",
	})
}

func TestT17TrailingData(t *testing.T) {
	for _, after := range []string{"{}", "x", ",", "}", "//", "\x00", "null", "\"\""} {
		refusals(t, "find_nodes", map[string]string{`{"node_label":"book"}` + after: "SYNTAX "})
	}
	refusals(t, "find_nodes", map[string]string{"\uFEFF" + `{"node_label":"book"}`: "SYNTAX ", "": "SYNTAX "})
}

// What is too much is refused before it costs anything.
func TestT18Sizes(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":1`, i)
		}
		return b.String()
	}
	large := tools.Graph(library(t), graph.Limits{ArgumentBytes: 8 << 20})
	for _, c := range []struct {
		name, args, want string
		registry         *tools.Registry
	}{
		{"33 levels", `{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, "TOO_DEEP ", libraryTools(t)},
		{"10,000 levels", `{"x":` + strings.Repeat("[", 10_000), "TOO_DEEP ", libraryTools(t)},
		{"100,000 levels", `{"x":` + strings.Repeat(`{"a":`, 100_000), "TOO_LARGE ", libraryTools(t)},
		{"100,000 levels, host allows", `{"x":` + strings.Repeat(`{"a":`, 100_000), "TOO_DEEP ", large},
		{"over 1 MB", `{"node_label":"` + strings.Repeat("a", 1<<20) + `"}`, "TOO_LARGE ", libraryTools(t)},
		{"a long number", `{"node_label":"book","limit":` + strings.Repeat("9", 1<<20) + `}`, "TOO_LARGE ", libraryTools(t)},
		{"a long number, host allows", `{"node_label":"book","limit":` + strings.Repeat("9", 1<<20) + `}`, "LIMIT_EXCEEDED /limit", large},
		{"100,000 keys", `{"node_label":"book"` + keys(100_000) + `}`, "TOO_LARGE ", libraryTools(t)},
		{"100,000 keys, host allows", `{"node_label":"book"` + keys(100_000) + `}`, "", large},
		{"5,000 keys", `{"node_label":"book"` + keys(5_000) + `}`, "", libraryTools(t)},
		{"5,000 conditions", `{"node_label":"book","filters":{"k":1` + keys(5_000) + `},"limit":0}`, "OUT_OF_RANGE /limit", libraryTools(t)},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []byte(c.args)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, errs := c.registry.Decode("find_nodes", args)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			require.NotEmpty(t, errs)
			require.LessOrEqual(t, len(errs), 100)
			if c.want != "" {
				require.Equal(t, c.want, summary(errs))
			}
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(max(8<<20, 12*len(args))))
			require.Less(t, took, 2*time.Second) // far above what it takes, for slow machines
			t.Logf("%v, %d KiB", took, (after.TotalAlloc-before.TotalAlloc)>>10)
		})
	}
	q, errs := libraryTools(t).Decode("find_nodes", []byte(`{"node_label":"book"`+strings.Repeat(" ", 64<<10-21)+`}`))
	require.Empty(t, errs, "64 KiB to the byte are fine")
	require.NotNil(t, q)
}

func TestT19Confusables(t *testing.T) {
	refusals(t, "find_nodes", map[string]string{
		`{"node_label":"b\u043eok"}`:                         "UNKNOWN_LABEL /node_label", // Cyrillic о
		`{"node_label":"ｂook"}`:                              "UNKNOWN_LABEL /node_label",
		`{"node_label":"book\u200b"}`:                        "UNKNOWN_LABEL /node_label",
		`{"node_label":"book","filters":{"t\u0456tle":"x"}}`: "UNKNOWN_PROPERTY /filters/tіtle",
	})
	const title = "a\u202eb\u200bс"
	q, errs := libraryTools(t).Decode("find_nodes", []byte(`{"node_label":"book","filters":{"title":"`+title+`"}}`))
	require.Empty(t, errs)
	require.Equal(t, title, q.(*graph.FindNodes).Filter.(graph.And)[0].(graph.Compare).Value.Text())
}

func TestT20NormalFormsDiffer(t *testing.T) {
	r := libraryTools(t)
	value := func(text string) string {
		q, errs := r.Decode("find_nodes", []byte(`{"node_label":"book","filters":{"title":"`+text+`"}}`))
		require.Empty(t, errs)
		return q.(*graph.FindNodes).Filter.(graph.And)[0].(graph.Compare).Value.Text()
	}
	require.NotEqual(t, value("\u00e9"), value("e\u0301"))
	require.Equal(t, value("\u00e9"), value(`\u00e9`))
}

func TestT21Hops(t *testing.T) {
	step := func(fields string) string {
		return `{"from":{"label":"person"},"relationships":[{"type":"KNOWS"` + fields + `}],"to":{"label":"person"}}`
	}
	six := strings.TrimSuffix(strings.Repeat(`{"type":"KNOWS","direction":"both"},`, 6), ",")
	refusals(t, "traverse_relationships", map[string]string{
		step(``):               "",
		step(`,"max_hops":3`):  "",
		step(`,"max_hops":0`):  "OUT_OF_RANGE /relationships/0/max_hops",
		step(`,"max_hops":-1`): "OUT_OF_RANGE /relationships/0/max_hops",
		step(`,"max_hops":4`):  "LIMIT_EXCEEDED /relationships/0/max_hops",
		step(`,"min_hops":0`):  "OUT_OF_RANGE /relationships/0/min_hops",
		`{"from":{"label":"person"},"relationships":[` + six + `],"to":{"label":"person"}}`: "LIMIT_EXCEEDED /relationships",
	})
	refusals(t, "find_paths", map[string]string{
		`{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"max_hops":7}`: "LIMIT_EXCEEDED /max_hops",
	})
}
