package main

import (
	"os"

	"github.com/trellisgraph/trellis/schema"
)

// readSchema reads a schema from its file, or from a graph directory.
func readSchema(path string) (*schema.Schema, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return schema.ReadDir(path)
	}
	return schema.ReadFile(path)
}
