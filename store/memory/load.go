package memory

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/trellisgraph/trellis/schema"
)

// Options say how a graph directory is loaded.
type Options struct {
	// Progress is told how far each file is, now and then and at its end. It
	// is never called twice at the same time.
	Progress func(Progress)
	// MaxProblems is how many problems a LoadError lists; 100 by default.
	MaxProblems int
}

// Progress tells how far a file is.
type Progress struct {
	File string
	Rows int
	// Bytes of Size were read of the file as it lies there, compressed or not.
	Bytes, Size int64
	Done        bool
}

// progressRows is how many rows are read between two calls of Progress.
const progressRows = 1 << 14

// Load reads the data of a graph directory: nodes/LABEL.csv and
// relationships/TYPE.csv, or .jsonl for JSON lines, either also with .gz or
// .zst. A label or type without a file has no nodes or relationships. If
// something is wrong with the data, Load returns a *LoadError that tells every
// bad row; other errors are those of reading and of ctx.
//
// In CSV files an empty field or \N is null where the property is nullable,
// and an empty text otherwise. Files are read at the same time, as many as
// there are processors.
func Load(ctx context.Context, s *schema.Schema, fsys fs.FS, opts Options) (*Graph, error) {
	l := &loader{fsys: fsys, opts: opts, problems: newProblems(opts.MaxProblems), graph: newGraph(s)}
	nodes, types := newInputs(s, l.problems)
	var nodeTasks, typeTasks []task
	var names []string
	for label := range s.Labels() {
		names = append(names, label.Name)
	}
	nodeFiles, err := findFiles(fsys, "nodes", "label", names, l.problems)
	if err != nil {
		return nil, err
	}
	if nodeFiles == nil {
		l.problems.add("nodes", 0, "there is no such folder")
	}
	for label, in := range nodes {
		nodeTasks = append(nodeTasks, task{nodeFiles[label.Name], func(ctx context.Context, f dataFile) error {
			return l.readNodes(ctx, f, in)
		}})
	}
	names = nil
	for t := range s.Relationships() {
		names = append(names, t.Name)
	}
	typeFiles, err := findFiles(fsys, "relationships", "relationship type", names, l.problems)
	if err != nil {
		return nil, err
	}
	for t, ti := range types {
		typeTasks = append(typeTasks, task{typeFiles[t.Name], func(ctx context.Context, f dataFile) error {
			return l.readType(ctx, f, ti)
		}})
	}
	if err := runTasks(ctx, nodeTasks); err != nil {
		return nil, err
	}
	if err := runTasks(ctx, typeTasks); err != nil {
		return nil, err
	}
	return complete(l.graph, l.problems, nodes, types)
}

// Open loads a graph directory with the schema that lies in it.
func Open(ctx context.Context, dir string, opts Options) (*Graph, error) {
	s, err := schema.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	return Load(ctx, s, os.DirFS(dir), opts)
}

type loader struct {
	fsys     fs.FS
	opts     Options
	problems *problems
	graph    *Graph

	mu sync.Mutex // of opts.Progress
}

// A task reads one file; the zero dataFile is none.
type task struct {
	file dataFile
	run  func(context.Context, dataFile) error
}

// runTasks runs tasks at the same time, the largest files first.
func runTasks(ctx context.Context, tasks []task) error {
	slices.SortFunc(tasks, func(a, b task) int { return cmp.Compare(b.file.size, a.file.size) })
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range tasks {
		group.Go(func() error { return t.run(inner, t.file) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

func (l *loader) readNodes(ctx context.Context, f dataFile, in *nodeInput) error {
	if f.path != "" {
		in.file = f.path
		var required []string
		for _, p := range in.label.Properties {
			if !p.Nullable {
				required = append(required, p.Name)
			}
		}
		whole, err := l.read(ctx, f, &in.layout, required, in.add)
		if err != nil {
			return err
		}
		in.incomplete = in.incomplete || !whole
	}
	*l.graph.nodes[in.label] = *in.finish()
	return nil
}

func (l *loader) readType(ctx context.Context, f dataFile, ti *typeInput) error {
	ti.graph = l.graph
	if f.path != "" {
		ti.file = f.path
		required := []string{"from", "to"}
		if len(ti.pairs) > 1 {
			required = append(required, "from_label", "to_label")
		}
		if _, err := l.read(ctx, f, &ti.layout, append(required, ti.required()...), ti.add); err != nil {
			return err
		}
	}
	ti.finish()
	return nil
}

// A rowReader reads the rows of one format.
type rowReader interface {
	header(l *layout, required []string) (bool, error)
	next(r *record) (bool, error)
}

// read hands every row of a file to add. It reports whether it could read all
// of them.
func (l *loader) read(ctx context.Context, f dataFile, columns *layout, required []string, add func(*record)) (whole bool, err error) {
	whole = true
	report := func(line int, fault string) {
		l.problems.add(f.path, line, "%s", fault)
		whole = false
	}
	src, err := f.open(ctx, l.fsys)
	if err != nil {
		report(0, "cannot be read: "+err.Error())
		return whole, nil
	}
	defer src.Close()
	lines := newLineReader(src)
	var rows rowReader = &csvReader{lines: lines, report: report}
	if f.format == ".jsonl" {
		rows = &jsonlReader{lines: lines, report: report}
	}
	// stop tells whether err ends the file, and reports it if it is the
	// file's own fault.
	stop := func(err error) bool {
		if err != nil && err != io.EOF && ctx.Err() == nil {
			report(lines.line+1, "cannot be read: "+err.Error())
		}
		return err != nil
	}
	progress := Progress{File: f.path, Size: f.size}
	if ok, err := rows.header(columns, required); !stop(err) && ok {
		var r record
		for {
			ok, err := rows.next(&r)
			if stop(err) {
				break
			}
			if ok {
				add(&r)
				if progress.Rows++; progress.Rows%progressRows == 0 {
					progress.Bytes = src.read
					l.tell(progress)
				}
			}
		}
	}
	progress.Bytes, progress.Done = src.read, true
	l.tell(progress)
	return whole, ctx.Err()
}

func (l *loader) tell(p Progress) {
	if l.opts.Progress != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.opts.Progress(p)
	}
}
