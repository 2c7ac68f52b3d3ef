package bundles

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// A Plan is what a change of a bundle would do.
type Plan struct {
	Bundle string `json:"bundle"`
	// From and To are revisions; None where there is no bundle.
	From string `json:"from"`
	To   string `json:"to"`
	// Types are those that would change, by name.
	Types []TypePlan `json:"types"`
	// ToolsAdded and ToolsRemoved are the tools that would appear and disappear,
	// the host's named queries among them.
	ToolsAdded   []string `json:"tools_added"`
	ToolsRemoved []string `json:"tools_removed"`
	// Warnings are those of the bundle.
	Warnings bundle.Problems `json:"warnings,omitempty"`
	// Errors are why the change would be refused, views that it would break among
	// them; none if it would not.
	Errors graph.Errors `json:"errors,omitempty"`
}

// A TypePlan is what would change of an entity type.
type TypePlan struct {
	Type string `json:"type"`
	// Change is added, removed, or changed.
	Change string `json:"change"`
	// Schema says that the type's schema would change.
	Schema bool `json:"schema,omitempty"`
	// Entities that would be added, changed and removed.
	Added   Entities `json:"added"`
	Changed Entities `json:"changed"`
	Removed Entities `json:"removed"`
}

// Entities are entities of one type, of which the first 20 are named, by their ids.
type Entities struct {
	Total int      `json:"total"`
	IDs   []string `json:"ids,omitempty"`
}

const maxPlanned = 20

func (e *Entities) add(id string) {
	if e.Total++; len(e.IDs) < maxPlanned {
		e.IDs = append(e.IDs, id)
	}
}

// Plan tells what Apply would do, and does nothing.
func (l *Library) Plan(ctx context.Context, tenant string, b *bundle.Bundle) (*Plan, error) {
	return l.plan(ctx, tenant, change{item: b.Name(), bundle: b, revision: b.Revision()})
}

// PlanDelete tells what Delete would do.
func (l *Library) PlanDelete(ctx context.Context, tenant, name string) (*Plan, error) {
	return l.plan(ctx, tenant, change{item: name})
}

// PlanRollback tells what Rollback would do.
func (l *Library) PlanRollback(ctx context.Context, tenant, name string, version int64) (*Plan, error) {
	b, err := l.Export(ctx, tenant, name, version)
	if err != nil {
		return nil, err
	}
	return l.Plan(ctx, tenant, b)
}

func (l *Library) plan(ctx context.Context, tenant string, c change) (_ *Plan, err error) {
	defer l.failed(tenant, &err)
	now, err := l.repo.State(ctx, tenant)
	if err != nil {
		return nil, err
	}
	current, there := now.Item(c.item)
	if err := c.expected(current, there); err != nil {
		return nil, err
	}
	p := &Plan{Bundle: c.item, From: None, To: cmp.Or(c.revision, None), Types: []TypePlan{}, ToolsAdded: []string{}, ToolsRemoved: []string{}}
	if c.bundle != nil {
		p.Warnings = c.bundle.Warnings()
	}
	var before *bundle.Bundle
	if there {
		p.From = current.Revision
		if before, err = l.Export(ctx, tenant, c.item, current.Version); err != nil && !isProblems(err) {
			return nil, err // one that can no longer be read is as if it were not there
		}
	}
	if p.From == p.To {
		return p, nil
	}
	p.compare(before, c.bundle)
	next, err := l.candidate(ctx, tenant, now, c, time.Now())
	if err == nil {
		err = l.compareQueries(ctx, tenant, now, next, p)
	}
	var many graph.Errors
	var one *graph.Error
	switch {
	case errors.As(err, &many):
		p.Errors = many
	case errors.As(err, &one) && one.Code == graph.LimitExceeded:
		p.Errors = graph.Errors{one}
	case err != nil:
		return nil, err
	}
	return p, nil
}

func isProblems(err error) bool {
	var ps bundle.Problems
	return errors.As(err, &ps)
}

// compare notes how two bundles differ, either of which may be nil.
func (p *Plan) compare(before, after *bundle.Bundle) {
	old, now := typesOf(before), typesOf(after)
	var tools [2][]string
	for _, t := range old {
		tools[0] = append(tools[0], toolsOf(t)...)
		if now[t.Name] == nil {
			p.Types = append(p.Types, planned(t, nil, "removed"))
		}
	}
	for _, t := range now {
		tools[1] = append(tools[1], toolsOf(t)...)
		if was := old[t.Name]; was == nil {
			p.Types = append(p.Types, planned(nil, t, "added"))
		} else if tp := planned(was, t, "changed"); tp.Schema || tp.Added.Total+tp.Changed.Total+tp.Removed.Total > 0 {
			p.Types = append(p.Types, tp)
		}
	}
	slices.SortFunc(p.Types, func(a, b TypePlan) int { return strings.Compare(a.Type, b.Type) })
	p.ToolsAdded, p.ToolsRemoved = without(tools[1], tools[0]), without(tools[0], tools[1])
}

func typesOf(b *bundle.Bundle) map[string]*bundle.Type {
	types := map[string]*bundle.Type{}
	if b != nil {
		for _, t := range b.Types() {
			types[t.Name] = t
		}
	}
	return types
}

// planned compares the entities of a type, before and after.
func planned(before, after *bundle.Type, how string) TypePlan {
	tp := TypePlan{Change: how}
	if before == nil {
		before = &bundle.Type{}
	}
	if after == nil {
		after = &bundle.Type{}
	}
	tp.Type = cmp.Or(after.Name, before.Name)
	tp.Schema = how == "changed" && !bytes.Equal(before.Schema, after.Schema)
	old, now := before.Entities, after.Entities // both by id
	for len(old) > 0 || len(now) > 0 {
		order := 0
		switch {
		case len(now) == 0:
			order = -1
		case len(old) == 0:
			order = 1
		default:
			order = strings.Compare(old[0].ID, now[0].ID)
		}
		switch {
		case order < 0:
			tp.Removed.add(old[0].ID)
			old = old[1:]
		case order > 0:
			tp.Added.add(now[0].ID)
			now = now[1:]
		default:
			if !bytes.Equal(old[0].Document, now[0].Document) {
				tp.Changed.add(now[0].ID)
			}
			old, now = old[1:], now[1:]
		}
	}
	return tp
}

// without are the names that are not among others, sorted.
func without(names, others []string) []string {
	left := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(others, n) })
	slices.Sort(left)
	return append([]string{}, left...)
}

// String is the plan for people, a line for each thing that would change.
func (p *Plan) String() string {
	var b strings.Builder
	if p.From == p.To {
		fmt.Fprintf(&b, "%s: nothing would change\n", p.Bundle)
	} else {
		fmt.Fprintf(&b, "%s: %.12s → %.12s\n", p.Bundle, p.From, p.To)
	}
	for _, t := range p.Types {
		fmt.Fprintf(&b, "  %s: %s", t.Type, t.Change)
		if t.Schema {
			b.WriteString(", its schema too")
		}
		b.WriteString("\n")
		for _, e := range []struct {
			sign string
			of   Entities
		}{{"+", t.Added}, {"~", t.Changed}, {"-", t.Removed}} {
			if e.of.Total > 0 {
				fmt.Fprintf(&b, "    %s %d: %s", e.sign, e.of.Total, strings.Join(e.of.IDs, ", "))
				if e.of.Total > len(e.of.IDs) {
					b.WriteString(", …")
				}
				b.WriteString("\n")
			}
		}
	}
	for _, tool := range p.ToolsAdded {
		fmt.Fprintf(&b, "  + %s\n", tool)
	}
	for _, tool := range p.ToolsRemoved {
		fmt.Fprintf(&b, "  - %s\n", tool)
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", w)
	}
	for _, e := range p.Errors {
		fmt.Fprintf(&b, "  refused: %s\n", e)
	}
	return b.String()
}
