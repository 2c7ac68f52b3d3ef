package repository_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/repository"
)

// A place is where a repository can be kept, and opened again and again.
type place struct {
	kind string // folder, or a repository.Kind
	at   string // a directory, or what the driver opens
}

// places are a new folder, a new SQLite file, and the databases that the
// environment names, emptied.
func places(t *testing.T) []place {
	list := []place{
		{"folder", t.TempDir()},
		{"sqlite", "file:" + filepath.Join(t.TempDir(), "repository.db")},
	}
	for kind, env := range map[string]string{"mariadb": "TRELLIS_TEST_MARIADB", "postgres": "TRELLIS_TEST_POSTGRES"} {
		if dsn := os.Getenv(env); dsn != "" {
			list = append(list, place{kind, dsn})
		}
	}
	return list
}

var drivers = map[string]string{"sqlite": "sqlite", "mariadb": "mysql", "postgres": "pgx"}

// walled is the place with SQLite's write-ahead log, without which readers and
// writers wait for one another.
func (p place) walled() place {
	if p.kind == "sqlite" {
		p.at += "?_pragma=journal_mode(WAL)"
	}
	return p
}

// open opens the repository of a place. The database is nil for a folder.
func (p place) open(t testing.TB, opts repository.Options) (repository.Repository, *sql.DB) {
	if p.kind == "folder" {
		repo, err := repository.Folder(p.at, opts)
		require.NoError(t, err)
		return repo, nil
	}
	db, err := sql.Open(drivers[p.kind], p.at)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	repo, err := repository.SQL(db, repository.Kind(p.kind), opts)
	require.NoError(t, err)
	require.NoError(t, repo.Migrate(context.Background()))
	return repo, db
}

// empty removes what an earlier test left in a database.
func (p place) empty(t testing.TB) {
	if p.kind == "folder" {
		return
	}
	db, err := sql.Open(drivers[p.kind], p.at)
	require.NoError(t, err)
	defer db.Close()
	for _, table := range []string{"trellis_entities", "trellis_contents", "trellis_revisions", "trellis_tenants"} {
		_, err := db.Exec("DROP TABLE IF EXISTS " + table)
		require.NoError(t, err)
	}
}

// eachPlace runs a test on every repository, empty.
func eachPlace(t *testing.T, opts repository.Options, test func(t *testing.T, p place, repo repository.Repository, db *sql.DB)) {
	for _, p := range places(t) {
		t.Run(p.kind, func(t *testing.T) {
			p.empty(t)
			defer p.empty(t)
			repo, db := p.open(t, opts)
			test(t, p, repo, db)
		})
	}
}

// content is files and entities that all say which content they are of.
func content(item string, n int, entities int) repository.Change {
	stamp := fmt.Sprintf("content %d of %s", n, item)
	c := repository.Change{Item: item, Revision: fmt.Sprintf("%064x", n), Author: "ada", Note: stamp}
	for i := range 3 {
		c.Files = append(c.Files, repository.File{Path: fmt.Sprintf("entities/part%d.yaml", i), Data: []byte(stamp)})
	}
	c.Entities = func(yield func(repository.Entity) bool) {
		for i := range entities {
			doc, _ := json.Marshal(map[string]any{"id": i, "stamp": stamp, "same": i%3 == 0})
			if !yield(repository.Entity{Type: "product", ID: fmt.Sprint("p", i), Document: doc}) {
				return
			}
		}
	}
	return c
}

// apply makes content n the current one.
func apply(repo repository.Repository, tenant, item string, n int) (repository.State, error) {
	return repository.Update(context.Background(), repo, tenant, func(repository.State) (repository.Change, error) {
		return content(item, n, 5), nil
	})
}

func code(t *testing.T, want graph.Code, err error) {
	t.Helper()
	require.ErrorIs(t, err, want)
	var e *graph.Error
	require.ErrorAs(t, err, &e)
}
