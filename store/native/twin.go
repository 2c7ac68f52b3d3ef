package native

import (
	"slices"
	"sync"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// twins are the SQL programs of plans, in MySQL's dialect: what a SQL store
// would have run, for people to read.
type twins struct {
	mu   sync.RWMutex
	kept map[twinKey]*compile.Program
}

type twinKey struct {
	schema, shape string
	budget        int
}

// statements are those of a plan, each as if run once, and with the same text
// and values told once; none where the plan has no SQL.
func (t *twins) statements(p *compile.Plan) []graph.Statement {
	prog := t.of(p)
	if prog == nil {
		return nil
	}
	var out []graph.Statement
	for _, st := range prog.Statements() {
		text := st.Text(p.Params)
		_, shown := st.Bind(p.Params)
		same := func(s graph.Statement) bool {
			return s.SQL == text && slices.EqualFunc(s.Parameters, shown, func(a, b graph.Parameter) bool { return a.Value.Equal(b.Value) })
		}
		if !slices.ContainsFunc(out, same) { // a search from both ends goes the same ways
			out = append(out, graph.Statement{SQL: text, Parameters: shown, Executions: 1})
		}
	}
	return out
}

func (t *twins) of(p *compile.Plan) *compile.Program {
	key := twinKey{p.Schema.Hash(), p.Shape(), p.Limits.Budget}
	t.mu.RLock()
	prog, known := t.kept[key]
	t.mu.RUnlock()
	if known {
		return prog
	}
	prog, err := compile.SQL(p, compile.MySQL())
	if err != nil {
		prog = nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil || len(t.kept) >= maxPrograms {
		t.kept = make(map[twinKey]*compile.Program)
	}
	t.kept[key] = prog
	return prog
}
