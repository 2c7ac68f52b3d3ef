package schema

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the problems in testdata/broken.txt; read them afterwards")

// A brokenCase is a broken schema and the problems that must be said about it.
type brokenCase struct{ title, file, text, problems string }

func brokenCases(t testing.TB) (head string, cases []brokenCase) {
	data, err := os.ReadFile("testdata/broken.txt")
	require.NoError(t, err)
	head, rest, _ := strings.Cut(string(data), "\n=== ")
	for _, part := range strings.Split(rest, "\n=== ") {
		c := brokenCase{file: "s.yaml"}
		var ok bool
		c.title, c.text, _ = strings.Cut(part, "\n")
		c.text, c.problems, ok = strings.Cut("\n"+c.text, "\n----\n")
		require.True(t, ok, "%s has no ----", c.title)
		c.text = strings.TrimPrefix(c.text, "\n")
		if strings.HasPrefix(c.title, "json:") {
			c.file = "s.json"
		}
		cases = append(cases, c)
	}
	return head, cases
}

func TestBrokenSchemas(t *testing.T) {
	head, cases := brokenCases(t)
	var out strings.Builder
	out.WriteString(head)
	for _, c := range cases {
		t.Run(c.title, func(t *testing.T) {
			_, err := Parse(c.file, []byte(c.text))
			require.Error(t, err)
			got := strings.ReplaceAll(err.Error(), c.file+":", "")
			out.WriteString("\n=== " + c.title + "\n" + c.text + "\n----\n" + got + "\n")
			if !*update {
				require.Equal(t, strings.TrimSpace(c.problems), got)
			}
			var problems Problems
			require.ErrorAs(t, err, &problems)
			for _, p := range problems {
				require.Equal(t, c.file, p.File)
				require.Positive(t, p.Line)
				require.Positive(t, p.Column)
			}
		})
	}
	require.GreaterOrEqual(t, len(cases), 90)
	if *update {
		require.NoError(t, os.WriteFile("testdata/broken.txt", []byte(out.String()), 0o644))
	}
}
