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
