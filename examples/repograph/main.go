// Command repograph reads a git repository of Go code into a graph and asks it
// what a newcomer would like to know.
//
//	go run ./examples/repograph -repo DIR -package IMPORT/PATH -from IMPORT/PATH
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

func main() {
	// A flag set of its own: libraries put flags into the global one.
	flags := flag.NewFlagSet("repograph", flag.ExitOnError)
	dir := flags.String("repo", ".", "a `directory` with a Go module, in a git repository")
	pkg := flags.String("package", "", "the `package` to ask about: its import path, or ./ and its directory (default: the one that most others import)")
	importer := flags.String("from", "", "the `package` whose dependence on it is shown (default: one that depends on it from afar)")
	_ = flags.Parse(os.Args[1:]) // exits after a mistake
	if flags.NArg() > 0 {
		flags.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, *dir, *pkg, *importer, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "repograph:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, dir, pkg, importer string, now time.Time) error {
	repo, err := readRepository(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, repo)
	g, err := repo.graph()
	if err != nil {
		return err
	}
	st := native.New(g, native.Options{})
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{})
	offered := tools.New(eng, tools.Options{})

	about, err := choose(ctx, eng, repo, pkg, importer)
	if err != nil {
		return err
	}
	for _, q := range questions(about, now) {
		fmt.Fprintf(w, "\n# %s\n%s %s\n", q.ask, q.tool, q.args)
		answer, err := offered.Call(ctx, q.tool, []byte(q.args))
		if err != nil {
			return err
		}
		if err := printAnswer(w, answer); err != nil {
			return err
		}
	}
	return nil
}

// printAnswer shows what an answer holds, a line for each path, node or row.
func printAnswer(w io.Writer, answer []byte) error {
	var a struct {
		Paths, Nodes, Rows []json.RawMessage
		Returned           int
		Truncated          bool
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	for _, line := range slices.Concat(a.Paths, a.Nodes, a.Rows)[:a.Returned] {
		fmt.Fprintf(w, "=> %s\n", line)
	}
	switch {
	case a.Returned == 0:
		fmt.Fprintln(w, "=> nothing")
	case a.Truncated:
		fmt.Fprintln(w, "   and more")
	}
	return nil
}
