package command

import (
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"
)

// terminal returns the terminal that a stream is, nil if it is none.
func terminal(stream any) *os.File {
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// shown is the stream for what a graph holds. A terminal takes some characters
// for orders, which may not come from there: it is shown U+FFFD instead of them.
func shown(w io.Writer) io.Writer {
	if terminal(w) == nil {
		return w
	}
	return harmless{w}
}

type harmless struct{ to io.Writer }

func (h harmless) Write(b []byte) (int, error) {
	out := make([]byte, 0, len(b))
	for rest := b; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
		rest = rest[size:]
	}
	if _, err := h.to.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}
