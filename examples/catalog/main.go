// Command catalog serves a bundle: what a bicycle workshop knows, as JSON Schema
// documents and YAML records, becomes tools.
//
//	go run ./examples/catalog                  a few calls, and their answers
//	go run ./examples/catalog -serve           the tools over MCP, on standard input and output
//	go run ./examples/catalog -generate 10000 -out DIR
//
// The last writes a bundle of the same types with as many entities as one likes,
// the same on every machine.
//
// # What it costs
//
// On two shared cores, by BenchmarkApply, BenchmarkCall and TestLarge of this
// directory, of which TRELLIS_CATALOG_ENTITIES sets the size:
//
//	10,000     read, checked, kept and made a graph in 0.5 to 0.9 s, with 28 MB held; get_component
//	           2 to 5 µs, list_component of 50 in 5 to 17 µs
//	1,000,000  the same in about two minutes of processor time, with 2.7 GB held and 5.9 GB at the
//	           most, and read at the start of a process in two thirds of that; get_component
//	           6 µs, list_component of 50 in 12 to 16 µs
//
// One of a million entities is larger than bundles are by default: the command takes
// it with --max-bundle-bytes, a program with bundle.Limits.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/trellisgraph/trellis/examples/catalog/generate"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

//go:embed bundle
var files embed.FS

func main() {
	// A flag set of its own: libraries put flags into the global one.
	flags := flag.NewFlagSet("catalog", flag.ExitOnError)
	serve := flags.Bool("serve", false, "serve the tools over the Model Context Protocol, until standard input ends")
	count := flags.Int("generate", 0, "write a bundle of `count` entities instead")
	out := flags.String("out", "", "the `directory` that it is written to")
	_ = flags.Parse(os.Args[1:]) // exits after a mistake
	if err := run(context.Background(), os.Stdin, os.Stdout, *serve, *count, *out); err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, r io.ReadCloser, w io.WriteCloser, serve bool, count int, out string) error {
	dir, err := fs.Sub(files, "bundle")
	if err != nil {
		return err
	}
	if count != 0 {
		return generate.Write(dir, out, count)
	}
	b, err := bundle.Read(dir, bundle.Options{})
	if err != nil {
		return err
	}
	g, err := bundles.Graph(time.Now(), b)
	if err != nil {
		return err
	}
	st := native.New(g, native.Options{})
	defer st.Close()
	offered := tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Prompt: true}), tools.Options{})
	if serve {
		return mcpserver.New(offered, mcpserver.Options{Name: b.Name()}).Run(ctx, r, w)
	}
	fmt.Fprintf(w, "%s, revision %.12s\n", b.Title(), b.Revision())
	return ask(ctx, w, offered)
}
