package repository_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/repository"
)

func TestLifecycle(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, p place, repo repository.Repository, _ *sql.DB) {
		s, err := repo.State(ctx, "acme")
		require.NoError(t, err)
		require.Zero(t, s)
		names, err := repo.Tenants(ctx)
		require.NoError(t, err)
		require.Empty(t, names)

		first := content("catalog", 1, 5)
		first.Applied = time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.FixedZone("", 3600))
		s, err = repo.Commit(ctx, "acme", 0, first)
		require.NoError(t, err)
		require.EqualValues(t, 1, s.Version)
		r, ok := s.Item("catalog")
		require.True(t, ok)
		require.Equal(t, repository.Revision{
			Item: "catalog", Version: 1, Revision: first.Revision, Applied: time.Date(2026, 11, 21, 11, 0, 0, 123456000, time.UTC),
			Author: "ada", Note: "content 1 of catalog", Files: 3, Bytes: 60, Digest: r.Digest,
		}, r)
		require.Len(t, r.Digest, 64)

		s, err = repo.Commit(ctx, "acme", 1, content("catalog", 2, 4))
		require.NoError(t, err)
		s, err = repo.Commit(ctx, "acme", s.Version, repository.Change{Item: "@views", Revision: "v", Files: []repository.File{{Path: "views.yaml", Data: []byte("views: {}\n")}}})
		require.NoError(t, err)
		s, err = repo.Commit(ctx, "acme", s.Version, content("other", 1, 1))
		require.NoError(t, err)
		require.EqualValues(t, 4, s.Version)
		require.Equal(t, []string{"@views", "catalog", "other"}, items(s))

		again, _ := p.open(t, repository.Options{}) // as another process sees it
		seen, err := again.State(ctx, "acme")
		require.NoError(t, err)
		require.Equal(t, s, seen)
		version, err := again.Version(ctx, "acme")
		require.NoError(t, err)
		require.EqualValues(t, 4, version)
		names, err = again.Tenants(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{"acme"}, names)

		files, err := again.Content(ctx, "acme", "catalog", 1)
		require.NoError(t, err)
		require.Equal(t, first.Files, files)

		s, err = repo.Commit(ctx, "acme", 4, repository.Change{Item: "catalog", Delete: true, Author: "bob"})
		require.NoError(t, err)
		require.Equal(t, []string{"@views", "other"}, items(s))
		files, err = repo.Content(ctx, "acme", "catalog", 3)
		require.NoError(t, err)
		require.Empty(t, files)
		_, err = repo.Commit(ctx, "acme", 5, repository.Change{Item: "catalog", Delete: true})
		code(t, graph.NotFound, err)
		_, err = repo.Commit(ctx, "acme", 5, repository.Change{Item: "never", Delete: true})
		code(t, graph.NotFound, err)

		s, err = repo.Commit(ctx, "acme", 5, content("catalog", 1, 2))
		require.NoError(t, err)
		r, _ = s.Item("catalog")
		require.EqualValues(t, 4, r.Version)
		history, err := repo.History(ctx, "acme", "catalog")
		require.NoError(t, err)
		require.Len(t, history, 4)
		require.Equal(t, []bool{false, true, false, false}, []bool{history[0].Deleted, history[1].Deleted, history[2].Deleted, history[3].Deleted})
		require.Equal(t, "bob", history[1].Author)
		require.Equal(t, history[0].Digest, history[3].Digest)

		for _, version := range []int64{0, -1, 5} {
			_, err = repo.Content(ctx, "acme", "catalog", version)
			code(t, graph.NotFound, err)
		}
		none, err := repo.History(ctx, "acme", "never")
		require.NoError(t, err)
		require.Empty(t, none)
	})
}

func TestCommitOfAnotherVersionIsAConflict(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, _ place, repo repository.Repository, _ *sql.DB) {
		_, err := repo.Commit(ctx, "acme", 1, content("catalog", 1, 1))
		code(t, graph.Conflict, err)
		_, err = apply(repo, "acme", "catalog", 1)
		require.NoError(t, err)
		for _, base := range []int64{0, 2, -1} {
			_, err = repo.Commit(ctx, "acme", base, content("catalog", 2, 1))
			code(t, graph.Conflict, err)
		}
		s, err := repo.State(ctx, "acme")
		require.NoError(t, err)
		require.EqualValues(t, 1, s.Version)
	})
}

func TestRevisionsAreKeptToACap(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{Keep: 3}, func(t *testing.T, p place, repo repository.Repository, db *sql.DB) {
		for n := 1; n <= 10; n++ {
			_, err := apply(repo, "acme", "catalog", n)
			require.NoError(t, err)
			_, err = apply(repo, "umbrella", "catalog", 1) // the same content over and over
			require.NoError(t, err)
		}
		history, err := repo.History(ctx, "acme", "catalog")
		require.NoError(t, err)
		require.Len(t, history, 3)
		require.EqualValues(t, 10, history[0].Version)
		_, err = repo.Content(ctx, "acme", "catalog", 7)
		code(t, graph.NotFound, err)
		files, err := repo.Content(ctx, "acme", "catalog", 8)
		require.NoError(t, err)
		require.Equal(t, "content 8 of catalog", string(files[0].Data))
		files, err = repo.Content(ctx, "umbrella", "catalog", 10)
		require.NoError(t, err)
		require.Equal(t, "content 1 of catalog", string(files[0].Data))
		require.Equal(t, 4, contents(t, p, db), "what is no longer kept takes no room")
	})
}

func TestWhatNoRepositoryTakes(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, _ place, repo repository.Repository, _ *sql.DB) {
		for _, item := range []string{"", "a", "A-b", "../x", "a/b", "@", "views.yaml", "a\x00b", fmt.Sprintf("a%064d", 1), "@@views", "b-"} {
			_, err := repo.Commit(ctx, "acme", 0, content(item, 1, 1))
			code(t, graph.InvalidString, err)
			_, err = repo.History(ctx, "acme", item)
			code(t, graph.InvalidString, err)
			_, err = repo.Content(ctx, "acme", item, 1)
			code(t, graph.InvalidString, err)
		}
		for _, path := range []string{"", ".", "..", "../x", "/etc/passwd", "a/../b", "a//b", "a\x00", "\xff"} {
			c := content("catalog", 1, 1)
			c.Files = []repository.File{{Path: path}}
			_, err := repo.Commit(ctx, "acme", 0, c)
			code(t, graph.InvalidString, err)
		}
		twice := content("catalog", 1, 1)
		twice.Files[1].Path = twice.Files[0].Path
		_, err := repo.Commit(ctx, "acme", 0, twice)
		code(t, graph.InvalidString, err)
		long := content("catalog", 1, 1)
		long.Note = fmt.Sprintf("%01001d", 1)
		_, err = repo.Commit(ctx, "acme", 0, long)
		code(t, graph.LimitExceeded, err)
		_, err = repo.Commit(ctx, fmt.Sprintf("%01025d", 1), 0, content("catalog", 1, 1))
		code(t, graph.LimitExceeded, err)
		_, err = repo.Commit(ctx, "", 0, content("catalog", 1, 1))
		code(t, graph.NoScope, err)
		_, err = repo.State(ctx, "")
		code(t, graph.NoScope, err)
		names, err := repo.Tenants(ctx)
		require.NoError(t, err)
		require.Empty(t, names)
	})
}

func TestCanceled(t *testing.T) {
	eachPlace(t, repository.Options{}, func(t *testing.T, _ place, repo repository.Repository, _ *sql.DB) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := repo.Commit(ctx, "acme", 0, content("catalog", 1, 1))
		code(t, graph.Canceled, err)
		_, err = repo.State(ctx, "acme")
		code(t, graph.Canceled, err)
		s, err := repo.State(context.Background(), "acme")
		require.NoError(t, err)
		require.Zero(t, s)
		_, err = apply(repo, "acme", "catalog", 1) // nothing was left locked
		require.NoError(t, err)
	})
}

func items(s repository.State) []string {
	names := []string{}
	for _, r := range s.Items {
		names = append(names, r.Item)
	}
	return names
}

// What was never applied to is empty, and reading leaves it as it was.
func TestReadingMakesNothing(t *testing.T) {
	ctx := context.Background()
	for _, p := range places(t) {
		t.Run(p.kind, func(t *testing.T) {
			p.empty(t)
			defer p.empty(t)
			var repo repository.Repository
			var migrate func(context.Context) error
			if p.kind == "folder" {
				p.at = filepath.Join(p.at, "new", "one")
				folder, err := repository.Folder(p.at, repository.Options{})
				require.NoError(t, err)
				repo = folder
			} else {
				db, err := sql.Open(drivers[p.kind], p.at)
				require.NoError(t, err)
				defer db.Close()
				database, err := repository.SQL(db, repository.Kind(p.kind), repository.Options{})
				require.NoError(t, err)
				repo, migrate = database, database.Migrate
				defer func() { // a table that was lost is no empty repository
					_, err := db.Exec("DROP TABLE trellis_revisions")
					require.NoError(t, err)
					_, err = repo.State(ctx, "acme")
					require.Error(t, err)
					_, err = repo.History(ctx, "acme", "catalog")
					require.Error(t, err)
				}()
			}
			for range 2 {
				tenants, err := repo.Tenants(ctx)
				require.NoError(t, err)
				require.Empty(t, tenants)
				require.NotNil(t, tenants)
				version, err := repo.Version(ctx, "acme")
				require.NoError(t, err)
				require.Zero(t, version)
				state, err := repo.State(ctx, "acme")
				require.NoError(t, err)
				require.Equal(t, repository.State{}, state)
				history, err := repo.History(ctx, "acme", "catalog")
				require.NoError(t, err)
				require.Empty(t, history)
				_, err = repo.Content(ctx, "acme", "catalog", 1)
				code(t, graph.NotFound, err)
			}
			if p.kind == "folder" {
				require.NoDirExists(t, filepath.Dir(p.at))
			} else {
				_, err := repo.Commit(ctx, "acme", 0, content("catalog", 1, 1))
				require.Error(t, err, "no tables")
				require.NoError(t, migrate(ctx))
			}
			_, err := apply(repo, "acme", "catalog", 1)
			require.NoError(t, err)
			tenants, err := repo.Tenants(ctx)
			require.NoError(t, err)
			require.Equal(t, []string{"acme"}, tenants)
		})
	}
}

// When a bundle was deleted is known to whoever reads the state, also when it is
// there again.
func TestStateTellsWhenABundleWasDeleted(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{Keep: 2}, func(t *testing.T, p place, repo repository.Repository, _ *sql.DB) {
		at := time.Date(2026, 11, 21, 12, 0, 0, 1000, time.UTC)
		version := int64(0)
		commit := func(c repository.Change) {
			t.Helper()
			at = at.Add(time.Second)
			c.Applied = at
			s, err := repo.Commit(ctx, "acme", version, c)
			require.NoError(t, err)
			version = s.Version
			again, _ := p.open(t, repository.Options{})
			seen, err := again.State(ctx, "acme")
			require.NoError(t, err)
			require.Equal(t, s, seen)
		}
		deleted := func() time.Time {
			s, err := repo.State(ctx, "acme")
			require.NoError(t, err)
			return s.Deleted
		}
		commit(content("aa", 1, 1))
		commit(content("bb", 1, 1))
		commit(repository.Change{Item: "@views", Revision: "v", Files: []repository.File{{Path: "views.yaml", Data: []byte("views: {}\n")}}})
		commit(repository.Change{Item: "@views", Delete: true})
		require.Zero(t, deleted(), "no bundle was")
		commit(repository.Change{Item: "bb", Delete: true})
		gone := at
		require.Equal(t, gone, deleted())
		commit(content("bb", 2, 1))
		require.Equal(t, gone, deleted())
		commit(repository.Change{Item: "aa", Delete: true})
		require.Equal(t, at, deleted())
	})
}
