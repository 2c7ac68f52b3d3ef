package bundles

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/repository"
)

// ChangeOptions are what one may say of a change.
type ChangeOptions struct {
	// Expect is the revision that has to be the current one, or None; otherwise
	// the change is a CONFLICT. "" changes whatever there is.
	Expect string
	// Author and Note are kept with the revision.
	Author, Note string
}

// None is the revision of what is not there.
const None = "none"

// Applied is what became of a change.
type Applied struct {
	// Changed is false where everything was so already.
	Changed bool `json:"changed"`
	// Revision is the current one of the bundle, or the one that deleted it.
	Revision repository.Revision `json:"revision"`
	// Warnings are those of the bundle.
	Warnings bundle.Problems `json:"warnings,omitempty"`
}

// Apply makes a bundle the tenant's one of its name: all of it or, with an error,
// nothing. Calls that begin when it has returned work on it, those under way to
// their end on what there was. A bundle that is there already in the same revision
// changes nothing.
//
// The error is a graph.Errors with everything that the tenant's other bundles,
// its views, and the host's tools have against it (CONFLICT, see ToolCollision),
// one of the repository, TIMEOUT or CANCELED where the context ended first, or
// INTERNAL for a fault of the program.
func (l *Library) Apply(ctx context.Context, tenant string, b *bundle.Bundle, opts ChangeOptions) (Applied, error) {
	out, err := l.change(ctx, tenant, change{item: b.Name(), opts: opts, bundle: b, revision: b.Revision()})
	out.Warnings = b.Warnings()
	return out, err
}

// Delete takes a bundle from the tenant. Its revisions stay in the history, and
// Rollback brings it back.
func (l *Library) Delete(ctx context.Context, tenant, name string, opts ChangeOptions) (Applied, error) {
	return l.change(ctx, tenant, change{item: name, opts: opts})
}

// Rollback applies the bundle of an older version, as a new one.
func (l *Library) Rollback(ctx context.Context, tenant, name string, version int64, opts ChangeOptions) (_ Applied, err error) {
	defer l.failed(tenant, &err)
	b, err := l.Export(ctx, tenant, name, version)
	if err != nil {
		return Applied{}, err
	}
	return l.Apply(ctx, tenant, b, opts)
}

// ApplyViews makes a document the tenant's views, as Apply does a bundle. What is
// wrong with it is a bundle.Problems.
func (l *Library) ApplyViews(ctx context.Context, tenant string, document []byte, opts ChangeOptions) (Applied, error) {
	v, problems := readViews(document, l.opts.Views)
	if problems != nil {
		return Applied{}, l.allProblems(ctx, tenant, v, problems)
	}
	return l.change(ctx, tenant, change{item: repository.Views, opts: opts, views: v, revision: v.hash()})
}

// CheckViews returns the error that ApplyViews would refuse a document with, and
// changes nothing.
func (l *Library) CheckViews(ctx context.Context, tenant string, document []byte) (err error) {
	defer l.failed(tenant, &err)
	v, problems := readViews(document, l.opts.Views)
	if problems != nil {
		return l.allProblems(ctx, tenant, v, problems)
	}
	now, err := l.repo.State(ctx, tenant)
	if err != nil {
		return err
	}
	_, err = l.candidate(ctx, tenant, now, change{item: repository.Views, views: v, revision: v.hash()}, time.Now())
	return err
}

// allProblems adds what is wrong with those views of a document that could be
// read, as far as there is a state to compare them with.
func (l *Library) allProblems(ctx context.Context, tenant string, v *views, problems bundle.Problems) bundle.Problems {
	if v == nil || len(v.list) == 0 {
		return problems
	}
	now, err := l.repo.State(ctx, tenant)
	if err != nil {
		return problems
	}
	p, err := l.read(ctx, tenant, now, l.tenant(tenant).current.Load(), repository.Views)
	if err != nil {
		return problems
	}
	_, more := v.resolve(p)
	return sorted(append(problems, more...))
}

// DeleteViews takes all views from the tenant.
func (l *Library) DeleteViews(ctx context.Context, tenant string, opts ChangeOptions) (Applied, error) {
	return l.change(ctx, tenant, change{item: repository.Views, opts: opts})
}

// A change is of a bundle or of the views; without either it deletes the item.
type change struct {
	item     string
	opts     ChangeOptions
	bundle   *bundle.Bundle
	views    *views
	revision string
}

// intact reports whether what is kept of a revision is what was written. To apply
// the same again mends what is not.
func (l *Library) intact(ctx context.Context, tenant string, r repository.Revision) (bool, error) {
	_, err := l.repo.Content(ctx, tenant, r.Item, r.Version)
	var refused *graph.Error
	if errors.As(err, &refused) && refused.Code == graph.InvalidData {
		return false, nil
	}
	return err == nil, err
}

// change makes a change, once everything about it is checked.
func (l *Library) change(ctx context.Context, tenant string, c change) (_ Applied, err error) {
	defer l.failed(tenant, &err)
	t := l.tenant(tenant)
	if err := t.take(ctx); err != nil {
		return Applied{}, err
	}
	defer t.give()
	var out Applied
	var next *built
	state, err := repository.Update(ctx, l.repo, tenant, func(now repository.State) (repository.Change, error) {
		out, next = Applied{}, nil
		current, there := now.Item(c.item)
		if err := c.expected(current, there); err != nil {
			return repository.Change{}, err
		}
		if there && c.revision == current.Revision {
			intact, err := l.intact(ctx, tenant, current)
			if intact || err != nil {
				out.Revision = current
				return repository.Change{}, err
			}
		}
		applied := after(now)
		var err error
		if next, err = l.candidate(ctx, tenant, now, c, applied); err != nil {
			return repository.Change{}, err
		}
		out.Changed = true
		return c.stored(applied), nil
	})
	if err != nil {
		return Applied{}, err
	}
	if next == nil {
		return out, nil
	}
	next.settle(state)
	l.install(t, next)
	if out.Revision, err = l.newest(ctx, tenant, c.item, state); err != nil {
		return Applied{}, err
	}
	return out, nil
}

// after is the time of a change of a state: now, and behind all changes before it,
// of which other machines may have told other times.
func after(state repository.State) time.Time {
	t, least := time.Now().UTC().Truncate(time.Microsecond), state.Deleted
	for _, r := range state.Items {
		if r.Applied.After(least) {
			least = r.Applied
		}
	}
	if !t.After(least) {
		return least.Add(time.Microsecond)
	}
	return t
}

// newest is the last revision of an item, also one that deleted it.
func (l *Library) newest(ctx context.Context, tenant, item string, state repository.State) (repository.Revision, error) {
	if r, ok := state.Item(item); ok {
		return r, nil
	}
	history, err := l.repo.History(ctx, tenant, item)
	if err != nil || len(history) == 0 {
		return repository.Revision{}, err
	}
	return history[0], nil
}

// expected checks what the caller takes to be there.
func (c change) expected(current repository.Revision, there bool) error {
	is := None
	if there {
		is = current.Revision
	}
	switch {
	case c.opts.Expect != "" && c.opts.Expect != is:
		return &graph.Error{Code: graph.Conflict, Message: fmt.Sprintf("the current revision of %q is %s, and not %s", c.item, is, short(c.opts.Expect)),
			Hint: "see what has changed since, and plan again"}
	case !there && c.revision == "":
		return &graph.Error{Code: graph.NotFound, Message: fmt.Sprintf("there is no %s", c.what())}
	}
	return nil
}

func (c change) what() string {
	if c.item == repository.Views {
		return "document with views"
	}
	return "bundle " + quote(c.item)
}

// stored is the change as the repository makes it.
func (c change) stored(applied time.Time) repository.Change {
	out := repository.Change{Item: c.item, Revision: c.revision, Applied: applied, Author: c.opts.Author, Note: c.opts.Note, Delete: c.revision == ""}
	switch {
	case c.bundle != nil:
		for _, f := range c.bundle.Files() {
			out.Files = append(out.Files, repository.File(f))
		}
		out.Entities = entities(c.bundle)
	case c.views != nil:
		out.Files = []repository.File{{Path: viewsFile, Data: c.views.data}}
	}
	return out
}

func entities(b *bundle.Bundle) iter.Seq[repository.Entity] {
	return func(yield func(repository.Entity) bool) {
		for _, t := range b.Types() {
			for _, e := range t.Entities {
				if !yield(repository.Entity{Type: t.Name, ID: e.ID, Document: e.Document}) {
					return
				}
			}
		}
	}
}

// candidate is what a tenant would have after a change, ready for calls; the
// error has all that speaks against it.
func (l *Library) candidate(ctx context.Context, tenant string, now repository.State, c change, applied time.Time) (*built, error) {
	p, err := l.read(ctx, tenant, now, l.tenant(tenant).current.Load(), c.item)
	if err != nil {
		return nil, err
	}
	switch {
	case c.item == repository.Views && c.views != nil:
		v := *c.views
		v.revision = repository.Revision{Item: c.item, Applied: applied}
		p.views = &v
	case c.bundle != nil:
		p = p.with(c.item, c.bundle, applied)
	case c.item != repository.Views:
		p.deleted = applied
	}
	if len(p.bundles) > l.opts.Bundles {
		return nil, &graph.Error{Code: graph.LimitExceeded, Message: fmt.Sprintf("the tenant would have %d bundles, over the cap of %d", len(p.bundles), l.opts.Bundles)}
	}
	b, err := l.build(ctx, p, c.item)
	if err != nil {
		return nil, err
	}
	if len(b.viewProblems) == 0 {
		return b, nil
	}
	if c.item == repository.Views {
		return nil, b.viewProblems
	}
	return nil, brokenViews(b.viewProblems)
}

// brokenViews are the views that would no longer fit, each one error, which points
// at the first of what it names and would not be there.
func brokenViews(problems bundle.Problems) error {
	var errs graph.Errors
	of := map[string]*graph.Error{} // by the pointers to the views
	for _, p := range problems {
		view := strings.Join(strings.SplitN(p.Pointer, "/", 4)[:3], "/")
		if e := of[view]; e != nil {
			if len(e.Message) < maxBroken {
				e.Message += "; " + p.Message
			}
			continue
		}
		e := conflict(p.Pointer, BrokenView, "%s", p.String())
		e.Hint = "apply views that do without it first"
		of[view], errs = e, append(errs, e)
	}
	return errs
}

// maxBroken is how long a message about a view is, about.
const maxBroken = 1000

// settle gives what was built the revisions that it was stored under.
func (b *built) settle(state repository.State) {
	b.state = state
	for i := range b.parts.bundles {
		p := &b.parts.bundles[i]
		p.revision, _ = state.Item(p.revision.Item)
	}
	if b.parts.views != nil {
		v := *b.parts.views // the one before may be in use
		v.revision, _ = state.Item(repository.Views)
		b.parts.views = &v
	}
}
