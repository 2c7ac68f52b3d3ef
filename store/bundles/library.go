package bundles

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

// Options configure a Library. The zero value is a sound default; what is zero
// has the value in brackets.
type Options struct {
	// Limits bound what a bundle may hold.
	Limits bundle.Limits
	// Queries are the host's named queries, those of tools.Options; no tool of a
	// bundle may have the name of one. They are made without a schema, and each
	// tenant has those that its bundles can answer.
	Queries *tools.Queries
	// Tools are names of tools that the host has beside all of these; no tool of a
	// bundle may have one of them either.
	Tools []string
	// Tenant is whose graph calls without a scope, or without a tenant in it, work
	// on. "" refuses them.
	Tenant string
	// Native configures the stores of snapshots.
	Native native.Options

	// Bundles and Views are how many a tenant may have [100 each].
	Bundles, Views int
	// Tenants and Bytes bound what is held in memory: so many tenants [100], with
	// files of so many bytes together [1 GiB]; a graph takes about ten times as
	// much as its files. The tenant whose last call is the longest ago is let go,
	// and loaded again when there is a call of it; the last one never is.
	Tenants int
	Bytes   int64
	// Wait is how long a call waits for its tenant to be loaded, before it is
	// UNAVAILABLE [5 s]. Load loads a tenant before its first call.
	Wait time.Duration
	// Poll is how often the repository is asked whether another process changed
	// a tenant [2 s]. Negative: never, but by Refresh.
	Poll time.Duration
	// Log is told what goes wrong while nobody is there to be told; slog.Default()
	// if it is nil.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	for _, n := range []*int{&o.Bundles, &o.Views, &o.Tenants} {
		if *n <= 0 {
			*n = 100
		}
	}
	if o.Bytes <= 0 {
		o.Bytes = 1 << 30
	}
	if o.Wait <= 0 {
		o.Wait = 5 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// A Library serves the bundles of tenants out of a repository. It is an
// engine.Source, and safe for concurrent use.
type Library struct {
	repo    repository.Repository
	opts    Options
	tenants sync.Map // of *tenant, by name
	clock   atomic.Int64
	loads   chan struct{} // has room for the loads that run at the same time
	evict   sync.Mutex

	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// concurrentLoads is how many tenants are loaded at the same time.
const concurrentLoads = 4

// New returns a library of what a repository has. The repository stays the
// caller's to close, after the library.
func New(repo repository.Repository, opts Options) *Library {
	ctx, stop := context.WithCancel(context.Background())
	l := &Library{repo: repo, opts: opts.withDefaults(), loads: make(chan struct{}, concurrentLoads), stop: stop}
	if l.opts.Poll > 0 {
		l.stopped.Go(func() { l.poll(ctx) })
	}
	return l
}

// Close ends what the library does by itself. Calls may go on; they see no more
// changes of other processes.
func (l *Library) Close() error {
	l.stop()
	l.stopped.Wait()
	return nil
}

// poll refreshes whenever it is time.
func (l *Library) poll(ctx context.Context) {
	ticks := time.NewTicker(l.opts.Poll)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			l.Refresh(ctx) // what fails is logged, and tried again
		}
	}
}
