package bundles

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// What a document with views takes.
const (
	maxViewsBytes       = 1 << 20
	maxViewDescription  = 1000 // characters
	maxViewItems        = 1000 // of a list
	viewNameDescription = "lower-case letters, digits, - and _, at most 64, a letter first"
)

var viewName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// A viewNode is a view with the places where it is written.
type viewNode struct {
	view   View
	node   *yaml.Node
	places map[string]*yaml.Node // of items of its lists, by their pointers within it
}

func (n *viewNode) problem(pointer, message string) bundle.Problem {
	at := n.node
	if place := n.places[pointer]; place != nil {
		at = place
	}
	return bundle.Problem{File: viewsFile, Line: at.Line, Column: at.Column, Pointer: graph.Pointer("/views", n.view.Name) + pointer, Message: message}
}

// A viewsReader reads a document with views, and notes what is wrong with it.
type viewsReader struct{ problems bundle.Problems }

func (r *viewsReader) report(n *yaml.Node, pointer, format string, args ...any) *bundle.Problem {
	r.problems = append(r.problems, bundle.Problem{File: viewsFile, Line: n.Line, Column: n.Column, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
	return &r.problems[len(r.problems)-1]
}

// readViews reads a document with views. With problems it has those views with
// which nothing is wrong, or is nil.
func readViews(data []byte, most int) (*views, bundle.Problems) {
	fail := func(format string, args ...any) (*views, bundle.Problems) {
		return nil, bundle.Problems{{File: viewsFile, Message: fmt.Sprintf(format, args...)}}
	}
	if len(data) > maxViewsBytes {
		return fail("the document is larger than %d bytes", maxViewsBytes)
	}
	if !utf8.Valid(data) {
		return fail("the document is not UTF-8")
	}
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil || len(doc.Content) != 1 {
		if err == nil || errors.Is(err, io.EOF) {
			return fail("the document is empty")
		}
		return fail("the document is no YAML: %s", short(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return fail("there is more after the document")
	}
	r := &viewsReader{}
	v := &views{data: data}
	root := doc.Content[0]
	if r.plain(root, "") {
		members := r.members(root, "", "format", "views")
		if f := members["format"]; f == nil {
			r.report(root, "/format", "the format is missing").Hint = "format: " + ViewsFormat
		} else if f.Value != ViewsFormat {
			r.report(f, "/format", "the format is %q, and has to be %s", short(f.Value), ViewsFormat)
		}
		if list := members["views"]; list == nil {
			r.report(root, "/views", "the views are missing").Hint = "views: {} if there are none"
		} else {
			v.list = r.views(list, most)
		}
	}
	if len(r.problems) > 0 {
		return v, sorted(r.problems)
	}
	return v, nil
}

// sorted sorts problems by where they are.
func sorted(problems bundle.Problems) bundle.Problems {
	slices.SortStableFunc(problems, func(a, b bundle.Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return problems
}

// plain reports whether a node has nothing but maps, lists and scalars: no
// anchors, aliases or tags, which make something else of what one reads.
func (r *viewsReader) plain(n *yaml.Node, pointer string) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		r.report(n, pointer, "anchors, aliases and tags are not read")
		return false
	}
	for _, c := range n.Content {
		if !r.plain(c, pointer) {
			return false
		}
	}
	return true
}

// members are the members of a map, of which some are known; nil for all.
func (r *viewsReader) members(n *yaml.Node, pointer string, known ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.report(n, pointer, "this has to be a map")
		return out
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := graph.Pointer(pointer, key.Value)
		switch {
		case key.Kind != yaml.ScalarNode:
			r.report(key, pointer, "a name has to be a text")
			continue
		case out[key.Value] != nil:
			r.report(key, at, "%q is there twice", short(key.Value))
			continue
		case known != nil && !slices.Contains(known, key.Value):
			p := r.report(key, at, "%q is not known here", short(key.Value))
			if p.DidYouMean = schema.Suggest(key.Value, known); p.DidYouMean == nil {
				p.Hint = "one of " + strings.Join(known, ", ")
			}
		}
		out[key.Value] = value
	}
	return out
}

// views reads the views, in the order in which they are written.
func (r *viewsReader) views(n *yaml.Node, most int) []*viewNode {
	members := r.members(n, "/views")
	if len(members) > most {
		r.report(n, "/views", "there are %d views, over the cap of %d", len(members), most)
		return nil
	}
	var list []*viewNode
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := graph.Pointer("/views", key.Value)
		if !viewName.MatchString(key.Value) {
			r.report(key, at, "%q is no name for a view", short(key.Value)).Hint = viewNameDescription
			continue
		}
		if members[key.Value] == n.Content[i+1] {
			before := len(r.problems)
			if v := r.view(key, n.Content[i+1], at); len(r.problems) == before {
				list = append(list, v)
			}
		}
	}
	return list
}

func (r *viewsReader) view(key, n *yaml.Node, at string) *viewNode {
	v := &viewNode{view: View{Name: key.Value}, node: key, places: map[string]*yaml.Node{}}
	members := r.members(n, at, "description", "bundles", "labels", "tools")
	if d := members["description"]; d != nil {
		switch {
		case d.Kind != yaml.ScalarNode || d.Tag != "!!str":
			r.report(d, at+"/description", "the description has to be a text")
		case utf8.RuneCountInString(d.Value) > maxViewDescription:
			r.report(d, at+"/description", "the description is longer than %d characters", maxViewDescription)
		case strings.ContainsFunc(d.Value, invisible):
			r.report(d, at+"/description", "the description has control characters")
		}
		v.view.Description = d.Value
	}
	v.view.Bundles = r.names(v, members["bundles"], at, "bundles")
	v.view.Labels = r.names(v, members["labels"], at, "labels")
	v.view.Tools = r.names(v, members["tools"], at, "tools")
	if members["bundles"] == nil && n.Kind == yaml.MappingNode {
		r.report(key, at+"/bundles", "the view %q does not say which bundles it is bound to", key.Value).Hint = "bundles: [NAME, …]"
	}
	return v
}

// names reads a list of names, nil if it is not there.
func (r *viewsReader) names(v *viewNode, n *yaml.Node, at, member string) []string {
	if n == nil {
		return nil
	}
	at += "/" + member
	if n.Kind != yaml.SequenceNode {
		r.report(n, at, "this has to be a list of names")
		return nil
	}
	if len(n.Content) > maxViewItems {
		r.report(n, at, "there are %d names, over the cap of %d", len(n.Content), maxViewItems)
		return nil
	}
	if len(n.Content) == 0 && member != "tools" {
		r.report(n, at, "the list is empty, so the view would show nothing").Hint = "leave it out for all"
	}
	list := []string{}
	for i, c := range n.Content {
		switch {
		case c.Kind != yaml.ScalarNode || c.Tag != "!!str":
			r.report(c, graph.Pointer(at, itoa(i)), "this has to be a name")
		case slices.Contains(list, c.Value):
			r.report(c, graph.Pointer(at, itoa(i)), "%q is there twice", short(c.Value))
		}
		list = append(list, c.Value)
		v.places[graph.Pointer("", member, itoa(i))] = c
	}
	return list
}

// invisible reports whether a character must not stand in what a model reads.
func invisible(c rune) bool {
	return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
}

func itoa(i int) string { return strconv.Itoa(i) }

func quote(text string) string { return strconv.Quote(short(text)) }

// short cuts a text for a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
