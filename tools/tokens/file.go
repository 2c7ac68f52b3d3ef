package tokens

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// A File is a file of tokens. When it changes it is read again, within a second
// or two. It is safe for concurrent use.
type File struct {
	path string
	log  *slog.Logger
	list atomic.Pointer[[]known]

	mu     sync.Mutex // held by who looks at the file
	looked time.Time
	seen   stamp
}

// A stamp tells one state of a file from the next.
type stamp struct {
	modified time.Time
	size     int64
}

// Open reads a file of tokens. What is wrong with it later on goes to the log,
// and the tokens that were read last stay as they are. Nil is slog.Default().
func Open(path string, log *slog.Logger) (*File, error) {
	if log == nil {
		log = slog.Default()
	}
	f := &File{path: path, log: log}
	if err := f.read(); err != nil {
		return nil, err
	}
	f.looked = time.Now()
	return f, nil
}

func (f *File) read() error {
	list, seen, err := load(f.path)
	f.seen = seen // what could not be read is not read again and again
	if err != nil {
		return err
	}
	f.list.Store(&list)
	return nil
}

func load(path string) ([]known, stamp, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, stamp{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, stamp{}, err
	}
	seen := stamp{info.ModTime(), info.Size()}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, seen, err
	}
	list, err := parse(data)
	if err != nil {
		return nil, seen, fmt.Errorf("%s: %w", path, err)
	}
	return list, seen, nil
}

// interval is how often the file is looked at.
const interval = time.Second

// refresh reads the file again if it has changed. Who finds another at it goes
// on with what is known.
func (f *File) refresh(ctx context.Context, now time.Time) {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	if now.Sub(f.looked) < interval {
		return
	}
	f.looked = now
	info, err := os.Stat(f.path)
	if err == nil && (stamp{info.ModTime(), info.Size()}) == f.seen {
		return
	}
	if err == nil {
		err = f.read()
	}
	if err != nil {
		f.log.WarnContext(ctx, "the file of tokens could not be read again; those that were read last stay", "error", err)
	}
}

// Verify returns the scope of a token, nil if there is no such token or its time
// is over. How long it takes tells nothing of the tokens that there are: the
// hashes of all of them are compared, each to its end.
func (f *File) Verify(ctx context.Context, token string) (*graph.Scope, error) {
	now := time.Now()
	f.refresh(ctx, now)
	hash := sha256.Sum256([]byte(token))
	found := -1
	list := *f.list.Load()
	for i := range list {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(list[i].hash[:], hash[:]), i, found)
	}
	if found < 0 {
		return nil, nil
	}
	if end := list[found].expires; !end.IsZero() && !now.Before(end) {
		return nil, nil
	}
	return list[found].scope, nil
}

// Len is how many tokens there are.
func (f *File) Len() int { return len(*f.list.Load()) }
