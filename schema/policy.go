package schema

import (
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// public is the policy of what everyone may see.
const public = "public"

// restricts reports whether a policy asks who is calling.
func restricts(policy string) bool { return policy != "" && policy != public }

// checkPolicies finds out whether the schema has policies, and holds it to the
// stricter rules if so.
func (b *builder) checkPolicies() {
	s := b.schema
	for _, l := range s.labels {
		s.policies = s.policies || restricts(l.Policy) || anyRestricted(l.Properties)
	}
	for _, t := range s.types {
		s.policies = s.policies || restricts(t.Policy)
		for _, p := range t.Pairs {
			s.policies = s.policies || restricts(p.Policy) || anyRestricted(p.Properties)
		}
	}
	if !s.policies {
		return
	}
	b.checkOpenLabels()
	b.checkExposedKeys()
	b.readPolicies()
}

// A policySet holds the policies of a schema, and the views that they made.
type policySet struct {
	labels  map[*Label]*policy // only those that restrict
	pairs   map[*Pair]*policy
	visible map[*Property]*policy
	claims  claimTree // what they read of the caller
	tenant  bool      // whether one reads caller.tenant
	tells   map[*Property][]reference
	views   viewMemo
}

// readPolicies reads every policy, and reports all that is wrong with them.
func (b *builder) readPolicies() {
	set := &policySet{tells: b.tells, labels: map[*Label]*policy{}, pairs: map[*Pair]*policy{}, visible: map[*Property]*policy{}}
	var all []*policy
	read := func(path, text string, about subject) *policy {
		if len(b.problems) > maxProblems {
			return nil
		}
		p := b.read(path, text, about, &set.claims)
		if p != nil {
			all = append(all, p)
		}
		return p
	}
	visible := func(path string, props []*Property) {
		for _, p := range props {
			if p.VisibleIf != "" {
				set.visible[p] = read(graph.Pointer(path, p.Name)+"/visible", p.VisibleIf, subject{})
			}
		}
	}
	for _, l := range b.labelled {
		if restricts(l.Policy) {
			set.labels[l.Label] = read(l.path+"/policy", l.Policy, subject{name: "node", owner: fmt.Sprintf("%q", l.Name), label: l.Label, props: l.Properties})
		}
		visible(l.path+"/properties", l.Properties)
	}
	for _, t := range b.schema.types {
		type reading struct{ policy *policy }
		done := map[string]reading{} // the values of a polymorphic reference share a definition
		for _, p := range t.Pairs {
			path, props := b.paths[p], p.Properties
			own, of := path+"/policy", fmt.Sprintf("%s from %q to %q", t.Name, p.From.Name, p.To.Name)
			if _, ok := done[path]; !ok {
				done[path] = reading{}
				visible(path+"/properties", props)
			}
			if t.Policy != "" {
				own, of, props = graph.Pointer("/relationships", t.Name)+"/policy", "every "+t.Name, onEveryPair(t)
			}
			if !restricts(p.Policy) {
				continue
			}
			if _, ok := done[own]; !ok {
				done[own] = reading{read(own, p.Policy, subject{name: "relationship", owner: of, props: props})}
			}
			set.pairs[p] = done[own].policy
		}
	}
	b.checkWalks(all, set.labels)
	set.tenant = slices.Contains(set.claims.names, "tenant")
	b.schema.policySet = set
}

// onEveryPair returns the properties that a relationship has, whichever labels
// it connects.
func onEveryPair(t *RelationshipType) []*Property {
	var out []*Property
	for _, p := range t.Pairs[0].Properties {
		if !slices.ContainsFunc(t.Pairs, func(pair *Pair) bool { return pair.byName[p.Name] == nil }) {
			out = append(out, p)
		}
	}
	return out
}

func anyRestricted(props []*Property) bool {
	for _, p := range props {
		if p.VisibleIf != "" || p.Mask != "" {
			return true
		}
	}
	return false
}

// checkOpenLabels refuses a label that has no policy beside labels with one:
// that was most likely forgotten.
func (b *builder) checkOpenLabels() {
	with := ""
	for _, l := range b.schema.labels {
		if restricts(l.Policy) {
			with = l.Name
			break
		}
	}
	if with == "" {
		return
	}
	for _, l := range b.labelled {
		if l.Policy == "" {
			b.report(l.path+"/policy", "the label %q has no policy, and others such as %q have", l.Name, with).Hint = "`policy: public` opens it to everyone"
		}
	}
}

// count is a number and a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
