package memory

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The endings of data files: a format and a compression.
var (
	formats      = []string{".csv", ".jsonl"}
	compressions = []string{"", ".gz", ".zst"}
)

// cutEnding parts the name of a data file into the name of its label or type,
// its format and its compression.
func cutEnding(file string) (name, format, compression string, ok bool) {
	for _, c := range compressions {
		for _, f := range formats {
			if name, ok := strings.CutSuffix(file, f+c); ok && name != "" {
				return name, f, c, true
			}
		}
	}
	return "", "", "", false
}

// A dataFile is one file of a graph directory.
type dataFile struct {
	path                string
	format, compression string
	size                int64 // as it lies there
}

// findFiles returns the data files in a folder by the name of their label or
// type. It reports files that are of none and names that have two.
func findFiles(fsys fs.FS, dir, kind string, names []string, ps *problems) (map[string]dataFile, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := map[string]dataFile{}
	for _, e := range entries {
		path := dir + "/" + e.Name()
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name, format, compression, ok := cutEnding(e.Name())
		switch {
		case !ok || e.IsDir():
			ps.add(path, 0, "not a data file: want NAME.csv or NAME.jsonl, also with .gz or .zst")
			continue
		case !slices.Contains(names, name):
			ps.add(path, 0, "unknown %s %s%s", kind, quote(name), didYouMean(name, names))
			continue
		case found[name].path != "":
			ps.add(path, 0, "there is also %s", found[name].path)
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		found[name] = dataFile{path, format, compression, info.Size()}
	}
	return found, nil
}

// A source is an open data file that counts what was read of it.
type source struct {
	io.Reader
	ctx   context.Context
	file  fs.File
	close func()
	read  int64
}

// open opens a file and decompresses it.
func (f dataFile) open(ctx context.Context, fsys fs.FS) (*source, error) {
	file, err := fsys.Open(f.path)
	if err != nil {
		return nil, err
	}
	s := &source{ctx: ctx, file: file, close: func() {}}
	s.Reader = counter{s}
	switch f.compression {
	case ".gz":
		z, err := gzip.NewReader(counter{s})
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		s.Reader = z
	case ".zst":
		z, err := zstd.NewReader(counter{s}, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		s.Reader, s.close = z, z.Close
	}
	return s, nil
}

// Close closes the file.
func (s *source) Close() error {
	s.close()
	return s.file.Close()
}

// A counter reads a source's file as it lies there, until its context ends.
type counter struct{ s *source }

func (c counter) Read(p []byte) (int, error) {
	if err := c.s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.s.file.Read(p)
	c.s.read += int64(n)
	return n, err
}
