package repository

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// A Repository keeps what tenants have applied, all revisions of it. What one
// tenant has never shows in what another asks for, whatever their names are.
// It is safe for concurrent use, and so are several of one place: in this
// process, in others, and on other machines where the place can be shared.
//
// The errors are of graph.Error: CONFLICT where the state moved, NOT_FOUND where
// something is not there, INVALID_STRING and LIMIT_EXCEEDED for what no
// repository takes, STORAGE_FULL, UNAVAILABLE, TIMEOUT, CANCELED, INVALID_DATA
// where what is stored was damaged.
type Repository interface {
	// Tenants are the names of all tenants that ever had something, by their
	// bytes. With an error they are those that could be read.
	Tenants(ctx context.Context) ([]string, error)
	// Version is the version of a tenant's state: it counts the changes, and is 0
	// before the first. It costs the least of all, so that it can be polled.
	Version(ctx context.Context, tenant string) (int64, error)
	// State is what a tenant has now, all of one moment.
	State(ctx context.Context, tenant string) (State, error)
	// Commit makes a change, if the tenant's state is still of the version base;
	// otherwise it is a CONFLICT, and nothing is changed. All readers see the
	// state before or the state after, and so do those after a crash. When it
	// returns without an error, the change is on the disk. After an error other
	// than CONFLICT and STORAGE_FULL it may have been made all the same; the
	// state tells.
	Commit(ctx context.Context, tenant string, base int64, c Change) (State, error)
	// History is the revisions of an item that are kept, the newest first.
	History(ctx context.Context, tenant, item string) ([]Revision, error)
	// Content is the files of a revision, by their paths. A revision that deleted
	// the item has none.
	Content(ctx context.Context, tenant, item string, version int64) ([]File, error)
	// Close frees what the repository opened itself.
	Close() error
}

// Views is the item that holds a tenant's views.
const Views = "@views"

// A State is what a tenant has at one moment.
type State struct {
	Version int64
	// Items are the revisions that are current, by the items' names; deleted
	// items are not among them.
	Items []Revision
	// Deleted is when a bundle was last deleted, the zero time if none ever was. So
	// the time of the last change never goes back.
	Deleted time.Time
}

// Item is the current revision of an item; false if there is none.
func (s State) Item(name string) (Revision, bool) {
	for _, r := range s.Items {
		if r.Item == name {
			return r, true
		}
	}
	return Revision{}, false
}

// A Revision is what one change made of an item.
type Revision struct {
	// Item is the name of a bundle, or of another document that a tenant has,
	// which begins with "@".
	Item string `json:"item"`
	// Version counts the revisions of the item, from 1, its deletions among them.
	Version int64 `json:"version"`
	// Revision is what whoever applied it calls the content, a hash of it; empty
	// where the item was deleted.
	Revision string    `json:"revision,omitempty"`
	Deleted  bool      `json:"deleted,omitempty"`
	Applied  time.Time `json:"applied"` // in UTC, of microseconds
	Author   string    `json:"author,omitempty"`
	Note     string    `json:"note,omitempty"`
	// Files and Bytes are how much the content is, Digest the SHA-256 of the
	// content as it is stored, a gzipped tar archive, in hexadecimal digits.
	Files  int    `json:"files,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// A Change replaces an item as a whole, or deletes it.
type Change struct {
	Item string
	// Revision names the content. It may be that of the revision before, which
	// makes one more all the same: see Update for how not to.
	Revision string
	Files    []File
	// Entities are what the content amounts to, for repositories that keep the
	// current ones as rows for those who query them; each once. Nil: none.
	Entities iter.Seq[Entity]
	// Delete deletes the item. There must be one.
	Delete bool
	// Applied is the time of the change; now, if it is zero.
	Applied time.Time
	// Author and Note are for people, at most 1,000 bytes each.
	Author, Note string
}

// A File is one file of an item's content.
type File struct {
	Path string // as fs.ValidPath has it
	Data []byte
}

// An Entity is one record of an item's content.
type Entity struct {
	Type, ID string
	Document json.RawMessage
}
