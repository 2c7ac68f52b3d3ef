package command

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestBar(t *testing.T) {
	require.Equal(t, strings.Repeat("█", 12)+strings.Repeat("░", 12)+" person: 5 of 10", bar("person: 5 of 10", 5, 10, 80))
	require.Equal(t, "person: 5", bar("person: 5", 5, 0, 80), "nobody knows of how many")
	require.Equal(t, strings.Repeat("█", 24)+" x", bar("x", 12, 10, 80))
	for width := range 100 {
		require.LessOrEqual(t, utf8.RuneCountInString(bar(strings.Repeat("x", 90), 1, 3, width)), max(width-1, 0))
	}
}

// Where nobody looks there are lines, and not many.
func TestProgressInLines(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out)
	p.at("person", 1, 10, "rows")
	p.line("city: %d rows\n", 3)
	p.last = time.Time{}
	p.at("person", 9, 10, "rows")
	p.at("person", 10, 10, "rows")
	p.end()
	require.Equal(t, "city: 3 rows\nperson: 9 of 10 rows\n", out.String())
}
