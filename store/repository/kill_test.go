//go:build linux

package repository_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/repository"
)

// TestMain is also the program of a child that applies and is killed.
func TestMain(m *testing.M) {
	if kind := os.Getenv("TRELLIS_CHILD"); kind != "" {
		child(place{kind, os.Getenv("TRELLIS_CHILD_AT")}, os.Getenv("TRELLIS_CHILD_FILE_SIZE"))
		return
	}
	os.Exit(m.Run())
}

// child applies one content after the other, and says of each that it is done.
// With a size, no file may be larger.
func child(p place, size string) {
	if n, err := strconv.ParseUint(size, 10, 64); err == nil {
		limit := syscall.Rlimit{Cur: n, Max: n}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
	}
	repo := p.reopen()
	s, err := repo.State(context.Background(), "acme")
	if err != nil {
		panic(err)
	}
	for n := int(s.Version) + 1; ; n++ {
		if s, err = repo.Commit(context.Background(), "acme", s.Version, large(n)); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(n)
	}
}

// reopen opens a repository without a test.
func (p place) reopen() repository.Repository {
	if p.kind == "folder" {
		repo, err := repository.Folder(p.at, repository.Options{Keep: 5})
		if err != nil {
			panic(err)
		}
		return repo
	}
	db, err := sql.Open(drivers[p.kind], p.at)
	if err != nil {
		panic(err)
	}
	repo, err := repository.SQL(db, repository.Kind(p.kind), repository.Options{Keep: 5})
	if err != nil {
		panic(err)
	}
	return repo
}

// large is content that takes a while to write, and cannot be packed.
func large(n int) repository.Change {
	c := content("catalog", n, 40)
	r := rand.New(rand.NewPCG(uint64(n), 0))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	c.Files = append(c.Files, repository.File{Path: "noise", Data: noise})
	return c
}

// kills is how often a child is killed for each repository: 20 times, or as many
// as TRELLIS_KILLS says.
func kills(t *testing.T) int {
	if text := os.Getenv("TRELLIS_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return 5
	}
	return 20
}

func TestKilledInTheMiddleOfAChange(t *testing.T) {
	eachPlace(t, repository.Options{Keep: 5}, func(t *testing.T, p place, repo repository.Repository, db *sql.DB) {
		between := 0
		for range kills(t) {
			done := killed(t, p, repo)
			now := whole(t, repo, db)
			require.GreaterOrEqual(t, now, done, "what was said to be done is not there")
			require.LessOrEqual(t, now, done+1)
			if left := leftovers(t, p); left > 0 {
				between++
			}
			// The next change, by this process, is as if nothing had been.
			s, err := repo.State(context.Background(), "acme")
			require.NoError(t, err)
			_, err = repo.Commit(context.Background(), "acme", s.Version, large(int(s.Version)+1))
			require.NoError(t, err)
			require.Equal(t, now+1, whole(t, repo, db))
			require.Zero(t, leftovers(t, p), "what the crash left behind was not swept up")
		}
		t.Logf("%s: %d kills, of which %d left something to sweep up", p.kind, kills(t), between)
	})
}

// killed starts a child and kills it at some moment. It returns the last content
// that the child said was done, or that was there before.
func killed(t *testing.T, p place, repo repository.Repository) int {
	before, err := repo.State(context.Background(), "acme")
	require.NoError(t, err)
	done := int(before.Version)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TRELLIS_CHILD="+p.kind, "TRELLIS_CHILD_AT="+p.at)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	first := true
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		require.NoError(t, err, lines.Text())
		done = n
		if first { // it is at work: let it live for a little while
			first = false
			go func() {
				time.Sleep(rand.N(40 * time.Millisecond))
				cmd.Process.Kill()
			}()
		}
	}
	err = cmd.Wait()
	require.ErrorContains(t, err, "killed", stderr.String())
	settled(t, p, repo)
	return done
}

// settled waits until a server has noticed that its client is gone: a
// transaction whose end was already asked for may still come to it.
func settled(t *testing.T, p place, repo repository.Repository) {
	if p.kind == "folder" || p.kind == "sqlite" {
		return
	}
	version, since := int64(-1), time.Now()
	for time.Since(since) < 100*time.Millisecond {
		s, err := repo.State(context.Background(), "acme")
		require.NoError(t, err)
		if s.Version != version {
			version, since = s.Version, time.Now()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// whole checks that everything there is of a tenant is of one content, and
// returns its number.
func whole(t *testing.T, repo repository.Repository, db *sql.DB) int {
	ctx := context.Background()
	s, err := repo.State(ctx, "acme")
	require.NoError(t, err)
	require.Len(t, s.Items, 1)
	r := s.Items[0]
	n := int(r.Version)
	require.EqualValues(t, n, s.Version)
	require.Equal(t, large(n).Revision, r.Revision)
	history, err := repo.History(ctx, "acme", "catalog")
	require.NoError(t, err)
	require.Equal(t, r, history[0])
	for i, old := range history {
		require.EqualValues(t, n-i, old.Version)
		files, err := repo.Content(ctx, "acme", "catalog", old.Version)
		require.NoError(t, err)
		require.Equal(t, large(n-i).Files, files)
	}
	if db == nil {
		return n
	}
	rows, err := db.Query("SELECT id, document FROM trellis_entities")
	require.NoError(t, err)
	defer rows.Close()
	count := 0
	for rows.Next() {
		var id, document string
		require.NoError(t, rows.Scan(&id, &document))
		var is struct{ Stamp string }
		require.NoError(t, json.Unmarshal([]byte(document), &is))
		require.Equal(t, fmt.Sprintf("content %d of catalog", n), is.Stamp)
		count++
	}
	require.NoError(t, rows.Err())
	require.Equal(t, 40, count)
	return n
}

// leftovers counts the files of a folder that no revision has.
func leftovers(t *testing.T, p place) int {
	if p.kind != "folder" {
		return 0
	}
	left := 0
	states, err := filepath.Glob(filepath.Join(p.at, "tenants", "*", "state.jsonl"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	state, err := os.ReadFile(states[0])
	require.NoError(t, err)
	dir := filepath.Dir(states[0])
	for _, pattern := range []string{".tmp-*", "content/*", "content/.tmp-*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, f := range files {
			if !strings.Contains(string(state), filepath.Base(f)) {
				left++
			}
		}
	}
	return left
}
