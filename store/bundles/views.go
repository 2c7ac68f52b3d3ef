package bundles

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/repository"
)

// ViewsFormat names the format of a document with views.
const ViewsFormat = "trellis.views.v1"

// viewsFile is the file of a tenant's views in the repository.
const viewsFile = "views.yaml"

// A View is what an agent is bound to: a part of what a tenant has. What is not
// in it does not exist for the agent.
type View struct {
	Name string
	// Description is that of the view's schema: it begins the workflow of the
	// view's tools.
	Description string
	// Bundles are those whose entity types are in the view, Labels are which of
	// these, and Tools which of the tools of records that they have; nil is all.
	// Labels of values, such as the tags of a product, belong to their types.
	Bundles, Labels, Tools []string
}

// views is a document with views that was read.
type views struct {
	revision repository.Revision
	data     []byte
	list     []*viewNode // as they are written
}

// hash names the content of a document with views.
func (v *views) hash() string {
	sum := sha256.Sum256(v.data)
	return hex.EncodeToString(sum[:])
}

func viewsOf(files []repository.File) []byte {
	for _, f := range files {
		if f.Path == viewsFile {
			return f.Data
		}
	}
	return nil
}

// A resolved view has the types and the tools that it shows.
type resolvedView struct {
	View
	types map[*bundle.Type]bool
	tools map[string]bool // nil for all
}

// resolve finds what the views show of a tenant's bundles. Those that name
// something that is not there are left out, with what is wrong with them.
func (v *views) resolve(p parts) ([]*resolvedView, bundle.Problems) {
	if v == nil {
		return nil, nil
	}
	var list []*resolvedView
	var problems bundle.Problems
	for _, n := range v.list {
		r, wrong := n.resolve(p)
		if len(wrong) > 0 {
			problems = append(problems, wrong...)
			continue
		}
		list = append(list, r)
	}
	return list, problems
}

func (n *viewNode) resolve(p parts) (*resolvedView, bundle.Problems) {
	r := &resolvedView{View: n.view, types: map[*bundle.Type]bool{}}
	var problems bundle.Problems
	var bundles, labels, tools []string // what there is to name
	of := map[string]*bundle.Type{}     // the labels of the view's bundles
	for _, part := range p.bundles {
		bundles = append(bundles, part.revision.Item)
	}
	for i, name := range n.view.Bundles {
		if !slices.Contains(bundles, name) {
			problems = append(problems, n.unknown("bundles", i, "bundle", name, bundles))
		}
	}
	everywhere := map[string]string{}
	for _, part := range p.bundles {
		for _, t := range part.bundle.Types() {
			everywhere[t.Name] = part.revision.Item
			if n.view.Bundles == nil || slices.Contains(n.view.Bundles, part.revision.Item) {
				of[t.Name] = t
				labels = append(labels, t.Name)
			}
		}
	}
	for i, name := range n.view.Labels {
		switch t := of[name]; {
		case t != nil:
			r.types[t] = true
		case everywhere[name] != "":
			problem := n.unknown("labels", i, "label", name, nil)
			problem.Message = "the label " + quote(name) + " is of the bundle " + quote(everywhere[name]) + ", which the view does not have"
			problems = append(problems, problem)
		default:
			problems = append(problems, n.unknown("labels", i, "label", name, labels))
		}
	}
	if n.view.Labels == nil {
		for _, t := range of {
			r.types[t] = true
		}
	}
	hidden := map[string]string{}
	for _, t := range of {
		for _, tool := range toolsOf(t) {
			if r.types[t] {
				tools = append(tools, tool)
			} else {
				hidden[tool] = t.Name
			}
		}
	}
	for i, name := range n.view.Tools {
		if slices.Contains(tools, name) {
			continue
		}
		problem := n.unknown("tools", i, "tool", name, tools)
		if label := hidden[name]; label != "" {
			problem.Message, problem.DidYouMean = "the tool "+quote(name)+" is of the label "+quote(label)+", which the view does not have", nil
		}
		if slices.Contains(graphTools, name) {
			problem.Message, problem.DidYouMean = "the tool "+quote(name)+" works on whatever labels a view has", nil
			problem.Hint = "leave it out; tools are those of records"
		}
		problems = append(problems, problem)
	}
	if n.view.Tools != nil {
		r.tools = map[string]bool{}
		for _, name := range n.view.Tools {
			r.tools[name] = true
		}
	}
	if len(problems) == 0 && len(r.types) == 0 {
		problems = append(problems, n.problem("", "the view "+quote(n.view.Name)+" shows no label"))
	}
	return r, problems
}

// schema is the schema of the view: it has no other labels, and no other tools.
func (r *resolvedView) schema(revised time.Time, list []*bundle.Bundle) (*schema.Schema, error) {
	def, err := bundle.Part(revised, func(t *bundle.Type) bool { return r.types[t] }, list...)
	if err != nil {
		return nil, err
	}
	def.Description = r.Description
	byName := map[string]*bundle.Type{}
	for t := range r.types {
		byName[t.Name] = t
	}
	for i := range def.Nodes {
		records, t := def.Nodes[i].Records, byName[def.Nodes[i].Label]
		if r.tools == nil || records == nil || t == nil {
			continue
		}
		records.Tools = slices.DeleteFunc(slices.Clone(t.Expose), func(tool string) bool { return !r.tools[t.ToolName(tool)] })
		if records.Tools == nil {
			records.Tools = []string{}
		}
	}
	return schema.New(def)
}

// unknown is the problem of an item of a list that names nothing.
func (n *viewNode) unknown(list string, i int, what, name string, names []string) bundle.Problem {
	p := n.problem(graph.Pointer("", list, itoa(i)), "the view "+quote(n.view.Name)+" has an unknown "+what+": "+quote(name))
	p.DidYouMean = schema.Suggest(name, names)
	if len(p.DidYouMean) == 0 && len(names) > 0 {
		slices.Sort(names)
		p.Hint = "there are " + strings.Join(names[:min(len(names), 20)], ", ")
	}
	return p
}
