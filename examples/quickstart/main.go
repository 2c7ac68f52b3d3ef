// Command quickstart builds a small graph in memory and asks it, one call for
// each tool: the call, the SQL that it becomes, and the answer.
//
//	go run ./examples/quickstart
//
// The store in memory answers without running the SQL. With -store embedded, a
// SQL engine in the process runs it, and gives the same answers. That engine
// takes a minute to compile, so it is linked into a program of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/trellisgraph/trellis/examples/quickstart/forge"
	"github.com/trellisgraph/trellis/store/native"
)

// embedded is the program that asks the SQL engine.
const embedded = "github.com/trellisgraph/trellis/examples/quickstart/embedded"

func main() {
	kind := flag.String("store", "memory", "the `store` that answers: memory, or embedded, a SQL engine in the process")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *kind); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, kind string) error {
	switch kind {
	case "memory":
		g, err := forge.Build()
		if err != nil {
			return err
		}
		st := native.New(g, native.Options{})
		defer st.Close()
		return forge.Ask(ctx, w, g.Schema(), st)
	case "embedded":
		other := exec.CommandContext(ctx, "go", "run", embedded)
		other.Stdout, other.Stderr = w, os.Stderr
		return other.Run()
	}
	return fmt.Errorf("there is no store %q; the stores are memory and embedded", kind)
}
