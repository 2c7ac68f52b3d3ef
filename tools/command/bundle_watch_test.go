package command

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

// A shouted is what was logged, by whichever goroutine.
type shouted struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *shouted) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shouted) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A bundle is served anew when it changes; one with mistakes is told of, and not
// taken.
func TestWatchedBundle(t *testing.T) {
	dir := copied(t)
	written := time.Now().Add(time.Hour).Truncate(time.Second) // later than the others
	require.NoError(t, os.Chtimes(filepath.Join(dir, "entities", "tools.yaml"), written, written))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log shouted
	w, err := openWatched(ctx, dir, 0, slog.New(slog.NewTextHandler(&log, nil)), nil)
	require.NoError(t, err)
	first, err := w.Snapshot(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, first.Schema.Revised().Equal(written), first.Schema.Revised())
	changed := w.Changed(nil)

	schema := filepath.Join(dir, "schemas", "brand.schema.json")
	good, err := os.ReadFile(schema)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(schema, bytes.Replace(good, []byte(`"x-id-field"`), []byte(`"x-id-feld"`), 1), 0o644))
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "x-id-feld") }, 20*time.Second, 20*time.Millisecond)
	still, err := w.Snapshot(t.Context(), nil)
	require.NoError(t, err)
	require.Same(t, first.Schema, still.Schema)

	require.NoError(t, os.WriteFile(schema, bytes.Replace(good, []byte("Who makes"), []byte("Whoever makes"), 1), 0o644))
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was told")
	}
	now, err := w.Snapshot(t.Context(), nil)
	require.NoError(t, err)
	l, ok := now.Schema.Label("brand")
	require.True(t, ok)
	require.Contains(t, l.Description, "Whoever makes")
}

// A named query is neither lost nor overlaid by a bundle that changes: such a
// bundle is told of, and not taken. (T56)
func TestWatchedBundleKeepsNamedQueries(t *testing.T) {
	dir := copied(t)
	queries := filepath.Join(t.TempDir(), "queries.yaml")
	require.NoError(t, os.WriteFile(queries, []byte(`format: trellis.queries.v1
queries:
  list_pamphlet: {description: Brands., tool: find_nodes, arguments: {node_label: brand, properties: [country]}}
`), 0o644))
	var log shouted
	s := &server{bundle: dir}
	s.queries, s.log, s.timeout = queries, slog.New(slog.NewTextHandler(&log, nil)), 10*time.Second
	served, err := s.openBundle(t.Context())
	require.NoError(t, err)
	told := func(what string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(log.String(), what) }, 20*time.Second, 20*time.Millisecond)
		answer, err := served.tools.Call(t.Context(), "list_pamphlet", []byte(`{}`))
		require.NoError(t, err, string(answer))
		require.Contains(t, string(answer), `"brand"`)
	}

	pamphlet := filepath.Join(dir, "schemas", "pamphlet.schema.json")
	entities := filepath.Join(dir, "entities", "pamphlets.yaml")
	require.NoError(t, os.WriteFile(entities, []byte("- {id: p1}\n"), 0o644))
	require.NoError(t, os.WriteFile(pamphlet, []byte(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "pamphlet", "type": "object",
		"x-id-field": "id", "properties": {"id": {"type": "string"}}, "required": ["id"]}`), 0o644))
	told("there is a tool")

	require.NoError(t, os.Remove(pamphlet))
	require.NoError(t, os.Remove(entities))
	brand := filepath.Join(dir, "schemas", "brand.schema.json")
	good, err := os.ReadFile(brand)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(brand, bytes.ReplaceAll(good, []byte(`"country"`), []byte(`"land"`)), 0o644))
	data, err := os.ReadFile(filepath.Join(dir, "entities", "brands.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "entities", "brands.yaml"), bytes.ReplaceAll(data, []byte("country:"), []byte("land:")), 0o644))
	told("country")
}

// A panic in a load ends nothing: it is logged, and what was there stays.
func TestWatchedBundleOutlivesAPanic(t *testing.T) {
	dir := copied(t)
	var log shouted
	loads := 0
	w, err := openWatched(t.Context(), dir, 0, slog.New(slog.NewTextHandler(&log, nil)), func(*schema.Schema) error {
		if loads++; loads == 2 {
			panic("a fault somewhere")
		}
		return nil
	})
	require.NoError(t, err)
	first, changed := w.now, w.Changed(nil)
	brand := filepath.Join(dir, "schemas", "brand.schema.json")
	text, err := os.ReadFile(brand)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(brand, bytes.Replace(text, []byte("Who makes"), []byte("Whoever makes"), 1), 0o644))
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "a fault somewhere") }, 20*time.Second, 20*time.Millisecond)
	still, err := w.Snapshot(t.Context(), nil)
	require.NoError(t, err)
	require.Same(t, first.Schema, still.Schema)
	require.NoError(t, os.WriteFile(brand, bytes.Replace(text, []byte("Who makes"), []byte("Those who make"), 1), 0o644))
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("it is no longer watched")
	}
}

// Only what the bundle is made of is looked at, also through a link.
func TestFingerprint(t *testing.T) {
	dir := copied(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	looks := func(at string) string {
		text, _ := fingerprint(at)
		return text
	}
	for _, at := range []string{dir, link} {
		before := looks(at)
		for _, beside := range []string{".git/index", "node_modules/a/b.js", "README.md", "schemas/.cache/x"} {
			write(beside, before)
			if !strings.HasPrefix(beside, "schemas") { // whose time is that of what is in it
				require.Equal(t, before, looks(at), beside)
			}
		}
		before = looks(at)
		write("schemas/.cache/x", before+"y")
		require.Equal(t, before, looks(at))
		for _, of := range []string{"manifest.yaml", "schemas/one.schema.json", "entities/deep/er.yaml"} {
			before := looks(at)
			write(of, before)
			require.NotEqual(t, before, looks(at), of)
		}
	}
	archive := filepath.Join(dir, "archive.tar.gz")
	require.NotEqual(t, looks(archive), func() string { write("archive.tar.gz", "x"); return looks(archive) }())
}
