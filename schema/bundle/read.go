package bundle

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// ReadDir reads the bundle of a folder; see Read. Nothing outside the folder is
// read, and no symbolic link is followed.
func ReadDir(dir string, o Options) (*Bundle, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Read(root.FS(), o)
}

// Read reads a bundle: manifest.yaml, schemas/*.schema.json, and the files with
// entities. Other files beside them, such as a README, and those whose names
// begin with a dot are not looked at, but whatever else lies in schemas and
// entities must belong to a type.
//
// The error is a Problems with all mistakes, or one of reading files.
func Read(fsys fs.FS, o Options) (*Bundle, error) {
	r := newReader(o)
	if err := r.list(fsys); err != nil {
		return nil, err
	}
	if info, err := fs.Lstat(fsys, manifestFile); err == nil && !info.Mode().IsRegular() {
		return nil, Problems{{File: manifestFile, Message: notRegular}}
	}
	r.open = func(name string) (io.ReadCloser, error) { return fsys.Open(name) }
	return r.run()
}

// A reader reads one bundle and notes what is wrong with it. Where something is
// wrong it goes on with what is left, so that it finds the rest.
type reader struct {
	limits Limits
	open   func(name string) (io.ReadCloser, error)
	found  found
	bundle *Bundle

	schemas  []string // the files in schemas, sorted
	entities []string // the files in entities, sorted
	refused  []string // names of types that cannot be
	unlisted bool     // schemas or entities is no folder, which is all that is told of it
	// placeless says that where the entities of types are could not be read: what is
	// at no place that is known may be at another.
	placeless bool
	bytes     int     // read so far
	full      bool    // the bundle is larger than it may be: nothing more is read
	work      float64 // done so far to check entities
	states    int     // of values under schemas, counted so far
	pending   []pending
	byField   map[Ref]map[string]*Entity
	sorted    map[Ref][]string // the keys of byField
}

const (
	manifestFile = "manifest.yaml"
	schemaSuffix = ".schema.json"
)

const notRegular = "this is no regular file; links are not followed"

func newReader(o Options) *reader {
	return &reader{limits: o.Limits.filled(), bundle: &Bundle{byName: map[string]*Type{}}}
}

// run reads the bundle whose files are listed.
func (r *reader) run() (*Bundle, error) {
	slices.Sort(r.schemas)
	slices.Sort(r.entities)
	if err := r.read(); err != nil {
		return nil, err
	}
	if err := r.found.err(); err != nil {
		return nil, err
	}
	return r.bundle, nil
}

// read reads everything.
func (r *reader) read() error {
	if err := r.manifest(); err != nil {
		return err
	}
	for i, file := range r.schemas {
		if i == r.limits.Types {
			r.found.report(file, nil, "", "a bundle has at most %d entity types", r.limits.Types)
			return nil // the files of the others would seem to belong to none
		}
		if err := r.schema(file); err != nil {
			return err
		}
	}
	b := r.bundle
	slices.SortFunc(b.types, func(x, y *Type) int { return strings.Compare(x.Name, y.Name) })
	if len(r.schemas) == 0 && !r.unlisted {
		r.found.report("schemas", nil, "", "the bundle has no entity types").Hint = "write schemas/product" + schemaSuffix
	}
	if err := r.assign(); err != nil {
		return err
	}
	r.link()
	if r.found.count == 0 {
		r.canonical()
	}
	return nil
}

// file reads a file, nil if the bundle would be larger than it may be.
func (r *reader) file(name string, most int) ([]byte, error) {
	if r.full {
		return nil, nil
	}
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	left := r.limits.BundleBytes - r.bytes
	data, err := io.ReadAll(io.LimitReader(f, int64(min(left, most))+1))
	if err != nil {
		return nil, err
	}
	switch {
	case len(data) > left:
		r.full = true
		r.found.report(name, nil, "", "with this file the bundle is larger than %d bytes", r.limits.BundleBytes)
		return nil, nil
	case len(data) > most:
		r.found.report(name, nil, "", "the file is larger than %d bytes", most)
		return nil, nil
	}
	r.bytes += len(data)
	return data, nil
}

// assign gives the files with entities to their types, and reads them.
func (r *reader) assign() error {
	owner := map[string]*Type{}
	expected := map[string]bool{}
	type place struct {
		glob    string
		typ     *Type
		written bool
	}
	var empty []place
	for _, t := range r.bundle.types {
		at := place{"entities/" + t.Plural + ".yaml", t, false}
		for _, g := range r.bundle.globs {
			if g.typ == t.Name {
				at.glob, at.written = g.glob, true
			}
		}
		expected[at.glob] = true
		matched := false
		for _, name := range r.entities {
			ok, err := path.Match(at.glob, name)
			if err != nil || !ok {
				continue
			}
			matched = true
			if other := owner[name]; other != nil {
				r.found.report(name, nil, "", "the file belongs to %q and to %q", other.Name, t.Name).Hint = "give each type files of its own, in `entities` of " + manifestFile
				continue
			}
			owner[name] = t
		}
		if !matched {
			t.partial = true
			empty = append(empty, at)
		}
	}
	var free []string // what was meant is no file that is another type's
	for _, name := range r.entities {
		if owner[name] == nil {
			free = append(free, name)
		}
	}
	if r.unlisted {
		empty = nil
	}
	for _, at := range empty {
		if r.placeless && !at.written {
			continue
		}
		if at.written {
			r.found.report(manifestFile, nil, "", "no file matches %q, where the entities of %q are to be", short(at.glob), at.typ.Name)
			continue
		}
		p := r.found.report(at.glob, nil, "", "there is no such file, where the entities of %q are to be", at.typ.Name)
		p.Hint = "a file with [] if there are none yet; other places are named in `entities` of " + manifestFile
		p.DidYouMean = schema.Suggest(at.glob, free)
	}
	for _, name := range r.entities {
		t := owner[name]
		if t == nil {
			if r.placeless || r.ofRefused(name) {
				continue
			}
			p := r.found.report(name, nil, "", "the file belongs to no entity type")
			for file := range expected {
				p.DidYouMean = append(p.DidYouMean, file)
			}
			slices.Sort(p.DidYouMean)
			p.DidYouMean = schema.Suggest(name, p.DidYouMean)
			continue
		}
		if err := r.entityFile(name, t); err != nil {
			return err
		}
	}
	for _, t := range r.bundle.types {
		slices.SortFunc(t.Entities, func(a, b *Entity) int { return strings.Compare(a.ID, b.ID) })
	}
	return nil
}

// ofRefused reports whether a file with entities is of a type whose name is refused,
// which is all that is wrong then.
func (r *reader) ofRefused(file string) bool {
	return slices.ContainsFunc(r.refused, func(name string) bool {
		glob := "entities/" + plural(strings.ToLower(name)) + ".yaml"
		for _, g := range r.bundle.globs {
			if g.typ == name {
				glob = g.glob
			}
		}
		ok, err := path.Match(glob, file)
		return err == nil && ok || strings.EqualFold(glob, file)
	})
}
