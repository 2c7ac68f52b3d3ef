package main

import (
	"fmt"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// A question is what somebody would like to know, and the tool call that asks.
type question struct {
	ask, tool, args string
}

// questions are asked about a subject, in the year of now.
func questions(about *subject, now time.Time) []question {
	pkg, year := quote(about.pkg), now.UTC().Format("2006")+"-01-01T00:00:00Z"
	list := []question{
		{
			"What may break if " + about.pkg + " changes?", graph.ToolTraverse,
			fmt.Sprintf(`{"from": {"label": "package", "ids": [%s]},
 "relationships": [{"type": "IMPORTS", "direction": "incoming", "max_hops": 3}],
 "to": {"label": "package", "filters": {"own": true}},
 "properties": {"package": ["name"]}, "connections": false}`, pkg),
		},
		{
			"Which packages of the standard library does the project lean on most?", graph.ToolAggregate,
			`{"node_label": "package", "filters": {"own": true},
 "group_by": [{"relationships": [{"type": "IMPORTS", "to": {"label": "package", "filters": {"std": true}}}]}],
 "aggregations": [{"function": "count", "as": "importers"}],
 "order_by": [{"as": "importers", "direction": "desc"}], "limit": 10}`,
		},
		{
			"Which modules does it build on, and with how many packages?", graph.ToolAggregate,
			`{"node_label": "package", "filters": {"own": false, "std": false},
 "group_by": [{"property": "module"}], "aggregations": [{"function": "count", "as": "packages"}],
 "order_by": [{"as": "packages", "direction": "desc"}], "limit": 10}`,
		},
		{
			"Who knows " + about.pkg + ": who has added to how many of its files?", graph.ToolAggregate,
			fmt.Sprintf(`{"node_label": "file", "filters": {"exists": true},
 "related": [{"relationships": [{"type": "IN_PACKAGE", "to": {"label": "package", "ids": [%s]}}]}],
 "group_by": [{"relationships": [{"type": "CHANGED", "direction": "incoming", "filters": {"added": {"gt": 0}}, "to": {"label": "commit"}},
                                 {"type": "AUTHORED", "direction": "incoming", "to": {"label": "author"}}],
               "property": ["email", "name"]}],
 "aggregations": [{"function": "count", "as": "files"}],
 "order_by": [{"as": "files", "direction": "desc"}], "limit": 10}`, pkg),
		},
		{
			"Who worked on " + about.pkg + " this year?", graph.ToolAggregate,
			fmt.Sprintf(`{"node_label": "commit", "filters": {"date": {"gte": %q}}, "related": [%s],
 "group_by": [{"relationships": [{"type": "AUTHORED", "direction": "incoming", "to": {"label": "author"}}], "property": ["email", "name"]}],
 "aggregations": [{"function": "count", "as": "commits"}],
 "order_by": [{"as": "commits", "direction": "desc"}], "limit": 10}`, year, changes(pkg)),
		},
		{
			"Which packages change together with " + about.pkg + "?", graph.ToolAggregate,
			fmt.Sprintf(`{"node_label": "commit", "related": [%s],
 "group_by": [{"relationships": [{"type": "CHANGED", "to": {"label": "file"}},
                                 {"type": "IN_PACKAGE", "to": {"label": "package", "filters": {"path": {"ne": %s}}}}]}],
 "aggregations": [{"function": "count", "as": "commits"}],
 "order_by": [{"as": "commits", "direction": "desc"}], "limit": 10}`, changes(pkg), pkg),
		},
		{
			"How many commits were made in each month of this year?", graph.ToolAggregate,
			fmt.Sprintf(`{"node_label": "commit", "filters": {"merge": false, "date": {"gte": %q}},
 "group_by": [{"property": "date", "truncate": "month", "as": "month"}], "aggregations": [{"function": "count", "as": "commits"}]}`, year),
		},
	}
	if about.importer != "" {
		list = append(list, question{
			"How does " + about.importer + " depend on " + about.pkg + "?", graph.ToolPaths,
			fmt.Sprintf(`{"from": {"label": "package", "node_id": %s}, "to": {"label": "package", "node_id": %s},
 "relationship_types": ["IMPORTS"], "direction": "outgoing", "mode": "all_shortest", "max_hops": 6, "limit": 10}`, quote(about.importer), pkg),
		})
	}
	if about.file != "" {
		list = append(list, question{
			"Which files change together with " + about.file + "?", graph.ToolAggregate,
			fmt.Sprintf(`{"node_label": "commit",
 "related": [{"relationships": [{"type": "CHANGED", "to": {"label": "file", "ids": [%[1]s]}}]}],
 "group_by": [{"relationships": [{"type": "CHANGED", "to": {"label": "file", "filters": {"exists": true, "path": {"ne": %[1]s}}}}]}],
 "aggregations": [{"function": "count", "as": "commits"}],
 "order_by": [{"as": "commits", "direction": "desc"}], "limit": 10}`, quote(about.file)),
		})
	}
	return list
}

// changes is the condition that a commit changed a file of a package.
func changes(pkg string) string {
	return fmt.Sprintf(`{"relationships": [{"type": "CHANGED", "to": {"label": "file"}},
                                      {"type": "IN_PACKAGE", "to": {"label": "package", "ids": [%s]}}]}`, pkg)
}

// quote returns a text as JSON.
func quote(s string) string { return graph.String(s).String() }
