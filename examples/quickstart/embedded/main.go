// Command embedded is quickstart on a SQL engine in the process, which runs the
// statements that it shows.
//
//	go run ./examples/quickstart/embedded
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/trellisgraph/trellis/examples/quickstart/forge"
	"github.com/trellisgraph/trellis/store/embedded"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	g, err := forge.Build()
	if err != nil {
		return err
	}
	st, err := embedded.New(g, embedded.Options{})
	if err != nil {
		return err
	}
	defer st.Close()
	return forge.Ask(ctx, w, g.Schema(), st)
}
