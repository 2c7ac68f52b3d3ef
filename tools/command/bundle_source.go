package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
)

// A bundleReport is the document that bundle lint prints.
type bundleReport struct {
	Format   string          `json:"format"`
	Problems bundle.Problems `json:"problems"`
	Warnings bundle.Problems `json:"warnings,omitempty"`
	// Of a bundle without problems:
	Name     string         `json:"name,omitempty"`
	Revision string         `json:"revision,omitempty"`
	Entities map[string]int `json:"entities,omitempty"` // by type
}

// lintBundle reads a bundle, and tells every mistake in it.
func lintBundle(_ context.Context, std streams, flags *bundleFlags, args []string) error {
	b, err := readBundle(args[0], flags.bundleBytes)
	report := bundleReport{Format: "trellis.lint.v1", Problems: bundle.Problems{}}
	if err != nil {
		if !errors.As(err, &report.Problems) {
			return err
		}
		for _, p := range report.Problems {
			fmt.Fprintln(std.err, p)
		}
		if err := writeDocument(std.out, report); err != nil {
			return err
		}
		return errRefused
	}
	warn(std, b)
	report.Name, report.Revision, report.Warnings, report.Entities = b.Name(), b.Revision(), b.Warnings(), map[string]int{}
	for _, t := range b.Types() {
		report.Entities[t.Name] = len(t.Entities)
	}
	return writeDocument(std.out, report)
}

// sourceOf reads a bundle; one with mistakes is refused with an error document.
func (flags *bundleFlags) sourceOf(std streams, path string) (*bundle.Bundle, error) {
	b, err := readBundle(path, flags.bundleBytes)
	if err != nil {
		var problems bundle.Problems
		if errors.As(err, &problems) {
			for _, p := range problems {
				fmt.Fprintln(std.err, p)
			}
		}
		return nil, refuseOpening(std, "", err)
	}
	return b, nil
}

// workflowOfBundle prints the workflow of a bundle that no tenant has.
func workflowOfBundle(ctx context.Context, std streams, flags *bundleFlags, path string) error {
	b, err := flags.sourceOf(std, path)
	if err != nil {
		return err
	}
	g, err := bundles.Graph(revised, b)
	if err != nil {
		return refuseOpening(std, "", err)
	}
	offered, err := readTools(g.Schema(), nil, "", engine.Options{})
	if err != nil {
		return err
	}
	return printWorkflow(ctx, std, offered.tools)
}

// A formatReport is the document that bundle format prints.
type formatReport struct {
	Name     string `json:"name"`
	Revision string `json:"revision"`
	// Changed are the files that are, or were, in another form.
	Changed []string `json:"changed"`
}

// formatBundle compares a folder's files with their one form, or writes it.
func formatBundle(_ context.Context, std streams, flags *bundleFlags, args []string) error {
	dir := args[0]
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return usagef("bundle format takes the directory of a bundle")
	}
	b, err := flags.sourceOf(std, dir)
	if err != nil {
		return err
	}
	report := formatReport{Name: b.Name(), Revision: b.Revision(), Changed: []string{}}
	for _, f := range b.Files() {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && bytes.Equal(have, f.Data) {
			continue
		}
		report.Changed = append(report.Changed, f.Path)
		if flags.write {
			if err := replaceFile(path, f.Data); err != nil {
				return err
			}
		}
	}
	if err := writeDocument(std.out, report); err != nil {
		return err
	}
	if !flags.write && len(report.Changed) > 0 {
		return errRefused
	}
	return nil
}

// replaceFile writes a file beside the one that it then replaces.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".format-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing, once it is renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
