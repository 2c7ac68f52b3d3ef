//go:build linux

package repository_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/repository"
)

// state returns the directory of the only tenant, and its state file.
func state(t *testing.T, dir string) (string, []byte) {
	files, err := filepath.Glob(filepath.Join(dir, "tenants", "*", "state.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return filepath.Dir(files[0]), data
}

// No file may be larger than a few hundred kilobytes: the third content does not
// fit. (T44)
func TestFolderWithoutRoomInAFile(t *testing.T) {
	p := place{"folder", t.TempDir()}
	repo := p.reopen()
	_, err := repo.Commit(context.Background(), "acme", 0, large(1))
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TRELLIS_CHILD=folder", "TRELLIS_CHILD_AT="+p.at, "TRELLIS_CHILD_FILE_SIZE=200000")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), string(graph.StorageFull))
	require.NotContains(t, string(out), p.at, "the error tells where the folder is")
	require.Equal(t, 1, whole(t, repo, nil))
	require.Zero(t, leftovers(t, p))
}

// The file system has room for some contents. (T44)
func TestFolderOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("skipped: needs the right to mount a small file system")
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	p := place{"folder", filepath.Join(dir, "repository")}
	repo, err := repository.Folder(p.at, repository.Options{})
	require.NoError(t, err)
	n := 0
	for {
		_, err = repo.Commit(context.Background(), "acme", int64(n), large(n+1))
		if err != nil {
			break
		}
		n++
		require.Less(t, n, 50)
	}
	code(t, graph.StorageFull, err)
	require.Equal(t, n, whole(t, repo, nil), "the revision before is not there any more")
	require.Zero(t, leftovers(t, p))

	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	_, err = repo.Commit(context.Background(), "acme", int64(n), large(n+1))
	require.NoError(t, err)
	require.Equal(t, n+1, whole(t, repo, nil))
}

// So does SQLite's file.
func TestSQLiteOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skip("skipped: needs the right to mount a small file system")
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	repo, db := place{"sqlite", "file:" + filepath.Join(dir, "repository.db")}.open(t, repository.Options{})
	defer db.Close()
	n := 0
	var err error
	for {
		_, err = repo.Commit(context.Background(), "acme", int64(n), large(n+1))
		if err != nil {
			break
		}
		n++
		require.Less(t, n, 50)
	}
	code(t, graph.StorageFull, err)
	require.Equal(t, n, whole(t, repo, db), "the revision before is not there any more")
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	_, err = repo.Commit(context.Background(), "acme", int64(n), large(n+1))
	require.NoError(t, err)
	require.Equal(t, n+1, whole(t, repo, db))
}

func TestFolderThatWasDamaged(t *testing.T) {
	ctx := context.Background()
	_, good := func() (string, []byte) {
		dir := t.TempDir()
		repo, err := repository.Folder(dir, repository.Options{})
		require.NoError(t, err)
		_, err = apply(repo, "acme", "catalog", 1)
		require.NoError(t, err)
		return state(t, dir)
	}()
	for name, damage := range map[string]func(t *testing.T, dir string){
		"state cut":      func(t *testing.T, dir string) { write(t, dir, "state.jsonl", good[:len(good)/3]) },
		"state empty":    func(t *testing.T, dir string) { write(t, dir, "state.jsonl", nil) },
		"state of zeros": func(t *testing.T, dir string) { write(t, dir, "state.jsonl", make([]byte, len(good))) },
		"other tenant's": func(t *testing.T, dir string) {
			write(t, dir, "state.jsonl", bytes.ReplaceAll(good, []byte(`"acme"`), []byte(`"ACME"`)))
		},
		"later format": func(t *testing.T, dir string) {
			write(t, dir, "state.jsonl", bytes.ReplaceAll(good, []byte("trellis.tenant.v1"), []byte("trellis.tenant.v2")))
		},
		"name cut": func(t *testing.T, dir string) {
			write(t, dir, "state.jsonl", bytes.ReplaceAll(good, []byte(`"acme"`), []byte(`"acme%0"`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			repo, err := repository.Folder(dir, repository.Options{})
			require.NoError(t, err)
			_, err = apply(repo, "acme", "catalog", 1)
			require.NoError(t, err)
			tenant, _ := state(t, dir)
			_, err = apply(repo, "other", "catalog", 1)
			require.NoError(t, err)
			damage(t, tenant)
			_, err = repo.State(ctx, "acme")
			code(t, graph.InvalidData, err)
			require.NotContains(t, err.Error(), dir)
			_, err = apply(repo, "acme", "catalog", 2)
			code(t, graph.InvalidData, err)
			names, err := repo.Tenants(ctx)
			code(t, graph.InvalidData, err)
			require.Equal(t, []string{"other"}, names)
		})
	}
}

func write(t *testing.T, dir, name string, data []byte) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
}

func TestFolderContentThatWasDamaged(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	repo, err := repository.Folder(dir, repository.Options{})
	require.NoError(t, err)
	s, err := apply(repo, "acme", "catalog", 1)
	require.NoError(t, err)
	tenant, _ := state(t, dir)
	file := filepath.Join(tenant, "content", s.Items[0].Digest)
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		require.NoError(t, os.WriteFile(file, bad, 0o600))
		_, err := repo.Content(ctx, "acme", "catalog", 1)
		code(t, graph.InvalidData, err)
	}
	require.NoError(t, os.WriteFile(file, good[:len(good)-1], 0o600))
	_, err = repo.Content(ctx, "acme", "catalog", 1)
	code(t, graph.InvalidData, err)
	require.NoError(t, os.Remove(file))
	_, err = repo.Content(ctx, "acme", "catalog", 1)
	code(t, graph.InvalidData, err)

	_, err = apply(repo, "acme", "catalog", 1) // which mends it
	require.NoError(t, err)
	files, err := repo.Content(ctx, "acme", "catalog", 1)
	require.NoError(t, err)
	require.Equal(t, content("catalog", 1, 0).Files, files)
}

// Whoever waits for the lock longer than it may, gives up.
func TestFolderLockedBySomebodyElse(t *testing.T) {
	dir := t.TempDir()
	repo, err := repository.Folder(dir, repository.Options{})
	require.NoError(t, err)
	_, err = apply(repo, "acme", "catalog", 1)
	require.NoError(t, err)
	tenant, _ := state(t, dir)
	lock, err := os.Open(filepath.Join(tenant, "lock"))
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = repo.Commit(ctx, "acme", 1, content("catalog", 2, 1))
	code(t, graph.Timeout, err)
	_, err = repo.State(context.Background(), "acme") // reading waits for nothing
	require.NoError(t, err)
	_, err = apply(repo, "other", "catalog", 1) // nor do other tenants
	require.NoError(t, err)
	lock.Close()
	_, err = apply(repo, "acme", "catalog", 2)
	require.NoError(t, err)
}

func TestFolderIsForItsOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repository")
	repo, err := repository.Folder(dir, repository.Options{})
	require.NoError(t, err)
	_, err = apply(repo, "acme", "catalog", 1)
	require.NoError(t, err)
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		require.False(t, strings.Contains(path, ".tmp-"), path)
		return nil
	}))
}
