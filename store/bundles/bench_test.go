package bundles_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
)

// many is the files of a bundle of n entities of five types: products, which
// refer to brands, categories and other products, with tags, prices and dates.
func many(t testing.TB, n int) []bundle.File {
	fs := fstest.MapFS{"manifest.yaml": {Data: []byte("format: trellis.bundle.v1\nname: market\n")}}
	add := func(name, properties string, count int, row func(i int) string) {
		fs["schemas/"+name+".schema.json"] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
			`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": %q, "type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}%s}, "required": ["id", "name"], "additionalProperties": false}`, name, properties))}
		var rows []byte
		for i := range count {
			rows = append(rows, row(i)...)
		}
		plural := name + "s"
		if name == "category" || name == "country" {
			plural = name[:len(name)-1] + "ies"
		}
		fs["entities/"+plural+".yaml"] = &fstest.MapFile{Data: rows}
	}
	small := max(n/100, 2)
	add("country", "", 50, func(i int) string { return fmt.Sprintf("- id: c%d\n  name: Country %d\n", i, i) })
	add("brand", `, "country_id": {"type": "string", "x-ref": "country", "x-index": true}`, small, func(i int) string {
		return fmt.Sprintf("- id: b%d\n  name: Brand %d\n  country_id: c%d\n", i, i, i%50)
	})
	add("category", `, "parent_id": {"type": "string", "x-ref": "category"}`, small, func(i int) string {
		return fmt.Sprintf("- id: k%d\n  name: Category %d\n  parent_id: k%d\n", i, i, i/7)
	})
	add("review", `, "product_id": {"type": "string", "x-ref": "product", "x-index": true}, "stars": {"type": "integer", "minimum": 1, "maximum": 5, "x-index": true}`, n/5, func(i int) string {
		return fmt.Sprintf("- id: r%d\n  name: A fine thing, says customer %d\n  product_id: p%d\n  stars: %d\n", i, i*7, i*3%(n/2), 1+i%5)
	})
	products := n - n/5 - 2*small - 50
	add("product", `, "brand_id": {"type": "string", "x-ref": "brand", "x-index": true}, "category_ids": {"type": "array", "items": {"type": "string"}, "x-ref": "category", "x-index": true}, "price": {"type": "number", "x-index": true},
		"state": {"enum": ["draft", "live", "retired"], "x-index": true}, "released": {"type": "string", "format": "date", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "text": {"type": "string"}`, products, func(i int) string {
		return fmt.Sprintf("- id: p%d\n  name: Product %d\n  brand_id: b%d\n  category_ids: [k%d, k%d]\n  price: %d.%02d\n  state: %s\n  released: 20%02d-%02d-%02d\n  tags: [tag%d, tag%d]\n  text: Something that is long enough to be read, about product %d.\n",
			i, i, i%small, i%small, (i+1)%small, i%1000, i%100, []string{"draft", "live", "retired"}[i%3], i%25, 1+i%12, 1+i%28, i%97, 97+i%3, i)
	})
	var files []bundle.File
	for path, f := range fs {
		files = append(files, bundle.File{Path: path, Data: f.Data})
	}
	return files
}

var raised = bundle.Limits{BundleBytes: 4 << 30, Files: 100}

// BenchmarkApply measures what applying 10,000 entities takes, and its parts: the
// reading of the files, the graph, the repository, and all that Apply does.
func BenchmarkApply(b *testing.B) {
	ctx := context.Background()
	const n = 10_000
	files := many(b, n)
	read, err := bundle.ReadFiles(files, bundle.Options{})
	require.NoError(b, err)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			_, err := bundle.ReadFiles(files, bundle.Options{})
			require.NoError(b, err)
		}
	})
	b.Run("graph", func(b *testing.B) {
		for b.Loop() {
			_, err := bundles.Graph(time.Now(), read)
			require.NoError(b, err)
		}
	})
	b.Run("repository", func(b *testing.B) {
		repo, err := repository.Folder(b.TempDir(), repository.Options{})
		require.NoError(b, err)
		for base := int64(0); b.Loop(); base++ {
			_, err := repo.Commit(ctx, "acme", base, commitOf(b, read))
			require.NoError(b, err)
		}
	})
	b.Run("apply", func(b *testing.B) {
		w := newWorld(b, bundles.Options{})
		for i := 0; b.Loop(); i++ {
			if i > 0 {
				b.StopTimer()
				_, err := w.lib.Delete(ctx, "acme", "market", bundles.ChangeOptions{})
				require.NoError(b, err)
				b.StartTimer()
			}
			w.apply("acme", read)
		}
	})
}

// TestManyEntities applies as many entities as TRELLIS_ENTITIES says, and tells
// what that costs; 5,000 without it.
func TestManyEntities(t *testing.T) {
	n := 5_000
	if text := os.Getenv("TRELLIS_ENTITIES"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	files := many(t, n)
	began := time.Now()
	lap := func(what string) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%-10s %8.2f s, %6d MB held", what, time.Since(began).Seconds(), m.HeapAlloc>>20)
		began = time.Now()
	}
	lap("files")
	b, err := bundle.ReadFiles(files, bundle.Options{Limits: raised})
	require.NoError(t, err)
	files = nil
	lap("read")
	repo, err := repository.Folder(t.TempDir(), repository.Options{})
	require.NoError(t, err)
	w := over(t, repo, bundles.Options{Limits: raised, Wait: time.Hour})
	w.apply("acme", b)
	lap("apply")
	again := w.apply("acme", b)
	require.False(t, again.Changed)
	lap("again")
	other := over(t, repo, bundles.Options{Limits: raised, Wait: time.Hour})
	require.NoError(t, other.lib.Load(context.Background(), "acme"))
	lap("load")

	total := 0
	for _, typ := range b.Types() {
		total += len(typ.Entities)
		for _, w := range []*world{w, other} {
			require.Contains(t, w.call("acme", "", "list_"+typ.Name, `{"limit": 1}`), fmt.Sprintf(`"total":%d`, len(typ.Entities)))
			for _, e := range []*bundle.Entity{typ.Entities[0], typ.Entities[len(typ.Entities)/2], typ.Entities[len(typ.Entities)-1]} {
				require.JSONEq(t, string(e.Document), w.call("acme", "", "get_"+typ.Name, fmt.Sprintf(`{"id": %q}`, e.ID)))
			}
		}
	}
	require.Equal(t, n, total)
	products := n - n/5 - 2*max(n/100, 2) - 50
	require.Contains(t, w.call("acme", "", "list_product", `{"filters": {"tags": "tag97"}, "limit": 1}`), fmt.Sprintf(`"total":%d`, (products+2)/3))
	lap("answers")
	_, err = w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme"})
	require.NoError(t, err)
}
