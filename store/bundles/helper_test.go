package bundles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

// A typ is an entity type with a name, and references by their properties.
type typ struct {
	name   string
	refs   map[string]string // type by property
	expose string            // JSON, "" for the default
	rows   []string          // YAML flow maps
}

// made is a bundle of types.
func made(t testing.TB, name string, types ...typ) *bundle.Bundle {
	t.Helper()
	fs := fstest.MapFS{"manifest.yaml": {Data: []byte("format: trellis.bundle.v1\nname: " + name + "\nentities:\n" + globs(types))}}
	for _, ty := range types {
		properties := `"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}`
		for p, target := range ty.refs {
			properties += fmt.Sprintf(`, %q: {"type": "string", "x-ref": %q, "x-index": true, "description": "Leads to the %s."}`, p, target, target)
		}
		expose := ""
		if ty.expose != "" {
			expose = `"x-tool-expose": ` + ty.expose + `, `
		}
		fs["schemas/"+ty.name+".schema.json"] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
			`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": %q, "type": "object", "x-id-field": "id", %s"properties": {%s}, "required": ["id"], "additionalProperties": false}`,
			ty.name, expose, properties))}
		rows := "[]"
		if len(ty.rows) > 0 {
			rows = "- " + strings.Join(ty.rows, "\n- ")
		}
		fs["entities/"+ty.name+".yaml"] = &fstest.MapFile{Data: []byte(rows + "\n")}
	}
	b, err := bundle.Read(fs, bundle.Options{})
	require.NoError(t, err)
	return b
}

func globs(types []typ) string {
	var b strings.Builder
	for _, ty := range types {
		fmt.Fprintf(&b, "  %s: entities/%s.yaml\n", ty.name, ty.name)
	}
	return b.String()
}

// shop is a bundle of products and brands.
func shop(t testing.TB, rows ...string) *bundle.Bundle {
	if rows == nil {
		rows = []string{"{id: p1, name: Spade, brand_id: b1, tags: [steel]}", "{id: p2, name: Rake, brand_id: b1}"}
	}
	return made(t, "shop",
		typ{name: "product", refs: map[string]string{"brand_id": "brand"}, rows: rows},
		typ{name: "brand", expose: `["list", "get", "list_ids"]`, rows: []string{"{id: b1, name: Oak}", "{id: b2, name: Elm}"}})
}

// A world is a library with an engine over it.
type world struct {
	t     testing.TB
	repo  repository.Repository
	lib   *bundles.Library
	tools *tools.Tools
}

func newWorld(t testing.TB, opts bundles.Options) *world {
	repo, err := repository.Folder(t.TempDir(), repository.Options{})
	require.NoError(t, err)
	return over(t, repo, opts)
}

func over(t testing.TB, repo repository.Repository, opts bundles.Options) *world {
	if opts.Poll == 0 {
		opts.Poll = -1
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	lib := bundles.New(repo, opts)
	t.Cleanup(func() { lib.Close() })
	eng := engine.NewFrom(lib, engine.Options{Statements: engine.HideStatements})
	return &world{t, repo, lib, tools.New(eng, tools.Options{})}
}

func (w *world) apply(tenant string, b *bundle.Bundle) bundles.Applied {
	w.t.Helper()
	done, err := w.lib.Apply(context.Background(), tenant, b, bundles.ChangeOptions{})
	require.NoError(w.t, err)
	return done
}

func scoped(tenant, view string) context.Context {
	return graph.WithScope(context.Background(), &graph.Scope{Tenant: tenant, View: view})
}

// names are the tools that a caller is offered, beside those of every graph.
func (w *world) names(tenant, view string) []string {
	w.t.Helper()
	list, err := w.tools.List(scoped(tenant, view))
	require.NoError(w.t, err)
	names := []string{}
	for _, tool := range list {
		if strings.HasPrefix(tool.Name, "list_") || tool.Name != "get_graph_schema" && strings.HasPrefix(tool.Name, "get_") {
			names = append(names, tool.Name)
		}
	}
	return names
}

// call returns the answer, or the document of an error.
func (w *world) call(tenant, view, tool, args string) string {
	answer, _ := w.tools.Call(scoped(tenant, view), tool, []byte(args))
	return string(answer)
}

// ids are the ids that a list answers.
func (w *world) ids(tenant, view, typ string) []string {
	w.t.Helper()
	answer, err := w.tools.Call(scoped(tenant, view), "list_"+typ, []byte(`{}`))
	require.NoError(w.t, err, string(answer))
	var doc struct{ Items []struct{ ID string } }
	require.NoError(w.t, json.Unmarshal(answer, &doc))
	ids := []string{}
	for _, item := range doc.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

func code(t testing.TB, want graph.Code, err error) {
	t.Helper()
	require.ErrorIs(t, err, want)
}

// soon waits for something.
func soon(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		require.True(t, time.Now().Before(end), what)
	}
}

// commitOf is the change by which a program without checks would apply a bundle.
func commitOf(t testing.TB, b *bundle.Bundle) repository.Change {
	t.Helper()
	c := repository.Change{Item: b.Name(), Revision: b.Revision()}
	for _, f := range b.Files() {
		c.Files = append(c.Files, repository.File(f))
	}
	return c
}
