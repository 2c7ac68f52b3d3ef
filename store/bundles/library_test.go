package bundles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
)

func TestLifecycle(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{})
	first := shop(t)
	done, err := w.lib.Apply(ctx, "acme", first, bundles.ChangeOptions{Author: "ada", Note: "the first", Expect: bundles.None})
	require.NoError(t, err)
	require.True(t, done.Changed)
	require.EqualValues(t, 1, done.Revision.Version)
	require.Equal(t, first.Revision(), done.Revision.Revision)
	require.Equal(t, []string{"list_brand", "get_brand", "list_brand_ids", "list_product", "get_product"}, w.names("acme", ""))
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))
	require.Contains(t, w.call("acme", "", "traverse_relationships", `{"from": {"label": "brand", "ids": ["b1"]}, "relationships": [{"type": "BRAND", "direction": "incoming"}], "to": {"label": "product"}}`), `"returned":2`)
	require.Contains(t, w.call("acme", "", "get_graph_schema", `{}`), done.Revision.Applied.Format("2006-01-02T15:04:05"))

	again, err := w.lib.Apply(ctx, "acme", first, bundles.ChangeOptions{Author: "bob"})
	require.NoError(t, err)
	require.Equal(t, bundles.Applied{Revision: done.Revision}, again, "the same bundle again changes nothing")

	second := shop(t, "{id: p2, name: Rake}", "{id: p3, name: Hoe}")
	_, err = w.lib.Apply(ctx, "acme", second, bundles.ChangeOptions{Expect: second.Revision()})
	code(t, graph.Conflict, err)
	_, err = w.lib.Apply(ctx, "acme", second, bundles.ChangeOptions{Expect: bundles.None})
	code(t, graph.Conflict, err)
	_, err = w.lib.Apply(ctx, "acme", second, bundles.ChangeOptions{Expect: first.Revision()})
	require.NoError(t, err)
	require.Equal(t, []string{"p2", "p3"}, w.ids("acme", "", "product"))

	_, err = w.lib.Rollback(ctx, "acme", "shop", 1, bundles.ChangeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))
	_, err = w.lib.Rollback(ctx, "acme", "shop", 9, bundles.ChangeOptions{})
	code(t, graph.NotFound, err)

	_, err = w.lib.Delete(ctx, "acme", "shop", bundles.ChangeOptions{Expect: second.Revision()})
	code(t, graph.Conflict, err)
	gone, err := w.lib.Delete(ctx, "acme", "shop", bundles.ChangeOptions{Expect: first.Revision(), Author: "eve"})
	require.NoError(t, err)
	require.True(t, gone.Revision.Deleted)
	require.Equal(t, "eve", gone.Revision.Author)
	_, err = w.tools.List(scoped("acme", ""))
	code(t, graph.NoScope, err)
	_, err = w.lib.Delete(ctx, "acme", "shop", bundles.ChangeOptions{})
	code(t, graph.NotFound, err)
	_, err = w.lib.Rollback(ctx, "acme", "shop", 4, bundles.ChangeOptions{})
	code(t, graph.NotFound, err)

	_, err = w.lib.Rollback(ctx, "acme", "shop", 2, bundles.ChangeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"p2", "p3"}, w.ids("acme", "", "product"))
	history, err := w.lib.History(ctx, "acme", "shop")
	require.NoError(t, err)
	require.Len(t, history, 5)

	exported, err := w.lib.Export(ctx, "acme", "shop", 1)
	require.NoError(t, err)
	require.Equal(t, first.Files(), exported.Files())
	list, err := w.lib.Bundles(ctx, "acme")
	require.NoError(t, err)
	require.Len(t, list, 1)
	names, err := w.lib.Tenants(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"acme"}, names)
}

// What a caller is told does not tell why there is nothing for it.
func TestNothingForACaller(t *testing.T) {
	w := newWorld(t, bundles.Options{})
	w.apply("acme", shop(t))
	w.apply("empty", shop(t))
	_, err := w.lib.Delete(context.Background(), "empty", "shop", bundles.ChangeOptions{})
	require.NoError(t, err)
	want := w.call("never", "", "list_product", `{}`)
	require.Contains(t, want, `"NO_SCOPE"`)
	for _, scope := range []graph.Scope{{}, {Tenant: "empty"}, {Tenant: "ACME"}, {Tenant: "acme "}, {Tenant: "acme\x00"}, {Tenant: "acme", View: "never"},
		{Tenant: "acme", View: "\x00"}, {Tenant: "never", View: "support"}, {View: "support"}, {Tenant: "..", View: ".."}} {
		answer, err := w.tools.Call(graph.WithScope(context.Background(), &scope), "list_product", []byte(`{}`))
		require.Error(t, err)
		require.Equal(t, want, string(answer), "%+v", scope)
	}
	answer, err := w.tools.Call(context.Background(), "list_product", []byte(`{}`))
	require.Error(t, err)
	require.Equal(t, want, string(answer))
	_, err = w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: strings.Repeat("a", 2000)})
	require.Error(t, err)

	alone := over(t, w.repo, bundles.Options{Tenant: "acme"})
	answer, err = alone.tools.Call(context.Background(), "list_product", []byte(`{}`))
	require.NoError(t, err)
	require.Contains(t, string(answer), `"total":2`)
}

// Two libraries over one repository are as two processes.
func TestOtherProcesses(t *testing.T) {
	ctx := context.Background()
	here := newWorld(t, bundles.Options{})
	there := over(t, here.repo, bundles.Options{})
	here.apply("acme", shop(t))
	require.Equal(t, []string{"p1", "p2"}, there.ids("acme", "", "product"))
	before, err := there.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme"})
	require.NoError(t, err)

	changed := there.lib.Changed(&graph.Scope{Tenant: "acme"})
	other := there.lib.Changed(&graph.Scope{Tenant: "other"})
	here.apply("acme", shop(t, "{id: p3}"))
	require.Equal(t, []string{"p1", "p2"}, there.ids("acme", "", "product"))
	require.NoError(t, there.lib.Refresh(ctx))
	require.Equal(t, []string{"p3"}, there.ids("acme", "", "product"))
	<-changed
	select {
	case <-other:
		t.Fatal("another tenant's watchers were told")
	default:
	}
	after, err := there.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme"})
	require.NoError(t, err)
	require.NotSame(t, before.Schema, after.Schema)
	own, err := here.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme"})
	require.NoError(t, err)
	require.Equal(t, own.Schema.Hash(), after.Schema.Hash(), "the same state makes the same schema everywhere")
	require.Equal(t, own.Schema.Revision(""), after.Schema.Revision(""))

	require.NoError(t, there.lib.Refresh(ctx))
	still, err := there.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme"})
	require.NoError(t, err)
	require.Same(t, after.Schema, still.Schema, "without a change nothing is made anew")

	changed = there.lib.Changed(&graph.Scope{Tenant: "acme"}) // a change here is told at once
	there.apply("acme", shop(t))
	<-changed

	polling := over(t, here.repo, bundles.Options{Poll: 5 * time.Millisecond})
	require.Equal(t, []string{"p1", "p2"}, polling.ids("acme", "", "product"))
	here.lib.Refresh(ctx)
	here.apply("acme", shop(t, "{id: p9}"))
	soon(t, "the change is polled", func() bool { return polling.ids("acme", "", "product")[0] == "p9" })
}

// What another process applies meanwhile is checked against what is applied here.
func TestCollisionWithAnotherProcess(t *testing.T) {
	here := newWorld(t, bundles.Options{})
	here.apply("acme", made(t, "other", typ{name: "thing"}))
	there := over(t, here.repo, bundles.Options{})
	require.NoError(t, there.lib.Load(context.Background(), "acme"))
	here.apply("acme", shop(t))
	_, err := there.lib.Apply(context.Background(), "acme", made(t, "second", typ{name: "product"}), bundles.ChangeOptions{})
	require.ErrorContains(t, err, bundles.ToolCollision)
	require.Equal(t, []string{"list_thing", "get_thing"}, there.names("acme", ""), "a refused change takes nothing over")
}

// A gone repository is one of which nothing can be read.
type gone struct{ repository.Repository }

func (gone) State(context.Context, string) (repository.State, error) {
	return repository.State{}, &graph.Error{Code: graph.Unavailable, Message: "it cannot be read", Cause: errors.New("no route to host")}
}

// Callers learn nothing of why, and so the log does; once, however many ask.
func TestRepositoryThatCannotBeAsked(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	w := over(t, gone{}, bundles.Options{Log: slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, nil))})
	for range 5 {
		answer := w.call("acme", "", "list_product", `{}`)
		require.Contains(t, answer, `"UNAVAILABLE"`)
		require.NotContains(t, answer, "route")
	}
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, 1, strings.Count(log.String(), "no route to host"), log.String())
	require.Contains(t, log.String(), "tenant=acme")
}

func TestStateThatDoesNotLoad(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	repo, err := repository.Folder(dir, repository.Options{})
	require.NoError(t, err)
	var mu sync.Mutex
	var log bytes.Buffer
	w := over(t, repo, bundles.Options{Log: slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, nil))})
	w.apply("acme", shop(t))
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))

	// Another program, of another version perhaps, applies what cannot be read here.
	_, err = repo.Commit(ctx, "acme", 1, repository.Change{Item: "broken", Revision: "r", Files: []repository.File{{Path: "manifest.yaml", Data: []byte("secret-in-file: 1\n")}}})
	require.NoError(t, err)
	require.Error(t, w.lib.Refresh(ctx))
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"), "the last good snapshot stays")
	mu.Lock()
	require.Contains(t, log.String(), "cannot be loaded")
	mu.Unlock()

	fresh := over(t, repo, bundles.Options{})
	answer := fresh.call("acme", "", "list_product", `{}`)
	require.Contains(t, answer, `"UNAVAILABLE"`)
	require.NotContains(t, answer, "secret")
	require.NotContains(t, answer, "broken")
	require.Error(t, fresh.lib.Load(ctx, "acme"))

	// The broken bundle can be replaced, and deleted; others wait for that.
	_, err = w.lib.Apply(ctx, "acme", made(t, "more", typ{name: "thing"}), bundles.ChangeOptions{})
	require.ErrorIs(t, err, graph.InvalidData)
	require.ErrorContains(t, err, `the bundle "broken", which the tenant has, cannot be read`)
	plan, err := w.lib.PlanDelete(ctx, "acme", "broken")
	require.NoError(t, err)
	require.Empty(t, plan.Errors)
	_, err = w.lib.Delete(ctx, "acme", "broken", bundles.ChangeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"p1", "p2"}, fresh.ids("acme", "", "product"))

	// Content that was damaged on the disk.
	files, err := filepath.Glob(filepath.Join(dir, "tenants", "*", "content", "*"))
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.WriteFile(f, []byte("damaged"), 0o600))
	}
	damaged := over(t, repo, bundles.Options{})
	require.Contains(t, damaged.call("acme", "", "list_product", `{}`), `"UNAVAILABLE"`)
	require.Equal(t, []string{"p1", "p2"}, w.ids("acme", "", "product"))

	// To apply the same again mends it.
	again, err := damaged.lib.Apply(ctx, "acme", shop(t, "{id: p1}", "{id: p2}"), bundles.ChangeOptions{})
	require.NoError(t, err)
	require.True(t, again.Changed)
	again, err = damaged.lib.Apply(ctx, "acme", shop(t, "{id: p1}", "{id: p2}"), bundles.ChangeOptions{})
	require.NoError(t, err)
	require.False(t, again.Changed)
	require.Equal(t, []string{"p1", "p2"}, damaged.ids("acme", "", "product"))
}

type lockedWriter struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (w lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(b)
}

// Tenants that were let go are loaded again; those who wait for their changes are
// told all the same.
func TestTenantsAreLetGo(t *testing.T) {
	ctx := context.Background()
	writer := newWorld(t, bundles.Options{})
	for _, tenant := range []string{"a", "b", "c"} {
		writer.apply(tenant, shop(t, "{id: "+tenant+"}"))
	}
	w := over(t, writer.repo, bundles.Options{Tenants: 2})
	snapshot := func(tenant string) any {
		s, err := w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: tenant})
		require.NoError(t, err)
		return s.Schema
	}
	a, b := snapshot("a"), snapshot("b")
	require.Same(t, a, snapshot("a"))
	snapshot("c") // b was used the longest ago
	require.Same(t, a, snapshot("a"))
	changed := w.lib.Changed(&graph.Scope{Tenant: "b"})
	require.NotSame(t, b, snapshot("b"))
	<-changed // it was loaded
	changed = w.lib.Changed(&graph.Scope{Tenant: "c"})
	writer.apply("c", shop(t, "{id: changed}"))
	require.NoError(t, w.lib.Refresh(ctx))
	<-changed
	require.Equal(t, []string{"changed"}, w.ids("c", "", "product"))

	small := over(t, writer.repo, bundles.Options{Bytes: 1})
	for range 3 {
		for _, tenant := range []string{"a", "b"} {
			require.Equal(t, []string{tenant}, small.ids(tenant, "", "product"))
		}
	}
}

// asked counts the questions for a tenant's version.
type asked struct {
	repository.Repository
	times atomic.Int64
}

func (a *asked) Version(ctx context.Context, tenant string) (int64, error) {
	a.times.Add(1)
	return a.Repository.Version(ctx, tenant)
}

// Tenants that have nothing are let go like others, and do not drive those out.
func TestEmptyTenantsAreLetGo(t *testing.T) {
	ctx := context.Background()
	writer := newWorld(t, bundles.Options{})
	writer.apply("a", shop(t))
	repo := &asked{Repository: writer.repo}
	w := over(t, repo, bundles.Options{Tenants: 2})
	of := func(tenant string) (engine.Snapshot, error) { return w.lib.Snapshot(ctx, &graph.Scope{Tenant: tenant}) }
	a, err := of("a")
	require.NoError(t, err)
	for i := range 20 {
		_, err := of(fmt.Sprint("nobody", i))
		require.ErrorIs(t, err, graph.NoScope)
	}
	again, err := of("a")
	require.NoError(t, err)
	require.Same(t, a.Schema, again.Schema)
	require.NoError(t, w.lib.Refresh(ctx))
	require.EqualValues(t, 3, repo.times.Load(), "the one that has something, and two others")
	writer.apply("nobody0", shop(t, "{id: new}"))
	require.Equal(t, []string{"new"}, w.ids("nobody0", "", "product"))
}

func TestAnswersHoldWhatWasWritten(t *testing.T) {
	w := newWorld(t, bundles.Options{})
	w.apply("acme", shop(t))
	answer, err := w.tools.Call(scoped("acme", ""), "get_product", []byte(`{"id": "p1"}`))
	require.NoError(t, err)
	var got any
	require.NoError(t, json.Unmarshal(answer, &got))
	require.JSONEq(t, `{"id":"p1","name":"Spade","tags":["steel"],"brand_id":"b1"}`, string(answer))
}

func TestGraphWithoutTenants(t *testing.T) {
	g, err := bundles.Graph(time.Now(), shop(t), made(t, "other", typ{name: "thing", rows: []string{"{id: t1}"}}))
	require.NoError(t, err)
	nodes, relationships := g.Size()
	require.Equal(t, 2+2+1+1, nodes)
	require.Equal(t, 2+1, relationships)
	_, err = bundles.Graph(time.Now(), shop(t), made(t, "other", typ{name: "product"}))
	var problems bundle.Problems
	require.ErrorAs(t, err, &problems)
}

// Whatever is changed, the schema's time goes on: cursors and whoever compares
// revisions take it for what was first.
func TestTimeOfTheSchemaNeverGoesBack(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{})
	last := time.Time{}
	strictly := func(what string) {
		t.Helper()
		var now [2]time.Time // also as a process sees it that begins
		for i, w := range []*world{w, over(t, w.repo, bundles.Options{})} {
			s, err := w.lib.Snapshot(ctx, &graph.Scope{Tenant: "acme"})
			require.NoError(t, err, what)
			now[i] = s.Schema.Revised()
		}
		require.Equal(t, now[0], now[1], what)
		require.True(t, now[0].After(last), what)
		last = now[0]
	}
	w.apply("acme", shop(t))
	strictly("applied")
	w.apply("acme", made(t, "other", typ{name: "thing", rows: []string{"{id: t1}"}}))
	strictly("another one")
	_, err := w.lib.Delete(ctx, "acme", "other", bundles.ChangeOptions{})
	require.NoError(t, err)
	strictly("the newest is deleted")
	_, err = w.lib.Rollback(ctx, "acme", "other", 1, bundles.ChangeOptions{})
	require.NoError(t, err)
	strictly("it is brought back")

	// The clock of another machine is an hour ahead.
	b := made(t, "third", typ{name: "gadget", rows: []string{"{id: g1}"}})
	_, err = repository.Update(ctx, w.repo, "acme", func(repository.State) (repository.Change, error) {
		c := repository.Change{Item: "third", Revision: b.Revision(), Applied: time.Now().Add(time.Hour)}
		for _, f := range b.Files() {
			c.Files = append(c.Files, repository.File(f))
		}
		return c, nil
	})
	require.NoError(t, err)
	require.NoError(t, w.lib.Refresh(ctx))
	strictly("by another machine")
	w.apply("acme", shop(t, "{id: p9, name: Fork}"))
	strictly("after that")
	_, err = w.lib.Delete(ctx, "acme", "third", bundles.ChangeOptions{})
	require.NoError(t, err)
	strictly("and without it")
}
