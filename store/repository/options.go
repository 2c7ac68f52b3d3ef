package repository

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// Options configure a repository. The zero value is a sound default.
type Options struct {
	// Keep is how many revisions of an item are kept, with their content; 100 if
	// it is zero or negative. The current one always is.
	Keep int
}

func (o Options) withDefaults() Options {
	if o.Keep <= 0 {
		o.Keep = 100
	}
	return o
}

// What a repository takes.
const (
	maxTenant = 1024 // bytes of a tenant's name
	maxText   = 1000 // bytes of an author, a note, the name of a revision
	maxType   = 64   // bytes of an entity's type
	maxID     = 1024 // bytes of an entity's id
)

// itemName is what an item may be called: bundles without the @.
var itemName = regexp.MustCompile(`^@?[a-z][a-z0-9-]{0,62}[a-z0-9]$`)

func refused(code graph.Code, format string, args ...any) error {
	return &graph.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func checkTenant(tenant string) error {
	switch {
	case tenant == "":
		return refused(graph.NoScope, "there is no tenant")
	case len(tenant) > maxTenant:
		return refused(graph.LimitExceeded, "the tenant's name has %d bytes, over the cap of %d", len(tenant), maxTenant)
	}
	return nil
}

func checkItem(tenant, item string) error {
	if err := checkTenant(tenant); err != nil {
		return err
	}
	if !itemName.MatchString(item) {
		return refused(graph.InvalidString, "%q is no name for a bundle", short(item))
	}
	return nil
}

// checked returns a change as it will be made, or what is wrong with it.
func (c Change) checked(tenant string) (Change, error) {
	if err := checkItem(tenant, c.Item); err != nil {
		return c, err
	}
	for what, text := range map[string]string{"author": c.Author, "note": c.Note, "revision": c.Revision} {
		if len(text) > maxText {
			return c, refused(graph.LimitExceeded, "the %s has %d bytes, over the cap of %d", what, len(text), maxText)
		}
		if !storable(text) {
			return c, refused(graph.InvalidString, "the %s has a NUL or is not UTF-8", what)
		}
	}
	if c.Delete {
		c.Revision, c.Files, c.Entities = "", nil, nil
	}
	for i, f := range c.Files {
		if !fs.ValidPath(f.Path) || f.Path == "." || !storable(f.Path) {
			return c, refused(graph.InvalidString, "%q is no path of a file", short(f.Path))
		}
		if i > 0 && c.Files[i-1].Path >= f.Path {
			return c, refused(graph.InvalidString, "the files are not by their paths, each once: %q", short(f.Path))
		}
	}
	if c.Applied.IsZero() {
		c.Applied = time.Now()
	}
	c.Applied = c.Applied.UTC().Truncate(time.Microsecond)
	return c, nil
}

// storable reports whether every database can hold a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// next is the revision that a checked change makes of an item, after the last.
func (c Change) next(last Revision, p packed) (Revision, error) {
	if c.Delete && (last.Version == 0 || last.Deleted) {
		return Revision{}, absent("there is no bundle %q", c.Item)
	}
	r := Revision{
		Item: c.Item, Version: last.Version + 1, Revision: c.Revision, Deleted: c.Delete,
		Applied: c.Applied, Author: c.Author, Note: c.Note,
	}
	if !c.Delete {
		r.Files, r.Bytes, r.Digest = len(c.Files), p.bytes, p.digest
	}
	return r, nil
}

func absent(format string, args ...any) error { return refused(graph.NotFound, format, args...) }

func moved(is, base int64) error {
	e := &graph.Error{Code: graph.Conflict, Retryable: true,
		Message: fmt.Sprintf("the tenant's state is of version %d, and the change was made for %d", is, base)}
	e.Hint = "read the state, check the change against it, and commit again"
	return e
}

func damaged(format string, args ...any) error { return refused(graph.InvalidData, format, args...) }

// short cuts a text for a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
