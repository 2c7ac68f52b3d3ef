package bench

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

// A Peer is one of those that are compared.
type Peer struct {
	Name string
	// client returns what asks on behalf of one of several clients at once, and
	// what frees it.
	client func(ctx context.Context) (ask asker, free func() error, err error)
	// rows reads an answer's document. It is nil for who only runs what another
	// peer does.
	rows func(question string, document []byte) ([]row, error)
}

// An asker answers a question with a document. The document may be overwritten
// by its next call. It is not safe for concurrent use.
type asker func(ctx context.Context, q social.Question) ([]byte, error)

// Native is the native store, asked through tools.
func Native(g *memory.Graph) *Peer {
	return Store("native", g.Schema(), native.New(g, native.Options{HideStatements: true}), true)
}

// Store is any store, asked through tools. Prompt is as in engine.Options.
func Store(name string, s *schema.Schema, st store.Store, prompt bool) *Peer {
	offered := tools.New(newEngine(s, st, prompt), tools.Options{})
	ask := func(ctx context.Context, q social.Question) ([]byte, error) {
		document, err := offered.Call(ctx, q.Tool, q.Arguments)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
		return document, nil
	}
	return &Peer{
		Name:   name,
		client: func(context.Context) (asker, func() error, error) { return ask, func() error { return nil }, nil },
		rows:   toolRows,
	}
}

// newEngine has room for all questions, on a slow machine, too.
func newEngine(s *schema.Schema, st store.Store, prompt bool) *engine.Engine {
	return engine.New(schema.NewCatalog(s), st, engine.Options{
		Statements: engine.HideStatements, Prompt: prompt, Log: slog.New(slog.DiscardHandler),
		Limits: graph.Limits{Rows: social.Rows, Timeout: 10 * time.Minute},
	})
}
