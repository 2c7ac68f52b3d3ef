package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/native"
)

// A watched is a bundle that is read again when its files change: a source of an
// engine, the same for all callers.
type watched struct {
	path string
	most int // bytes of it
	log  *slog.Logger
	// check is what else a bundle has to fit, nil for nothing.
	check func(*schema.Schema) error

	mu      sync.Mutex
	now     engine.Snapshot
	changed chan struct{}
}

// watchEvery is how often the files are looked at.
const watchEvery = time.Second

// openWatched reads a bundle, and watches it until ctx is done.
func openWatched(ctx context.Context, path string, most int, log *slog.Logger, check func(*schema.Schema) error) (*watched, error) {
	seen, newest := fingerprint(path)
	w := &watched{path: path, most: most, log: log, check: check, changed: make(chan struct{})}
	now, revision, err := w.load(newest)
	if err != nil {
		return nil, err
	}
	w.now = now
	go w.watch(ctx, seen, revision)
	return w, nil
}

// load makes the bundle ready for calls, with the time of its newest file as that of
// its schema, and returns its revision too. It runs where nobody could catch a panic,
// which is an error here, so that what was served before stays.
func (w *watched) load(newest time.Time) (now engine.Snapshot, revision string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	b, err := readBundle(w.path, w.most)
	if err != nil {
		return now, "", err
	}
	g, err := bundles.Graph(newest, b)
	if err == nil && w.check != nil {
		err = w.check(g.Schema())
	}
	if err != nil {
		return now, "", err
	}
	return engine.Snapshot{Schema: g.Schema(), Store: native.New(g, native.Options{})}, b.Revision(), nil
}

// Snapshot implements engine.Source.
func (w *watched) Snapshot(context.Context, *graph.Scope) (engine.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, nil
}

// Changed implements engine.Source.
func (w *watched) Changed(*graph.Scope) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// watch reads the bundle again once its files have changed and then stayed as
// they are for a moment, so that it is not read while it is being written. One
// with mistakes is told, and the one before stays.
func (w *watched) watch(ctx context.Context, seen, revision string) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	last := seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		files, newest := fingerprint(w.path)
		settled := files == last
		last = files
		if files == seen || !settled {
			continue
		}
		seen = files
		now, is, err := w.load(newest)
		var problems bundle.Problems
		switch {
		case errors.As(err, &problems):
			for _, p := range problems {
				w.log.Error("the bundle is not taken over", "problem", p.String())
			}
		case err != nil:
			w.log.Error("the bundle is not taken over", "error", err)
		case is != revision:
			revision = is
			w.swap(now)
			w.log.Warn("the bundle has changed", "revision", revision)
		}
	}
}

func (w *watched) swap(to engine.Snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = to
	close(w.changed)
	w.changed = make(chan struct{})
}

// fingerprint tells whether any file of a bundle was written, without reading it:
// of a directory only what a bundle is made of, as there may be much beside it. The
// time is that of the file that was written last.
func fingerprint(path string) (text string, newest time.Time) {
	var b strings.Builder
	tell := func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it never was there, or was removed in between
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !d.IsDir() && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		fmt.Fprintf(&b, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	}
	parts := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		parts = []string{filepath.Join(path, "manifest.yaml"), filepath.Join(path, "schemas"), filepath.Join(path, "entities")}
	}
	for _, part := range parts {
		if err := filepath.WalkDir(part, tell); err != nil {
			fmt.Fprintf(&b, "%v\n", err)
		}
	}
	return b.String(), newest
}
