package bundle

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// canonical writes the bundle's files, which must be readable again.
func (r *reader) canonical() {
	r.bundle.canonical()
	size := 0
	for _, f := range r.bundle.files {
		if size += len(f.Data); strings.HasPrefix(f.Path, "schemas/") && len(f.Data) > r.limits.SchemaBytes {
			r.found.report(f.Path, nil, "", "in canonical form the file is larger than %d bytes", r.limits.SchemaBytes)
		}
	}
	if size > r.limits.BundleBytes {
		r.found.report("", nil, "", "in canonical form the bundle is larger than %d bytes", r.limits.BundleBytes)
	}
}

// canonical writes the bundle's files, and the hash over them.
func (b *Bundle) canonical() {
	b.files = append(b.files, File{manifestFile, b.manifestYAML()})
	for _, t := range b.types {
		b.files = append(b.files, File{t.fileOf(), append(slices.Clone(t.Schema), '\n')})
		b.files = append(b.files, t.entityFiles()...)
	}
	slices.SortFunc(b.files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	h := sha256.New()
	for _, f := range b.files {
		for _, part := range [][]byte{[]byte(f.Path), f.Data} {
			var size [8]byte
			binary.BigEndian.PutUint64(size[:], uint64(len(part)))
			h.Write(size[:])
			h.Write(part)
		}
	}
	b.revision = hex.EncodeToString(h.Sum(nil))
}

// glob is where the entities of a type are.
func (b *Bundle) glob(t *Type) string {
	for _, g := range b.globs {
		if g.typ == t.Name {
			return g.glob
		}
	}
	return "entities/" + t.Plural + ".yaml"
}

func (b *Bundle) manifestYAML() []byte {
	w := yamlWriter{}
	w.member("", "format", &node{kind: textNode, text: Format})
	w.member("", "name", &node{kind: textNode, text: b.name})
	if b.title != "" {
		w.member("", "title", &node{kind: textNode, text: b.title})
	}
	if b.description != "" {
		w.member("", "description", &node{kind: textNode, text: b.description})
	}
	var globs []member
	for _, t := range b.types {
		if g := b.glob(t); g != "entities/"+t.Plural+".yaml" {
			globs = append(globs, member{name: t.Name, value: node{kind: textNode, text: g}})
		}
	}
	if globs != nil {
		w.member("", "entities", &node{kind: objectNode, members: globs})
	}
	return w.out
}

// entityFiles are the files with the entities of a type: the same ones that
// were read, each sorted by id.
func (t *Type) entityFiles() []File {
	size := map[string]int{}
	for _, e := range t.Entities {
		size[e.File] += len(e.yaml)
	}
	byFile := map[string][]byte{}
	for _, e := range t.Entities {
		if byFile[e.File] == nil {
			byFile[e.File] = make([]byte, 0, size[e.File])
		}
		byFile[e.File] = append(byFile[e.File], e.yaml...)
		e.yaml = nil
	}
	var out []File
	for _, name := range t.files {
		data := []byte("[]\n")
		if of := byFile[name]; of != nil {
			data = of
		}
		out = append(out, File{name, data})
	}
	return out
}
