package memory

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/trellisgraph/trellis/schema"
)

// WriteFile writes the graph into a file that OpenFile opens. The file is
// complete under its name or not there: it is written under another name beside
// it, brought to the disk, and renamed; a file of that name is replaced. Equal
// graphs give equal files, however they came about.
func (g *Graph) WriteFile(path string) (err error) {
	temporary := path + ".tmp-" + strconv.FormatUint(rand.Uint64(), 36)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("writing a graph file: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temporary)
			err = fmt.Errorf("writing a graph file: %w", err)
		}
	}()
	if _, err := g.WriteTo(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	// The rename is on the disk when the directory is. Not every system can
	// bring a directory there; the file is complete without.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// WriteTo writes what WriteFile does. It returns the number of bytes written.
func (g *Graph) WriteTo(to io.Writer) (int64, error) {
	w := &fileWriter{}
	g = g.Dense()
	w.graph(g)
	out := bufio.NewWriterSize(to, 1<<20)
	var written int64
	for _, part := range append([][]byte{w.head(g.schema)}, w.sections...) {
		n, err := out.Write(part)
		written += int64(n)
		if err != nil {
			return written, err
		}
		n, err = out.Write(make([]byte, padded(len(part))-len(part)))
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, out.Flush()
}

// A fileWriter collects the sections of a file.
type fileWriter struct {
	sections [][]byte
	forms    []form
}

func (w *fileWriter) add(f form, data []byte) {
	w.sections, w.forms = append(w.sections, data), append(w.forms, f)
}

func (w *fileWriter) graph(g *Graph) {
	w.add(formDocument, g.schema.Document())
	var counts []uint64
	for l := range g.schema.Labels() {
		counts = append(counts, uint64(g.NodeCount(l)))
	}
	for t := range g.schema.Relationships() {
		for _, p := range t.Pairs {
			counts = append(counts, uint64(g.RelCount(p)))
		}
	}
	w.add(formCounts, bytesOf(counts))
	for l := range g.schema.Labels() {
		for _, p := range l.Properties {
			c := g.label(l).columns[p]
			c.property = p
			w.column(c, g.NodeCount(l))
			if p.Index {
				w.add(formPostings, bytesOf(g.label(l).postings[p]))
			}
		}
	}
	for t := range g.schema.Relationships() {
		for _, p := range t.Pairs {
			w.pair(g, p)
		}
	}
}

func (w *fileWriter) pair(g *Graph, p *schema.Pair) {
	out := g.Outgoing(p)
	first := out.First
	if len(first) == 0 {
		first = make([]uint32, g.NodeCount(p.From)+1)
	}
	w.add(formFirst, bytesOf(first))
	w.add(formEnds, bytesOf(out.Ends))
	for _, prop := range p.Properties {
		c := g.pair(p).columns[prop]
		c.property = prop
		w.column(c, g.RelCount(p))
	}
}

// head is the header and the table.
func (w *fileWriter) head(s *schema.Schema) []byte {
	out := make([]byte, headerBytes, headerBytes+entryBytes*len(w.sections))
	size := uint64(cap(out))
	for i, data := range w.sections {
		sum := crc32.Checksum(data, castagnoli)
		sum = crc32.Update(sum, castagnoli, make([]byte, padded(len(data))-len(data)))
		out = binary.LittleEndian.AppendUint64(out, uint64(len(data)))
		out = binary.LittleEndian.AppendUint32(out, sum)
		out = binary.LittleEndian.AppendUint32(out, uint32(w.forms[i]))
		size += uint64(padded(len(data)))
	}
	copy(out, fileMagic)
	binary.LittleEndian.PutUint32(out[8:], fileVersion)
	binary.LittleEndian.PutUint32(out[12:], uint32(len(w.sections)))
	binary.LittleEndian.PutUint64(out[16:], size)
	binary.LittleEndian.PutUint32(out[24:], crc32.Checksum(out[headerBytes:], castagnoli))
	hash, _ := hex.DecodeString(s.Base().Hash()) // of hexadecimal digits only
	copy(out[32:headerBytes], hash)
	binary.LittleEndian.PutUint32(out[28:], headerSum(out))
	return out
}

// headerSum is the checksum of a header but for the bytes that hold it.
func headerSum(header []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[:28], castagnoli), castagnoli, header[32:headerBytes])
}
