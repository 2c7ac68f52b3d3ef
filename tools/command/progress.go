package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A progress tells how far long work has come. On a terminal it is a bar in the
// last line, which is gone when the work is; elsewhere there are lines only. It is
// safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	on    *os.File // the terminal; nil if it is none
	drawn bool
	last  time.Time
}

func newProgress(out io.Writer) *progress {
	return &progress{out: out, on: terminal(out), last: time.Now()}
}

// drawnApart is how long a bar stays as it is, toldApart how long nothing is told
// where there is none.
const (
	drawnApart = 100 * time.Millisecond
	toldApart  = 2 * time.Second
)

// at tells that so much of some work is done. A total that is not known is 0.
func (p *progress) at(what string, done, total int64, unit string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	apart := toldApart
	if p.on != nil {
		apart = drawnApart
	}
	now := time.Now()
	if now.Sub(p.last) < apart {
		return
	}
	p.last = now
	text := fmt.Sprintf("%s: %d %s", clean(what), done, unit)
	if total > 0 {
		text = fmt.Sprintf("%s: %d of %d %s", clean(what), done, total, unit)
	}
	if p.on == nil {
		fmt.Fprintln(p.out, text)
		return
	}
	width, _, err := term.GetSize(int(p.on.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	p.erase()
	fmt.Fprint(p.out, bar(text, done, total, width))
	p.drawn = true
}

// line tells something that stays.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintf(p.out, format, args...)
}

// end takes the bar away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// bar is a line that is no wider than the terminal, so that it can be erased:
// the part that is done, and the text.
func bar(text string, done, total int64, width int) string {
	const cells = 24
	if total > 0 && width > cells+20 {
		full := int(min(done, total) * cells / total)
		text = strings.Repeat("█", full) + strings.Repeat("░", cells-full) + " " + text
	}
	if runes := []rune(text); len(runes) >= width {
		text = string(runes[:max(width-1, 0)])
	}
	return text
}
