package tools_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// A judge has both opinions on a call: that of Trellis, decoder and check
// together, and that of the published schema.
type judge struct {
	schema     *schema.Schema
	registry   *tools.Registry
	compiler   *compile.Compiler
	validators map[string]*tools.Validator
}

func newJudge(t testing.TB) *judge { return newJudgeOf(t, graph.Limits{}) }

func newJudgeOf(t testing.TB, l graph.Limits) *judge {
	s := library(t)
	j := &judge{schema: s, registry: tools.Graph(s, l), compiler: compile.New(compile.Options{}), validators: map[string]*tools.Validator{}}
	for tool := range j.registry.Tools() {
		v, err := tools.NewValidator(tool)
		require.NoError(t, err)
		j.validators[tool.Name] = v
	}
	return j
}

func (j *judge) trellis(tool string, args []byte) graph.Errors {
	q, errs := j.registry.Decode(tool, args)
	if q == nil {
		return errs
	}
	_, err := j.compiler.Check(j.schema, nil, q)
	var more graph.Errors
	errors.As(err, &more)
	return errs.Merge(more)
}

func (j *judge) published(tool string, args []byte) graph.Errors {
	var errs graph.Errors
	errors.As(j.validators[tool].Validate(args), &errs)
	return errs
}

// agree requires that what Trellis accepts the schema accepts, and that where
// the schema refuses, Trellis does: at the same place or around it. Where the
// schema offers alternatives, it refuses them as a whole, and Trellis may be
// more exact.
func (j *judge) agree(t *testing.T, tool string, args []byte) {
	t.Helper()
	published := j.published(tool, args)
	if len(published) == 0 {
		return
	}
	own := j.trellis(tool, args)
	require.NotEmpty(t, own, "%s %s: only the schema refuses: %v", tool, args, published)
	for _, p := range published {
		require.True(t, covered(p, published, own), "%s %s\nthe schema refuses %s %s (%s), but Trellis:\n%v", tool, args, p.Code, p.Path, p.Message, own)
	}
}

// covered reports whether Trellis refuses what the schema does. Beside
// alternatives as a whole, the schema tells what is wrong with one of them.
func covered(p *graph.Error, published, own graph.Errors) bool {
	alternatives := slices.ContainsFunc(published, func(e *graph.Error) bool {
		return e.Path == p.Path && strings.HasPrefix(e.Message, "Must validate")
	})
	if p.Path == "/weight" {
		return true // it is looked for in the relationships that the rest of the call leaves
	}
	for _, e := range own {
		if below(p.Path, e.Path) || alternatives && below(e.Path, p.Path) || decisive(e.Path) {
			return true
		}
	}
	return false
}

// decisive reports whether a place names what the rest is about: without a
// label, Trellis cannot say which properties there are.
func decisive(path string) bool {
	tokens := strings.Split(path, "/")
	last := tokens[len(tokens)-1]
	if last >= "0" && last <= "9" && len(tokens) > 1 { // a whole step
		last = tokens[len(tokens)-2]
	}
	switch last {
	case "label", "node_label", "type", "relationships", "from", "to", "start_node", "aggregations", "group_by":
		return true
	}
	return false
}

func below(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

func TestAgreementOnCalls(t *testing.T) {
	j := newJudge(t)
	for _, c := range good {
		require.Empty(t, j.published(c.want.Tool(), []byte(c.args)), c.args)
	}
	for _, c := range bad {
		j.agree(t, c.tool, []byte(c.args))
	}
}

// What only Trellis refuses: a JSON Schema cannot say it, or would have to say
// it once for each label.
var onlyTrellis = []struct{ why, tool, args, want string }{
	{"duplicate names", "find_nodes", `{"node_label":"book","node_label":"book"}`, "DUPLICATE_KEY /node_label"},
	{"strings that are no text", "find_nodes", `{"node_label":"book","filters":{"title":"\ud800"}}`, "INVALID_STRING /filters/title"},
	{"the character NUL", "find_nodes", `{"node_label":"book","filters":{"title":"\u0000"}}`, "INVALID_STRING /filters/title"},
	{"integers written as other numbers", "find_nodes", `{"node_label":"book","limit":1.0}`, "INVALID_TYPE /limit"},
	{"integers with an exponent", "find_nodes", `{"node_label":"book","filters":{"pages":1e2}}`, "INVALID_TYPE /filters/pages"},
	{"minus zero", "find_nodes", `{"node_label":"person","ids":[-0]}`, "INVALID_TYPE /ids/0"},
	{"integers of more than 64 bits", "find_nodes", `{"node_label":"person","ids":[9223372036854775808]}`, "OUT_OF_RANGE /ids/0"},
	{"numbers that are no float", "find_nodes", `{"node_label":"person","filters":{"score":1e400}}`, "OUT_OF_RANGE /filters/score"},
	{"ids of another type", "find_nodes", `{"node_label":"book","ids":[7]}`, "INVALID_TYPE /ids/0"},
	{"a property of another label", "find_nodes", `{"node_label":"person","filters":{"pages":3}}`, "UNKNOWN_PROPERTY /filters/pages"},
	{"an enum's value of another label", "find_nodes", `{"node_label":"person","filters":{"state":"lent"}}`, "INVALID_ENUM /filters/state"},
	{"what is shown of another label", "find_nodes", `{"node_label":"person","properties":["pages"]}`, "UNKNOWN_PROPERTY /properties/0"},
	{"an order by another label's property", "find_nodes", `{"node_label":"person","order_by":[{"property":"pages"}]}`, "UNKNOWN_PROPERTY /order_by/0/property"},
	{"an expression", "find_nodes", `{"node_label":"person","where":"name ="}`, "INVALID_EXPRESSION /where"},
	{"a cursor", "find_nodes", `{"node_label":"person","cursor":"x"}`, "INVALID_CURSOR /cursor"},
	{"bytes of a pattern", "find_nodes", `{"node_label":"book","filters":{"title":{"contains":"` + strings.Repeat("é", 200) + `"}}}`, "LIMIT_EXCEEDED /filters/title/contains"},
	{"a step that does not exist", "traverse_relationships", `{"from":{"label":"book"},"relationships":[{"type":"WROTE"}],"to":{"label":"person"}}`, "IMPOSSIBLE_STEP /relationships/0/type"},
	{"hops the wrong way round", "traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":"KNOWS","min_hops":3,"max_hops":2}],"to":{"label":"person"}}`, "OUT_OF_RANGE /relationships/0/min_hops"},
	{"all hops together", "traverse_relationships", `{"from":{"label":"person"},"relationships":[{"type":"KNOWS","max_hops":3},{"type":"KNOWS","max_hops":3},{"type":"KNOWS","max_hops":3}],"to":{"label":"person"}}`, "LIMIT_EXCEEDED /relationships"},
	{"count with exists: false", "find_nodes", `{"node_label":"person","related":[{"relationships":[{"type":"KNOWS"}],"exists":false,"count":{"gte":1}}]}`, "UNSUPPORTED /related/0/count"},
	{"a weight in another mode", "find_paths", `{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"mode":"all","weight":"year"}`, "UNSUPPORTED /weight"},
	{"count of a property", "aggregate_nodes", `{"node_label":"book","aggregations":[{"function":"count","property":"pages"}]}`, "UNSUPPORTED /aggregations/0/property"},
	{"columns of one name", "aggregate_nodes", `{"node_label":"book","aggregations":[{"function":"count"},{"function":"count"}]}`, "CONFLICT /aggregations/1"},
	{"a column that is not there", "aggregate_nodes", `{"node_label":"book","aggregations":[{"function":"count"}],"order_by":[{"as":"total"}]}`, "UNKNOWN_PROPERTY /order_by/0/as"},
	{"minutes of a date", "aggregate_nodes", `{"node_label":"person","aggregations":[{"function":"count"}],"group_by":[{"property":"born","truncate":"minute"}]}`, "UNSUPPORTED /group_by/0/truncate"},
}

func TestOnlyTrellisRefuses(t *testing.T) {
	j := newJudge(t)
	for _, c := range onlyTrellis {
		t.Run(c.why, func(t *testing.T) {
			require.Empty(t, j.published(c.tool, []byte(c.args)))
			require.Equal(t, c.want, summary(j.trellis(c.tool, []byte(c.args))))
		})
	}
}

// Calls mutated at random are judged alike.
func TestAgreementOnMutations(t *testing.T) {
	j := newJudge(t)
	r := rand.New(rand.NewPCG(1, 2))
	accepted, refused := 0, 0
	for range 300 {
		for _, c := range good {
			var args any
			require.NoError(t, json.Unmarshal([]byte(c.args), &args))
			for range 1 + r.IntN(2) {
				args = mutate(r, args)
			}
			text, err := json.Marshal(args)
			require.NoError(t, err)
			j.agree(t, c.want.Tool(), text)
			if len(j.published(c.want.Tool(), text)) == 0 {
				accepted++
			} else {
				refused++
			}
		}
	}
	require.Greater(t, accepted, 500)
	require.Greater(t, refused, 500)
}

// mutate changes one place of a value.
func mutate(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		switch n := r.IntN(10); {
		case len(keys) == 0 || n == 0:
			v[pick(r, fieldNames)] = anything(r, 0)
		case n == 1:
			delete(v, pick(r, keys))
		case n == 2:
			k := pick(r, keys)
			v[strings.ToUpper(k)] = v[k]
			delete(v, k)
		case n == 3:
			k := pick(r, keys)
			v[k] = anything(r, 0)
		default:
			k := pick(r, keys)
			v[k] = mutate(r, v[k])
		}
		return v
	case []any:
		switch n := r.IntN(6); {
		case len(v) == 0 || n == 0:
			return append(v, anything(r, 0))
		case n == 1:
			return v[1:]
		case n == 2:
			for range r.IntN(12) {
				v = append(v, v[0])
			}
			return v
		default:
			i := r.IntN(len(v))
			v[i] = mutate(r, v[i])
		}
		return v
	}
	return anything(r, 0)
}

var fieldNames = []string{"filters", "where", "search", "related", "limit", "direction", "max_hops", "min_hops", "ids", "label", "node_label", "properties", "order_by", "type", "to", "as", "x", "", "count", "exists", "mode", "k", "having", "group_by", "is_null", "in", "eq", "like", "sort", "offset", "id", "grade", "tag", "strings", "gt"}

var scalars = []any{nil, true, false, 0, 1, -1, 2, 7, 31, 1000, 1.5, 1e30, "", " ", "x", "book", "person", "title", "outgoing", "both", "desc", "count", "WROTE", "KNOWS", "state", "in", "lent", "7", "2026-01-31", "2026-01-31T12:00:00Z", "pages > 1", "eq", "gte", "month", "year", "*", "a\u202eb"}

func anything(r *rand.Rand, depth int) any {
	if depth > 2 || r.IntN(3) > 0 {
		return pick(r, scalars)
	}
	if r.IntN(2) == 0 {
		list := []any{}
		for range r.IntN(3) {
			list = append(list, anything(r, depth+1))
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(3) {
		m[pick(r, fieldNames)] = anything(r, depth+1)
	}
	return m
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// A mended call is one that answers.
func TestMendedCallsPassTheCheck(t *testing.T) {
	j := newJudge(t)
	n := 0
	for _, c := range bad {
		if c.mended != "" {
			n++
			require.Empty(t, j.trellis(c.tool, []byte(c.mended)), c.mended)
			require.Empty(t, j.published(c.tool, []byte(c.mended)), c.mended)
		}
	}
	require.Greater(t, n, 60)
}
