package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/cel"

	"github.com/trellisgraph/trellis/graph"
)

const (
	// public is the policy of what everyone may see.
	public = "public"
	// maxPolicy is the most characters of a policy.
	maxPolicy = 4096
)

// A policyParser parses policies. Its environment is made when a schema has
// its first.
type policyParser struct{ env *cel.Env }

// check notes it if a policy does not parse.
func (pp *policyParser) check(b *builder, path, policy string) {
	if policy == "" || policy == public || len(b.problems) > maxProblems {
		return
	}
	if !utf8.ValidString(policy) || len(policy) > maxPolicy {
		b.report(path, "the expression is longer than %d bytes or is not UTF-8", maxPolicy)
		return
	}
	if pp.env == nil {
		env, err := cel.NewEnv(cel.ParserExpressionSizeLimit(maxPolicy), cel.ParserRecursionLimit(64))
		if err != nil {
			b.report(path, "the expression language is not available: %v", err)
			return
		}
		pp.env = env
	}
	_, issues := pp.env.Parse(policy)
	if issues == nil {
		return
	}
	for _, e := range issues.Errors() {
		message, _, _ := strings.Cut(e.Message, "\n")
		b.report(path, "at %d:%d of the expression: %s", e.Location.Line(), e.Location.Column()+1, short(message))
		return
	}
}

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

// checkExposedKeys refuses properties over columns that refer to other nodes:
// they would show the ids of nodes that are hidden.
func (b *builder) checkExposedKeys() {
	type column struct {
		table Table
		name  string
	}
	refers := map[column]*Pair{}
	for _, t := range b.schema.types {
		for _, p := range t.Pairs {
			if p.Holder == nil || p.HolderIsTo {
				for _, c := range p.FromColumns {
					refers[column{p.Table, c}] = p
				}
			}
			if p.Holder == nil || !p.HolderIsTo {
				for _, c := range p.ToColumns {
					refers[column{p.Table, c}] = p
				}
			}
		}
	}
	check := func(path string, table Table, p *Property) {
		if pair := refers[column{table, p.Column}]; pair != nil && !p.Hidden && !p.ExposesKey {
			b.report(path, "the property %q shows the column %q, which refers to other nodes for %s", p.Name, p.Column, pair.Type.Name).Hint =
				"policies may hide those nodes but not their ids here; use the relationship, or say `exposes_key: true`"
		}
	}
	for _, l := range b.labelled {
		for _, p := range l.Properties {
			check(graph.Pointer(l.path+"/properties", p.Name), l.Table, p)
		}
	}
	for _, t := range b.schema.types {
		for _, pair := range t.Pairs {
			own := append(append([]string(nil), pair.FromColumns...), pair.ToColumns...)
			for _, p := range pair.Properties {
				if !containsFold(own, p.Column) {
					check(graph.Pointer(b.paths[pair]+"/properties", p.Name), pair.Table, p)
				}
			}
		}
	}
}

func containsFold(list []string, s string) bool {
	for _, v := range list {
		if strings.EqualFold(v, s) {
			return true
		}
	}
	return false
}

// count is a number and a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
