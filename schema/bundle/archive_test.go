package bundle_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

func tarOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		text := h.PAXRecords["TRELLIS.text"]
		h.PAXRecords = nil
		if h.Size = int64(len(text)); h.Mode == 0 {
			h.Mode = 0o644
		}
		require.NoError(t, w.WriteHeader(&h))
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func tarFile(name, text string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, PAXRecords: map[string]string{"TRELLIS.text": text}}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func zipOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		require.NoError(t, err)
		_, err = io.WriteString(f, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestArchives(t *testing.T) {
	want, err := bundle.Read(small(nil), bundle.Options{})
	require.NoError(t, err)
	var own, again bytes.Buffer
	require.NoError(t, want.WriteArchive(&own))
	require.NoError(t, want.WriteArchive(&again))
	require.Equal(t, own.Bytes(), again.Bytes(), "the same bundle, the same bytes")

	files := []tar.Header{
		{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755}, tarFile("./manifest.yaml", smallManifest), {Name: "./schemas/", Typeflag: tar.TypeDir, Mode: 0o755},
		tarFile("./schemas/thing.schema.json", smallSchema), tarFile("./entities/things.yaml", smallEntities), tarFile("./README.md", "read me"), tarFile("./entities/.hidden", "x"),
	}
	for name, data := range map[string][]byte{
		"own": own.Bytes(), "tar": tarOf(t, files...), "tar.gz": gzipped(t, tarOf(t, files...)),
		"zip": zipOf(t, "schemas/thing.schema.json", smallSchema, "manifest.yaml", smallManifest, "entities/", "", "entities/things.yaml", smallEntities),
	} {
		b, err := bundle.ReadArchive(bytes.NewReader(data), bundle.Options{})
		require.NoError(t, err, name)
		require.Equal(t, want.Revision(), b.Revision(), name)
	}
}

func TestHostileArchives(t *testing.T) {
	manifest := tarFile("manifest.yaml", smallManifest)
	bomb := strings.Repeat("\x00", 2<<20)
	whole := tarOf(t, manifest, tarFile("schemas/thing.schema.json", smallSchema), tarFile("entities/things.yaml", smallEntities))
	cutTar := whole[:len(whole)-1024]
	damaged := gzipped(t, whole)
	damaged[len(damaged)-8] ^= 1 // the first byte of the checksum
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":          {nil, "this is no archive that is read"},
		"text":             {[]byte("format: trellis.bundle.v1"), "this is no archive that is read"},
		"cut gzip":         {gzipped(t, tarOf(t, manifest))[:40], "the archive cannot be read"},
		"cut tar":          {cutTar, "the archive ends before its end: it was cut off"},
		"cut tar in gzip":  {gzipped(t, cutTar), "the archive ends before its end: it was cut off"},
		"checksum":         {damaged, "the archive cannot be read: gzip: invalid checksum"},
		"cut zip":          {zipOf(t, "manifest.yaml", smallManifest)[:40], "the archive cannot be read"},
		"parent":           {tarOf(t, manifest, tarFile("../x", "x")), "../x: this is no path within a bundle"},
		"hidden parent":    {tarOf(t, manifest, tarFile("schemas/../../x", "x")), "schemas/../../x: this is no path within a bundle"},
		"absolute":         {tarOf(t, manifest, tarFile("/etc/passwd", "x")), "/etc/passwd: this is no path within a bundle"},
		"backslash":        {tarOf(t, manifest, tarFile(`entities\x`, "x")), `entities\x: this is no path within a bundle`},
		"link":             {tarOf(t, manifest, tar.Header{Name: "entities/things.yaml", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "this is no regular file"},
		"hard link":        {tarOf(t, manifest, tar.Header{Name: "entities/things.yaml", Typeflag: tar.TypeLink, Linkname: "manifest.yaml"}), "this is no regular file"},
		"device":           {tarOf(t, manifest, tar.Header{Name: "entities/things.yaml", Typeflag: tar.TypeChar}), "this is no regular file"},
		"twice":            {tarOf(t, manifest, manifest), "manifest.yaml: the path is in the archive twice"},
		"zip parent":       {zipOf(t, "../manifest.yaml", smallManifest), "this is no path within a bundle"},
		"zip twice":        {zipOf(t, "manifest.yaml", smallManifest, "manifest.yaml", smallManifest), "the path is in the archive twice"},
		"zip bomb":         {zipOf(t, "entities/things.yaml", bomb), "with this file the bundle is larger than 1000000 bytes"},
		"gzip bomb":        {gzipped(t, tarOf(t, tarFile("entities/things.yaml", bomb))), "with this file the bundle is larger than 1000000 bytes"},
		"bomb beside":      {gzipped(t, tarOf(t, tarFile("README.md", bomb+bomb))), "the archive unpacks to more than a bundle can be"},
		"too large":        {bytes.Repeat([]byte("x"), 4<<20), "the archive is larger than a bundle of 1000000 bytes can be"},
		"only a manifest":  {tarOf(t, manifest), "the bundle has no entity types"},
		"a folder around":  {tarOf(t, tarFile("shop/manifest.yaml", smallManifest)), "the bundle is in a folder of the archive, \"shop\", and not at its top"},
		"too many entries": {manyEntries(t), "a bundle has at most 1000 files"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bundle.ReadArchive(bytes.NewReader(c.data), bundle.Options{Limits: bundle.Limits{BundleBytes: 1_000_000, Files: 1000}})
			var ps bundle.Problems
			require.ErrorAs(t, err, &ps)
			require.Contains(t, err.Error(), c.want)
		})
	}
}

func manyEntries(t *testing.T) []byte {
	headers := make([]tar.Header, 0, 2_001)
	for range cap(headers) {
		headers = append(headers, tar.Header{Name: "x/", Typeflag: tar.TypeDir})
	}
	return gzipped(t, tarOf(t, headers...))
}

func TestWriteDir(t *testing.T) {
	b := shop(t)
	dir := filepath.Join(t.TempDir(), "new", "shop")
	require.NoError(t, b.WriteDir(dir))
	again, err := bundle.ReadDir(dir, bundle.Options{})
	require.NoError(t, err)
	require.Equal(t, b.Files(), again.Files())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte("mine"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "entities", "products.yaml"), []byte("[]"), 0o600))
	require.NoError(t, b.WriteDir(dir), "what is of the bundle is replaced")
	again, err = bundle.ReadDir(dir, bundle.Options{})
	require.NoError(t, err)
	require.Equal(t, b.Revision(), again.Revision())
	require.FileExists(t, filepath.Join(dir, "README.md"))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "entities", "brands.yaml"), []byte("[]"), 0o600))
	require.ErrorContains(t, b.WriteDir(dir), "entities/brands.yaml is in the folder and not of the bundle")
}

func TestLinksInAFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, shop(t).WriteDir(dir))
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	require.NoError(t, os.WriteFile(outside, []byte("[]"), 0o600))
	products := filepath.Join(dir, "entities", "products.yaml")
	require.NoError(t, os.Remove(products))
	require.NoError(t, os.Symlink(outside, products))
	_, err := bundle.ReadDir(dir, bundle.Options{})
	require.ErrorContains(t, err, "entities/products.yaml: this is no regular file; links are not followed")

	manifest := filepath.Join(dir, "manifest.yaml")
	require.NoError(t, os.Remove(manifest))
	require.NoError(t, os.Symlink(outside, manifest))
	_, err = bundle.ReadDir(dir, bundle.Options{})
	require.ErrorContains(t, err, "manifest.yaml: this is no regular file")
	require.NoError(t, os.Remove(manifest))
	require.NoError(t, os.WriteFile(manifest, []byte(smallManifest), 0o600))

	entities := filepath.Join(dir, "entities")
	require.NoError(t, os.RemoveAll(entities))
	for _, to := range []string{t.TempDir(), "schemas", "/nowhere"} {
		require.NoError(t, os.Symlink(to, entities))
		_, err = bundle.ReadDir(dir, bundle.Options{})
		require.EqualError(t, err, "entities: this is no folder; links are not followed")
		require.NoError(t, os.Remove(entities))
	}
	require.NoError(t, os.WriteFile(entities, nil, 0o600))
	_, err = bundle.ReadDir(dir, bundle.Options{})
	require.ErrorContains(t, err, "entities: this is no folder")
}
