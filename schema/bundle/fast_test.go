package bundle

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readFast reads a whole file item by item, false if the library has to.
func readFast(data []byte) (items []node, ok bool) {
	f := newFastYAML(data, maxDepth+1)
	if f == nil {
		return nil, false
	}
	for {
		n, more, ok := f.item()
		if !ok || !more {
			return items, ok && len(items) > 0
		}
		items = append(items, n)
	}
}

// agree compares what both ways make of a file, as far as the fast one goes.
func agree(t *testing.T, data []byte) (fast bool) {
	t.Helper()
	items, ok := readFast(data)
	if !ok {
		return false
	}
	var f found
	root := readYAML("f", data, maxDepth+1, &f)
	require.NotNil(t, root, "%q: %v", data, f.err())
	require.False(t, root.unread, "%q: %v", data, f.err())
	require.Zero(t, f.count, "%q: %v", data, f.err())
	require.Equal(t, listNode, root.kind)
	require.Equal(t, tidy(root.items), tidy(items), "%q", data)
	return true
}

// tidy makes no difference between no members and none.
func tidy(items []node) []node {
	for i := range items {
		n := &items[i]
		if tidy(n.items); len(n.items) == 0 {
			n.items = nil
		}
		for j := range n.members {
			tidy(n.members[j].value.items)
			one := []node{n.members[j].value}
			tidy(one)
			n.members[j].value = one[0]
		}
		if len(n.members) == 0 {
			n.members = nil
		}
	}
	return items
}

const fastSample = `# things
- id: a
  name: "A: thing"
  n: -12.50
  day: 2026-01-01
  list:
    - x
    - 'it''s'
    - id: k
      v: 2
  flat:
  - a b
  - c
  text: |
    # Title

      indented
    end
  last: |-
    one
    two

  map:
    deep:
      deeper: yes it is
    flow: {a: 1, b: [x, "y, z", 'w'], c: {}}
    none: []

  # a comment
  true: true
  nothing: null
- {id: b, size: 3}
- id: ö
  wide: ä ö ü "quoted" inside
`

func TestTheFastWayAgrees(t *testing.T) {
	require.True(t, agree(t, []byte(fastSample)))
	files, err := filepath.Glob("testdata/*/entities/*.yaml")
	require.NoError(t, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		agree(t, data)
	}

	// Whatever a line or a few characters are changed into.
	r := rand.New(rand.NewPCG(7, 8))
	pieces := []string{" ", "  ", "\n", "- ", ": ", ":", "#", " #", "\"", "'", "\\", "|", "|-", "|+", ">", "[", "]", "{", "}", ",", "&a ", "*a", "!t ", "%", "@", "0", "007", "1e3", "1_0", "0x1", "~", "null", "yes", "on", "-", "--", "---\n", "...", "?", "<<", "=", "\t", "\r", "é", "\u0085", "\u2028", "\ufeff", "\x00", "a: b\n", "\\u0041", "\\x41", "12:30", ".5", "+1", "-a", "1a", "NaN", ".inf"}
	lines := strings.SplitAfter(fastSample, "\n")
	fast := 0
	const rounds = 10_000
	for range rounds {
		var text string
		switch r.IntN(3) {
		case 0: // lines in another order
			var b strings.Builder
			for range 1 + r.IntN(6) {
				b.WriteString(lines[r.IntN(len(lines))])
			}
			text = b.String()
		case 1:
			text = fastSample
		default:
			text = "- id: a\n  b: " + pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))] + "x\n"
		}
		for range r.IntN(3) {
			at := r.IntN(len(text) + 1)
			end := min(len(text), at+r.IntN(3))
			text = text[:at] + pieces[r.IntN(len(pieces))] + text[end:]
		}
		if agree(t, []byte(text)) {
			fast++
		}
	}
	require.Greater(t, fast, rounds/10)
	t.Logf("%d of %d files were read fast", fast, rounds)
}

func FuzzTheFastWayAgrees(f *testing.F) {
	f.Add([]byte(fastSample))
	f.Add([]byte("- id: a\n  b: [x, {c: 1}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 10_000 {
			agree(t, data)
		}
	})
}
