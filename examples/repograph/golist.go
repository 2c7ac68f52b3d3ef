package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// A goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	Imports    []string
	Module     *struct {
		Path string
		Main bool
	}
}

// own reports whether the package belongs to the project itself.
func (p *goPackage) own() bool { return p.Module != nil && p.Module.Main }

// module is the path of the package's module, empty for the standard library.
func (p *goPackage) module() string {
	if p.Module == nil {
		return ""
	}
	return p.Module.Path
}

// readPackages reads the packages in and below dir, and all that they import. A
// package that does not build is read as far as it goes.
func readPackages(ctx context.Context, dir string) ([]goPackage, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("go is needed to list the packages, and it is not installed")
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps",
		"-json=ImportPath,Name,Dir,Standard,Imports,Module", "./...")
	cmd.Dir = dir
	var packages []goPackage
	err := stream(cmd, func(r io.Reader) error {
		dec := json.NewDecoder(r)
		for {
			var p goPackage
			if err := dec.Decode(&p); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			packages = append(packages, p)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%s holds no Go module that can be listed: %w", dir, err)
	}
	for i := range packages {
		if packages[i].own() && packages[i].Name != "" {
			return packages, nil
		}
	}
	return nil, fmt.Errorf("%s holds no Go packages of a module: look for the directory of its go.mod", dir)
}

// packagesIn finds the project's packages by their directories, seen from the
// repository's root.
func packagesIn(packages []goPackage, root string) map[string]string {
	byDir := map[string]string{}
	for i := range packages {
		p := &packages[i]
		if !p.own() || p.Dir == "" {
			continue
		}
		if rel, err := filepath.Rel(root, p.Dir); err == nil {
			byDir[filepath.ToSlash(rel)] = p.ImportPath
		}
	}
	return byDir
}
