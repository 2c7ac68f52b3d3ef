package command

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// isBundle reports whether a path is that of a bundle: a folder with a manifest
// and no schema, or an archive.
func isBundle(path string, info os.FileInfo) bool {
	if !info.IsDir() {
		return isArchive(path)
	}
	for _, name := range []string{"schema.yaml", "schema.yml", "schema.json"} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return false
		}
	}
	_, err := os.Stat(filepath.Join(path, "manifest.yaml"))
	return err == nil
}

// isArchive goes by what a file begins with: gzip, zip, or the name of an archive.
func isArchive(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	return bytes.HasPrefix(head[:], []byte{0x1f, 0x8b}) || string(head[:]) == "PK\x03\x04" || strings.HasSuffix(path, ".tar")
}

// readBundle reads a bundle from its folder or archive. The error is a
// bundle.Problems, or one of reading. It has at most so many bytes; 0 is the
// default.
func readBundle(path string, most int) (*bundle.Bundle, error) {
	opts := bundle.Options{Limits: bundle.Limits{BundleBytes: most}}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return bundle.ReadDir(path, opts)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bundle.ReadArchive(f, opts)
}

// defineBundleBytes defines the flag that lets bundles be larger.
func defineBundleBytes(flags *flag.FlagSet, most *int) {
	flags.Func("max-bundle-bytes", "read bundles of at most `N` bytes [10485760]; a graph takes about ten times as much memory as its files", positive(most, strconv.Atoi))
}

// revised is the time of the schema of a bundle without a graph: none, so that equal
// bundles have equal schemas.
var revised = time.Unix(0, 0).UTC()

// asErrors are a bundle's problems as an error document has them; the path leads
// to the file, and into it.
func asErrors(err error) graph.Errors {
	var problems bundle.Problems
	if !errors.As(err, &problems) {
		return nil
	}
	var list graph.Errors
	for _, p := range problems {
		list = append(list, &graph.Error{Code: graph.InvalidSchema, Path: p.Pointer, Message: p.String(), DidYouMean: p.DidYouMean})
	}
	return list
}

// warn says what is allowed in a bundle, and may surprise.
func warn(std streams, b *bundle.Bundle) {
	for _, p := range b.Warnings() {
		fmt.Fprintf(std.err, "trellis: warning: %s\n", p)
	}
}
