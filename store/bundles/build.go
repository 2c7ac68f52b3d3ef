package bundles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/repository"
)

// A built is a tenant's state made ready for calls. It never changes.
type built struct {
	state repository.State
	parts parts
	// snapshots are what calls work on, by the names of views; "" is the whole.
	// There are none without bundles.
	snapshots    map[string]engine.Snapshot
	viewProblems bundle.Problems
	unfit        unfit
	bytes        int64 // of the bundles' files
}

// parts are what a tenant's state is made of.
type parts struct {
	bundles []part    // by name
	views   *views    // nil for none
	deleted time.Time // when one was last deleted
}

// A part is a bundle as it is stored.
type part struct {
	revision repository.Revision
	bundle   *bundle.Bundle
}

// with returns the parts with another bundle of its name, or without one.
func (p parts) with(name string, b *bundle.Bundle, applied time.Time) parts {
	p.bundles = slices.DeleteFunc(slices.Clone(p.bundles), func(old part) bool { return old.revision.Item == name })
	if b != nil {
		p.bundles = append(p.bundles, part{repository.Revision{Item: name, Applied: applied}, b})
		slices.SortFunc(p.bundles, func(x, y part) int { return strings.Compare(x.revision.Item, y.revision.Item) })
	}
	return p
}

func (p parts) list() []*bundle.Bundle {
	list := make([]*bundle.Bundle, len(p.bundles))
	for i, b := range p.bundles {
		list[i] = b.bundle
	}
	return list
}

// Graph makes the graph of bundles: what a Library makes of a tenant's, for
// programs that have no tenants.
func Graph(revised time.Time, list ...*bundle.Bundle) (*memory.Graph, error) {
	s, err := bundle.Schema(revised, list...)
	if err != nil {
		return nil, err
	}
	return graphOf(context.Background(), s, list)
}

func graphOf(ctx context.Context, s *schema.Schema, list []*bundle.Bundle) (*memory.Graph, error) {
	b := memory.NewBuilder(s)
	var work []func() error // each label and type is filled by itself
	for _, rows := range bundle.Nodes(list...) {
		work = append(work, func() error { return b.Nodes(rows.Name, rows.Columns, until(ctx, rows.Each)) })
	}
	for _, rows := range bundle.Relationships(list...) {
		work = append(work, func() error { return b.Relationships(rows.Name, rows.Columns, until(ctx, rows.Each)) })
	}
	if err := together(work); err != nil {
		return nil, err
	}
	return b.Build()
}

// until ends rows with an error when the context is done.
func until(ctx context.Context, rows iter.Seq2[[]graph.Value, error]) iter.Seq2[[]graph.Value, error] {
	const stride = 1024
	return func(yield func([]graph.Value, error) bool) {
		n := 0
		for row, err := range rows {
			if n++; n%stride == 1 && ctx.Err() != nil {
				yield(nil, gaveUp(ctx, "to make a graph of the bundles took too long"))
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// together does work on all processors, and returns the first error of it.
func together(work []func() error) error {
	errs := make([]error, len(work))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(work)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(work)); i = next.Add(1) - 1 {
				errs[i] = caught(work[i])()
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}

// caught makes a panic an error: nobody could catch it in another goroutine.
func caught(do func() error) func() error {
	return func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = newPanic(v)
			}
		}()
		return do()
	}
}

// read reads the parts of a stored state, but for one item; those that are
// already there are not read again.
func (l *Library) read(ctx context.Context, tenant string, state repository.State, before *built, but string) (parts, error) {
	p := parts{deleted: state.Deleted}
	for _, r := range state.Items {
		if r.Item == but {
			continue
		}
		if before != nil && r.Item == repository.Views && before.parts.views != nil && same(before.parts.views.revision, r) {
			p.views = before.parts.views
			continue
		}
		if before != nil {
			if i := slices.IndexFunc(before.parts.bundles, func(b part) bool { return same(b.revision, r) }); i >= 0 {
				p.bundles = append(p.bundles, before.parts.bundles[i])
				continue
			}
		}
		files, err := l.repo.Content(ctx, tenant, r.Item, r.Version)
		if err != nil {
			return p, err
		}
		if r.Item == repository.Views {
			v, problems := readViews(viewsOf(files), l.opts.Views)
			if problems != nil {
				return p, fmt.Errorf("the views: %w", problems)
			}
			v.revision = r
			p.views = v
			continue
		}
		if strings.HasPrefix(r.Item, "@") {
			continue // of a later version of this program
		}
		b, err := bundle.ReadFiles(filesOf(files), bundle.Options{Limits: l.opts.Limits})
		if err != nil {
			return p, &graph.Error{Code: graph.InvalidData, Message: "the bundle " + quote(r.Item) + ", which the tenant has, cannot be read: " + short(err.Error()),
				Hint: "apply it anew or delete it: the tenant's other bundles wait for that", Cause: err}
		}
		p.bundles = append(p.bundles, part{r, b})
	}
	return p, nil
}

// same reports whether two revisions of a tenant are one.
func same(a, b repository.Revision) bool {
	return a.Item == b.Item && a.Version == b.Version && a.Digest == b.Digest
}

func filesOf(files []repository.File) []bundle.File {
	out := make([]bundle.File, len(files))
	for i, f := range files {
		out[i] = bundle.File(f)
	}
	return out
}

// stored makes a stored state ready for calls. Views that do not fit are left
// out: whoever has one gets nothing, rather than more than they should.
func (l *Library) stored(ctx context.Context, tenant string, state repository.State, before *built) (_ *built, err error) {
	defer func() { // so that it is not tried again at once
		if v := recover(); v != nil {
			err = newPanic(v)
		}
	}()
	p, err := l.read(ctx, tenant, state, before, "")
	if err != nil {
		return nil, err
	}
	b, err := l.build(ctx, p, "")
	if err != nil {
		return nil, err
	}
	b.state = state
	return b, nil
}

// A panicked is a panic that was caught.
type panicked struct{ text string }

func newPanic(v any) *panicked { return &panicked{fmt.Sprintf("panic: %v\n%s", v, debug.Stack())} }

func (p *panicked) Error() string { return p.text }

// failed is deferred by what works for a caller: a panic is an error that tells no
// more than that, and the log has it.
func (l *Library) failed(tenant string, err *error) {
	if v := recover(); v != nil {
		*err = newPanic(v)
	}
	if p := (*panicked)(nil); errors.As(*err, &p) {
		l.opts.Log.Error("bundles: a change failed", "tenant", tenant, "error", p)
		*err = &graph.Error{Code: graph.Internal, Message: "the change failed by a fault of the program; its log has more", Cause: p}
	}
}

// build makes parts ready for calls. What is wrong with them comes all at once;
// what is wrong with views alone is in viewProblems. The collisions are told of the
// applied bundle.
func (l *Library) build(ctx context.Context, p parts, applied string) (*built, error) {
	b := &built{parts: p, snapshots: map[string]engine.Snapshot{}}
	if len(p.bundles) == 0 {
		_, b.viewProblems = p.views.resolve(p)
		b.unfit.names = l.opts.Queries.Names()
		return b, nil
	}
	if errs := l.collisions(p, applied); errs != nil {
		return nil, errs
	}
	list := p.list()
	s, err := bundle.Schema(p.revised(nil), list...)
	if err != nil {
		return nil, schemaErrors(err)
	}
	g, err := graphOf(ctx, s, list)
	if err != nil {
		return nil, graphError(err)
	}
	whole := engine.Snapshot{Schema: s, Store: native.New(g, l.opts.Native), Statistics: g.Statistics()}
	b.snapshots[""] = whole
	b.unfit.names, b.unfit.why = l.opts.Queries.Unfit(s)
	for _, part := range p.bundles {
		b.bytes += size(part.bundle)
	}
	resolved, problems := p.views.resolve(p)
	b.viewProblems = problems
	for _, v := range resolved {
		s, err := v.schema(p.revised(v.types), list)
		if err != nil { // cannot be, of a part of what is a schema
			return nil, schemaErrors(err)
		}
		b.snapshots[v.Name] = engine.Snapshot{Schema: s, Store: whole.Store, Statistics: whole.Statistics}
	}
	return b, nil
}

// revised is the time of the last change of the bundles that some types are of;
// nil for all bundles. Whoever sees a part learns nothing of changes of the rest.
// That one was deleted is a change of the whole too; a part has what it needs.
func (p parts) revised(shown map[*bundle.Type]bool) time.Time {
	var last time.Time
	if shown == nil {
		last = p.deleted
	}
	for _, b := range p.bundles {
		seen := shown == nil || slices.ContainsFunc(b.bundle.Types(), func(t *bundle.Type) bool { return shown[t] })
		if seen && b.revision.Applied.After(last) {
			last = b.revision.Applied
		}
	}
	return last
}

// size is how many bytes a bundle's files have.
func size(b *bundle.Bundle) int64 {
	n := int64(0)
	for _, t := range b.Types() {
		n += int64(len(t.Schema))
		for _, e := range t.Entities {
			n += int64(len(e.Document))
		}
	}
	return n
}
