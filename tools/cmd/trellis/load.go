package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/trellisgraph/trellis/store/load"
)

func loadCommand() *command {
	return &command{
		name:    "load",
		args:    "--graph DIR --dsn URL",
		summary: "Write a graph directory into a database",
		help: `
Reads a graph directory, checks every row, and creates and fills the tables that
its schema names, with their keys and indexes. TABLES OF THESE NAMES THAT ARE
THERE ALREADY ARE DROPPED FIRST. Nothing is written if a row is wrong: every bad
row is listed with its file and line.

    trellis load --graph DIR --dsn mysql://user:password@localhost:3306/name
    trellis load --graph DIR --dsn 'postgres://user@localhost:5432/name?sslmode=disable'
    trellis load --graph DIR --dsn sqlite:graph.db

Afterwards the same calls work with --schema DIR/schema.yaml and that --dsn.`,
		define: func(flags *flag.FlagSet) action {
			dir := flags.String("graph", "", "the graph `directory`, or a file that snapshot wrote")
			dsn := flags.String("dsn", "", "the database's `URL`: mysql://…, postgres://… or sqlite:FILE")
			return func(ctx context.Context, std streams, args []string) error {
				switch {
				case len(args) > 0:
					return usagef("load takes flags only, not %q", args[0])
				case *dir == "":
					return usagef("what to load? Give --graph DIR")
				case *dsn == "":
					return usagef("where to? Give --dsn URL")
				}
				return loadGraph(ctx, std, *dir, *dsn)
			}
		},
	}
}

// A loadReport is the document that load prints.
type loadReport struct {
	graphReport
	Tables int `json:"tables"`
}

func loadGraph(ctx context.Context, std streams, dir, dsn string) (err error) {
	db, err := openDatabase(dsn, true) // a mistake in the URL shows before the reading starts
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	g, err := openGraph(ctx, dir, told(std))
	if err != nil {
		return refuseOpening(std, "", err)
	}
	report := loadReport{graphReport: reportOf(g)}
	progress := func(p load.Progress) {
		if p.Done {
			report.Tables++
			fmt.Fprintf(std.err, "%s: %d rows\n", p.Table, p.Rows)
		}
	}
	if err := load.Load(ctx, db.DB, g, load.Options{Progress: progress}); err != nil {
		return db.withoutSecrets(err)
	}
	return writeDocument(std.out, report)
}
