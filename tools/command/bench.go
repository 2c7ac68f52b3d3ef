package command

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools/bench"
)

// benchFormats are the forms in which bench prints what it measured.
var benchFormats = []string{"table", "json", "markdown"}

// A benchmark is the flags of bench.
type benchmark struct {
	network                       social.Options
	graph, queries, format, chart string
	store                         string
	dsns                          []string
	time                          time.Duration
	clients                       int
}

func benchCommand() *command {
	return &command{
		name:    "bench",
		args:    "[--persons N | --graph DIR [--dsn URL]…]",
		summary: "Measure ten questions about a social network, beside SQLite",
		help: `
Makes a social network, the same on every machine, and asks it ten questions as
tool calls, JSON in and JSON out, of the store in memory; and, in turns with it,
of SQLite in memory by statements written by hand, with the tables, indexes and
prepared statements that suit them best. Both must give the same rows before
anything is timed. Of the neighbourhood of q6, SQLite gives the nodes only.

    trellis bench
    trellis bench --persons 100000 --queries q5,q8,q9 --time 2s
    trellis bench --graph DIR --format markdown --chart bench.svg

With --dsn it asks databases that trellis load has filled with the graph, and
shows for each of them three medians of one run: of what an expert writes for
the engine by hand, of what the store runs, and of Engine.Run. The first two go
over the bare driver, prepared once. Connections are set up for good, as with
--direct.

    trellis bench --graph DIR --dsn mysql://… --dsn postgres://… --dsn sqlite:FILE

The table shows the median time of a call in microseconds, how many times as
long SQLite takes, and how many times the processor time, which tells more where
the machine is busy; the allocations of a call, and the bytes of its answer. A
graph directory must have the labels and types that the questions are about, as
the LDBC social network benchmark has them.`,
		define: func(flags *flag.FlagSet) action {
			var b benchmark
			count := func(name, usage string, to *int) { flags.Func(name, usage, positive(to, strconv.Atoi)) }
			count("persons", "make a network of `N` persons [2000]", &b.network.Persons)
			count("friends", "of `N` friends of a person on average [21 of 2000 persons, 50 of 100000]", &b.network.Friends)
			count("posts", "of `N` posts of a person on average [10]", &b.network.Posts)
			flags.Uint64Var(&b.network.Seed, "seed", 0, "choose another network of that size by a `number`")
			flags.StringVar(&b.graph, "graph", "", "ask about a graph `directory` or file instead")
			flags.StringVar(&b.queries, "queries", "", "ask only these `questions`, such as q1,q7")
			flags.Func("time", "ask each question for this `duration` of each peer [300ms]", positive(&b.time, time.ParseDuration))
			flags.StringVar(&b.format, "format", "table", "the `format`: table, json or markdown")
			flags.StringVar(&b.chart, "chart", "", "draw a chart into a `file`, .svg or .html")
			count("clients", "ask also with `N` clients at once, and show how many times the calls of one they get answered", &b.clients)
			flags.Func("dsn", "ask the database of this `URL`, which trellis load has filled with the --graph; may be given several times", func(dsn string) error {
				b.dsns = append(b.dsns, dsn)
				return nil
			})
			flags.StringVar(&b.store, "store", "memory", "embedded asks the embedded SQL `store` too, which takes its time")
			return func(ctx context.Context, std streams, args []string) error {
				if len(args) > 0 {
					return usagef("bench takes flags only, not %q", args[0])
				}
				if err := b.check(); err != nil {
					return err
				}
				if len(b.dsns) > 0 {
					return b.runEngines(ctx, std)
				}
				return b.run(ctx, std)
			}
		},
	}
}

func (b *benchmark) check() error {
	made := b.network != social.Options{}
	switch end := filepath.Ext(b.chart); {
	case b.graph != "" && made:
		return usagef("--graph stands alone: --persons, --friends, --posts and --seed are about a network that is made")
	case len(b.dsns) > 0 && (b.graph == "" || b.chart != "" || b.clients > 0 || b.store != "memory"):
		return usagef("--dsn goes with the --graph that the database was filled with, --queries, --time and --format")
	case !slices.Contains(benchFormats, b.format):
		return usagef("there is no format %q; the formats are %s", b.format, strings.Join(benchFormats, ", "))
	case b.chart != "" && end != ".svg" && end != ".html":
		return usagef("a chart is a file that ends in .svg or .html, not %q", b.chart)
	case b.store != "memory" && b.store != "embedded":
		return usagef("there is no store %q; the stores are memory and embedded", b.store)
	}
	s, err := social.Schema()
	if err != nil {
		return err
	}
	_, err = b.chosen(social.Parameters{}.Questions(s)) // before a graph is made
	return err
}

// chosen returns the questions that --queries names, in their own order.
func (b *benchmark) chosen(all []social.Question) ([]social.Question, error) {
	if b.queries == "" {
		return all, nil
	}
	wanted := strings.Split(b.queries, ",")
	var known []string
	for _, q := range all {
		known = append(known, q.Name)
	}
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			return nil, usagef("there is no question %q; the questions are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(q social.Question) bool { return !slices.Contains(wanted, q.Name) }), nil
}

func (b *benchmark) run(ctx context.Context, std streams) (err error) {
	n, err := b.open(ctx, std)
	if err != nil {
		return err
	}
	g := n.graph
	peers := []*bench.Peer{bench.Native(g)}
	// A name of its own makes the database one for all connections of this
	// process, without the locks of a shared cache.
	db, err := sql.Open("sqlite", "file:/trellis-bench?vfs=memdb&_pragma=cache_size(-4000000)&_pragma=temp_store(memory)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	start := time.Now()
	lite, err := bench.SQLite(ctx, db, g, n.parameters)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "SQLite: filled in %.1f s\n", time.Since(start).Seconds())
	peers = append(peers, lite)
	if b.store == "embedded" {
		st, err := embedded.New(g, embedded.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, st.Close()) }()
		peers = append(peers, bench.Store("embedded", g.Schema(), st, false))
	}
	report, err := n.ask(ctx, std, peers, bench.Options{Time: b.time, Clients: b.clients})
	if err != nil {
		return err
	}
	return errors.Join(b.print(std.out, report), b.draw(report))
}

// A network is a graph with the questions that it is asked.
type network struct {
	graph      *memory.Graph
	about      bench.Graph
	parameters social.Parameters
	questions  []social.Question
}

// open makes the network or reads the directory.
func (b *benchmark) open(ctx context.Context, std streams) (*network, error) {
	start, name := time.Now(), "a social network"
	var g *memory.Graph
	var err error
	if b.graph != "" {
		name = filepath.Base(b.graph)
		g, err = openGraph(ctx, b.graph, 0, nil)
	} else {
		g, err = social.New(b.network)
	}
	if err != nil {
		return nil, refuseOpening(std, "", err)
	}
	n := &network{graph: g, about: bench.About(name, g, time.Since(start))}
	fmt.Fprintf(std.err, "%s, in %.1f s\n", n.about.Title(), n.about.Seconds)
	if n.parameters, err = social.Pick(g); err != nil {
		return nil, err
	}
	n.questions, err = b.chosen(n.parameters.Questions(g.Schema()))
	return n, err
}

// ask asks the questions of all peers, and tells of each on standard error.
func (n *network) ask(ctx context.Context, std streams, peers []*bench.Peer, opts bench.Options) (*bench.Report, error) {
	opts.Progress = func(q bench.Question) { fmt.Fprintf(std.err, "%s: %s\n", q.Name, q.About) }
	report, err := bench.Run(ctx, n.questions, peers, opts)
	if err == nil {
		report.Graph = n.about
	}
	return report, err
}

func (b *benchmark) print(w io.Writer, r *bench.Report) error {
	switch b.format {
	case "json":
		return r.JSON(w)
	case "markdown":
		return r.Markdown(w)
	}
	return r.Table(w)
}

func (b *benchmark) draw(r *bench.Report) error {
	if b.chart == "" {
		return nil
	}
	f, err := os.Create(b.chart)
	if err != nil {
		return err
	}
	write := r.SVG
	if filepath.Ext(b.chart) == ".html" {
		write = r.HTML
	}
	return errors.Join(write(f), f.Close())
}
