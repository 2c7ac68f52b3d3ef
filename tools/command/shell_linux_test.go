package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// pseudoTerminal returns the two ends of one: what a person has, and what the
// program has.
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %s", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var n, unlock int32
	ioctl := func(request uintptr, to *int32) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(to)))
		require.Zero(t, errno)
	}
	ioctl(syscall.TIOCSPTLCK, &unlock)
	ioctl(syscall.TIOCGPTN, &n)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %s", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

// A screen is what a person has been shown.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	seen int
}

func (s *screen) watch(f *os.File) {
	b := make([]byte, 4096)
	for {
		n, err := f.Read(b)
		s.mu.Lock()
		s.text.Write(b[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// next waits until something new is shown that has the text, and returns it up
// to there.
func (s *screen) next(t *testing.T, text string) string {
	t.Helper()
	for range 600 {
		s.mu.Lock()
		fresh := s.text.String()[s.seen:]
		if i := strings.Index(fresh, text); i >= 0 {
			s.seen += i + len(text)
			s.mu.Unlock()
			return fresh[:i]
		}
		s.mu.Unlock()
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%q does not come; shown was %q", text, s.text.String())
	return ""
}

// A person at a terminal: completion, history, several lines, an interrupt, a
// mistake in colours, answers as tables, and the end.
func TestShellOnATerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	person, program := pseudoTerminal(t)
	var shown screen
	go shown.watch(person)
	history := filepath.Join(t.TempDir(), "history")
	code := make(chan int, 1)
	go func() {
		code <- run(context.Background(), []string{"shell", "--graph", forgeDir, "--history", history}, streams{in: program, out: program, err: program})
	}()
	types := func(text string) {
		_, err := person.WriteString(text)
		require.NoError(t, err)
	}
	shown.next(t, "> ")
	types("find_n\t{\"node_l\t\"gl_i\t, \"prop\t[\"ti\t], \"lim\t1}\r")
	shown.next(t, "### gl_issue\r\n\r\n|@id|title|\r\n|-|-|\r\n|100|")
	shown.next(t, "> ")
	types("find_nodes {\"node_label\": \"gl_\t\t")
	shown.next(t, `"gl_issue"  "gl_user"`)
	types("\x03") // the line is dropped
	types("\x1b[A\r")
	shown.next(t, "|100|")
	shown.next(t, "> ")
	types("find_nodes {\r")
	shown.next(t, "… ")
	types("\"node_label\": \"gl_isue\"}\r")
	shown.next(t, "\x1b[31mUNKNOWN_LABEL\x1b[0m /node_label")
	types("find_nodes {\r")
	shown.next(t, "… ")
	types("\x03")
	types(".explain find_nodes {\"node_label\": \"gl_user\"}\r")
	before := shown.next(t, "\x1b[1mplan\x1b[0m\r\nfind gl_user")
	require.NotContains(t, before, "SYNTAX", "what was dropped is not called")
	types("\x04")
	select {
	case c := <-code:
		require.Equal(t, 0, c)
	case <-time.After(20 * time.Second):
		t.Fatal("the shell goes on")
	}
	kept, err := os.ReadFile(history)
	require.NoError(t, err)
	require.Contains(t, string(kept), `find_nodes {"node_label": "gl_issue", "properties": ["title"], "limit": 1}`+"\n")
}

// Without colours where the environment asks for none.
func TestNoColor(t *testing.T) {
	_, program := pseudoTerminal(t)
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.True(t, bool(painter(program)))
	t.Setenv("NO_COLOR", "1")
	require.False(t, bool(painter(program)))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.False(t, bool(painter(program)))
	require.False(t, bool(painter(&strings.Builder{})))
	require.NotNil(t, terminal(program))
}

// A bar is drawn over itself, and gone at the end.
func TestProgressOnATerminal(t *testing.T) {
	person, program := pseudoTerminal(t)
	var shown screen
	go shown.watch(person)
	p := newProgress(program)
	p.last = time.Time{}
	p.at("person\x1b[2J", 5, 10, "rows")
	shown.next(t, "████░")
	shown.next(t, "person\ufffd[2J: 5 of 10 rows")
	p.line("city: %d rows\n", 3)
	shown.next(t, "\r\x1b[Kcity: 3 rows\r\n")
	p.last = time.Time{}
	p.at("person", 9, 10, "rows")
	p.end()
	shown.next(t, "9 of 10 rows\r\x1b[K")
}
