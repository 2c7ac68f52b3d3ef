package command

import (
	"io"
	"os"
	"strings"
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
	if _, err := io.WriteString(h.to, clean(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// clean is a text without orders to a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, text)
}

// A painted text is one with colours, which clean would take away.
type painted string

// A paint colours words for those who look at them.
type paint bool

// painter paints on a terminal, unless the environment says NO_COLOR.
func painter(w io.Writer) paint {
	return paint(terminal(w) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (p paint) bold(text string) painted { return p.with("1", text) }
func (p paint) red(text string) painted  { return p.with("31", text) }

func (p paint) with(code, text string) painted {
	if !p {
		return painted(clean(text))
	}
	return painted("\x1b[" + code + "m" + clean(text) + "\x1b[0m")
}
