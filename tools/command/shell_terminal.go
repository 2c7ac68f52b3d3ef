package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

// An editor reads lines from a terminal. The terminal is raw only while a line
// is read, so that an interrupt ends a call that runs.
type editor struct {
	in       *os.File
	terminal *term.Terminal
	// interrupted says that the line was dropped.
	interrupted bool
	// written is what stands in the lines before, of a text of several lines.
	written  string
	complete func(text string) (words []string, replaced int)
}

func newEditor(in, out *os.File, history *history, complete func(string) ([]string, int)) *editor {
	e := &editor{in: in, complete: complete}
	e.terminal = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{typed{in, &e.interrupted}, out}, "")
	e.terminal.History = history
	e.terminal.AutoCompleteCallback = e.tab
	return e
}

// typed makes of an interrupt what drops the line: its end, its erasure, and its
// line break.
type typed struct {
	from        io.Reader
	interrupted *bool
}

func (k typed) Read(b []byte) (int, error) {
	if len(b) < 3 {
		return k.from.Read(b)
	}
	n, err := k.from.Read(b[:1])
	if n == 1 && b[0] == 3 {
		*k.interrupted = true
		return copy(b, "\x05\x15\r"), err
	}
	return n, err
}

// errInterrupted says that what was written is dropped.
var errInterrupted = errors.New("interrupted")

// line reads a line. The error is io.EOF at the end of the input.
func (e *editor) line(prompt, written string) (string, error) {
	state, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(e.in.Fd()), state) }()
	if width, height, err := term.GetSize(int(e.in.Fd())); err == nil && width > 0 {
		_ = e.terminal.SetSize(width, height)
	}
	e.terminal.SetPrompt(prompt)
	e.written, e.interrupted = written, false
	text, err := e.terminal.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if e.interrupted {
		err = errInterrupted
	}
	return text, err
}

// tab completes at the cursor: as far as all words go, or else it lists them.
func (e *editor) tab(line string, pos int, key rune) (string, int, bool) {
	if key != '\t' {
		return "", 0, false
	}
	words, replaced := e.complete(e.written + line[:pos])
	if len(words) == 0 || replaced > pos {
		return line, pos, true
	}
	begun := line[pos-replaced : pos]
	word := common(words)
	if len(words) > 1 && word == begun {
		const most = 60
		shown := words[:min(len(words), most)]
		fmt.Fprintf(e.terminal, "%s", strings.Join(shown, "  "))
		if len(words) > most {
			fmt.Fprintf(e.terminal, "  … %d more", len(words)-most)
		}
		fmt.Fprintln(e.terminal)
		return line, pos, true
	}
	before := line[:pos-replaced] + word
	return before + line[pos:], len(before), true
}

// A history keeps the last lines, and adds them to a file if it has one.
type history struct {
	lines []string // the oldest first
	file  *os.File
}

const maxHistory = 1000

// openHistory reads the history of a file, which nobody else may read.
func openHistory(path string) (*history, error) {
	h := &history{}
	if path == "" {
		return h, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	for in := bufio.NewScanner(f); in.Scan(); {
		h.keep(in.Text())
	}
	h.file = f
	return h, nil
}

func (h *history) keep(line string) {
	h.lines = append(h.lines, line)
	if len(h.lines) > maxHistory {
		h.lines = h.lines[1:]
	}
}

// Add implements term.History. What is repeated stands there once.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.keep(line)
	if h.file != nil {
		_, _ = fmt.Fprintln(h.file, line) // a shell without a history is one still
	}
}

// Len implements term.History.
func (h *history) Len() int { return len(h.lines) }

// At implements term.History: 0 is the line that was added last.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

func (h *history) close() {
	if h.file != nil {
		_ = h.file.Close()
	}
}

// historyFile is where the history is kept as a rule: with the state of the
// user's programs, as the XDG base directories have it.
func historyFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".local", "state")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "trellis", "history")
}
