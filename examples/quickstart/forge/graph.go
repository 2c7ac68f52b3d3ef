// Package forge is the example that quickstart shows: a graph of a small code
// forge, and calls that ask it, on whatever store they are answered by.
package forge

import (
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// define describes a small code forge: people, projects, issues, merge requests
// and notes. A service would rather keep this in a file; see schema.ReadFile.
func define() (*schema.Schema, error) {
	id := schema.PropertyDefinition{Name: "id", Type: schema.Int64}
	created := schema.PropertyDefinition{Name: "created_at", Type: schema.DateTime, Required: true}
	updated := schema.PropertyDefinition{Name: "updated_at", Type: schema.DateTime, Required: true}
	text := func(name string) schema.PropertyDefinition {
		return schema.PropertyDefinition{Name: name, Type: schema.String, Required: true}
	}
	title := schema.PropertyDefinition{Name: "title", Type: schema.String, Required: true, Search: true}
	iid := schema.PropertyDefinition{Name: "iid", Type: schema.Int32, Required: true, Description: "The number within the project."}
	state := func(names ...string) schema.PropertyDefinition {
		p := schema.PropertyDefinition{Name: "state", Type: schema.Enum, Required: true}
		for _, name := range names {
			p.Values = append(p.Values, schema.EnumValue{Name: name})
		}
		return p
	}
	node := func(label, description, display string, properties ...schema.PropertyDefinition) schema.NodeDefinition {
		return schema.NodeDefinition{Label: label, Description: description, Key: []string{"id"}, Display: display,
			Properties: append([]schema.PropertyDefinition{id}, properties...)}
	}
	relationship := func(typ, from, to, description string, properties ...schema.PropertyDefinition) schema.RelationshipDefinition {
		return schema.RelationshipDefinition{Type: typ, Description: description,
			Pairs: []schema.PairDefinition{{From: from, To: to, Properties: properties}}}
	}
	return schema.New(schema.Definition{
		Revised: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		Nodes: []schema.NodeDefinition{
			node("gl_user", "A person.", "name", text("name")),
			node("gl_group", "A group of projects.", "name", text("name")),
			node("gl_project", "A project.", "name", text("name"), schema.PropertyDefinition{Name: "description", Type: schema.String}, created, updated),
			node("gl_issue", "Something to be done.", "title", iid, title, state("opened", "closed"), created, updated),
			node("gl_mr", "A change that is proposed for a project.", "title", iid, title, state("opened", "merged", "closed"), created),
			node("gl_note", "A remark on an issue.", "body", text("body"), created),
		},
		Relationships: []schema.RelationshipDefinition{
			relationship("AUTHORED_ISSUE", "gl_user", "gl_issue", "Who opened the issue."),
			relationship("ISSUE_ASSIGNED_TO", "gl_issue", "gl_user", "Who works on the issue."),
			relationship("ISSUE_IN_PROJECT", "gl_issue", "gl_project", "Where the issue belongs.", created, updated),
			relationship("MR_TO_PROJECT", "gl_mr", "gl_project", "Which project the change is for."),
			relationship("PROJECT_TO_GROUP", "gl_project", "gl_group", "Which group the project belongs to."),
			relationship("ISSUE_TO_MERGE_REQUEST", "gl_issue", "gl_mr", "Which change resolves the issue."),
			relationship("MENTIONED_IN_NOTE", "gl_note", "gl_issue", "Which issue the note is about."),
		},
	})
}

// Build fills a forge with two projects and what happened in them.
func Build() (*memory.Graph, error) {
	s, err := define()
	if err != nil {
		return nil, err
	}
	b := memory.NewBuilder(s)
	for id, name := range map[int]string{1: "Mira Solberg", 2: "Tomás Oliveira", 3: "Ines Adeyemi"} {
		b.Node("gl_user", memory.Values{"id": id, "name": name})
	}
	b.Node("gl_group", memory.Values{"id": 1, "name": "Coastal"})
	for id, name := range map[int]string{10: "lighthouse", 11: "tide-tables"} {
		b.Node("gl_project", memory.Values{"id": id, "name": name, "created_at": day(1, 5), "updated_at": day(11, 2)})
		b.Relationship("PROJECT_TO_GROUP", graph.ID("gl_project", id), graph.ID("gl_group", 1), nil)
	}
	for _, i := range []struct {
		id, iid, project, author, assignee int
		title, state                       string
		created                            time.Time
	}{
		{100, 1, 10, 1, 2, "Lamp turns too fast", "closed", day(2, 3)},
		{101, 2, 10, 2, 2, "Fog horn is silent at 0%", "opened", day(3, 14)},
		{102, 3, 10, 1, 3, "Login page loses the session", "opened", day(3, 20)},
		{103, 4, 10, 3, 1, "Document the lamp's timetable", "opened", day(9, 1)},
		{104, 1, 11, 1, 3, "Tides of leap years are a day off", "closed", day(2, 28)},
		{105, 2, 11, 3, 3, "Login by key", "opened", day(10, 11)},
	} {
		b.Node("gl_issue", memory.Values{"id": i.id, "iid": i.iid, "title": i.title, "state": i.state, "created_at": i.created, "updated_at": i.created})
		b.Relationship("AUTHORED_ISSUE", graph.ID("gl_user", i.author), graph.ID("gl_issue", i.id), nil)
		b.Relationship("ISSUE_ASSIGNED_TO", graph.ID("gl_issue", i.id), graph.ID("gl_user", i.assignee), nil)
		b.Relationship("ISSUE_IN_PROJECT", graph.ID("gl_issue", i.id), graph.ID("gl_project", i.project), memory.Values{"created_at": i.created, "updated_at": i.created})
	}
	b.Node("gl_mr", memory.Values{"id": 200, "iid": 1, "title": "Slow the lamp down", "state": "merged", "created_at": day(2, 4)})
	b.Relationship("MR_TO_PROJECT", graph.ID("gl_mr", 200), graph.ID("gl_project", 10), nil)
	b.Relationship("ISSUE_TO_MERGE_REQUEST", graph.ID("gl_issue", 100), graph.ID("gl_mr", 200), nil)
	b.Node("gl_note", memory.Values{"id": 300, "body": "Seen from the pier as well.", "created_at": day(2, 3)})
	b.Relationship("MENTIONED_IN_NOTE", graph.ID("gl_note", 300), graph.ID("gl_issue", 100), nil)
	return b.Build()
}

func day(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 9, 30, 0, 0, time.UTC)
}
