package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/examples/catalog/generate"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

// entitiesOf is how many entities the benchmarks are about: 10,000, or as many
// as TRELLIS_CATALOG_ENTITIES says.
func entitiesOf(tb testing.TB) int {
	text := os.Getenv("TRELLIS_CATALOG_ENTITIES")
	if text == "" {
		return 10_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(tb, err)
	return n
}

// large lets a bundle have a million entities.
var large = bundle.Limits{BundleBytes: 2 << 30}

// generated writes a bundle, and returns its directory.
func generated(tb testing.TB, entities int) string {
	tb.Helper()
	dir := tb.TempDir()
	require.NoError(tb, generate.Write(os.DirFS("bundle"), dir, entities))
	return dir
}

// library is an empty one, over a folder.
func library(tb testing.TB) *bundles.Library {
	tb.Helper()
	return libraryIn(tb, tb.TempDir())
}

// libraryIn is one of what a folder has.
func libraryIn(tb testing.TB, dir string) *bundles.Library {
	tb.Helper()
	repo, err := repository.Folder(dir, repository.Options{})
	require.NoError(tb, err)
	lib := bundles.New(repo, bundles.Options{Limits: large, Poll: -1})
	tb.Cleanup(func() { lib.Close(); repo.Close() })
	return lib
}

// apply reads a bundle and applies it.
func apply(tb testing.TB, lib *bundles.Library, tenant, dir string) {
	b, err := bundle.ReadDir(dir, bundle.Options{Limits: large})
	require.NoError(tb, err)
	done, err := lib.Apply(tb.Context(), tenant, b, bundles.ChangeOptions{})
	require.NoError(tb, err)
	require.True(tb, done.Changed)
}

// BenchmarkApply reads a bundle, checks it, keeps it on the disk, and makes a
// graph of it, on which the next call works.
func BenchmarkApply(b *testing.B) {
	dir := generated(b, entitiesOf(b))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		lib := library(b)
		apply(b, lib, "tenant"+strconv.Itoa(i), dir)
		b.StopTimer()
		lib.Close()
		b.StartTimer()
	}
}

// calls are what benchmarks ask of a generated bundle, and what is to be in the
// answer.
var calls = []struct {
	name, tool, args string
	whole            int // records
}{
	{"get", "get_component", `{"id": "PRT-0000042"}`, 1},
	{"get-20", "get_component", `{"ids": ["PRT-0000001", "PRT-0000002", "PRT-0000003", "PRT-0000004", "PRT-0000005", "PRT-0000006", "PRT-0000007", "PRT-0000008", "PRT-0000009", "PRT-0000010",
 "PRT-0000011", "PRT-0000012", "PRT-0000013", "PRT-0000014", "PRT-0000015", "PRT-0000016", "PRT-0000017", "PRT-0000018", "PRT-0000019", "PRT-0000020"]}`, 20},
	{"list", "list_component", `{}`, 50},
	{"list-enum", "list_component", `{"filters": {"condition": "refurbished"}}`, 50},
	{"list-range", "list_component", `{"filters": {"price": {"gte": 50, "lt": 90}}}`, 50},
	{"list-contains", "list_component", `{"filters": {"tags": "winter"}}`, 50},
	{"list-two", "list_component", `{"filters": {"condition": "new", "tags": {"in": ["road", "gravel"]}}}`, 50},
	{"list-three", "list_component", `{"filters": {"condition": "new", "tags": "winter", "price": {"lt": 120}}}`, 50},
	{"list-yes", "list_component", `{"filters": {"discontinued": true}}`, 50},
	{"list-date", "list_component", `{"filters": {"introduced": {"gte": "2015-01-01"}}}`, 50},
	{"list-in", "list_component", `{"filters": {"in_stock": {"in": [1, 2, 3, 5, 8, 13, 21, 34]}}}`, 50},
	{"list-reference", "list_component", `{"filters": {"brand": {"in": ["maker-00001", "maker-00002", "maker-00003", "maker-00004"]}}}`, 50},
	{"list-references", "list_component", `{"filters": {"compatible_with": {"in": [` + idsOf("PRT-%07d", 30) + `]}}}`, 50},
	{"list-in-100", "list_component", `{"filters": {"part_number": {"in": [` + idsOf("N-%07d", 100) + `]}}}`, 50},
	{"list-keys-100", "list_component", `{"filters": {"sku": {"in": [` + idsOf("PRT-%07d", 100) + `]}}}`, 50},
	{"list-sorted", "list_component", `{"filters": {"condition": "new"}, "sort": "-price"}`, 50},
	{"list-sorted-bound", "list_component", `{"filters": {"price": {"gte": 50, "lt": 90}}, "sort": "-price"}`, 50},
	{"list-sorted-two", "list_component", `{"filters": {"condition": "new", "price": {"lt": 60}}, "sort": "-price"}`, 50},
	{"list-sorted-tags", "list_component", `{"filters": {"tags": "winter"}, "sort": "-price"}`, 50},
	{"list-sorted-twice", "list_component", `{"sort": ["condition", "-price"]}`, 50},
	{"list-sorted-key", "list_component", `{"sort": "-sku"}`, 50},
	{"list-offset", "list_component", `{"filters": {"condition": "new"}, "offset": 1000}`, 50},
	{"list-500", "list_component", `{"limit": 500}`, 500},
}

// idsOf are so many ids in JSON, of which most are there.
func idsOf(format string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(strconv.Quote(format), i*67%7000))
	}
	return strings.Join(list, ",")
}

func BenchmarkCall(b *testing.B) {
	lib := library(b)
	apply(b, lib, "shop", generated(b, entitiesOf(b)))
	offered := tools.New(engine.NewFrom(lib, engine.Options{Statements: engine.HideStatements, Prompt: true}), tools.Options{})
	ctx := graph.WithScope(context.Background(), &graph.Scope{Tenant: "shop"})
	for _, c := range calls {
		b.Run(c.name, func(b *testing.B) {
			answer, err := offered.AppendCall(ctx, nil, c.tool, []byte(c.args))
			require.NoError(b, err)
			var a struct{ Items, Entities []json.RawMessage }
			require.NoError(b, json.Unmarshal(answer, &a))
			if c.whole > 1 {
				require.Len(b, append(a.Items, a.Entities...), c.whole)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(answer)))
			for b.Loop() {
				answer, err = offered.AppendCall(ctx, answer[:0], c.tool, []byte(c.args))
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
