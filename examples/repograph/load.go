package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

//go:embed schema.yaml
var schemaYAML []byte

// A repository is what git and go list know of a project.
type repository struct {
	module   string // the main module's path
	packages []goPackage
	history  *history
	inside   map[string]string // the project's package in a directory
}

func readRepository(ctx context.Context, dir string) (*repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	h, err := readHistory(ctx, dir)
	if err != nil {
		return nil, err
	}
	packages, err := readPackages(ctx, dir)
	if err != nil {
		return nil, err
	}
	root := filepath.Clean(strings.TrimSuffix(dir+string(filepath.Separator), filepath.FromSlash(h.Prefix)))
	r := &repository{packages: packages, history: h, inside: packagesIn(packages, root)}
	for i := range packages {
		if packages[i].own() {
			r.module = packages[i].module()
			break
		}
	}
	return r, nil
}

// String says in a line what has been read.
func (r *repository) String() string {
	s := fmt.Sprintf("%s: %d packages, %d of them its own; %d commits", r.module, len(r.packages), len(r.inside), len(r.history.Commits))
	if r.history.Shallow {
		s += " (a shallow clone: older ones are not here)"
	}
	return s
}

// graph builds the graph that schema.yaml describes.
func (r *repository) graph() (*memory.Graph, error) {
	s, err := schema.Parse("schema.yaml", schemaYAML)
	if err != nil {
		return nil, err
	}
	b := memory.NewBuilder(s)
	r.addPackages(b)
	r.addFiles(b)
	r.addCommits(b)
	return b.Build()
}

func (r *repository) addPackages(b *memory.Builder) {
	known := map[string]bool{}
	for _, p := range r.packages {
		known[p.ImportPath] = true
	}
	for _, p := range r.packages {
		b.Node("package", memory.Values{
			"path": p.ImportPath, "name": cmp.Or(p.Name, path.Base(p.ImportPath)), "std": p.Standard, "own": p.own(), "module": orNull(p.module()),
		})
		for _, imp := range p.Imports {
			if known[imp] { // all but "C", and what is missing
				b.Relationship("IMPORTS", graph.ID("package", p.ImportPath), graph.ID("package", imp), nil)
			}
		}
	}
}

// addFiles adds the files that are there and those that only the history knows.
func (r *repository) addFiles(b *memory.Builder) {
	exists := map[string]bool{}
	for _, c := range r.history.Commits {
		for _, ch := range c.Changes {
			exists[ch.Path] = false
		}
	}
	for _, name := range r.history.Files {
		exists[name] = true
	}
	for name, there := range exists {
		b.Node("file", memory.Values{"path": name, "exists": there})
		if pkg, ok := r.inside[path.Dir(name)]; ok {
			b.Relationship("IN_PACKAGE", graph.ID("file", name), graph.ID("package", pkg), nil)
		}
	}
}

func (r *repository) addCommits(b *memory.Builder) {
	authors := map[string]string{}
	for _, c := range r.history.Commits {
		author := cmp.Or(strings.ToLower(c.Email), c.Name, "unknown")
		if authors[author] == "" { // commits come newest first
			authors[author] = cmp.Or(c.Name, author)
		}
		b.Node("commit", memory.Values{"hash": c.Hash, "subject": c.Subject, "date": instant(c.At), "merge": c.Merge})
		b.Relationship("AUTHORED", graph.ID("author", author), graph.ID("commit", c.Hash), nil)
		lines := map[string]change{} // a file that a commit renames and recreates counts once
		for _, ch := range c.Changes {
			sum := lines[ch.Path]
			lines[ch.Path] = change{ch.Path, sum.Added + ch.Added, sum.Deleted + ch.Deleted}
		}
		for name, ch := range lines {
			b.Relationship("CHANGED", graph.ID("commit", c.Hash), graph.ID("file", name), memory.Values{"added": ch.Added, "deleted": ch.Deleted})
		}
	}
	for author, name := range authors {
		b.Node("author", memory.Values{"email": author, "name": name})
	}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// instant is a commit's date, or null: anybody's clock may be wrong, and a date
// outside of the years 1 to 9999 is not one.
func instant(t time.Time) any {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return t
}
