package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	workshop       = "../../examples/catalog/bundle"
	brokenBundle   = "../../schema/bundle/testdata/broken"
	workshopName   = "bicycle-workshop"
	dearestForRoad = `{"filters": {"tags": "road"}, "sort": "-price", "limit": 3}`
)

// copied is a copy of the workshop's bundle, to be changed.
func copied(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.CopyFS(dir, os.DirFS(workshop)))
	return dir
}

// A bundle stands wherever a graph does, and answers the same out of a database.
func TestBundleIsAGraph(t *testing.T) {
	call := []string{"call", "list_component", dearestForRoad}
	want := trellis(t, "", append(call, "--graph", workshop)...)
	require.Equal(t, 0, want.code, want.err)
	require.Len(t, want.document(t)["items"], 3)

	dsn := "sqlite:" + filepath.Join(t.TempDir(), "workshop.db")
	require.Equal(t, 0, trellis(t, "", "load", "--graph", workshop, "--dsn", dsn).code)
	file := filepath.Join(t.TempDir(), "workshop.trellis")
	require.Equal(t, 0, trellis(t, "", "snapshot", "--graph", workshop, "--out", file).code)
	for _, at := range [][]string{{"--schema", workshop, "--dsn", dsn}, {"--graph", file}} {
		for _, c := range [][]string{
			call,
			{"call", "get_symptom", `{"ids": ["creak-each-turn", "nothing"]}`},
			{"call", "list_component_ids", `{"filters": {"price": {"lt": 5}}}`},
		} {
			require.Equal(t, trellis(t, "", append(c, "--graph", workshop)...).out, trellis(t, "", append(c, at...)...).out, "%v", at)
		}
	}
	o := trellis(t, "", "call", "list_component", "{}", "--graph", brokenBundle)
	require.Equal(t, 1, o.code)
	require.Contains(t, o.out, "INVALID_SCHEMA")
}

func TestBundleLint(t *testing.T) {
	for _, args := range [][]string{{"bundle", "lint", workshop}, {"lint", "--bundle", workshop}} {
		o := trellis(t, "", args...)
		require.Equal(t, 0, o.code, o.err)
		require.Equal(t, workshopName, o.document(t)["name"])
	}
	o := trellis(t, "", "bundle", "lint", brokenBundle)
	require.Equal(t, 1, o.code)
	require.Len(t, o.document(t)["problems"], 20)
	require.Equal(t, 20, strings.Count(o.err, "\n"))
	require.Contains(t, o.err, "entities/authors.yaml:6:9: ")
	require.Equal(t, 3, trellis(t, "", "bundle", "lint", "nowhere").code)

	// Named queries beside it, one of which takes the name of a type's tool.
	queries := filepath.Join(t.TempDir(), "queries.yaml")
	const query = "format: trellis.queries.v1\nqueries:\n  %s: {description: All of them., tool: find_nodes, arguments: {node_label: component}}\n"
	for name, code := range map[string]int{"all_components": 0, "list_component": 1} {
		require.NoError(t, os.WriteFile(queries, fmt.Appendf(nil, query, name), 0o600))
		o := trellis(t, "", "lint", "--bundle", workshop, "--queries", queries)
		require.Equal(t, code, o.code, o.err)
		require.Equal(t, code == 1, strings.Contains(o.out, "tool_name_collision_in_tenant"), o.out)
	}
}

func TestBundleFormat(t *testing.T) {
	require.Equal(t, 0, trellis(t, "", "bundle", "format", workshop).code, "the example is in its one form")
	dir := copied(t)
	brands := filepath.Join(dir, "entities", "brands.yaml")
	text, err := os.ReadFile(brands)
	require.NoError(t, err)
	require.NoError(t, os.Remove(brands))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "entities", "brands"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "entities", "brands", "all.yaml"), append([]byte("# brands\n"), text...), 0o644))
	manifest := filepath.Join(dir, "manifest.yaml")
	head, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, append(head, "entities: {brand: entities/brands/*.yaml}\n"...), 0o644))

	o := trellis(t, "", "bundle", "format", dir)
	require.Equal(t, 1, o.code, o.err)
	doc := o.document(t)
	require.Equal(t, []any{"entities/brands/all.yaml", "manifest.yaml"}, doc["changed"])
	require.Equal(t, 0, trellis(t, "", "bundle", "format", dir, "--write").code)
	o = trellis(t, "", "bundle", "format", dir)
	require.Equal(t, 0, o.code, o.out)
	require.Equal(t, doc["revision"], o.document(t)["revision"])
	now, err := os.ReadFile(filepath.Join(dir, "entities", "brands", "all.yaml"))
	require.NoError(t, err)
	require.Equal(t, string(text), string(now))
}

// From applying to rolling back, in a folder and in a database.
func TestBundlesOfATenant(t *testing.T) {
	for name, where := range map[string]string{"folder": filepath.Join(t.TempDir(), "repo"), "sqlite": "sqlite:" + filepath.Join(t.TempDir(), "repo.db")} {
		t.Run(name, func(t *testing.T) {
			const tenant = "../acme'; DROP TABLE trellis_tenants; --"
			do := func(args ...string) outcome {
				return trellis(t, "", append(append([]string{"bundle"}, args...), "--repository", where, "--tenant", tenant)...)
			}
			o := do("apply", workshop, "--author", "ada", "--expect", "none")
			require.Equal(t, 0, o.code, o.err)
			require.Equal(t, true, o.document(t)["changed"])
			o = do("apply", workshop)
			require.Equal(t, false, o.document(t)["changed"], "it is so already")
			require.Equal(t, 1, do("apply", workshop, "--expect", "none").code)

			dir := copied(t)
			schema := filepath.Join(dir, "schemas", "brand.schema.json")
			text, err := os.ReadFile(schema)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(schema, bytes.Replace(text, []byte("Who makes"), []byte("Whoever makes"), 1), 0o644))
			o = do("plan", dir)
			require.Equal(t, 0, o.code, o.err)
			require.Contains(t, o.err, "brand: changed")
			require.Len(t, o.document(t)["types"], 1)
			require.Equal(t, 0, do("apply", dir, "--note", "better words").code)

			require.Equal(t, 1, do("plan", brokenBundle).code)
			o = do("apply", brokenBundle)
			require.Equal(t, 1, o.code)
			require.Equal(t, 20, strings.Count(o.err, "\n"))
			require.Len(t, o.errorCodes(t), 20)

			var list []map[string]any
			require.NoError(t, json.Unmarshal([]byte(do("list").out), &list))
			require.Len(t, list, 1)
			require.EqualValues(t, 2, list[0]["version"])

			// Out again, byte for byte; and back to what it was.
			out := filepath.Join(t.TempDir(), "out")
			require.Equal(t, 0, do("export", workshopName, "--out", out, "--version", "1").code)
			same(t, workshop, out)
			archive := filepath.Join(t.TempDir(), "out.tar.gz")
			require.Equal(t, 0, do("export", workshopName, "--out", archive).code)
			require.Equal(t, 0, trellis(t, "", "bundle", "lint", archive).code)
			o = do("plan", workshopName, "--version", "1")
			require.Equal(t, 0, o.code, o.err)
			require.Contains(t, o.err, "brand: changed")
			require.Equal(t, 1, do("plan", workshopName, "--version", "7").code)
			o = do("plan", "--delete", workshopName)
			require.Equal(t, 0, o.code, o.err)
			require.Equal(t, "none", o.document(t)["to"])
			require.Equal(t, 1, do("plan", "--delete", "nothing").code)
			o = do("rollback", workshopName, "--version", "1")
			require.Equal(t, 0, o.code, o.err)
			require.Contains(t, do("history", workshopName).out, `"version":3`)

			// Views, and the prompt of one.
			views := filepath.Join(t.TempDir(), "views.yaml")
			require.NoError(t, os.WriteFile(views, []byte("format: trellis.views.v1\nviews:\n  desk: {bundles: [bicycle-workshop], labels: [brand, tool]}\n"), 0o644))
			require.Equal(t, true, do("views", "check", views).document(t)["fits"])
			require.Equal(t, 1, do("views", "show").code, "a check applies nothing")
			require.Equal(t, 0, do("views", "apply", views).code)
			wrong := filepath.Join(t.TempDir(), "wrong.yaml")
			require.NoError(t, os.WriteFile(wrong, []byte("format: trellis.views.v1\nviews:\n  desk: {bundles: [workshop], labels: [brand, tool]}\n"), 0o644))
			o = do("views", "check", wrong)
			require.Equal(t, 1, o.code)
			require.Equal(t, do("views", "apply", wrong).out, o.out)
			require.Contains(t, do("views", "show").out, "desk")
			o = do("prompt", "--view", "desk")
			require.Contains(t, o.out, "list_tool")
			require.NotContains(t, o.out, "symptom")
			require.Equal(t, 1, do("prompt", "--view", "dusk").code)
			o = do("plan", "--delete", workshopName)
			require.Equal(t, 1, o.code)
			require.Contains(t, o.err, "view_no_longer_fits")
			require.Equal(t, 1, do("delete", workshopName).code, "a view needs it")
			require.Equal(t, 0, do("views", "delete").code)
			require.Equal(t, 0, do("delete", workshopName).code)
			require.JSONEq(t, "[]", do("list").out)
			require.Equal(t, 1, do("delete", workshopName).code)
		})
	}
}

// What only asks leaves no repository where none was; one that nobody has applied
// to is empty.
func TestOnlyApplyingMakesARepository(t *testing.T) {
	dir := t.TempDir()
	views := filepath.Join(t.TempDir(), "views.yaml")
	require.NoError(t, os.WriteFile(views, []byte("format: trellis.views.v1\nviews: {}\n"), 0o644))
	verbs := [][]string{{"bundle", "list"}, {"bundle", "plan", "--delete", workshopName}, {"bundle", "history", workshopName}, {"bundle", "delete", workshopName},
		{"bundle", "rollback", workshopName, "--version", "1"}, {"bundle", "export", workshopName, "--out", filepath.Join(dir, "out")}, {"bundle", "prompt"},
		{"bundle", "views", "show"}, {"bundle", "views", "delete"}, {"bundle", "views", "history"}}
	on := func(where string, args ...string) outcome {
		return trellis(t, "", append(args, "--repository", where, "--tenant", "acme")...)
	}
	for _, where := range []string{filepath.Join(dir, "typo"), "sqlite:" + filepath.Join(dir, "typo.db")} {
		for _, args := range verbs {
			o := on(where, args...)
			require.Equal(t, 3, o.code, "%s: %s", args, o.err)
			require.Contains(t, o.err, "there is no repository")
		}
		o := on(where, "bundle", "plan", workshop)
		require.Equal(t, 0, o.code, o.err)
		require.Equal(t, "none", o.document(t)["from"], "apply would make the repository")
		require.Equal(t, 3, on(filepath.Join(where, "missing", "one"), "bundle", "plan", workshop).code)
		o = trellis(t, "", "serve", "--stdio", "--repository", where, "--scope", `{"tenant": "acme"}`)
		require.Equal(t, 3, o.code, o.err)
		require.Contains(t, o.err, "there is no repository")
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	file := filepath.Join(dir, "empty.db")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	folder := t.TempDir()
	for _, where := range []string{folder, "sqlite:" + file} {
		for i, want := range []int{0, 1, 0, 1, 1, 1, 1, 1, 1, 0} {
			o := on(where, verbs[i]...)
			require.Equal(t, want, o.code, "%s: %s", verbs[i], o.err)
			require.NotContains(t, o.err, "table")
		}
		require.Equal(t, "[]", strings.TrimSpace(on(where, "bundle", "list").out))
	}
	left, err = os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Zero(t, info.Size())
	for _, where := range []string{filepath.Join(dir, "new", "one"), "sqlite:" + file} {
		require.Equal(t, 0, on(where, "bundle", "views", "apply", views).code)
		require.Equal(t, 0, on(where, "bundle", "apply", workshop).code)
	}
}

// same compares two folders of files.
func same(t *testing.T, want, got string) {
	files := 0
	require.NoError(t, filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		if d.IsDir() {
			return nil
		}
		name, err := filepath.Rel(want, path)
		require.NoError(t, err)
		a, err := os.ReadFile(path)
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(got, name))
		require.NoError(t, err)
		require.Equal(t, string(a), string(b), name)
		files++
		return nil
	}))
	require.Greater(t, files, 10)
}

func TestBundleUsage(t *testing.T) {
	for _, args := range []string{
		"", "burn x", "lint", "lint a b", "lint a --tenant b", "plan --repository b --tenant c", "plan a --delete a --repository b --tenant c",
		"plan --delete a --version 1 --repository b --tenant c", "views check --repository b --tenant c", "plan a", "plan a --tenant b", "apply a --repository b",
		"rollback a --repository b --tenant c", "export a --repository b --tenant c",
		"export a --repository b --tenant c --out a.zip", "export a --repository b --tenant c --out a.TAR.GZ", "format " + workshop + "/manifest.yaml",
		"views --repository b --tenant c", "views burn --repository b --tenant c", "views apply --repository b --tenant c", "views show x --repository b --tenant c",
		"prompt " + workshop + " --tenant a", "list --write --repository b --tenant c",
	} {
		o := trellis(t, "", append([]string{"bundle"}, strings.Fields(args)...)...)
		require.Equal(t, 2, o.code, "%s: %s%s", args, o.out, o.err)
	}
	o := trellis(t, "", "bundle", "list", "--tenant", "a", "--repository", "postgres://u:sesame@127.0.0.1:1/none?connect_timeout=1")
	require.Equal(t, 3, o.code)
	require.NotContains(t, o.err+o.out, "sesame")
	for _, args := range []string{"--bundle a --graph b", "--bundle a --repository b", "--repository a", "--bundle a --store embedded"} {
		require.Equal(t, 2, trellis(t, "", append([]string{"serve", "--http", "localhost:0"}, strings.Fields(args)...)...).code, args)
	}
}
