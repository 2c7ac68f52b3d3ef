package repository_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/repository"
)

// Changes of two tenants at the same time, with equal names, through two openings
// of each repository, while others read. (T33, T58)
func TestConcurrentChanges(t *testing.T) {
	changes, readers := 50, 20
	if testing.Short() {
		changes, readers = 12, 8
	}
	ctx := context.Background()
	eachPlace(t, repository.Options{Keep: 1000}, func(t *testing.T, p place, _ repository.Repository, _ *sql.DB) {
		repo, _ := p.walled().open(t, repository.Options{Keep: 1000})
		other, _ := p.walled().open(t, repository.Options{Keep: 1000})
		opened := []repository.Repository{repo, other}
		tenants := []string{"acme", "ACME"}
		stop := make(chan struct{})
		var writing, reading sync.WaitGroup
		of := map[int]int{}
		for n := range changes {
			of[n/2%2]++
			writing.Go(func() {
				_, err := apply(opened[n%2], tenants[n/2%2], "catalog", n)
				assert.NoError(t, err)
			})
		}
		for n := range readers {
			reading.Go(func() {
				repo, tenant := opened[n%2], tenants[n/2%2]
				for seen := int64(0); ; {
					s, err := repo.State(ctx, tenant)
					if !assert.NoError(t, err) || !assert.GreaterOrEqual(t, s.Version, seen) {
						return
					}
					if seen = s.Version; seen > 0 {
						r := s.Items[0]
						assert.Equal(t, seen, r.Version)
						var n int
						fmt.Sscanf(r.Note, "content %d of catalog", &n)
						assert.Equal(t, tenant, tenants[n/2%2], "a content of the other tenant")
						assert.Equal(t, fmt.Sprintf("%064x", n), r.Revision)
						files, err := repo.Content(ctx, tenant, "catalog", r.Version)
						assert.NoError(t, err)
						assert.Equal(t, content("catalog", n, 0).Files, files)
					}
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
					}
				}
			})
		}
		writing.Wait()
		close(stop)
		reading.Wait()
		for i, tenant := range tenants {
			history, err := repo.History(ctx, tenant, "catalog")
			require.NoError(t, err)
			seen := map[string]bool{}
			for k, r := range history {
				require.EqualValues(t, len(history)-k, r.Version)
				seen[r.Revision] = true
			}
			require.Len(t, seen, len(history), "a change was made twice")
			require.Len(t, history, of[i], "a change was lost")
		}
	})
}

// Who decides by the state that it read, decides by the state that it changes.
func TestUpdateDecidesByWhatItChanges(t *testing.T) {
	eachPlace(t, repository.Options{}, func(t *testing.T, _ place, repo repository.Repository, _ *sql.DB) {
		var writing sync.WaitGroup
		for n := range 20 {
			writing.Go(func() {
				_, err := repository.Update(context.Background(), repo, "acme", func(now repository.State) (repository.Change, error) {
					if len(now.Items) == 3 { // there is room for three
						return repository.Change{}, nil
					}
					return content(fmt.Sprintf("bundle-%d", n), n, 1), nil
				})
				assert.NoError(t, err)
			})
		}
		writing.Wait()
		s, err := repo.State(context.Background(), "acme")
		require.NoError(t, err)
		require.Len(t, s.Items, 3)
	})
}
