package bundles

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// A tenant is what the library holds of one tenant: little, unless it is loaded.
type tenant struct {
	name    string
	current atomic.Pointer[built] // nil while it is not loaded
	used    atomic.Int64          // the library's clock at the last call
	// turn has room for the one that changes current, from the reading of the
	// repository's state on: so nothing old takes the place of something new.
	turn chan struct{}

	mu      sync.Mutex
	loading *loading      // nil while nobody loads it
	changed chan struct{} // closed when current changes; nil while nobody asked
	version int64         // of the state that was seen last
	told    time.Time     // when it was logged that the repository cannot be asked
	trouble trouble
}

// A loading is a tenant's being loaded, which many may wait for.
type loading struct {
	done chan struct{}
	err  error
}

// trouble is why a state could not be loaded.
type trouble struct {
	version int64
	err     error
	until   time.Time // when it is tried again
}

// tenant returns the tenant of a name.
func (l *Library) tenant(name string) *tenant {
	if t, ok := l.tenants.Load(name); ok {
		return t.(*tenant)
	}
	t, _ := l.tenants.LoadOrStore(name, &tenant{name: name, turn: make(chan struct{}, 1)})
	return t.(*tenant)
}

// take waits for the tenant's turn.
func (t *tenant) take(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return gaveUp(ctx, "another change of the tenant took too long")
	}
}

// gaveUp is the error of who waited until a context was done.
func gaveUp(ctx context.Context, late string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &graph.Error{Code: graph.Timeout, Message: late, Retryable: true}
	}
	return &graph.Error{Code: graph.Canceled, Message: "the call was canceled"}
}

func (t *tenant) give() { <-t.turn }

// watch returns the channel that is closed when current changes. The caller has
// locked mu.
func (t *tenant) watch() <-chan struct{} {
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

// loadTime is how long a load may take, askTime the question for a version.
const (
	loadTime = 5 * time.Minute
	askTime  = 10 * time.Second
)

// load returns what there is of a tenant. It begins to load the tenant if it is
// not loaded, and goes on when the context is done.
func (l *Library) load(ctx context.Context, t *tenant) (*built, error) {
	if b := t.current.Load(); b != nil {
		return b, nil
	}
	t.mu.Lock()
	w := t.loading
	if w == nil {
		w = &loading{done: make(chan struct{})}
		t.loading = w
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), loadTime)
			defer cancel()
			l.loads <- struct{}{}
			defer func() { <-l.loads }()
			w.err = l.refresh(ctx, t)
			t.mu.Lock()
			t.loading = nil
			t.mu.Unlock()
			close(w.done)
		}()
	}
	t.mu.Unlock()
	for ctx.Err() == nil {
		t.mu.Lock()
		b := t.current.Load()
		var installed <-chan struct{} // by a change, which may come before the load
		if b == nil {
			installed = t.watch()
		}
		t.mu.Unlock()
		if b != nil { // nobody watches what there is: it is asked for as long as somebody does
			return b, nil
		}
		select {
		case <-installed:
		case <-ctx.Done():
		case <-w.done:
			if b := t.current.Load(); b != nil {
				return b, nil
			}
			if w.err != nil {
				return nil, w.err
			}
			return l.load(ctx, t) // it was let go again already
		}
	}
	return nil, &graph.Error{Code: graph.Unavailable, Message: "the graph is being loaded", Hint: "call again in a moment", Retryable: true}
}

// patience is how long a state that could not be loaded is not tried again.
const patience = 30 * time.Second

// refresh makes the newest state of a tenant the current one. Where it cannot
// be loaded, the one before stays.
func (l *Library) refresh(ctx context.Context, t *tenant) (err error) {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer t.give()
	defer func() { // of a repository, say; nobody is there who could catch it
		if v := recover(); v != nil {
			err = newPanic(v)
			l.opts.Log.Error("bundles: a tenant cannot be loaded; what was loaded before stays", "tenant", t.name, "error", err)
		}
	}()
	state, err := l.repo.State(ctx, t.name)
	if err != nil {
		l.unasked(t, err)
		return err
	}
	before := t.current.Load()
	if before != nil && before.state.Version == state.Version {
		return nil
	}
	t.mu.Lock()
	known := t.trouble
	t.mu.Unlock()
	if known.err != nil && known.version == state.Version && time.Now().Before(known.until) {
		return known.err
	}
	b, err := l.stored(ctx, t.name, state, before)
	if err != nil {
		t.mu.Lock()
		t.trouble = trouble{state.Version, err, time.Now().Add(patience)}
		t.mu.Unlock()
		l.opts.Log.Error("bundles: a tenant's state cannot be loaded; what was loaded before stays", "tenant", t.name, "version", state.Version, "error", err, "cause", cause(err))
		return err
	}
	for _, p := range b.viewProblems {
		l.opts.Log.Warn("bundles: a view does not fit what the tenant has", "tenant", t.name, "version", state.Version, "problem", p.String())
	}
	l.install(t, b)
	return nil
}

// unasked logs why the repository did not say what a tenant has: whoever called
// learns no more than that there is nothing. Calls may come in crowds, and it is
// not said more often than a load is tried again.
func (l *Library) unasked(t *tenant, err error) {
	t.mu.Lock()
	again := time.Since(t.told) < patience
	if !again {
		t.told = time.Now()
	}
	t.mu.Unlock()
	var e *graph.Error
	if refused := errors.As(err, &e) && e.Code.Refusal(); !again && !refused { // a name that no tenant has
		l.opts.Log.Error("bundles: the repository cannot be asked", "tenant", t.name, "error", err, "cause", cause(err))
	}
}

// cause is what an error came of, which its message leaves out.
func cause(err error) error {
	var e *graph.Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return nil
}

// install makes something the current state of a tenant, whose turn it is.
func (l *Library) install(t *tenant, b *built) {
	t.used.Store(l.clock.Add(1))
	l.tellUnfit(t, t.current.Swap(b), b)
	t.mu.Lock()
	t.version, t.trouble = b.state.Version, trouble{}
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	t.mu.Unlock()
	l.letGo(t)
}

// letGo lets the least recently used tenants go, until what is loaded is within
// the bounds; never one. Those that have nothing are counted by themselves: whoever
// names many does not drive out those that have.
func (l *Library) letGo(but *tenant) {
	l.evict.Lock()
	defer l.evict.Unlock()
	for {
		var oldest, empty *tenant
		count, empties, bytes := 0, 0, int64(0)
		older := func(t, than *tenant) *tenant {
			if t == but || than != nil && than.used.Load() <= t.used.Load() {
				return than
			}
			return t
		}
		l.tenants.Range(func(_, v any) bool {
			t := v.(*tenant)
			switch b := t.current.Load(); {
			case b == nil:
			case b.bytes == 0:
				empties, empty = empties+1, older(t, empty)
			default:
				count, bytes, oldest = count+1, bytes+b.bytes, older(t, oldest)
			}
			return true
		})
		switch {
		case empties > l.opts.Tenants && empty != nil:
			empty.current.Store(nil)
		case (count > l.opts.Tenants || bytes > l.opts.Bytes) && oldest != nil:
			oldest.current.Store(nil)
		default:
			return
		}
	}
}

// Load loads tenants before their first calls. Those that cannot be loaded are
// in the error.
func (l *Library) Load(ctx context.Context, tenants ...string) error {
	var failed []error
	for _, name := range tenants {
		if _, err := l.load(ctx, l.tenant(name)); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Refresh takes over what other processes have changed, of the tenants that are
// loaded, and tells those who wait for a change. The library does so by itself,
// see Options.Poll. What cannot be loaded stays as it was, and is in the error.
func (l *Library) Refresh(ctx context.Context) error {
	var failed []error
	l.tenants.Range(func(_, v any) bool {
		t := v.(*tenant)
		t.mu.Lock()
		known, watched := t.version, t.changed != nil
		t.mu.Unlock()
		loaded := t.current.Load() != nil
		if !loaded && !watched {
			return true
		}
		asked, cancel := context.WithTimeout(ctx, askTime)
		version, err := l.repo.Version(asked, t.name)
		cancel()
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil:
			l.unasked(t, err)
		case version == known:
			return true
		case loaded:
			err = l.refresh(ctx, t)
		default: // whoever waits loads it
			t.mu.Lock()
			t.version = version
			if t.changed != nil {
				close(t.changed)
				t.changed = nil
			}
			t.mu.Unlock()
		}
		if err != nil {
			failed = append(failed, err)
		}
		return true
	})
	return errors.Join(failed...)
}
