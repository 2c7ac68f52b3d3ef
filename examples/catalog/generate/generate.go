// Package generate writes bundles of any size: the types of a bicycle workshop,
// with parts, symptoms and repairs that nobody has thought of one by one. The
// same count gives the same files on every machine, in canonical form.
package generate

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Least is the fewest entities that a bundle is made of.
const Least = 100

// counts are how many entities there are of each type.
type counts struct{ categories, brands, components, tools, symptoms, repairs, bulletins int }

// countsOf divides a number of entities among the types: three quarters are
// components, a tenth bulletins.
func countsOf(n int) counts {
	c := counts{categories: max(8, n/250), brands: max(5, n/200), tools: max(5, n/100), symptoms: n / 20, repairs: n / 20, bulletins: n / 10}
	c.components = n - c.categories - c.brands - c.tools - c.symptoms - c.repairs - c.bulletins
	return c
}

// Write writes a bundle of so many entities into a directory. Manifest and
// schemas are those of the workshop's bundle, to whose names every entity keeps.
func Write(workshop fs.FS, dir string, entities int) error {
	if dir == "" {
		return errors.New("no directory to write to was named")
	}
	if entities < Least {
		return fmt.Errorf("%d entities are too few; the fewest are %d", entities, Least)
	}
	if err := copyFiles(workshop, dir); err != nil {
		return err
	}
	n := countsOf(entities)
	for _, t := range []struct {
		plural string
		count  int
		entity func(*writer, counts, int)
	}{
		{"categories", n.categories, category},
		{"brands", n.brands, brand},
		{"components", n.components, component},
		{"tools", n.tools, tool},
		{"symptoms", n.symptoms, symptom},
		{"repairs", n.repairs, repair},
		{"bulletins", n.bulletins, bulletin},
	} {
		if err := writeType(filepath.Join(dir, "entities", t.plural+".yaml"), n, t.count, t.entity); err != nil {
			return err
		}
	}
	return nil
}

// copyFiles copies the manifest and the schemas.
func copyFiles(workshop fs.FS, dir string) error {
	names, err := fs.Glob(workshop, "schemas/*.schema.json")
	if err != nil {
		return err
	}
	for _, sub := range []string{"schemas", "entities"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	for _, name := range append(names, "manifest.yaml") {
		data, err := fs.ReadFile(workshop, name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func writeType(path string, n counts, count int, entity func(*writer, counts, int)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &writer{out: bufio.NewWriterSize(f, 1<<20)}
	for i := range count {
		w.random = rand.New(rand.NewPCG(uint64(i), uint64(count)))
		entity(w, n, i)
	}
	return errors.Join(w.out.Flush(), f.Close())
}
