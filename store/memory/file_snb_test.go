package memory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/trellisgraph/trellis/store/memory"
)

// BenchmarkOpenFile opens the graph that TRELLIS_SNB names from its file.
func BenchmarkOpenFile(b *testing.B) {
	dir := os.Getenv("TRELLIS_SNB")
	if dir == "" {
		b.Skip("skipped: needs TRELLIS_SNB")
	}
	g, err := memory.Open(b.Context(), dir, memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "snb.trellis")
	if err := g.WriteFile(path); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range map[string]bool{"schema of the file": false, "schema given": true} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				want := g.Schema()
				if !s {
					want = nil
				}
				if _, err := memory.OpenFile(path, want); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
