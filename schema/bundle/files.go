package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// ReadFiles reads a bundle of files, such as those of Files; see Read. The files
// must not be changed meanwhile.
func ReadFiles(files []File, o Options) (*Bundle, error) {
	r := newReader(o)
	byPath := make(map[string][]byte, len(files))
	for _, f := range files {
		switch _, twice := byPath[f.Path]; {
		case !fs.ValidPath(f.Path):
			r.found.report(short(f.Path), nil, "", "this is no path within a bundle")
			continue
		case twice:
			r.found.report(f.Path, nil, "", "the path is there twice")
			continue
		}
		byPath[f.Path] = f.Data
		if !r.has(f.Path) {
			return nil, r.found.err()
		}
	}
	r.open = func(name string) (io.ReadCloser, error) {
		data, ok := byPath[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	return r.run()
}

// has notes a file of the bundle; it reports whether there may be more.
func (r *reader) has(name string) bool {
	if !ofBundle(name) || name == manifestFile {
		return true
	}
	if len(r.schemas)+len(r.entities) == r.limits.Files {
		r.found.report(name, nil, "", "a bundle has at most %d files", r.limits.Files)
		return false
	}
	if strings.HasPrefix(name, "schemas/") {
		r.schemas = append(r.schemas, name)
	} else {
		r.entities = append(r.entities, name)
	}
	return true
}

// list finds the files of a bundle in a file system.
func (r *reader) list(fsys fs.FS) error {
	for _, dir := range []string{"schemas", "entities"} {
		if info, err := fs.Lstat(fsys, dir); err == nil && !info.IsDir() {
			r.found.report(dir, nil, "", "this is no folder; links are not followed")
			r.unlisted = true
			continue
		}
		err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && name == dir:
				return nil
			case err != nil:
				return err
			case d.IsDir():
				if strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") > maxDepth {
					return fs.SkipDir
				}
				return nil
			case !ofBundle(name):
				return nil
			case !d.Type().IsRegular():
				r.found.report(name, nil, "", "%s", notRegular)
				return nil
			case !r.has(name):
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteDir writes the canonical files into a folder, which is made if it is not
// there. What is already there of the same path is replaced, each file at once;
// other files in schemas and entities are refused with an error before anything
// is written, because with them the folder would hold another bundle.
func (b *Bundle) WriteDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	there := newReader(Options{})
	if err := there.list(root.FS()); err != nil {
		return err
	}
	if err := there.found.err(); err != nil {
		return err
	}
	for _, name := range slices.Concat(there.schemas, there.entities) {
		if !slices.ContainsFunc(b.files, func(f File) bool { return f.Path == name }) {
			return fmt.Errorf("%s is in the folder and not of the bundle %q: remove it first", name, b.name)
		}
	}
	for _, f := range b.files {
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			return err
		}
		// A hidden name: a reader does not look at it.
		temporary := path.Join(path.Dir(f.Path), "."+path.Base(f.Path)+".new")
		if err := root.WriteFile(temporary, f.Data, 0o644); err != nil {
			return err
		}
		if err := root.Rename(temporary, f.Path); err != nil {
			return errors.Join(err, root.Remove(temporary))
		}
	}
	return nil
}
