package repository

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// temporary begins the names of files that are being written.
const temporary = ".tmp-"

// Commit implements Repository.
func (f *folder) Commit(ctx context.Context, tenant string, base int64, c Change) (State, error) {
	c, err := c.checked(tenant)
	if err != nil {
		return State{}, err
	}
	var p packed
	if !c.Delete {
		if p, err = pack(c.Files); err != nil {
			return State{}, ioFailure(ctx, err)
		}
	}
	dir := f.dir(tenant)
	if err := os.MkdirAll(filepath.Join(dir, "content"), 0o700); err != nil {
		return State{}, ioFailure(ctx, err)
	}
	lock, err := lockFile(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return State{}, ioFailure(ctx, err)
	}
	defer lock.Close()
	s, err := f.commit(ctx, tenant, base, c, p)
	if err != nil {
		return State{}, ioFailure(ctx, err)
	}
	return s, nil
}

// commit makes a change to a tenant that is locked.
func (f *folder) commit(ctx context.Context, tenant string, base int64, c Change, p packed) (State, error) {
	dir := f.dir(tenant)
	l, err := readLog(dir)
	if err != nil {
		return State{}, err
	}
	if l.Version != base {
		return State{}, moved(l.Version, base)
	}
	var last Revision
	if of := l.of(c.Item); len(of) > 0 {
		last = of[0]
	}
	next, err := c.next(last, p)
	if err != nil {
		return State{}, err
	}
	sweep(dir, l)
	l.tenant = tenant
	l.add(next, f.opts.Keep)
	state, err := l.bytes()
	if err != nil {
		return State{}, err
	}
	if base == 0 { // its directories are new
		for _, d := range []string{filepath.Dir(f.root), f.root} {
			syncDir(d) // as far as they may be read
		}
		for _, d := range []string{f.tenants, dir} {
			if err := syncDir(d); err != nil {
				return State{}, err
			}
		}
	}
	if !c.Delete {
		if err := writeFile(filepath.Join(dir, "content", next.Digest), p.data); err != nil {
			return State{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return State{}, err
	}
	if err := writeFile(filepath.Join(dir, stateFile), state); err != nil {
		return State{}, err
	}
	sweep(dir, l)
	return l.State, nil
}

// lockFile locks a file, which is made if it is not there, as soon as nobody
// else has it. Closing it unlocks it.
func lockFile(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		ok, err := tryLock(f)
		if ok {
			return f, nil
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

// writeFile writes a file that is complete and on the disk when it has its name,
// and that nobody sees before.
func writeFile(path string, data []byte) (err error) {
	temp := filepath.Join(filepath.Dir(path), temporary+strconv.FormatUint(rand.Uint64(), 36))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir brings the names in a directory to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// sweep removes what no revision has, of a tenant that is locked: what a crash
// left, and what is no longer kept. What cannot be removed stays for the next
// time.
func sweep(dir string, l *log) {
	used := map[string]bool{}
	for _, r := range l.revisions {
		used[r.Digest] = true
	}
	contents, _ := os.ReadDir(filepath.Join(dir, "content"))
	for _, e := range contents {
		if !used[e.Name()] {
			os.Remove(filepath.Join(dir, "content", e.Name()))
		}
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporary) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
