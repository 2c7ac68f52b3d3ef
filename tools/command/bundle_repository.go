package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

// A shelf is an open repository, with the library that serves it.
type shelf struct {
	library *bundles.Library
	repo    repository.Repository
	hide    func(error) error // takes passwords out of messages
	close   func() error
}

// openShelf opens the repository that a flag names. A directory, a file and the
// tables of a database are made if it is one to apply to; others are not to leave
// a repository where none was.
func openShelf(ctx context.Context, std streams, where string, write bool, opts bundles.Options) (*shelf, error) {
	if !write {
		if err := isThere(where); err != nil {
			return nil, err
		}
	}
	if !strings.Contains(where, "://") && !strings.HasPrefix(where, "sqlite:") {
		repo, err := repository.Folder(where, repository.Options{})
		if err != nil {
			return nil, err
		}
		return newShelf(std, repo, opts, func(err error) error { return err }, repo.Close), nil
	}
	db, err := openDatabase(where, true, nil)
	if err != nil {
		return nil, err
	}
	repo, err := databaseShelf(ctx, db, write)
	if err != nil {
		return nil, errors.Join(db.withoutSecrets(causeOf(err)), db.Close())
	}
	return newShelf(std, repo, opts, db.withoutSecrets, func() error { return errors.Join(repo.Close(), db.Close()) }), nil
}

// isThere returns an error where a repository is to be in a directory or a file
// that is not there.
func isThere(where string) error {
	path, file := strings.CutPrefix(where, "sqlite:")
	if !file && strings.Contains(where, "://") {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no repository %s; bundle apply makes one", path)
	case err != nil:
		return err
	case info.IsDir() == file:
		return fmt.Errorf("%s is no repository: a directory, or sqlite:FILE", path)
	}
	return nil
}

func newShelf(std streams, repo repository.Repository, opts bundles.Options, hide func(error) error, closeRepo func() error) *shelf {
	opts.Log = slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok { // a cause is what a driver says
			a.Value = slog.StringValue(hide(err).Error())
		}
		return a
	}}))
	library := bundles.New(repo, opts)
	return &shelf{library, repo, hide, func() error { return errors.Join(library.Close(), closeRepo()) }}
}

func databaseShelf(ctx context.Context, db *database, write bool) (*repository.Database, error) {
	dialect, err := db.dialect(ctx)
	if err != nil {
		return nil, err
	}
	kinds := map[string]repository.Kind{
		compile.Postgres().Name(): repository.Postgres, compile.MariaDB().Name(): repository.MariaDB,
		compile.MySQL().Name(): repository.MySQL, compile.SQLite().Name(): repository.SQLite,
	}
	repo, err := repository.SQL(db.DB, kinds[dialect.Name()], repository.Options{})
	if err == nil && write {
		err = repo.Migrate(ctx)
	}
	return repo, err
}

// onShelf opens the tenant's repository for a verb, and closes it. What the verb
// refuses is on standard output, as an error document.
func (b *bundleFlags) onShelf(ctx context.Context, std streams, verb string, write bool, do func(*shelf) error) error {
	if err := b.tenantOf(verb); err != nil {
		return err
	}
	named, err := tenantQueries(b.queries, graph.Limits{})
	if err != nil {
		return refuseOpening(std, "", err)
	}
	s, err := openShelf(ctx, std, b.repository, write, bundles.Options{Limits: bundle.Limits{BundleBytes: b.bundleBytes}, Poll: -1, Queries: named})
	if err != nil {
		return err
	}
	return errors.Join(refuseChange(std, s, do(s)), s.close())
}

// refuseChange writes the document of what was refused: for what is asked, for
// what there is, or for what others changed meanwhile.
func refuseChange(std streams, s *shelf, err error) error {
	if err == nil || errors.Is(err, errRefused) {
		return err
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return err
	}
	var problems bundle.Problems
	if errors.As(err, &problems) {
		return refuseOpening(std, "", err)
	}
	var list graph.Errors
	var one *graph.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = graph.Errors{one}
	default:
		return s.hide(err)
	}
	for _, e := range list {
		fmt.Fprintf(std.err, "trellis: %s\n", e.Message)
		if e.Code != graph.Conflict && e.Code != graph.NotFound && !e.Code.Refusal() {
			return s.hide(causeOf(err))
		}
	}
	if err := writeDocument(std.out, graph.NewErrorDocument("", list)); err != nil {
		return err
	}
	return errRefused
}

func (b *bundleFlags) options() bundles.ChangeOptions {
	return bundles.ChangeOptions{Expect: b.expect, Author: b.author, Note: b.note}
}

// printWorkflow prints the workflow of a caller's tools.
func printWorkflow(ctx context.Context, std streams, offered *tools.Tools) error {
	text, err := offered.Workflow(ctx)
	switch {
	case err != nil:
		return refuse(std.out, "", err)
	case text == "":
		return usagef("nothing is offered as records, and so there is no prompt")
	}
	_, err = io.WriteString(std.out, text)
	return err
}
