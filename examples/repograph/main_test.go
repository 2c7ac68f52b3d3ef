package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newShop is a repository with three packages: shop imports cart, and cart
// imports price.
func newShop(t *testing.T) *sandbox {
	s := newSandbox(t)
	s.write(
		"go.mod", "module example.org/shop\n\ngo 1.24\n",
		"shop.go", "package shop\n\nimport (\n\t_ \"fmt\"\n\n\t_ \"example.org/shop/cart\"\n)\n",
		"cart/cart.go", "package cart\n\nimport (\n\t_ \"strings\"\n\n\t_ \"example.org/shop/price\"\n)\n",
		"price/tag.go", "package price\n\nimport (\n\t_ \"strconv\"\n\t_ \"strings\"\n)\n",
		"price/a 'b' \"c\" ü.txt", "odd\n",
	)
	s.commit(ada, "open the shop")
	s.git("mv", "price/tag.go", "price/price.go")
	s.commit(grace, "call it price")
	s.write("price/price.go", "package price\n\nimport (\n\t_ \"strconv\"\n\t_ \"strings\"\n)\n\nvar Cent = 1\n")
	s.commit("Ada King <ada@example.org>", "mint a coin")
	return s
}

// answers runs the program and returns, for each question, the lines of its
// answer.
func answers(t *testing.T, dir, pkg, from string) map[string][]string {
	var out strings.Builder
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, run(t.Context(), &out, dir, pkg, from, now))
	all := map[string][]string{}
	question := ""
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "# ") {
			question = line[2:]
			all[question] = []string{}
		} else if answer, ok := strings.CutPrefix(line, "=> "); ok {
			all[question] = append(all[question], answer)
		}
	}
	return all
}

func TestAnswers(t *testing.T) {
	shop := newShop(t)
	got := answers(t, shop.dir, "./price", "")
	want := map[string][]string{
		"What may break if example.org/shop/price changes?": {
			`{"label":"package","id":"example.org/shop/cart","distance":1,"properties":{"name":"cart"}}`,
			`{"label":"package","id":"example.org/shop","distance":2,"properties":{"name":"shop"}}`,
		},
		"How does example.org/shop depend on example.org/shop/price?": {
			`{"nodes":[{"label":"package","id":"example.org/shop"},{"label":"package","id":"example.org/shop/cart"},{"label":"package","id":"example.org/shop/price"}],"relationships":[0,1],"length":2}`,
		},
		"Which packages of the standard library does the project lean on most?": {
			`{"package":"strings","importers":2}`,
			`{"package":"fmt","importers":1}`,
			`{"package":"strconv","importers":1}`,
		},
		"Which modules does it build on, and with how many packages?": {"nothing"},
		// Grace renamed a file, and has added nothing to it.
		"Who knows example.org/shop/price: who has added to how many of its files?": {
			`{"author_email":"ada@example.org","author_name":"Ada King","files":2}`,
		},
		"Who worked on example.org/shop/price this year?": {
			`{"author_email":"ada@example.org","author_name":"Ada King","commits":2}`,
			`{"author_email":"grace@example.org","author_name":"Grace \"Amazing\" Hopper","commits":1}`,
		},
		"Which packages change together with example.org/shop/price?": {
			`{"package":"example.org/shop","commits":1}`,
			`{"package":"example.org/shop/cart","commits":1}`,
		},
		"Which files change together with price/price.go?": {
			`{"file":"cart/cart.go","commits":1}`,
			`{"file":"go.mod","commits":1}`,
			`{"file":"price/a 'b' \"c\" ü.txt","commits":1}`,
			`{"file":"shop.go","commits":1}`,
		},
		"How many commits were made in each month of this year?": {`{"month":"2026-01-01","commits":3}`},
	}
	require.Equal(t, want, got)
}

// Files that often change together come first, however often they change
// otherwise.
func TestFilesThatChangeTogether(t *testing.T) {
	s := newShop(t)
	for _, tick := range []string{"1", "2"} {
		s.write("price/price.go", "package price\n\nvar A = "+tick+"\n", "shop.go", "package shop\n\nvar A = "+tick+"\n")
		s.commit(grace, "both "+tick)
		s.write("go.mod", "module example.org/shop\n\ngo 1.24 // "+tick+"\n")
		s.commit(grace, "alone "+tick)
	}
	got := answers(t, s.dir, "./price", "")
	require.Equal(t, `{"file":"shop.go","commits":3}`, got["Which files change together with price/price.go?"][0])
	require.Contains(t, got["Which files change together with price/price.go?"], `{"file":"go.mod","commits":1}`)
	require.Equal(t, `{"package":"example.org/shop","commits":3}`, got["Which packages change together with example.org/shop/price?"][0])
}

func TestHowAPackageDependsOnAnother(t *testing.T) {
	shop := newShop(t)
	shop.write("gift/gift.go", "package gift\n\nimport _ \"example.org/shop/price\"\n",
		"shop.go", "package shop\n\nimport (\n\t_ \"example.org/shop/cart\"\n\t_ \"example.org/shop/gift\"\n)\n")
	got := answers(t, shop.dir, "./price", ".")["How does example.org/shop depend on example.org/shop/price?"]
	require.Len(t, got, 2)
	require.Contains(t, got[0], "example.org/shop/cart")
	require.Contains(t, got[1], "example.org/shop/gift")

	got = answers(t, shop.dir, ".", "./price")["How does example.org/shop/price depend on example.org/shop?"]
	require.Equal(t, []string{"nothing"}, got)
	got = answers(t, shop.dir, "strconv", "")["How does example.org/shop depend on strconv?"]
	require.Len(t, got, 2, "over three imports, in two ways")
}

func TestThePackageThatMostImport(t *testing.T) {
	shop := newShop(t)
	got := answers(t, shop.dir, "", "")
	require.Contains(t, got, "What may break if example.org/shop/cart changes?", "cart and price have one importer each; cart comes first")
}

func TestRepositoryWithoutCommits(t *testing.T) {
	s := newSandbox(t)
	s.write("go.mod", "module example.org/new\n\ngo 1.24\n", "new.go", "package new\n")
	got := answers(t, s.dir, "", "")
	require.Equal(t, []string{"nothing"}, got["Who worked on example.org/new this year?"])
	for question := range got {
		require.NotContains(t, question, "depend on", "nothing imports the only package")
		require.NotContains(t, question, "files change together", "nothing has been committed")
	}
}

func TestModuleInASubdirectory(t *testing.T) {
	s := newSandbox(t)
	s.write("README", "elsewhere\n", "go/go.mod", "module example.org/sub\n\ngo 1.24\n", "go/sub.go", "package sub\n")
	s.commit(ada, "all")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(filepath.Join(s.dir, "go"), link))
	got := answers(t, link, ".", "")
	require.Equal(t, []string{`{"author_email":"ada@example.org","author_name":"Ada Lovelace","files":2}`},
		got["Who knows example.org/sub: who has added to how many of its files?"])
	require.Contains(t, got, "Which files change together with go/go.mod?")
}

func TestPackagesThatDoNotBuild(t *testing.T) {
	s := newSandbox(t)
	s.write("go.mod", "module example.org/broken\n\ngo 1.24\n",
		"broken.go", "package broken\n\nimport (\n\t_ \"example.org/broken/missing\"\n\t_ \"fmt\"\n)\n\nfunc (\n")
	s.commit(ada, "all")
	got := answers(t, s.dir, ".", "")
	require.Equal(t, []string{`{"package":"fmt","importers":1}`},
		got["Which packages of the standard library does the project lean on most?"])
}

func TestWhatCannotBeRead(t *testing.T) {
	s := newSandbox(t)
	s.write("README", "no Go here\n")
	s.commit(ada, "all")
	for name, tc := range map[string]struct{ dir, pkg, from, want string }{
		"no such directory": {filepath.Join(s.dir, "nowhere"), "", "", "no such file or directory"},
		"no module":         {s.dir, "", "", "go.mod"},
		"no such importer":  {newShop(t).dir, "", "./pricey", `the project knows no package "example.org/shop/pricey"`},
		"no such package":   {newShop(t).dir, "./pricey", "", `the project knows no package "example.org/shop/pricey"; the ones that it uses most are example.org/shop/cart, `},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), new(strings.Builder), tc.dir, tc.pkg, tc.from, time.Now())
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// Clocks may be wrong by any amount.
func TestInstant(t *testing.T) {
	for _, seconds := range []int64{-1 << 40, 1 << 40} {
		require.Nil(t, instant(time.Unix(seconds, 0).UTC()))
	}
	require.Nil(t, instant(time.Time{}))
	require.Equal(t, time.Unix(0, 0), instant(time.Unix(0, 0)))
}

func TestAShallowCloneSaysSo(t *testing.T) {
	shop := newShop(t)
	clone := filepath.Join(t.TempDir(), "clone")
	shop.git("clone", "-q", "--depth", "1", "file://"+shop.dir, clone)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, clone, "./price", "", time.Now()))
	require.Contains(t, out.String(), "1 commits (a shallow clone: older ones are not here)\n")
}
