package repository

import (
	"context"
	"database/sql"

	"github.com/trellisgraph/trellis/store"
)

// partBytes is how much of a content is in one row: less than what any server
// takes in one message by default.
const partBytes = 1 << 20

// Commit implements Repository.
func (r *Database) Commit(ctx context.Context, tenant string, base int64, c Change) (State, error) {
	c, err := c.checked(tenant)
	if err != nil {
		return State{}, err
	}
	var p packed
	if !c.Delete {
		if p, err = pack(c.Files); err != nil {
			return State{}, store.Failure(ctx, err)
		}
	}
	// The tenant's row is there before the transaction: two that insert the same
	// row and lock it would wait for one another.
	known, err := r.Version(ctx, tenant)
	if err != nil {
		return State{}, err
	}
	key := keyOf(tenant)
	if known != base {
		return State{}, moved(known, base)
	}
	if known == 0 {
		err := r.transaction(ctx, func(t *transaction) error { return t.exec(r.d.ignore, key, quoted(tenant)) })
		if err != nil {
			return State{}, err
		}
	}
	var s State
	err = r.transaction(ctx, func(t *transaction) error {
		if err := r.commit(t, key, base, c, p); err != nil {
			return err
		}
		s, err = r.state(ctx, t.read, tenant)
		return err
	})
	return s, err
}

// commit makes a change within a transaction.
func (r *Database) commit(t *transaction, key string, base int64, c Change, p packed) error {
	// Whoever else changes the tenant waits here.
	version, err := t.number("SELECT version FROM trellis_tenants WHERE tenant = ?"+r.d.forUpdate, key)
	if err != nil {
		return err
	}
	if version != base {
		return moved(version, base)
	}
	last := Revision{Item: c.Item}
	if last.Version, err = t.number("SELECT COALESCE(MAX(version), 0) FROM trellis_revisions WHERE tenant = ? AND item = ?", key, c.Item); err != nil {
		return err
	}
	deleted, err := t.number("SELECT COALESCE(MAX(deleted), 0) FROM trellis_revisions WHERE tenant = ? AND item = ? AND version = ?", key, c.Item, last.Version)
	if err != nil {
		return err
	}
	last.Deleted = deleted != 0
	next, err := c.next(last, p)
	if err != nil {
		return err
	}
	if !c.Delete {
		if err := t.content(key, p); err != nil {
			return err
		}
	}
	if err := t.exec(insertRevision, next.values(key)...); err != nil {
		return err
	}
	if err := t.entities(key, c); err != nil {
		return err
	}
	if err := t.forget(key, c.Item, next.Version-int64(r.opts.Keep)); err != nil {
		return err
	}
	return t.exec("UPDATE trellis_tenants SET version = version + 1 WHERE tenant = ?", key)
}

// content writes a content in parts, if the tenant does not have it.
func (t *transaction) content(key string, p packed) error {
	n, err := t.number("SELECT COUNT(*) FROM trellis_contents WHERE tenant = ? AND digest = ?", key, p.digest)
	if err != nil || n > 0 {
		return err
	}
	for part := 0; part*partBytes < len(p.data); part++ {
		data := p.data[part*partBytes : min((part+1)*partBytes, len(p.data))]
		if err := t.exec("INSERT INTO trellis_contents (tenant, digest, part, data) VALUES (?, ?, ?, ?)", key, p.digest, part, data); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the revisions of an item up to one, and the contents that no
// revision has any more.
func (t *transaction) forget(key, item string, upTo int64) error {
	if upTo <= 0 {
		return nil
	}
	if err := t.exec("DELETE FROM trellis_revisions WHERE tenant = ? AND item = ? AND version <= ?", key, item, upTo); err != nil {
		return err
	}
	return t.exec("DELETE FROM trellis_contents WHERE tenant = ? AND digest NOT IN (SELECT digest FROM trellis_revisions WHERE tenant = ?)", key, key)
}

// number is the one number of the one row that a statement finds, 0 without a
// row.
func (t *transaction) number(statement string, args ...any) (int64, error) {
	var n sql.NullInt64
	err := t.d.query(t.ctx, t, statement, args, func(scan func(...any) error) error { return scan(&n) })
	return n.Int64, err
}
