package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/trellisgraph/trellis/graph"
)

// An oracle says what a caller may see, by evaluating the text of each policy
// on each row with CEL's own evaluator. It shares no code with what makes
// guards of policies. What is null or missing is missing in the maps that
// expressions see: to read it is an error, and an error denies.
type oracle struct {
	world    *world
	caller   map[string]any
	env      *cel.Env
	programs map[string]cel.Program
	nodes    map[string]int   // by their ids' text
	edges    map[string][]int // of nodes, loops once
	seen     []truth          // which nodes are visible; unknown: not asked yet
	broken   error
}

// self is the member of a node's map that says which node it is.
const self = "\x00node"

func newOracle(w *world, scope *graph.Scope) (*oracle, error) {
	o := &oracle{world: w, programs: map[string]cel.Program{}, nodes: map[string]int{}, edges: map[string][]int{}, seen: make([]truth, len(w.nodes))}
	o.caller = map[string]any{}
	for name, v := range scope.Claims {
		o.caller[name] = plain(v)
	}
	maps.Copy(o.caller, map[string]any{"tenant": scope.Tenant, "principal": scope.Principal, "token_id": scope.TokenID})
	for i, n := range w.nodes {
		o.nodes[nodeText(w.idOf(n))] = i
		o.seen[i] = unknown
	}
	for i, r := range w.rels {
		from, to := nodeText(r.from), nodeText(r.to)
		o.edges[from] = append(o.edges[from], i)
		if to != from {
			o.edges[to] = append(o.edges[to], i)
		}
	}
	dyn, list := cel.DynType, cel.ListType(cel.DynType)
	walk := func(name string, outgoing bool) cel.EnvOption {
		one := func(args ...ref.Val) ref.Val { return o.walk(outgoing, args) }
		return cel.Function(name,
			cel.MemberOverload(name+"_type", []*cel.Type{dyn, cel.StringType}, list, cel.FunctionBinding(one)),
			cel.MemberOverload(name+"_type_label", []*cel.Type{dyn, cel.StringType, cel.StringType}, list, cel.FunctionBinding(one)))
	}
	env, err := cel.NewEnv(cel.Variable("node", dyn), cel.Variable("relationship", dyn), cel.Variable("caller", dyn),
		walk("outgoing", true), walk("incoming", false),
		cel.Function("date", cel.Overload("date_text", []*cel.Type{cel.StringType}, cel.TimestampType, cel.UnaryBinding(func(v ref.Val) ref.Val {
			t, err := time.Parse(time.DateOnly, fmt.Sprint(v.Value()))
			if err != nil {
				return types.WrapErr(err)
			}
			return types.Timestamp{Time: t}
		}))))
	o.env = env
	return o, err
}

// plain writes a claim as CEL's adapter wants it.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case uint8:
		return int64(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			out[name] = plain(v[name])
		}
		return out
	}
	return v
}

// Where the language differs from CEL, the text is rewritten: a null test asks
// whether the value is there, and a pattern that the caller brings is not
// empty.
var (
	nullTest    = regexp.MustCompile(`\b(node|relationship|x|y)\.(\w+) (==|!=) null`)
	callersText = regexp.MustCompile(`\b([\w.]+)\.(startsWith|endsWith|contains)\(((?:caller|g)\.[\w.]+)\)`)
)

func rewritten(policy string) string {
	policy = nullTest.ReplaceAllStringFunc(policy, func(s string) string {
		m := nullTest.FindStringSubmatch(s)
		if m[3] == "==" {
			return "!has(" + m[1] + "." + m[2] + ")"
		}
		return "has(" + m[1] + "." + m[2] + ")"
	})
	return callersText.ReplaceAllString(policy, `(${3} == "" ? false : ${1}.${2}(${3}))`)
}

// allows evaluates a policy.
func (o *oracle) allows(policy string, vars map[string]any) bool {
	if policy == "" || policy == "public" {
		return true
	}
	prg := o.programs[policy]
	if prg == nil {
		ast, issues := o.env.Compile(rewritten(policy))
		if issues.Err() != nil {
			o.broken = fmt.Errorf("the oracle does not read %q: %w", policy, issues.Err())
			return false
		}
		var err error
		if prg, err = o.env.Program(ast); err != nil {
			o.broken = err
			return false
		}
		o.programs[policy] = prg
	}
	vars["caller"] = o.caller
	out, _, err := prg.Eval(vars)
	return err == nil && out == types.True
}

func celMap(values map[string]graph.Value) map[string]any {
	out := map[string]any{}
	for name, v := range values {
		switch v.Kind() {
		case graph.KindNull:
		case graph.KindInt:
			out[name] = v.Int()
		case graph.KindFloat:
			out[name] = v.Float()
		case graph.KindBool:
			out[name] = v.Bool()
		case graph.KindDate, graph.KindDateTime:
			out[name] = v.Time()
		default:
			out[name] = v.Text()
		}
	}
	return out
}

func (o *oracle) node(i int) map[string]any {
	out := celMap(o.world.nodes[i].values)
	out[self] = i
	return out
}

// visibleNode says whether the caller may see a node.
func (o *oracle) visibleNode(i int) bool {
	if o.seen[i] == unknown {
		l := o.world.schema.label(o.world.nodes[i].label)
		o.seen[i] = truthOf(o.allows(l.policy, map[string]any{"node": o.node(i)}))
	}
	return o.seen[i] == yes
}

// visibleRel says whether the caller may see a relationship: by its own policy,
// and by those of both ends.
func (o *oracle) visibleRel(i int) bool {
	r := o.world.rels[i]
	return o.allowsRel(i) && o.visibleNode(o.nodes[nodeText(r.from)]) && o.visibleNode(o.nodes[nodeText(r.to)])
}

func (o *oracle) allowsRel(i int) bool {
	r := o.world.rels[i]
	return o.allows(o.world.pair(r).policy, map[string]any{"relationship": celMap(r.values)})
}

// walk lists the nodes to which relationships of a type lead from a node, as
// far as the caller may see them and the relationships.
func (o *oracle) walk(outgoing bool, args []ref.Val) ref.Val {
	m, ok := args[0].(traits.Mapper)
	if !ok {
		return types.NewErr("only a node can be walked from")
	}
	at := int(m.Get(types.String(self)).(types.Int))
	here := nodeText(o.world.idOf(o.world.nodes[at]))
	var found []any
	for _, i := range o.edges[here] {
		r := o.world.rels[i]
		from, to := r.from, r.to
		if !outgoing {
			from, to = to, from
		}
		if r.typ != string(args[1].(types.String)) || nodeText(from) != here || len(args) > 2 && to.Label != string(args[2].(types.String)) {
			continue
		}
		if end := o.nodes[nodeText(to)]; o.allowsRel(i) && o.visibleNode(end) {
			found = append(found, o.node(end))
		}
	}
	return o.env.CELTypeAdapter().NativeToValue(found)
}

// pair is the pair of a relationship.
func (w *world) pair(r relSpec) *pairSpec {
	for _, t := range w.schema.types {
		for _, p := range t.pairs {
			if t.name == r.typ && p.from == r.from.Label && p.to == r.to.Label {
				return p
			}
		}
	}
	return nil
}
