package compile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"reflect"
	"slices"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Compiler checks queries. It holds what checks of many calls share and is
// safe for concurrent use.
type Compiler struct {
	limits  graph.Limits
	cursors *CursorKeys
	where   *whereCache
	cost    Cost
	// hostGuard is Options.Guard, and maskKey the key of hashed values.
	hostGuard func(scope *graph.Scope, on Guarded) (graph.Filter, error)
	maskKey   []byte
	minGroup  int
	redacted  []string
	hide      bool // statements
	prepared  preparedPlans
	checkers  sync.Pool // of *checker
	bindings  sync.Pool // of *bindingRoom
}

// Options configure a Compiler.
type Options struct {
	// Limits bound every call; zero fields mean their defaults.
	Limits graph.Limits
	// Cursors sign the cursors of answers. Nil means random keys, whose cursors
	// only this Compiler accepts.
	Cursors *CursorKeys
	// Cost refuses calls that would cost too much. The zero Cost estimates
	// nothing.
	Cost Cost
	// Guard is a policy in Go, asked beside those of the schema for every label
	// and pair of labels that a call comes to: both must let a row pass. It
	// decides about rows only: the names of labels, types and properties are
	// hidden by policies of the schema. A nil
	// filter restricts nothing, graph.Or{} hides every row. An error refuses the
	// call as FORBIDDEN; what the error says, the caller does not hear. With a
	// Guard, a call without a scope is NO_SCOPE.
	//
	// It must return equal filters for equal scopes, and be safe for concurrent
	// use. A filter may name hidden properties, and walk by graph.Exists over
	// labels and types whose own guards do not walk. A walk goes only over what
	// the caller may see: a negated one, of a filter or of a policy, holds for
	// more rows where a Guard hides more of what it goes over, so leave that open.
	Guard func(scope *graph.Scope, on Guarded) (graph.Filter, error)
	// MinGroup is how many nodes a row of an aggregate must stand for to be
	// shown, also the one row without groups: 0 and 1 show all. Figures of a
	// property that fewer of them have are null. Aggregations then have no
	// conditions of their own. It keeps single nodes out of figures, and no more:
	// two calls whose groups differ by one node tell of that node, min and max
	// are some node's values, and find_nodes shows nodes as ever.
	MinGroup int
	// Redacted are labels of which the host decides node by node, after the
	// store, who may see them. Since a store cannot tell then what a path over
	// such a node may show, they are found by find_nodes, and by a traversal
	// without connections at the end of one last hop; whatever else names them is
	// UNSUPPORTED, and nothing else walks over them, guards included.
	Redacted []string
	// HideStatements says that nobody sees which statements a store runs, and makes
	// plans that say so.
	HideStatements bool
	// MaskKey is the key by which masks hash values, so that processes with the
	// same key show the same hashes. Nil means a random one.
	MaskKey []byte
}

// whereCacheSize is how many expressions a Compiler keeps compiled: compiling
// one costs as much as everything else in a call together.
const whereCacheSize = 1024

// New returns a Compiler.
func New(opts Options) *Compiler {
	c := &Compiler{limits: opts.Limits.WithDefaults(), cursors: opts.Cursors, where: newWhereCache(whereCacheSize), cost: opts.Cost.withDefaults(),
		hostGuard: opts.Guard, maskKey: slices.Clone(opts.MaskKey), redacted: slices.Clone(opts.Redacted), hide: opts.HideStatements}
	if opts.MinGroup > 1 {
		c.minGroup = opts.MinGroup
	}
	c.prepared.seed = maphash.MakeSeed()
	if c.maskKey == nil {
		c.maskKey = make([]byte, sha256.Size)
		rand.Read(c.maskKey) // never fails: the runtime ends the process first
	}
	if c.cursors == nil {
		c.cursors = RandomCursorKeys()
	}
	return c
}

// Limits returns the limits that calls are checked against.
func (c *Compiler) Limits() graph.Limits { return c.limits }

// Check resolves a query in a schema, on behalf of a scope, and returns its
// plan. It reports all mistakes of the query together, as graph.Errors; what it
// would cost is weighed when there are none. It does no I/O and
// reads no clock but for cursors that expire:
// equal arguments and statistics give equal plans.
func (c *Compiler) Check(s *schema.Schema, scope *graph.Scope, q graph.Query) (*Plan, error) {
	return c.weighed(nil, nil, s, scope, q)
}

// weighed is Check, in a room or, with nil, in memory of the plan's own, with
// statistics or, with nil, those of the options.
func (c *Compiler) weighed(room *Room, stats *Statistics, s *schema.Schema, scope *graph.Scope, q graph.Query) (*Plan, error) {
	p, err := c.check(room, s, scope, q)
	if stats == nil && err == nil {
		stats = c.cost.statistics()
	}
	if err != nil || stats == nil || c.light(p, stats) {
		return p, err
	}
	err = c.weigh(p, q, stats, func(q graph.Query) *Plan {
		p, _ := c.check(nil, s, scope, q)
		return p
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// check is Check, whatever the cost.
func (c *Compiler) check(room *Room, s *schema.Schema, scope *graph.Scope, q graph.Query) (*Plan, error) {
	if q == nil || reflect.ValueOf(q).IsNil() {
		return nil, graph.Errors{{Code: graph.UnknownTool, Message: "there is no query"}}
	}
	p, again := c.known(room, s, scope, q)
	if p != nil {
		return p, nil
	}
	p = &Plan{Limits: c.limits, HideStatements: c.hide, scope: scope, maskKey: c.maskKey}
	k := c.checker()
	k.scope, k.plan, k.noting = scope, p, again
	k.begin()
	if k.enter(s) {
		p.Root = k.root(q)
		k.guards(p.Root)
	}
	k.settle()
	errs := k.errs
	if len(errs) == 0 && again {
		c.prepared.keep(preparedKey{schema: s, view: k.rights.view}, q, p, k.binds)
	}
	k.done()
	if len(errs) > 0 {
		return nil, errs
	}
	return p, nil
}

// known returns the plan of a query that differs from one before in nothing but
// values, nil if there is none; again says that such a query came before. A
// host's guard may read anything of a scope, so with one no two callers share a
// plan.
func (c *Compiler) known(room *Room, s *schema.Schema, scope *graph.Scope, q graph.Query) (p *Plan, again bool) {
	if c.hostGuard != nil {
		return nil, false
	}
	key := preparedKey{schema: s}
	if s.HasPolicies() {
		var err error
		if key.view, err = s.View(scope); err != nil {
			return nil, false
		}
	}
	p, again = c.prepared.find(room, key, q, c.limits.PatternBytes)
	if p != nil {
		p.scope = scope
	}
	return p, again
}

// root checks a query of any kind.
func (k *checker) root(q graph.Query) Root {
	switch q := q.(type) {
	case *graph.FindNodes:
		return k.findNodes(q)
	case *graph.Traverse:
		return k.traverse(q)
	case *graph.Neighbors:
		return k.neighbors(q)
	case *graph.Paths:
		return k.paths(q)
	case *graph.Aggregate:
		return k.aggregate(q)
	case *graph.Describe:
		d, errs := describe(k.schema, k.limits, q)
		k.errs = append(k.errs, errs...)
		return &Describe{Description: d}
	}
	return nil
}

// Vet reports, as graph.Errors, what would be wrong with a query for those to
// whom the whole of a schema is visible: before there is a caller, or for all
// callers with the same view. It asks no policy and makes no plan, so that
// nothing can be asked past the policies. What a query would cost is not weighed.
func (c *Compiler) Vet(s *schema.Schema, q graph.Query) error {
	if q == nil || reflect.ValueOf(q).IsNil() {
		return graph.Errors{{Code: graph.UnknownTool, Message: "there is no query"}}
	}
	k := &checker{Compiler: c, schema: s, plan: &Plan{Schema: s, Limits: c.limits, maskKey: c.maskKey}}
	if k.root(q); len(k.errs) > 0 {
		return k.errs
	}
	return nil
}

// Cursor returns the cursor of the page that follows a row with the given
// values of the plan's order.
func (c *Compiler) Cursor(p *Plan, last []graph.Value) string {
	room, ok := c.bindings.Get().(*bindingRoom)
	if !ok {
		room = &bindingRoom{}
	}
	room.text = p.appendBinding(room.text[:0])
	room.sum = sha256.Sum256(room.text)
	cursor := c.cursors.Encode(room.sum[:], last)
	if clear(room.text); cap(room.text) > cursorMost {
		room.text = nil
	}
	c.bindings.Put(room)
	return cursor
}

// A bindingRoom is memory for one binding after the other. Nothing of a call
// stays in it.
type bindingRoom struct {
	text []byte
	sum  [sha256.Size]byte
}

// cursorBinding is what a cursor must have been made for: the hash of the call
// without its cursor, the scope and the schema.
func (p *Plan) cursorBinding() []byte {
	sum := sha256.Sum256(p.appendBinding(nil))
	return sum[:]
}

// appendBinding appends what is hashed, each part with its length in front so
// that no two of them can be confused.
func (p *Plan) appendBinding(b []byte) []byte {
	begin := func() int {
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
		return len(b)
	}
	end := func(at int) { binary.LittleEndian.PutUint64(b[at-8:], uint64(len(b)-at)) }
	at := begin()
	b = append(b, p.Schema.Hash()...)
	end(at)
	at = begin()
	b = p.appendText(b)
	end(at)
	at = begin()
	b = appendScope(b, p.scope)
	end(at)
	return b
}
