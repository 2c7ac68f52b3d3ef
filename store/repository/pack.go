package repository

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// packed is a content as it is stored: one gzipped tar archive.
type packed struct {
	data   []byte
	digest string // of data
	bytes  int64  // of the files
}

// pack makes one archive of files. The same files give the same bytes, with the
// same version of Go.
func pack(files []File) (packed, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return packed{}, err
	}
	p := packed{}
	t := tar.NewWriter(z)
	for _, f := range files {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Mode: 0o644, Size: int64(len(f.Data))}); err != nil {
			return packed{}, err
		}
		if _, err := t.Write(f.Data); err != nil {
			return packed{}, err
		}
		p.bytes += int64(len(f.Data))
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return packed{}, err
	}
	p.data, p.digest = out.Bytes(), digest(out.Bytes())
	return p, nil
}

// unpack returns the files of a content, once it is sure that it is the one that
// was stored.
func unpack(data []byte, of Revision) ([]File, error) {
	if digest(data) != of.Digest {
		return nil, damaged("the stored content of %q, version %d, is not what was written", of.Item, of.Version)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, of.Files)
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		content := make([]byte, h.Size)
		if _, err := io.ReadFull(t, content); err != nil {
			return nil, err
		}
		files = append(files, File{h.Name, content})
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
