package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools"
)

// lines counts the lines of a generated file by their text; in the canonical
// form a member has a line of its own.
func lines(t *testing.T, dir, plural string) map[string]int {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "entities", plural+".yaml"))
	require.NoError(t, err)
	defer f.Close()
	out := map[string]int{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if name, _, _ := strings.Cut(strings.TrimSpace(scan.Text()), ":"); name == "condition" || strings.HasPrefix(scan.Text(), "    - ") {
			out[strings.TrimSpace(scan.Text())]++
		} else if strings.HasPrefix(scan.Text(), "- ") {
			out["entities"]++
		}
	}
	return out
}

// What tools say of many entities is what a search for lines in their files says.
func TestLarge(t *testing.T) {
	n := entitiesOf(t)
	if testing.Short() {
		n = 1000
	}
	dir := generated(t, n)
	kept := t.TempDir()
	lib := libraryIn(t, kept)
	start := time.Now()
	apply(t, lib, "shop", dir)
	took := time.Since(start)
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%d entities: read and applied in %.1f s, %d MB are held, %d MB were had of the system", n, took.Seconds(), memory.HeapAlloc>>20, memory.Sys>>20)

	// A process that begins reads what is kept; the tenant before it is let go.
	lib.Close()
	lib = nil
	runtime.GC()
	start = time.Now()
	lib = libraryIn(t, kept)
	require.NoError(t, lib.Load(t.Context(), "shop"))
	took = time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("read at the start in %.1f s, %d MB are held", took.Seconds(), memory.HeapAlloc>>20)

	offered := tools.New(engine.NewFrom(lib, engine.Options{Prompt: true}), tools.Options{})
	ctx := graph.WithScope(context.Background(), &graph.Scope{Tenant: "shop"})
	call := func(tool, args string) (a struct {
		Total          int
		Items          []map[string]any
		Entities, Rows []map[string]any
		NotFound       []string `json:"not_found"`
	}) {
		start := time.Now()
		answer, err := offered.Call(ctx, tool, []byte(args))
		require.NoError(t, err, args)
		require.NoError(t, json.Unmarshal(answer, &a))
		t.Logf("%8.3f ms %s %s", float64(time.Since(start).Microseconds())/1000, tool, args)
		return a
	}
	found := lines(t, dir, "components")
	all := call("list_component", `{"limit": 1}`)
	require.Equal(t, found["entities"], all.Total)
	for _, condition := range []string{"new", "refurbished", "used"} {
		require.Equal(t, found["condition: "+condition], call("list_component", `{"filters": {"condition": "`+condition+`"}}`).Total)
	}
	for _, tag := range []string{"winter", "spare"} {
		require.Equal(t, found["- "+tag], call("list_component", `{"filters": {"tags": "`+tag+`"}}`).Total, tag)
	}
	part := `- PRT-0000042`
	require.Equal(t, found[part], call("list_component", `{"filters": {"compatible_with": "PRT-0000042"}}`).Total)

	last := fmt.Sprintf("PRT-%07d", all.Total-1)
	end := call("list_component", fmt.Sprintf(`{"offset": %d, "limit": 10}`, all.Total-1))
	require.Len(t, end.Items, 1)
	require.Equal(t, last, end.Items[0]["sku"])
	got := call("get_component", `{"ids": ["`+last+`", "PRT-9999999", "PRT-0000000"]}`)
	require.Len(t, got.Entities, 2)
	require.Equal(t, []string{"PRT-9999999"}, got.NotFound)
	require.Equal(t, end.Items[0], got.Entities[0])

	dearest := call("list_component", `{"sort": "-price", "limit": 500}`)
	for i := 1; i < len(dearest.Items); i++ {
		require.LessOrEqual(t, dearest.Items[i]["price"], dearest.Items[i-1]["price"])
	}
	groups := call("aggregate_nodes", `{"node_label": "component", "group_by": [{"property": "condition"}], "aggregations": [{"function": "count"}]}`)
	for _, row := range groups.Rows {
		require.EqualValues(t, found[fmt.Sprintf("condition: %s", row["condition"])], row["count"])
	}
	require.Len(t, groups.Rows, 3)
}
