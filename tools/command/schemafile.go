package command

import (
	"os"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/memory"
)

// readSchema reads a schema from its file, or from a graph directory or
// file, or that of a bundle of at most so many bytes; see readBundle.
func readSchema(path string, most int) (*schema.Schema, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if isBundle(path, info) {
		b, err := readBundle(path, most)
		if err != nil {
			return nil, err
		}
		return bundle.Schema(revised, b)
	}
	if info.IsDir() {
		return schema.ReadDir(path)
	}
	if memory.IsFile(path) {
		g, err := memory.OpenFile(path, nil)
		if err != nil {
			return nil, err
		}
		return g.Schema(), nil
	}
	return schema.ReadFile(path)
}
