package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// archiveSlack is how much more than its files an archive may hold for each of
// them: headers, padding, names.
const archiveSlack = 2048

// ReadArchive reads a bundle from an archive: tar, tar with gzip, or zip, whose
// paths are those of the bundle's folder. Nothing is written anywhere, links and
// paths that lead outside are refused, and no more is unpacked than a bundle may
// hold. The error is a Problems, or one of reading.
func ReadArchive(from io.Reader, o Options) (*Bundle, error) {
	l := o.Limits.filled()
	most := int64(l.BundleBytes) + int64(min(l.Files, 1<<20))*archiveSlack
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, Problems{{Message: fmt.Sprintf("the archive is larger than a bundle of %d bytes can be", l.BundleBytes)}}
	}
	a := &archive{limits: l, seen: map[string]bool{}}
	switch {
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			err = a.tar(&bounded{unpacked, most})
		}
		if err == nil { // what follows the last file holds the checksum of all
			_, err = io.Copy(io.Discard, &bounded{unpacked, most})
		}
	case bytes.HasPrefix(data, []byte("PK")):
		err = a.zip(data)
	case len(data) > 262 && string(data[257:262]) == "ustar":
		err = a.tar(bytes.NewReader(data))
	default:
		return nil, Problems{{Message: "this is no archive that is read: neither tar, nor tar with gzip, nor zip"}}
	}
	var refused Problems
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return nil, Problems{{Message: "the archive cannot be read: " + short(err.Error())}}
	case !a.seen[manifestFile] && a.below != "":
		return nil, Problems{{Message: fmt.Sprintf("the bundle is in a folder of the archive, %q, and not at its top", short(a.below)),
			Hint: "pack what is in the folder: tar czf bundle.tgz -C FOLDER ."}}
	}
	return ReadFiles(a.files, o)
}

// A bounded reader refuses to unpack more than a bundle can be.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, Problems{{Message: "the archive unpacks to more than a bundle can be"}}
	}
	return n, err
}

// An archive collects files.
type archive struct {
	limits Limits
	files  []File
	seen   map[string]bool
	below  string // a folder with a manifest
	count  int
	bytes  int
}

// entry decides about an entry: whether it is a file to be read.
func (a *archive) entry(name string, mode fs.FileMode) (clean string, read bool, err error) {
	refuse := func(message string) (string, bool, error) {
		return "", false, Problems{{File: short(name), Message: message}}
	}
	if a.count++; a.count > 2*a.limits.Files {
		return refuse(fmt.Sprintf("a bundle has at most %d files", a.limits.Files))
	}
	clean = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	switch {
	case mode.IsDir() && (clean == "" || clean == "."):
		return "", false, nil
	case !fs.ValidPath(clean) || clean == "." || strings.ContainsAny(clean, "\\\x00") || len(clean) > 1024:
		return refuse("this is no path within a bundle")
	case mode.IsDir():
		return clean, false, nil
	case !mode.IsRegular():
		return refuse(notRegular)
	case a.seen[clean]:
		return refuse("the path is in the archive twice")
	}
	a.seen[clean] = true
	if dir, file := path.Split(clean); file == manifestFile && dir != "" {
		a.below = strings.TrimSuffix(dir, "/")
	}
	return clean, ofBundle(clean), nil
}

// ofBundle reports whether a path is looked at.
func ofBundle(name string) bool {
	if strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return false
	}
	return name == manifestFile || strings.HasPrefix(name, "schemas/") || strings.HasPrefix(name, "entities/")
}

func (a *archive) add(name string, from io.Reader) error {
	left := a.limits.BundleBytes - a.bytes
	data, err := io.ReadAll(io.LimitReader(from, int64(left)+1))
	if err != nil {
		return err
	}
	if len(data) > left {
		return Problems{{File: name, Message: fmt.Sprintf("with this file the bundle is larger than %d bytes", a.limits.BundleBytes)}}
	}
	a.bytes += len(data)
	a.files = append(a.files, File{name, data})
	return nil
}

// An ending remembers the end of what was read so far.
type ending struct {
	io.Reader
	last [512]byte // a block of tar
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if n >= len(e.last) {
		copy(e.last[:], p[n-len(e.last):n])
	} else {
		copy(e.last[:], e.last[n:])
		copy(e.last[len(e.last)-n:], p[:n])
	}
	return n, err
}

func (a *archive) tar(from io.Reader) error {
	end := &ending{Reader: from}
	t := tar.NewReader(end)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF) && end.last != [512]byte{}:
			// Blocks of zeros end an archive, and the reader does without.
			return Problems{{Message: "the archive ends before its end: it was cut off"}}
		case errors.Is(err, io.EOF):
			return nil
		}
		if err != nil {
			return err
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag == tar.TypeLink { // which Go takes for a file
			mode |= fs.ModeIrregular
		}
		name, read, err := a.entry(h.Name, mode)
		if err != nil {
			return err
		}
		if !read {
			continue
		}
		if err := a.add(name, t); err != nil {
			return err
		}
	}
}

func (a *archive) zip(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, f := range z.File {
		name, read, err := a.entry(f.Name, f.Mode())
		if err != nil {
			return err
		}
		if !read {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		err = a.add(name, in)
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// WriteArchive writes the canonical files as a tar with gzip. The same bundle
// gives the same bytes.
func (b *Bundle) WriteArchive(to io.Writer) error {
	z := gzip.NewWriter(to)
	t := tar.NewWriter(z)
	for _, f := range b.files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Mode: 0o644, Size: int64(len(f.Data)), ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.Data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}
