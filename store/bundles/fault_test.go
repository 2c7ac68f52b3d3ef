package bundles_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
)

// A faulty repository does something else first when it is asked.
type faulty struct {
	repository.Repository
	state, content atomic.Pointer[func()]
}

func (f *faulty) State(ctx context.Context, tenant string) (repository.State, error) {
	if first := f.state.Load(); first != nil {
		(*first)()
	}
	return f.Repository.State(ctx, tenant)
}

func (f *faulty) Content(ctx context.Context, tenant, item string, version int64) ([]repository.File, error) {
	if first := f.content.Load(); first != nil {
		(*first)()
	}
	return f.Repository.Content(ctx, tenant, item, version)
}

func faultyWorld(t *testing.T, log *strings.Builder) (*world, *faulty) {
	here := newWorld(t, bundles.Options{})
	here.apply("acme", shop(t))
	f := &faulty{Repository: here.repo}
	return over(t, f, bundles.Options{Wait: time.Minute, Log: slog.New(slog.NewTextHandler(log, nil))}), f
}

// Who gives up is not kept waiting for a tenant that is being loaded, and the load
// goes on.
func TestCallersGiveUpWaiting(t *testing.T) {
	w, f := faultyWorld(t, new(strings.Builder))
	hold := make(chan struct{})
	wait := func() { <-hold }
	f.state.Store(&wait)
	begun := time.Now()
	late, stop := context.WithTimeout(scoped("acme", ""), 20*time.Millisecond)
	defer stop()
	_, err := w.tools.Call(late, "list_product", []byte(`{}`))
	code(t, graph.Timeout, err)
	gone, leave := context.WithCancel(scoped("acme", ""))
	leave()
	_, err = w.tools.Call(gone, "list_product", []byte(`{}`))
	code(t, graph.Canceled, err)
	require.Less(t, time.Since(begun), 20*time.Second)
	close(hold)
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))
}

// A panic while a tenant is loaded is an error in the log and for its callers, not
// the end of the process or of the tenant.
func TestLoadsOutliveAPanic(t *testing.T) {
	var log strings.Builder
	w, f := faultyWorld(t, &log)
	fault := func() { panic("a fault somewhere") }
	f.state.Store(&fault)
	for range 2 {
		_, err := w.tools.Call(scoped("acme", ""), "list_product", []byte(`{}`))
		code(t, graph.Internal, err)
		require.NotContains(t, err.Error(), "fault")
	}
	require.Contains(t, log.String(), "a fault somewhere")
	f.state.Store(nil)
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))

	// What is loaded already is served on, until there is something that loads.
	log.Reset()
	change := func(rows ...string) {
		state, err := f.Repository.State(context.Background(), "acme")
		require.NoError(t, err)
		_, err = f.Repository.Commit(context.Background(), "acme", state.Version, commitOf(t, shop(t, rows...)))
		require.NoError(t, err)
	}
	f.content.Store(&fault)
	change("{id: p3, brand_id: b1}")
	require.Error(t, w.lib.Refresh(context.Background()))
	require.Contains(t, log.String(), "a fault somewhere")
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))
	f.content.Store(nil)
	change("{id: p4, brand_id: b1}")
	require.NoError(t, w.lib.Refresh(context.Background()))
	require.Equal(t, []string{"p4"}, w.ids("acme", "", "product"))

	cold := over(t, f, bundles.Options{})
	f.content.Store(&fault)
	_, err := cold.tools.Call(scoped("acme", ""), "list_product", []byte(`{}`))
	code(t, graph.Internal, err)
}

// A panic while something is applied or planned is an error for who asked, and in
// the log; nothing is changed, and the next one may.
func TestChangesOutliveAPanic(t *testing.T) {
	ctx := context.Background()
	var log strings.Builder
	w, f := faultyWorld(t, &log)
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))
	// An entity as no reader makes it.
	broken := shop(t, "{id: p9}")
	product, _ := broken.Type("product")
	product.Entities[0].Values = nil
	fault := func() { panic("a fault somewhere") }
	for name, try := range map[string]func() error{
		"values that are not there": func() error {
			_, err := w.lib.Apply(ctx, "acme", broken, bundles.ChangeOptions{})
			return err
		},
		"planned":    func() error { _, err := w.lib.Plan(ctx, "acme", broken); return err },
		"repository": func() error { f.state.Store(&fault); defer f.state.Store(nil); return apply(w, shop(t, "{id: p9}")) },
		"rolled back": func() error {
			f.content.Store(&fault)
			defer f.content.Store(nil)
			_, err := w.lib.Rollback(ctx, "acme", "shop", 1, bundles.ChangeOptions{})
			return err
		},
	} {
		log.Reset()
		err := try()
		code(t, graph.Internal, err)
		require.NotContains(t, err.Error(), "goroutine", name)
		require.Contains(t, log.String(), "goroutine", name)
		require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))
		history, err := w.lib.History(ctx, "acme", "shop")
		require.NoError(t, err)
		require.Len(t, history, 1, name)
	}
	w.apply("acme", shop(t, "{id: p9}"))
	require.Equal(t, []string{"p9"}, w.ids("acme", "", "product"))
}

func apply(w *world, b *bundle.Bundle) error {
	_, err := w.lib.Apply(context.Background(), "acme", b, bundles.ChangeOptions{})
	return err
}

// A leaving repository is asked by somebody who gives up when there is the answer.
type leaving struct {
	repository.Repository
	leave     func()
	committed bool
}

func (l *leaving) State(ctx context.Context, tenant string) (repository.State, error) {
	defer l.leave()
	return l.Repository.State(ctx, tenant)
}

func (l *leaving) Commit(ctx context.Context, tenant string, base int64, c repository.Change) (repository.State, error) {
	l.committed = true
	return l.Repository.Commit(ctx, tenant, base, c)
}

// Who gives up is not kept waiting for a graph of all entities.
func TestApplyEndsWithItsContext(t *testing.T) {
	for want, with := range map[graph.Code]func(context.Context) (context.Context, context.CancelFunc){
		graph.Canceled: context.WithCancel,
		graph.Timeout: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			return ctx, func() { <-ctx.Done(); cancel() }
		},
	} {
		ctx, cancel := with(context.Background())
		l := &leaving{Repository: newWorld(t, bundles.Options{}).repo, leave: cancel}
		w := over(t, l, bundles.Options{})
		_, err := w.lib.Apply(ctx, "acme", shop(t), bundles.ChangeOptions{})
		code(t, want, err)
		require.False(t, l.committed)
		_, err = w.lib.Plan(ctx, "acme", shop(t))
		require.Error(t, err)
	}
}
