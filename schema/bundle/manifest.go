package bundle

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Format is the format of bundles, and stands in the manifest.
const Format = "trellis.bundle.v1"

var (
	bundleName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}[a-z0-9]$`)
	typeName   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}[a-z0-9]$`)
)

const maxManifest = 1 << 20

// manifest reads manifest.yaml.
func (r *reader) manifest() error {
	data, err := r.file(manifestFile, maxManifest)
	if err != nil {
		r.found.report(manifestFile, nil, "", "the bundle has no %s that can be read", manifestFile).Hint = "with `format: " + Format + "` and `name: my-bundle`"
		return nil
	}
	root := readYAML(manifestFile, data, maxDepth, &r.found)
	if root == nil || root.unread && root.kind != objectNode {
		r.placeless = true
		return nil
	}
	if root.kind != objectNode {
		r.found.report(manifestFile, root, "", "the manifest is %s, not a map", root.kind)
		return nil
	}
	known := []string{"format", "name", "title", "description", "entities"}
	b := r.bundle
	for i := range root.members {
		m := &root.members[i]
		pointer := graph.Pointer("", m.name)
		text := func(most int) string {
			if m.value.kind != textNode {
				r.found.report(manifestFile, &m.value, pointer, "%q is %s, not a text", m.name, m.value.kind)
				return ""
			}
			if fault := describes(m.value.text, most); fault != "" {
				r.found.report(manifestFile, &m.value, pointer, "the %s %s", m.name, fault)
			}
			return m.value.text
		}
		if m.name == "entities" {
			r.placeless = m.value.unread
		}
		if m.value.unread && m.value.kind < listNode && slices.Contains(known, m.name) {
			continue // that is told already
		}
		switch m.name {
		case "format":
			if m.value.kind != textNode || m.value.text != Format {
				r.found.report(manifestFile, &m.value, pointer, "the format is %s, and %q is read here", m.value.told(), Format)
			}
		case "name":
			if b.name = text(schema.MaxDescription); m.value.kind == textNode && !bundleName.MatchString(b.name) {
				r.found.report(manifestFile, &m.value, pointer, "%q is no name for a bundle", short(b.name)).Hint =
					"2 to 64 lower-case letters, digits and hyphens; a letter first, no hyphen last"
			}
		case "title":
			b.title = text(maxTitle)
		case "description":
			b.description = text(schema.MaxDescription)
		case "entities":
			r.globs(&m.value, pointer)
		default:
			r.found.report(manifestFile, m.at(), pointer, "a manifest has no %q; it has %s", short(m.name), quoted(known, ", ")).DidYouMean = schema.Suggest(m.name, known)
		}
	}
	for _, name := range known[:2] {
		if root.get(name) == nil {
			p := r.found.report(manifestFile, root, graph.Pointer("", name), "the manifest has no %q", name)
			if name == "format" {
				p.Hint = "write `format: " + Format + "`"
			}
		}
	}
	return nil
}

// globs reads where the entities of types are.
func (r *reader) globs(n *node, pointer string) {
	if n.kind != objectNode {
		r.found.report(manifestFile, n, pointer, "`entities` is %s, not a map from types to files", n.kind)
		return
	}
	var types []string
	for _, file := range r.schemas {
		types = append(types, strings.TrimSuffix(path.Base(file), schemaSuffix))
	}
	for i := range n.members {
		m := &n.members[i]
		at := graph.Pointer(pointer, m.name)
		known := false
		for _, t := range types {
			known = known || t == m.name
		}
		if !known {
			r.found.report(manifestFile, m.at(), at, "there is no entity type %q", short(m.name)).DidYouMean = schema.Suggest(m.name, types)
			continue
		}
		glob := m.value.text
		_, err := path.Match(glob, "")
		switch {
		case m.value.unread:
			continue
		case m.value.kind != textNode:
			r.found.report(manifestFile, &m.value, at, "where the entities are is a text, not %s", m.value.kind)
			continue
		case err != nil, len(glob) > 256, !strings.HasPrefix(glob, "entities/"), path.Clean(glob) != glob, describes(glob, 256) != "":
			r.found.report(manifestFile, &m.value, at, "%q is no pattern of files in entities", short(glob)).Hint = "such as entities/products.yaml, or entities/products/*.yaml"
			continue
		case strings.Contains(glob, "**"):
			r.found.report(manifestFile, &m.value, at, "%q has **, and patterns do not go into folders of any depth", short(glob)).Hint = "* is any part of one name, such as entities/products/*/*.yaml for files two folders down"
			continue
		case !strings.HasSuffix(glob, ".yaml"):
			r.found.report(manifestFile, &m.value, at, "entities are read from files whose names end in .yaml, and %q does not", short(glob))
			continue
		}
		r.bundle.globs = append(r.bundle.globs, typeGlob{m.name, glob})
	}
}
