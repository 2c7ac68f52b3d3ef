package repository

import (
	"errors"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// batchBytes is how much of documents one statement inserts, unless one alone has
// more.
const batchBytes = 1 << 20

type entityKey struct{ typ, id string }

// entities makes the rows of a bundle's entities what the change says. Only
// those are written that differ.
func (t *transaction) entities(key string, c Change) error {
	if strings.HasPrefix(c.Item, "@") {
		return nil
	}
	there, err := t.there(key, c.Item)
	if err != nil {
		return err
	}
	w := &entityWriter{t: t, key: key, bundle: c.Item}
	if c.Entities != nil {
		for e := range c.Entities {
			if len(e.Type) > maxType || len(e.ID) > maxID || !storable(e.Type) || !storable(e.ID) {
				return refused(graph.InvalidString, "the entity %s %q cannot be stored", short(e.Type), short(e.ID))
			}
			k := entityKey{e.Type, e.ID}
			is := digest(e.Document)[:32]
			was, ok := there[k]
			delete(there, k)
			if ok && was == is {
				continue
			}
			if err := w.add(k, is, string(e.Document)); err != nil {
				return err
			}
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	gone := map[string][]any{}
	for k := range there {
		gone[k.typ] = append(gone[k.typ], k.id)
	}
	for typ, ids := range gone {
		for batch := range slices.Chunk(ids, t.d.rows) {
			err := t.exec("DELETE FROM trellis_entities WHERE tenant = ? AND bundle = ? AND type = ? AND id IN ("+tuples("?", len(batch))+")",
				append([]any{key, c.Item, typ}, batch...)...)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// there are the digests of the entities that a bundle has.
func (t *transaction) there(key, bundle string) (map[entityKey]string, error) {
	there := map[entityKey]string{}
	err := t.d.query(t.ctx, t, "SELECT type, id, digest FROM trellis_entities WHERE tenant = ? AND bundle = ?", []any{key, bundle},
		func(scan func(...any) error) error {
			var k entityKey
			var is string
			err := scan(&k.typ, &k.id, &is)
			there[k] = is
			return err
		})
	return there, err
}

// An entityWriter collects the rows to write, and writes many with each
// statement.
type entityWriter struct {
	t           *transaction
	key, bundle string
	added       []any
	bytes       int
}

func (w *entityWriter) add(k entityKey, digest, document string) error {
	if w.bytes > 0 && w.bytes+len(document) > batchBytes || len(w.added) == 6*w.t.d.rows {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.added = append(w.added, w.key, w.bundle, k.typ, k.id, digest, document)
	w.bytes += len(document)
	return nil
}

func (w *entityWriter) flush() error {
	if len(w.added) == 0 {
		return nil
	}
	err := w.t.exec("INSERT INTO trellis_entities (tenant, bundle, type, id, digest, document) VALUES "+
		tuples("(?, ?, ?, ?, ?, ?)", len(w.added)/6)+w.t.d.upsert, w.added...)
	w.added, w.bytes = w.added[:0], 0
	var state interface{ SQLState() string }
	if errors.As(err, &state) && strings.HasPrefix(state.SQLState(), "22") { // a number that PostgreSQL's jsonb has no room for
		return &graph.Error{Code: graph.InvalidData, Message: "an entity has a value that the database cannot hold", Cause: err}
	}
	return err
}

func tuples(one string, n int) string { return strings.Repeat(one+", ", n-1) + one }
