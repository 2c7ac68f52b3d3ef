package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/introspect"
)

func introspectCommand() *command {
	return &command{
		name:    "introspect",
		args:    "--dsn URL [--out FILE | --check FILE]",
		summary: "Draft a schema of a database, or find where one no longer fits",
		help: `
Reads what a database says of its tables and drafts a schema file of it: labels of
tables with a key, relationships of foreign keys, of join tables and of columns
that name a table, enums, descriptions of comments. What is left out is told in
the file's comments; relationships and join tables that names and values suggest,
but nothing declares, are commented out with a confidence. Nothing is written to the
database. Review the file before you use it.

    trellis introspect --dsn postgres://user@localhost:5432/name --out schema.yaml
    trellis introspect --dsn mysql://user:password@localhost:3306/name --tables 'crm_*' --out schema.yaml
    trellis introspect --dsn sqlite:shop.db --views active_users=id

Without --out the file goes to standard output. A view needs the columns of its
key, which no database tells: --views NAME=COLUMN,COLUMN, once for each view.

With --check a schema file is compared with the database: missing tables and
columns, other types, what may be null, keys, foreign keys, values of enums. The
report is one JSON document; the exit status is 1 if there is drift. Tables and
columns that the file leaves out are listed, and are no drift; nor are enums of
columns that take any text, or texts of a fixed length, which are noted as unkept.

    trellis introspect --dsn postgres://user@localhost:5432/name --check schema.yaml`,
		define: func(flags *flag.FlagSet) action {
			var opts introspect.Options
			dsn := flags.String("dsn", "", "the database's `URL`: "+databaseKinds)
			flags.Func("schema-name", "read the tables of this schema (on MySQL, database) `NAME`; may be given several times [the connection's own]", func(name string) error {
				if name == "" {
					return errors.New("it is empty")
				}
				opts.Schemas = append(opts.Schemas, name)
				return nil
			})
			flags.Func("tables", "read only tables whose name is like this `PATTERN`, with *, ? and [a-z]; may be given several times", func(pattern string) error {
				opts.Tables = append(opts.Tables, pattern)
				return nil
			})
			flags.Func("views", "map a view, too: `NAME=COLUMN,…`, its name and the columns of its key", func(text string) error {
				name, key, ok := strings.Cut(text, "=")
				if !ok || name == "" || key == "" {
					return errors.New("write NAME=COLUMN, the view and its key")
				}
				if opts.Views == nil {
					opts.Views = map[string][]string{}
				}
				opts.Views[name] = strings.Split(key, ",")
				return nil
			})
			flags.BoolVar(&opts.Undeclared, "undeclared", false, "with --check: expect no relationship to be declared as a foreign key")
			out := flags.String("out", "", "the `file` to write, which is not there yet")
			check := flags.String("check", "", "the schema `file` to compare with the database")
			return func(ctx context.Context, std streams, args []string) error {
				switch {
				case len(args) > 0:
					return usagef("introspect takes flags only, not %q", args[0])
				case *dsn == "":
					return usagef("which database? Give --dsn URL")
				case *out != "" && *check != "":
					return usagef("--out and --check are two different things: one writes a schema, the other compares one")
				case *check == "" && opts.Undeclared:
					return usagef("--undeclared goes with --check")
				case *check != "" && (len(opts.Schemas) > 0 || len(opts.Views) > 0):
					return usagef("--check takes the schemas and views from the file")
				}
				return introspectDatabase(ctx, std, *dsn, *out, *check, opts)
			}
		},
	}
}

func introspectDatabase(ctx context.Context, std streams, dsn, out, check string, opts introspect.Options) (err error) {
	var s *schema.Schema
	if check != "" {
		if s, err = schema.ReadFile(check); err != nil {
			return refuseOpening(std, "", err)
		}
	}
	db, err := openDatabase(dsn, false, std.drivers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if s != nil {
		report, err := introspect.Check(ctx, db.DB, s, opts)
		if err != nil {
			return db.withoutSecrets(err)
		}
		return writeDrift(std, report)
	}
	draft, err := introspect.Read(ctx, db.DB, opts)
	if err != nil {
		return db.withoutSecrets(err)
	}
	if out == "" {
		_, err := std.out.Write(draft.YAML())
		return err
	}
	if err := writeNew(out, draft.YAML()); err != nil {
		return err
	}
	return writeDocument(std.out, introspectReport{
		len(draft.Definition.Nodes), len(draft.Definition.Relationships), len(draft.Inferred), len(draft.Omitted),
	})
}

// An introspectReport is the document that introspect --out prints.
type introspectReport struct {
	Labels        int `json:"labels"`
	Relationships int `json:"relationship_types"`
	Inferred      int `json:"inferred"`
	LeftOut       int `json:"left_out"`
}

// writeNew writes a file that is not there yet: what is there may have been
// reviewed.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: take another name, or compare it with --check", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// A driftReport is the document that introspect --check prints.
type driftReport struct {
	Format   string                `json:"format"`
	Drift    []introspect.Drift    `json:"drift"`
	Unkept   []introspect.Drift    `json:"unkept"`
	Unmapped []introspect.Unmapped `json:"unmapped"`
}

func writeDrift(std streams, report *introspect.Report) error {
	doc := driftReport{"trellis.drift.v1", []introspect.Drift{}, []introspect.Drift{}, []introspect.Unmapped{}}
	doc.Drift = append(doc.Drift, report.Drift...)
	doc.Unkept = append(doc.Unkept, report.Unkept...)
	doc.Unmapped = append(doc.Unmapped, report.Unmapped...)
	for _, d := range report.Drift {
		fmt.Fprintf(std.err, "%s: %s\n", d.Path, d.Message)
	}
	for _, d := range report.Unkept {
		fmt.Fprintf(std.err, "%s: note: %s\n", d.Path, d.Message)
	}
	if err := writeDocument(std.out, doc); err != nil {
		return err
	}
	if len(report.Drift) > 0 {
		return errRefused
	}
	return nil
}
