package repository

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// Folder keeps everything in a directory, which the first change makes if it is
// not there; reading makes nothing:
//
//	tenants/t-acme-<SHA-256 of the name>/
//	    state.jsonl            a line of what the tenant has, then one for each revision
//	    content/<SHA-256>      a revision's files, a gzipped tar archive
//	    lock                   locked by whoever changes the tenant
//
// Only its owner may read it. Several processes can use one folder at the same
// time, of a file system with flock, which changes wait for; reading waits for
// nothing. Nothing is opened between calls.
func Folder(dir string, opts Options) (Repository, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, ioFailure(context.Background(), &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a directory")})
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, ioFailure(context.Background(), err)
	}
	return &folder{root: dir, tenants: filepath.Join(dir, "tenants"), opts: opts.withDefaults()}, nil
}

type folder struct {
	root    string
	tenants string
	opts    Options
}

// Close implements Repository.
func (f *folder) Close() error { return nil }

// Tenants implements Repository.
func (f *folder) Tenants(ctx context.Context) ([]string, error) {
	entries, err := os.ReadDir(f.tenants)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, ioFailure(ctx, err)
	}
	names := []string{}
	var first error
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, ioFailure(ctx, err)
		}
		head, err := readHead(filepath.Join(f.tenants, e.Name()))
		if err != nil && first == nil {
			first = ioFailure(ctx, err)
		}
		if head.Version > 0 {
			names = append(names, head.tenant)
		}
	}
	slices.Sort(names)
	return names, first
}

// dir is the directory of a tenant, there or not.
func (f *folder) dir(tenant string) string { return filepath.Join(f.tenants, folderOf(tenant)) }

// Version implements Repository.
func (f *folder) Version(ctx context.Context, tenant string) (int64, error) {
	s, err := f.State(ctx, tenant)
	return s.Version, err
}

// State implements Repository.
func (f *folder) State(ctx context.Context, tenant string) (State, error) {
	if err := checkTenant(tenant); err != nil {
		return State{}, err
	}
	if err := ctx.Err(); err != nil {
		return State{}, ioFailure(ctx, err)
	}
	head, err := readHead(f.dir(tenant))
	if err != nil {
		return State{}, ioFailure(ctx, err)
	}
	return head.State, nil
}

// History implements Repository.
func (f *folder) History(ctx context.Context, tenant, item string) ([]Revision, error) {
	if err := checkItem(tenant, item); err != nil {
		return nil, err
	}
	log, err := readLog(f.dir(tenant))
	if err != nil {
		return nil, ioFailure(ctx, err)
	}
	return log.of(item), nil
}

// Content implements Repository.
func (f *folder) Content(ctx context.Context, tenant, item string, version int64) ([]File, error) {
	history, err := f.History(ctx, tenant, item)
	if err != nil {
		return nil, err
	}
	for _, r := range history {
		if r.Version != version {
			continue
		}
		if r.Deleted {
			return nil, nil
		}
		data, err := os.ReadFile(filepath.Join(f.dir(tenant), "content", r.Digest))
		if errors.Is(err, fs.ErrNotExist) { // swept since, or lost
			if history, err := f.History(ctx, tenant, item); err == nil && !slices.Contains(history, r) {
				break
			}
			return nil, damaged("the stored content of %q, version %d, is not there", item, version)
		}
		if err != nil {
			return nil, ioFailure(ctx, err)
		}
		files, err := unpack(data, r)
		if err != nil {
			return nil, ioFailure(ctx, err)
		}
		return files, nil
	}
	return nil, absent("there is no version %d of %q, or it is no longer kept", version, item)
}

// ioFailure turns an error of the file system into one of Trellis's. Paths stay
// in its cause.
func ioFailure(ctx context.Context, err error) error {
	var known *graph.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &graph.Error{Code: graph.Timeout, Message: "the repository took longer than it may", Retryable: true, Cause: err}
	case ctx.Err() != nil:
		return &graph.Error{Code: graph.Canceled, Message: "the call was canceled", Cause: err}
	case full(err):
		return &graph.Error{Code: graph.StorageFull, Message: "the repository has no room left; nothing was changed", Cause: err}
	}
	return &graph.Error{Code: graph.Unavailable, Message: "the repository's folder cannot be read or written", Retryable: true, Cause: err}
}
