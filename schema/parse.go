package schema

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Parse reads a schema in the file format trellis.schema.v1, JSON where the
// name ends in .json and YAML otherwise. The name stands in messages only. The
// error is a Problems, with all mistakes and their places.
//
// YAML is read strictly: no aliases, no anchors, no duplicate names, one
// document. No input of any size makes Parse slow or panic: a file is 1 MiB at
// most, and nests 32 levels at most.
func Parse(name string, data []byte) (*Schema, error) {
	doc, problems := readDocument(name, data, publishedSchema)
	if doc == nil {
		problems.sort()
		return nil, problems.clip()
	}
	written := doc.validate()
	def, unread := decode(doc.root)
	s, meant := build(def)
	meant = append(unread, meant...)
	for i := range meant {
		meant[i].Path = doc.actual(meant[i].Path)
	}
	if all := doc.all(problems, written, meant); len(all) > 0 {
		return nil, all
	}
	return s, nil
}

// follows reports whether a mistake stands at a place that is reported already,
// or below one that could not be read, so that it says nothing new. Known are
// those places, true where what is below them could not be read.
func follows(path string, known map[string]bool) bool {
	if _, ok := known[path]; ok || known[""] {
		return true
	}
	for i := len(path); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if known[path[:i]] {
			return true
		}
	}
	return false
}

// ReadFile reads a schema from a file; see Parse. Errors of reading are those
// of package os.
func ReadFile(path string) (*Schema, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// ReadDir reads the schema of a graph directory: its schema.yaml, or else its
// schema.json.
func ReadDir(dir string) (*Schema, error) {
	s, err := ReadFile(filepath.Join(dir, "schema.yaml"))
	if errors.Is(err, os.ErrNotExist) {
		return ReadFile(filepath.Join(dir, "schema.json"))
	}
	return s, err
}
