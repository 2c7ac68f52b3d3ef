package repository_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/repository"
)

// contents counts the contents that a repository holds.
func contents(t *testing.T, p place, db *sql.DB) int {
	if db == nil {
		files, err := filepath.Glob(filepath.Join(p.at, "tenants", "*", "content", "*"))
		require.NoError(t, err)
		return len(files)
	}
	var n int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM trellis_contents").Scan(&n))
	return n
}

// hostile are names of tenants that databases, file systems and keys made of
// several parts have taken for one another. (T31, T33)
var hostile = []string{
	"acme", "ACME", "Acme", "ácme", "a\u0301cme", "acme ", " acme", "acme\x00", "acme\t", "acme\n", "acm", "acmee", "acme%", "acme_", "acme%00", "%61cme", "%",
	"' OR 1=1 --", "'; DROP TABLE trellis_tenants; --", `acme\`, `"acme"`, "`acme`", "acme/../other", "..", ".", "/", "/etc/passwd", "~", "CON", "nul.txt",
	"acme:catalog", "acme|catalog", "acme&a=b", "0", "00", "1e0", "null", "NULL", "true", "\xff", "\xff\xfe", "\xc3\x28", "\x00", "\x00\x00", "\u202eacme", "ＡＣＭＥ", "ſ", "ß", "ss", "İ", "ı", "i",
	strings.Repeat("a", 250), strings.Repeat("a", 251), strings.Repeat("a", 1000), strings.Repeat("a", 999) + "b", strings.Repeat("\x00", 1000), strings.Repeat("é", 500),
	"%sha256-" + strings.Repeat("0", 64), "t-acme-" + strings.Repeat("0", 64), "acme$1", "?", "acme?",
}

func TestTenantsNeverMeet(t *testing.T) {
	ctx := context.Background()
	eachPlace(t, repository.Options{}, func(t *testing.T, p place, repo repository.Repository, db *sql.DB) {
		for n, tenant := range hostile {
			s, err := repo.State(ctx, tenant)
			require.NoError(t, err, "%q", tenant)
			require.Zero(t, s, "%q sees another's", tenant)
			s, err = repo.Commit(ctx, tenant, 0, content("catalog", n+1, 2))
			require.NoError(t, err, "%q", tenant)
			require.EqualValues(t, 1, s.Version, "%q", tenant)
		}
		for n, tenant := range hostile {
			files, err := repo.Content(ctx, tenant, "catalog", 1)
			require.NoError(t, err)
			require.Equal(t, content("catalog", n+1, 2).Files, files, "%q", tenant)
		}
		names, err := repo.Tenants(ctx)
		require.NoError(t, err)
		require.Equal(t, slices.Sorted(slices.Values(hostile)), names)

		// Whatever one does, the others have what they had.
		_, err = repo.Commit(ctx, "acme", 1, repository.Change{Item: "catalog", Delete: true})
		require.NoError(t, err)
		for _, tenant := range hostile[1:] {
			s, err := repo.State(ctx, tenant)
			require.NoError(t, err)
			require.Equal(t, []string{"catalog"}, items(s), "%q", tenant)
			history, err := repo.History(ctx, tenant, "catalog")
			require.NoError(t, err)
			require.Len(t, history, 1)
		}
		if db != nil {
			var n int
			require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM trellis_entities").Scan(&n))
			require.Equal(t, 2*(len(hostile)-1), n)
		}
	})
}

func TestFolderHoldsNothingBesideItsTenants(t *testing.T) {
	dir := t.TempDir()
	repo, err := repository.Folder(filepath.Join(dir, "within", "repository"), repository.Options{})
	require.NoError(t, err)
	for _, tenant := range hostile {
		_, err := repo.Commit(context.Background(), tenant, 0, content("catalog", 1, 1))
		require.NoError(t, err)
	}
	for path, want := range map[string][]string{dir: {"within"}, "within": {"repository"}, "within/repository": {"tenants"}} {
		if path != dir {
			path = filepath.Join(dir, path)
		}
		entries, err := os.ReadDir(path)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, want[0], entries[0].Name())
	}
	entries, err := os.ReadDir(filepath.Join(dir, "within/repository/tenants"))
	require.NoError(t, err)
	require.Len(t, entries, len(hostile))
	folded := map[string]bool{}
	for _, e := range entries {
		require.Regexp(t, `^t-[a-z0-9]{0,32}-[0-9a-f]{64}$`, e.Name())
		folded[strings.ToLower(e.Name())] = true
	}
	require.Len(t, folded, len(hostile))
}
