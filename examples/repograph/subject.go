package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

// A subject is what the questions are about.
type subject struct {
	pkg      string
	importer string // a package that depends on pkg; empty if none does
	file     string // pkg's file with the most commits; empty before the first
}

// choose finds the subject: what is named, or else what there is most to say
// about. A name that begins with a dot is a directory below the module's.
func choose(ctx context.Context, eng *engine.Engine, r *repository, pkg, importer string) (*subject, error) {
	s := &subject{pkg: r.importPath(pkg), importer: r.importPath(importer)}
	popular, err := popularPackages(ctx, eng)
	if err != nil {
		return nil, err
	}
	if s.pkg == "" {
		s.pkg = popular[0]
	}
	for _, name := range []string{s.pkg, s.importer} {
		if name == "" {
			continue
		}
		known, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "package", IDs: graph.IDs(name)}})
		if err != nil {
			return nil, err
		}
		if known.Returned == 0 {
			return nil, fmt.Errorf("the project knows no package %q; the ones that it uses most are %s", name, strings.Join(popular, ", "))
		}
	}
	if s.importer == "" {
		if s.importer, err = farImporter(ctx, eng, s.pkg); err != nil {
			return nil, err
		}
	}
	s.file, err = busiestFile(ctx, eng, s.pkg)
	return s, err
}

func (r *repository) importPath(name string) string {
	if name == "." || strings.HasPrefix(name, "./") {
		return path.Join(r.module, name)
	}
	return name
}

// popularPackages are the project's packages that most of its own import; one
// of them, if none imports another.
func popularPackages(ctx context.Context, eng *engine.Engine) ([]string, error) {
	own := graph.NodePattern{Label: "package", Filter: graph.Where("own", true)}
	names, err := most(ctx, eng, own, graph.Step{Types: []string{"IMPORTS"}, To: &own})
	if err != nil || len(names) > 0 {
		return names, err
	}
	res, err := eng.Run(ctx, &graph.FindNodes{NodePattern: own, Limit: 1})
	if err != nil {
		return nil, err
	}
	return []string{res.Nodes[0].ID}, nil
}

// busiestFile is the file of a package that most commits changed.
func busiestFile(ctx context.Context, eng *engine.Engine, pkg string) (string, error) {
	in := graph.Step{Types: []string{"IN_PACKAGE"}, To: &graph.NodePattern{Label: "package", IDs: graph.IDs(pkg)}}
	file := graph.NodePattern{Label: "file", Filter: graph.Where("exists", true), Related: []graph.Related{{Relationships: []graph.Step{in}}}}
	files, err := most(ctx, eng, graph.NodePattern{Label: "commit"}, graph.Step{Types: []string{"CHANGED"}, To: &file})
	if err != nil || len(files) == 0 {
		return "", err
	}
	return files[0], nil
}

// most returns the ids of up to five nodes to which a step leads from most of
// the nodes of a pattern.
func most(ctx context.Context, eng *engine.Engine, from graph.NodePattern, step graph.Step) ([]string, error) {
	res, err := eng.Run(ctx, &graph.Aggregate{
		NodePattern:  from,
		GroupBy:      []graph.GroupKey{{Relationships: []graph.Step{step}, As: "id"}},
		Aggregations: []graph.Aggregation{{Function: graph.Count}},
		OrderBy:      []graph.ColumnOrder{{As: "count", Direction: graph.Desc}},
		Limit:        5,
	})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, row := range res.Rows {
		ids = append(ids, row[0].Text())
	}
	return ids, nil
}

// farImporter is a package of the project that depends on another one within
// three imports: of the nearest thirty, the last.
func farImporter(ctx context.Context, eng *engine.Engine, pkg string) (string, error) {
	res, err := eng.Run(ctx, &graph.Traverse{
		From:            graph.NodePattern{Label: "package", IDs: graph.IDs(pkg)},
		Relationships:   []graph.Step{{Types: []string{"IMPORTS"}, Direction: graph.Incoming, MaxHops: 3}},
		To:              graph.NodePattern{Label: "package", Filter: graph.Where("own", true)},
		OmitConnections: true,
	})
	if err != nil || res.Returned == 0 {
		return "", err
	}
	return res.Nodes[res.Returned-1].ID, nil // the nearest come first
}
