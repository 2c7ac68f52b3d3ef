package repository_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/repository"
)

// rows are the entities of a tenant's bundle as an operator reads them.
func rows(t *testing.T, db *sql.DB, where string) map[string]string {
	list, err := db.Query("SELECT type, id, document FROM trellis_entities WHERE " + where)
	require.NoError(t, err)
	defer list.Close()
	out := map[string]string{}
	for list.Next() {
		var typ, id, document string
		require.NoError(t, list.Scan(&typ, &id, &document))
		out[typ+" "+id] = document
	}
	require.NoError(t, list.Err())
	return out
}

func entitiesOf(list ...repository.Entity) func(func(repository.Entity) bool) {
	return func(yield func(repository.Entity) bool) {
		for _, e := range list {
			if !yield(e) {
				return
			}
		}
	}
}

func TestEntitiesAreRows(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, p place, repo repository.Repository, db *sql.DB) {
		if db == nil {
			t.Skip("skipped: a folder has no rows")
		}
		deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
		hostile := []repository.Entity{
			{Type: "a", ID: "x", Document: json.RawMessage(`{"id":"x","n":12345678901234567890.5,"e":1e300}`)},
			{Type: "a", ID: "X", Document: json.RawMessage(`{"id":"X"}`)},
			{Type: "a", ID: "x ", Document: json.RawMessage(`{"id":"x "}`)},
			{Type: "a", ID: "é", Document: json.RawMessage(`{"id":"é"}`)},
			{Type: "a", ID: "e\u0301", Document: json.RawMessage(`{"id":"e\u0301"}`)},
			{Type: "a", ID: "'; DROP TABLE trellis_entities; --", Document: json.RawMessage(`{"id":"'; DROP TABLE trellis_entities; --"}`)},
			{Type: "a", ID: "$1", Document: json.RawMessage(`{"id":"$1"}`)},
			{Type: "a", ID: "?", Document: json.RawMessage(`{"deep":` + deep + `}`)},
			{Type: "a", ID: "😀", Document: json.RawMessage(`{"id":"😀"}`)},
			{Type: "b", ID: "x", Document: json.RawMessage(`{"large":"` + strings.Repeat("é", 50_000) + `"}`)},
		}
		c := content("catalog", 1, 0)
		c.Entities = entitiesOf(hostile...)
		_, err := repo.Commit(ctx, "acme", 0, c)
		require.NoError(t, err)
		_, err = repo.Commit(ctx, "other", 0, content("catalog", 1, 3))
		require.NoError(t, err)
		got := rows(t, db, "tenant = 'acme'")
		require.Len(t, got, len(hostile))
		for _, e := range hostile {
			require.JSONEq(t, string(e.Document), got[e.Type+" "+e.ID])
		}

		// Only what differs is written anew; other tenants' rows stay.
		hostile[0].Document = json.RawMessage(`{"id":"x","n":2}`)
		c.Entities = entitiesOf(append(hostile[:3], repository.Entity{Type: "c", ID: "new", Document: json.RawMessage(`{}`)})...)
		_, err = repo.Commit(ctx, "acme", 1, c)
		require.NoError(t, err)
		got = rows(t, db, "tenant = 'acme'")
		require.Len(t, got, 4)
		require.JSONEq(t, `{"id":"x","n":2}`, got["a x"])
		require.Len(t, rows(t, db, "tenant = 'other'"), 3)
		_, err = repo.Commit(ctx, "acme", 2, repository.Change{Item: "catalog", Delete: true})
		require.NoError(t, err)
		require.Empty(t, rows(t, db, "tenant = 'acme'"))
		require.Len(t, rows(t, db, "tenant = 'other'"), 3)
		if p.kind == "postgres" {
			require.Len(t, rows(t, db, `tenant = 'other' AND document @> '{"same": true}'`), 1)
		}

		// What no row can hold is refused, and nothing is changed.
		for _, e := range []repository.Entity{
			{Type: "a", ID: "a\x00b"}, {Type: "a", ID: "\xff"}, {Type: "a", ID: strings.Repeat("x", 1025)}, {Type: strings.Repeat("x", 65), ID: "a"},
		} {
			e.Document = json.RawMessage(`{}`)
			c.Entities = entitiesOf(e)
			_, err = repo.Commit(ctx, "acme", 3, c)
			code(t, graph.InvalidString, err)
		}
		c.Entities = entitiesOf(repository.Entity{Type: "a", ID: "n", Document: json.RawMessage(`{"n":1e400000}`)})
		_, err = repo.Commit(ctx, "acme", 3, c)
		version, versionErr := repo.Version(ctx, "acme")
		require.NoError(t, versionErr)
		if p.kind == "postgres" { // jsonb has numbers, the others texts
			code(t, graph.InvalidData, err)
			require.EqualValues(t, 3, version)
		} else {
			require.NoError(t, err)
			require.EqualValues(t, 4, version)
		}
	})
}

// Many rows go in and out in batches.
func TestManyRows(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, p place, repo repository.Repository, db *sql.DB) {
		for base, n := range []int{10_000, 9_999, 500, 501, 0, 1} {
			began := time.Now()
			_, err := repo.Commit(ctx, "acme", int64(base), content("catalog", base, n))
			require.NoError(t, err)
			if base == 0 {
				t.Logf("%s: %d entities in %v", p.kind, n, time.Since(began).Round(time.Millisecond))
			}
			if db != nil {
				var count int
				require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM trellis_entities").Scan(&count))
				require.Equal(t, n, count)
			}
		}
	})
}

// The server ends the connections of those who change something. What was said
// to be done is there, all of it or nothing, and the next change works. (T39)
func TestConnectionsAreKilled(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, p place, repo repository.Repository, db *sql.DB) {
		list, kill := "", ""
		switch p.kind {
		case "postgres":
			list, kill = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", "SELECT pg_terminate_backend(%d)"
		case "mariadb":
			list, kill = "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()", "KILL %d"
		default:
			t.Skip("skipped: there is no server")
		}
		killer, err := sql.Open(drivers[p.kind], p.at)
		require.NoError(t, err)
		defer killer.Close()
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				case <-time.After(30 * time.Millisecond):
				}
				var ids []int64
				if found, err := killer.Query(list); err == nil {
					for found.Next() {
						var id int64
						found.Scan(&id)
						ids = append(ids, id)
					}
					found.Close()
				}
				for _, id := range ids {
					killer.Exec(fmt.Sprintf(kill, id))
				}
			}
		}()
		acked, failed := 0, 0
		for n := 1; n <= 60; n++ {
			_, err := repository.Update(ctx, repo, "acme", func(now repository.State) (repository.Change, error) {
				return content("catalog", n, 300), nil
			})
			if err == nil {
				acked = n
				continue
			}
			code(t, graph.Unavailable, err)
			require.NotContains(t, err.Error(), "127.0.0.1")
			failed++
		}
		close(stop)
		<-done
		require.Positive(t, failed)
		var s repository.State
		for range 10 { // connections of the pool that were killed
			if s, err = repo.State(ctx, "acme"); err == nil {
				break
			}
		}
		require.NoError(t, err)
		if acked > 0 {
			var n int
			fmt.Sscanf(s.Items[0].Note, "content %d of catalog", &n)
			require.GreaterOrEqual(t, n, acked)
			for _, document := range rows(t, db, "tenant = 'acme'") {
				require.Contains(t, document, fmt.Sprintf("content %d of", n))
			}
		}
		_, err = apply(repo, "acme", "catalog", 99)
		require.NoError(t, err)
		t.Logf("%s: %d of 60 changes failed", p.kind, failed)
	})
}
