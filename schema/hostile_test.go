package schema

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Files that are made to be costly are refused or read in bounded time.
func TestHostileFilesAreBounded(t *testing.T) {
	const size = maxBytes / 2
	full := func(head, part string) string {
		return head + strings.Repeat(part, (size-len(head))/len(part))
	}
	numbered := func(head string, part func(i string) string, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < size-1000; i++ {
			b.WriteString(part(strings.Map(func(r rune) rune { return 'a' + r - '0' }, strconv.Itoa(i))))
		}
		return b.String() + tail
	}
	head := "format: trellis.schema.v1\nnodes:\n  p: {key: id, properties: {id: int64}}\n"
	for name, text := range map[string]string{
		"too large":          strings.Repeat("#", maxBytes+1),
		"comments":           full("", "# x\n"),
		"comments and names": full("", "# x\na: b # x\n\n"),
		"lists in lists":     full("", "["),
		"maps in maps":       full("", "{a: "),
		"dashes":             full("", "- "),
		"questions":          full("", "? "),
		"colons":             full("", "a: "),
		"quotes":             full("", `"`),
		"indents":            numbered("", func(i string) string { return strings.Repeat(" ", min(len(i)*100, 600)) + i + ":\n" }, ""),
		"one long line":      full("", "x"),
		"one long list":      full(head+"relationships: [", "a,") + "]",
		"anchors":            numbered("a0: &a0 [x]\n", func(i string) string { return "a" + i + ": &a" + i + " [*a0, *a0]\n" }, ""),
		"laughs":             "a: &a [x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n",
		"same name":          full(head, "relationships: {}\n"),
		"unknown fields":     numbered(head, func(i string) string { return i + ": x\n" }, ""),
		"unknown nested":     numbered(head+"relationships:\n  R:\n", func(i string) string { return "    " + i + ": x\n" }, ""),
		"unknown labels":     numbered(head+"relationships:\n", func(i string) string { return " R" + i + ": {from: p" + i + ", to: p}\n" }, ""),
		"bad types":          numbered("format: trellis.schema.v1\nnodes:\n p:\n  key: id\n  properties:\n", func(i string) string { return "   " + i + ": x\n" }, ""),
		"one table":          numbered(head+"relationships:\n", func(i string) string { return " R" + i + ": {from: p, to: p, table: t}\n" }, ""),
		"many pairs":         full(head+"relationships: {R: [", "{from: p, to: p},") + "]}",
		"many labels":        numbered(head, func(i string) string { return "  " + i + ": {key: id, properties: {id: int64}}\n" }, ""),
		"policies":           numbered(head, func(i string) string { return "  " + i + ": {key: id, policy: '((((((((', properties: {id: int64}}\n" }, ""),
		"huge number":        head + "revised: 1e999999999\nrelationships: {R: {from: 1e999999999, to: " + strings.Repeat("9", 100000) + "}}\n",
		"a deep policy":      "format: trellis.schema.v1\nnodes:\n  p: {key: id, policy: '" + strings.Repeat("(", 4000) + "', properties: {id: int64}}\n",
		"a long chain":       "format: trellis.schema.v1\nnodes:\n  p: {key: id, policy: '" + strings.Repeat("!", 4000) + "a', properties: {id: int64}}\n",
	} {
		for _, file := range []string{"a.yaml", "a.json"} {
			t.Run(name+" "+file, func(t *testing.T) {
				start := time.Now()
				_, err := Parse(file, []byte(text))
				took := time.Since(start)
				var problems Problems
				if err != nil {
					require.ErrorAs(t, err, &problems)
					require.LessOrEqual(t, len(problems), maxProblems+1)
					require.Less(t, len(problems.Error()), 200_000)
				}
				require.Less(t, took, time.Minute) // a hang, whatever else the machine does
			})
		}
	}
}
