package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

// idleConnections is what database/sql keeps unless it is told otherwise.
const idleConnections = 2

// The three peers of an engine, behind its name.
const (
	byHand    = " by hand"
	generated = " generated"
	asEngine  = " Engine.Run"
)

// Engine returns three peers of one SQL engine, whose tables trellis load has
// filled:
//
//   - what an expert writes for the question, over the bare driver
//   - what the store runs for it, over the bare driver
//   - Engine.Run, of calls that are decoded, with answers as JSON
//
// The bare driver has one connection for each peer, new and with the settings that
// the store's have, each statement prepared once, and its rows written as JSON. The
// expert asks for all that the answer shows, but of the neighbourhood of q6 for the
// nodes' labels and ids only.
func Engine(ctx context.Context, name string, db *sql.DB, d *compile.Dialect, st store.Store, s *schema.Schema, p social.Parameters) ([]*Peer, error) {
	hand, err := experts(ctx, db, d, s, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	record, err := recordings(ctx, db, d, s, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	db.SetMaxIdleConns(0)
	db.SetMaxIdleConns(idleConnections)
	bare := func(questions, others map[string]ready) func(context.Context) (asker, func() error, error) {
		return func(ctx context.Context) (asker, func() error, error) {
			c, err := newReplay(ctx, db, d.OwnSetup(0), questions)
			if err != nil {
				return nil, nil, err
			}
			if err := c.warm(ctx, others); err != nil {
				return nil, nil, errors.Join(err, c.free())
			}
			return c.ask, c.free, nil
		}
	}
	return []*Peer{
		{Name: name + byHand, client: bare(hand, record), rows: func(question string, document []byte) ([]row, error) {
			return handRows(hand[question].kinds, document, p)
		}},
		// Its rows are those that the store makes its answer of.
		{Name: name + generated, client: bare(record, hand)},
		ran(name+asEngine, s, st, func(ctx context.Context) error {
			c, err := newReplay(ctx, db, "", nil)
			if err != nil {
				return err
			}
			return errors.Join(c.warm(ctx, hand), c.warm(ctx, record), c.free()) // into the pool
		}),
	}, nil
}

// ran is an engine over a store, asked in Go, with a connection that is warm.
func ran(name string, s *schema.Schema, st store.Store, warm func(context.Context) error) *Peer {
	eng := newEngine(s, st, false)
	registry := tools.Graph(s, eng.Limits())
	queries := map[string]graph.Query{}
	var buf []byte
	ask := func(ctx context.Context, q social.Question) ([]byte, error) {
		query := queries[q.Name]
		if query == nil {
			var errs graph.Errors
			if query, errs = registry.Decode(q.Tool, q.Arguments); len(errs) > 0 {
				return nil, fmt.Errorf("%s: %w", q.Name, errs)
			}
			queries[q.Name] = query
		}
		document, err := eng.RunJSON(ctx, buf[:0], query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
		buf = document
		return document, nil
	}
	return &Peer{
		Name: name,
		client: func(ctx context.Context) (asker, func() error, error) {
			return ask, func() error { return nil }, warm(ctx)
		},
		rows: toolRows,
	}
}

// recordings are the statements that a store runs for each question.
func recordings(ctx context.Context, db *sql.DB, d *compile.Dialect, s *schema.Schema, p social.Parameters) (map[string]ready, error) {
	r := &recorder{Backend: store.Database(db, d)}
	ask, _, err := Store("", s, store.New(r, d), false).client(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]ready{}
	for _, q := range p.Questions(s) {
		r.asked = nil
		if _, err := ask(ctx, q); err != nil {
			return nil, err
		}
		out[q.Name] = ready{asked: r.asked}
	}
	return out, r.Backend.Close()
}

// handRows reads rows by the kinds of their columns: engines tell dates and
// instants in several forms.
func handRows(kinds string, document []byte, p social.Parameters) ([]row, error) {
	if kinds == pathKinds {
		return pathRows(document, p)
	}
	names, err := columnsOf(document)
	if err != nil {
		return nil, err
	}
	out, err := sqlRows("", document)
	for _, r := range out {
		for i, name := range names {
			switch kinds[i] {
			case 'd':
				r[name] = r[name][:min(len(time.DateOnly), len(r[name]))]
			case 'm':
				text := strings.Replace(strings.TrimSuffix(r[name], "Z"), " ", "T", 1)
				if strings.Contains(text, ".") {
					text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
				}
				r[name] = text + "Z"
			}
		}
	}
	return out, err
}

// columnsOf are the names of the first row, in order.
func columnsOf(document []byte) ([]string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(document, &list); err != nil || len(list) == 0 {
		return nil, err
	}
	var names []string
	dec := json.NewDecoder(strings.NewReader(string(list[0])))
	for dec.More() || len(names) == 0 {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if name, ok := token.(string); ok {
			names = append(names, name)
			if _, err := dec.Token(); err != nil { // its value
				return nil, err
			}
		}
	}
	return names, nil
}

// pathRows reads a path, from its text or from the nodes between its ends.
func pathRows(document []byte, p social.Parameters) ([]row, error) {
	list, err := sqlRows("", document)
	list = list[:min(len(list), 1)] // what follows are its nodes and hops
	for i, r := range list {
		if _, ok := r["path"]; ok {
			continue
		}
		path := fmt.Sprint(p.Person)
		for n := 1; r[fmt.Sprintf("n%d", n)] != "" && r[fmt.Sprintf("n%d", n)] != "<nil>"; n++ {
			path += " " + r[fmt.Sprintf("n%d", n)]
		}
		list[i] = row{"path": path + " " + fmt.Sprint(p.Other)}
	}
	return list, err
}
