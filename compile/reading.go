package compile

import (
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Reading returns the plan of the same call that reads all of the properties
// named, hidden ones too, of the nodes that were asked for, behind what it shows
// of them, and masks nothing: see Mask. Rows, order and guards stay as they are.
//
// What a store answers to it is for a host that decides about nodes before the
// caller sees any, and that then shows no more than the plan itself does. It is
// for plans of *Find, and of *Traverse without connections; another plan, and a
// property that the label does not have, are INTERNAL.
func (p *Plan) Reading(properties []string) (*Plan, error) {
	reading := *p
	reading.shared, reading.unmasked = nil, true
	var err error
	switch r := p.Root.(type) {
	case *Find:
		root := *r
		root.Show, err = alsoShown(r.Nodes.label, r.Show, properties)
		reading.Root = &root
	case *Traverse:
		if r.Connections {
			return nil, unread("a traversal with connections")
		}
		root := *r
		label := r.Target().label
		var show []*schema.Property
		show, err = alsoShown(label, r.Show[label], properties)
		root.Show = Show{label: show} // without connections, no other label's nodes are shown
		reading.Root = &root
	default:
		return nil, unread(p.Tool())
	}
	if err != nil {
		return nil, err
	}
	return &reading, nil
}

// alsoShown is what is shown of a label's nodes, and the properties named.
func alsoShown(l *schema.Label, show []*schema.Property, properties []string) ([]*schema.Property, error) {
	show = slices.Clone(show)
	for _, name := range properties {
		prop, ok := l.Property(name)
		if !ok {
			return nil, unread(fmt.Sprintf("the property %q of %s, which does not exist", name, l.Name))
		}
		if !slices.Contains(show, prop) {
			show = append(show, prop)
		}
	}
	return show, nil
}

func unread(what string) error {
	return &graph.Error{Code: graph.Internal, Message: "the call could not be answered", Cause: fmt.Errorf("a decision about nodes cannot read %s", what)}
}
