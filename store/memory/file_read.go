package memory

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/trellisgraph/trellis/schema"
)

// OpenFile opens a file that WriteFile wrote. It reads the file as a whole,
// with all processors, and the graph holds on to what was read.
//
// The graph is of the schema s, which must be the same as the file's; where s
// is nil it is of the schema in the file. If the file is damaged, cut short, of
// another version or of another schema, the error is a *FileError. So it is
// where the file was made to deceive: whatever the graph's methods rely on is
// checked, that the values are of their types and within their bounds, keys in
// order and distinct, rows and codes there, that a foreign key holds one node.
func OpenFile(path string, s *schema.Schema) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &FileError{Path: path, Reason: "is a directory"}
	}
	g, err := ReadFrom(f, info.Size(), s)
	var wrong *FileError
	if errors.As(err, &wrong) {
		wrong.Path = path
	}
	return g, err
}

// IsFile reports whether a file can be read and begins as those do that
// WriteFile writes, so that OpenFile is the one to say what is wrong with it.
func IsFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(fileMagic))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == fileMagic
}

// ReadFrom reads the size bytes that WriteTo wrote; see OpenFile.
func ReadFrom(from io.ReaderAt, size int64, s *schema.Schema) (*Graph, error) {
	r := &fileReader{from: from}
	if err := r.open(size); err != nil {
		return nil, err
	}
	if err := r.readSchema(s); err != nil {
		return nil, err
	}
	g := newGraph(r.schema)
	tasks, err := r.plan(g)
	if err != nil {
		return nil, err
	}
	// The largest first, so that the last to end is a small one.
	slices.SortStableFunc(tasks, func(a, b fileTask) int { return cmp.Compare(b.end-b.first, a.end-a.first) })
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range tasks {
		work.Go(func() error { return t.run(r) })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	if err := checkMapping(g); err != nil {
		return nil, err
	}
	return g, nil
}

// checkMapping checks of a graph from a file what Load does at its end: that
// the tables of its schema could hold it.
func checkMapping(g *Graph) error {
	ps := newProblems(1)
	(&holderCheck{g, ps,
		func(l *schema.Label, _ uint32) (string, int) { return l.Name, 0 },
		func(r reference, _ *schema.Label, _ uint32) (string, int) { return r.pair.Type.Name, 0 },
	}).run()
	var wrong *LoadError
	if errors.As(ps.err(), &wrong) {
		return &FileError{Section: wrong.Problems[0].File, Reason: "not as it was written: " + wrong.Problems[0].Reason}
	}
	return nil
}

// A fileReader reads sections into one piece of memory.
type fileReader struct {
	from   io.ReaderAt
	data   []byte // of the size of the file; filled by read
	table  []tableEntry
	hash   []byte
	schema *schema.Schema
}

// open reads header and table.
func (r *fileReader) open(size int64) error {
	if size < headerBytes {
		return damaged("of %d bytes, not one of Trellis", size)
	}
	if size != int64(int(size)) {
		return damaged("of %d bytes, too large for this machine", size)
	}
	r.data = alignedBytes(int(size))
	if err := r.read(0, headerBytes); err != nil {
		return err
	}
	header := r.data[:headerBytes]
	number := binary.LittleEndian.Uint32
	switch {
	case string(header[:8]) != fileMagic:
		return damaged("not a graph file of Trellis")
	case number(header[8:]) != fileVersion:
		return damaged("is of version %d of the format, and this program reads version %d; write it anew from its source", number(header[8:]), fileVersion)
	case number(header[28:]) != headerSum(header):
		return damaged("damaged: the checksum of its header is wrong")
	case binary.LittleEndian.Uint64(header[16:]) != uint64(size):
		return damaged("is %d bytes long in place of %d: it was cut short or appended to", size, binary.LittleEndian.Uint64(header[16:]))
	}
	r.hash = header[32:headerBytes]
	count := int64(number(header[12:]))
	if count < 2 || count > (size-headerBytes)/entryBytes {
		return damaged("damaged: it cannot have %d sections", count)
	}
	return r.readTable(int(count), number(header[24:]))
}

func (r *fileReader) readTable(count int, sum uint32) error {
	at := headerBytes + count*entryBytes
	if err := r.read(headerBytes, at); err != nil {
		return err
	}
	table := r.data[headerBytes:at]
	if crc32.Checksum(table, castagnoli) != sum {
		return damaged("damaged: the checksum of its table is wrong")
	}
	r.table = make([]tableEntry, count)
	for i := range r.table {
		line := table[i*entryBytes:]
		length := binary.LittleEndian.Uint64(line)
		if length > uint64(len(r.data)-at) || padded(int(length)) > len(r.data)-at {
			return damaged("damaged: its sections are longer than the file")
		}
		r.table[i] = tableEntry{at, int(length), binary.LittleEndian.Uint32(line[8:]), form(binary.LittleEndian.Uint32(line[12:]))}
		at += padded(int(length))
	}
	if at != len(r.data) {
		return damaged("damaged: its sections are shorter than the file")
	}
	return nil
}

// read fills a part of data.
func (r *fileReader) read(first, end int) error {
	n, err := r.from.ReadAt(r.data[first:end], int64(first))
	if n == end-first {
		return nil
	}
	if err == io.EOF {
		return damaged("ends after %d of %d bytes: it was cut short", first+n, len(r.data))
	}
	return fmt.Errorf("reading a graph file: %w", err)
}

// load reads sections and compares their checksums.
func (r *fileReader) load(first, end int) error {
	if first == end {
		return nil
	}
	last := r.table[end-1]
	if err := r.read(r.table[first].offset, last.offset+padded(last.length)); err != nil {
		return err
	}
	for _, e := range r.table[first:end] {
		if crc32.Checksum(r.data[e.offset:e.offset+padded(e.length)], castagnoli) != e.sum {
			return damaged("damaged: the checksum of the %s at byte %d is wrong", e.form, e.offset)
		}
	}
	return nil
}

// readSchema settles the schema: s, or that of the file.
func (r *fileReader) readSchema(s *schema.Schema) error {
	if s != nil {
		if hash := hex.EncodeToString(r.hash); hash != s.Base().Hash() {
			return damaged("is of another schema: the hash of its schema is %.12s…, that of the one given %.12s…", hash, s.Base().Hash())
		}
		r.schema = s.Base()
		return nil
	}
	if r.table[0].form != formDocument {
		return damaged("damaged: it begins with %s in place of a schema", r.table[0].form)
	}
	if err := r.load(0, 1); err != nil {
		return err
	}
	document := r.section(0)
	if sum := sha256.Sum256(document); !bytes.Equal(sum[:], r.hash) {
		return damaged("damaged: its schema does not have the hash that it names")
	}
	var err error
	if r.schema, err = schema.FromDocument(document); err != nil {
		return damaged("its schema is wrong: %s", err)
	}
	if hash := hex.EncodeToString(r.hash); r.schema.Hash() != hash {
		return damaged("its schema is not written as this program would write it; write the file anew from its source")
	}
	return nil
}

// section is what was loaded of a section.
func (r *fileReader) section(i int) []byte {
	e := r.table[i]
	return r.data[e.offset : e.offset+e.length : e.offset+e.length]
}
