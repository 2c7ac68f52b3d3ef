package command

import (
	"context"
	"errors"
	"flag"
	"strconv"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools/verify"
)

func verifyCommand() *command {
	return &command{
		name:    "verify",
		args:    "--graph DIR --dsn URL [--dsn URL]",
		summary: "Ask two stores the same random calls",
		help: `
Makes random calls about a graph directory and compares what the graph itself
answers with what a database answers, or, with a second --dsn, the answers of
two databases. The first call that is answered differently is made as small as
it can be and printed with both answers, and the exit status is 1.

    trellis load --graph DIR --dsn postgres://user@localhost:5432/name
    trellis verify --graph DIR --dsn postgres://user@localhost:5432/name
    trellis verify --graph DIR --dsn mysql://user@localhost:3306/name --dsn sqlite:graph.db \
        --calls 20000 --seed 7

The same --seed makes the same calls of the same graph. Calls that a store
refuses as UNSUPPORTED or too costly, does not answer in time or cuts by its
budget are counted and are no difference.`,
		define: func(flags *flag.FlagSet) action {
			var v verification
			flags.StringVar(&v.graph, "graph", "", "the graph `directory`, or a file that snapshot wrote")
			flags.Func("dsn", "a database's `URL`: "+databaseKinds+"; given twice, both are compared", func(dsn string) error {
				v.dsns = append(v.dsns, dsn)
				return nil
			})
			flags.Func("calls", "make `N` calls [1000]", positive(&v.options.Calls, strconv.Atoi))
			flags.Uint64Var(&v.options.Seed, "seed", 0, "the `number` that the calls follow from [0]")
			v.bounds.define(flags)
			v.bounds.defineTimeout(flags)
			scope := flags.String("scope", "", scopeUsage)
			return func(ctx context.Context, std streams, args []string) error {
				caller, err := parseScope([]byte(*scope))
				switch {
				case err != nil:
					return usagef("--scope is not a scope: %s", err)
				case len(args) > 0:
					return usagef("verify takes flags only, not %q", args[0])
				case v.graph == "":
					return usagef("calls about what? Give --graph DIR")
				case len(v.dsns) < 1 || len(v.dsns) > 2:
					return usagef("verify compares the graph with one --dsn URL, or two with each other; there are %d", len(v.dsns))
				}
				v.options.Scope, v.options.Limits = caller, v.limits()
				return v.run(ctx, std)
			}
		},
	}
}

// A verification is the flags of verify.
type verification struct {
	bounds
	graph   string
	dsns    []string
	options verify.Options
}

// openToVerify opens a store over a database. That its account may do more than
// read is told.
func openToVerify(ctx context.Context, std streams, db *database, s *schema.Schema) (store.Store, error) {
	d, err := db.dialect(ctx)
	if err != nil {
		return nil, err
	}
	return (&source{}).checked(ctx, std, db, d, s, false)
}

// A verifyReport is the document that verify prints.
type verifyReport struct {
	Same bool   `json:"same"`
	Seed uint64 `json:"seed"`
	*verify.Report
}

func (v *verification) run(ctx context.Context, std streams) (err error) {
	var databases []*database
	hide := func(err error) error {
		for _, db := range databases {
			err = db.withoutSecrets(err)
		}
		return err
	}
	for _, dsn := range v.dsns { // a mistake in a URL shows before the reading starts
		db, err := openDatabase(dsn, false, std.drivers)
		if err != nil {
			return err
		}
		defer db.Close()
		databases = append(databases, db)
	}
	how := newProgress(std.err)
	defer how.end()
	g, err := openGraph(ctx, v.graph, 0, told(how))
	if err != nil {
		return refuseOpening(std, "", err)
	}
	var stores []store.Store
	for _, db := range databases {
		st, err := openToVerify(ctx, std, db, g.Schema())
		if err != nil {
			return hide(causeOf(err))
		}
		defer func() { err = errors.Join(err, st.Close()) }()
		stores = append(stores, st)
	}
	if len(stores) == 1 {
		stores = append([]store.Store{native.New(g, native.Options{})}, stores...)
	}
	v.options.Progress = func(calls int) { how.at("asked", int64(calls), int64(v.options.Calls), "calls") }
	report, err := verify.Stores(ctx, g, stores[0], stores[1], v.options)
	how.end()
	if err != nil {
		return hide(err)
	}
	if err := writeDocument(std.out, verifyReport{report.Difference == nil, v.options.Seed, report}); err != nil {
		return err
	}
	if report.Difference != nil {
		return errRefused
	}
	return nil
}
