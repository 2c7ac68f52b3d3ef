package native

import (
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// maxPrograms bounds the programs that a store keeps.
const maxPrograms = 4096

// A program answers all plans of one shape over one graph.
type program struct {
	binds []bindFunc // of the args
	semis []*semi
	answer
}

// An answer is what a tool's program does in a run: find, aggregate.
type answer interface {
	run(r *run, w graph.Writer) (store.Outcome, error)
}

// programs keeps what plans were lowered to over one graph.
type programs struct {
	tables *tables
	// roots has the programs of plans whose roots serve many calls, by these:
	// most calls find theirs here, with no lock and nothing written.
	roots atomic.Pointer[sync.Map] // of compile.Root to *program

	mu   sync.RWMutex
	kept map[programKey]*program
	many int // how many roots there are
}

type programKey struct{ schema, shape string }

func (c *programs) of(p *compile.Plan) (*program, error) {
	kept := p.Kept()
	if kept {
		if roots := c.roots.Load(); roots != nil {
			if prog, ok := roots.Load(p.Root); ok {
				return prog.(*program), nil
			}
		}
	}
	prog, err := c.byShape(p)
	if err != nil || !kept {
		return prog, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.roots.Load() == nil || c.many >= maxPrograms {
		c.roots.Store(&sync.Map{})
		c.many = 0
	}
	if _, known := c.roots.Load().LoadOrStore(p.Root, prog); !known {
		c.many++
	}
	return prog, nil
}

// byShape is of by the schema and the text of the shape.
func (c *programs) byShape(p *compile.Plan) (*program, error) {
	key := programKey{p.Schema.Hash(), p.Shape()}
	c.mu.RLock()
	prog := c.kept[key]
	c.mu.RUnlock()
	if prog != nil {
		return prog, nil
	}
	prog, err := c.tables.lower(p)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxPrograms { // begin anew: shapes are few in any real use
		c.kept = make(map[programKey]*program)
	}
	c.kept[key] = prog
	return prog, nil
}

// lower makes the program of a plan, once it is certain that no reference in it
// lacks its guard.
func (t *tables) lower(p *compile.Plan) (*program, error) {
	if err := p.Verify(); err != nil {
		return nil, err
	}
	if !t.holds(p.Schema) {
		e := errOtherSchema
		return nil, &e
	}
	lw := &lowering{tables: t, guards: map[*table]test{}, shared: map[sharedArg]int{}}
	prog := &program{}
	switch root := p.Root.(type) {
	case *compile.Find:
		prog.answer = lw.find(root)
	case *compile.Aggregate:
		prog.answer = lw.aggregate(root)
	case *compile.Traverse:
		prog.answer = lw.traverse(root)
	case *compile.Neighbors:
		prog.answer = lw.neighbors(root)
	case *compile.Paths:
		prog.answer = lw.findPaths(root)
	default:
		return nil, &graph.Error{Code: graph.Unsupported, Message: "the native store does not answer " + p.Tool()}
	}
	prog.binds, prog.semis = lw.binds, lw.semis
	return prog, nil
}
