package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A history is what git knows of a repository, newest commit first.
type history struct {
	Commits []commit
	// Files are the paths of the commit that is checked out, from the
	// repository's root and with slashes.
	Files []string
	// Prefix leads from the repository's root to the directory that was asked
	// about; it is empty or ends in a slash.
	Prefix string
	// Shallow says that older commits are missing. The oldest ones that are
	// there would seem to have written every file, so their changes are left
	// out.
	Shallow bool
}

// A commit is one commit. Merges have no changes of their own.
type commit struct {
	Hash, Name, Email, Subject string
	At                         time.Time
	Merge                      bool
	Changes                    []change
}

// A change is what a commit did to a file. The path is the one that the file has
// today, through all renames that git sees.
type change struct {
	Path           string
	Added, Deleted int
}

// readHistory reads the history of the repository in which dir lies.
func readHistory(ctx context.Context, dir string) (*history, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is needed to read the history, and it is not installed")
	}
	prefix, err := output(ctx, dir, "git", "rev-parse", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("%s is not in a git repository: %w", dir, err)
	}
	h := &history{Prefix: strings.TrimSuffix(prefix, "\n")}
	if _, err := output(ctx, dir, "git", "rev-parse", "--quiet", "--verify", "HEAD"); err != nil {
		return h, nil // nothing has been committed yet
	}
	boundary, err := shallowCommits(ctx, dir)
	if err != nil {
		return nil, err
	}
	h.Shallow = len(boundary) > 0
	files, err := output(ctx, dir, "git", "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD")
	if err != nil {
		return nil, err
	}
	for path := range strings.SplitSeq(files, "\x00") {
		if path != "" {
			h.Files = append(h.Files, text(path))
		}
	}
	// Fields and records end in NUL, which no name, subject or path holds.
	cmd := exec.CommandContext(ctx, "git", "log", "-z", "--numstat", "-M", "--no-ext-diff", "--no-textconv",
		"--date-order", "--no-color", "--no-show-signature", "--diff-merges=off", "--format=tformat:%H%x00%aN%x00%aE%x00%at%x00%P%x00%s")
	cmd.Dir = dir
	err = stream(cmd, func(r io.Reader) error { return h.parseLog(r, boundary) })
	return h, err
}

// shallowCommits returns the oldest commits of a shallow clone, none where the
// history is whole.
func shallowCommits(ctx context.Context, dir string) (map[string]bool, error) {
	path, err := output(ctx, dir, "git", "rev-parse", "--git-path", "shallow")
	if err != nil {
		return nil, err
	}
	path = strings.TrimSuffix(path, "\n")
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	list, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	boundary := map[string]bool{}
	for _, hash := range strings.Fields(string(list)) {
		boundary[hash] = true
	}
	return boundary, nil
}

// parseLog reads the output of git log. A commit is six fields, and then its
// changes: "added TAB deleted TAB path", or an empty path followed by the old
// and the new one. A field that starts the next commit holds no tab.
func (h *history) parseLog(r io.Reader, boundary map[string]bool) error {
	fields := bufio.NewScanner(r)
	fields.Buffer(nil, 1<<20)
	fields.Split(splitNUL)
	today := map[string]string{} // a file's name today, by an older one
	for more := fields.Scan(); more; {
		header := []string{fields.Text()}
		for len(header) < 6 && fields.Scan() {
			header = append(header, fields.Text())
		}
		if len(header) < 6 {
			return errors.Join(errors.New("git log ended in the middle of a commit"), fields.Err())
		}
		c := commit{Hash: header[0], Name: text(header[1]), Email: text(header[2]), Subject: text(header[5]), Merge: strings.Contains(header[4], " ")}
		if seconds, err := strconv.ParseInt(header[3], 10, 64); err == nil {
			c.At = time.Unix(seconds, 0).UTC()
		}
		for more = fields.Scan(); more; more = fields.Scan() {
			stat := strings.SplitN(strings.TrimPrefix(fields.Text(), "\n"), "\t", 3)
			if len(stat) < 3 {
				break
			}
			path := stat[2]
			if path == "" { // a rename
				if !fields.Scan() {
					break
				}
				old := fields.Text()
				if !fields.Scan() {
					break
				}
				path = fields.Text()
				today[old] = current(today, path)
			}
			if boundary[c.Hash] {
				continue
			}
			added, _ := strconv.Atoi(stat[0]) // "-" for a binary file counts no lines
			deleted, _ := strconv.Atoi(stat[1])
			c.Changes = append(c.Changes, change{Path: text(current(today, path)), Added: added, Deleted: deleted})
		}
		h.Commits = append(h.Commits, c)
	}
	return fields.Err()
}

func current(today map[string]string, path string) string {
	if name, ok := today[path]; ok {
		return name
	}
	return path
}

func splitNUL(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// text returns s as valid UTF-8. File names and old commits may hold any bytes;
// those that are not text are shown as escapes.
func text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	quoted := strconv.QuoteToASCII(s)
	return quoted[1 : len(quoted)-1]
}

// output runs a command in dir and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	err := stream(cmd, func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	})
	return out.String(), err
}

// stream runs a command and lets read take its output. What the command says
// on its standard error becomes the error.
func stream(cmd *exec.Cmd, read func(io.Reader) error) error {
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	// Messages in English, and no prompt for a password.
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := read(out)
	if readErr != nil {
		_, _ = io.Copy(io.Discard, out) // let the command end
	}
	if err := cmd.Wait(); err != nil {
		if s := strings.TrimSpace(complaint.String()); s != "" {
			return fmt.Errorf("%s: %s", filepath.Base(cmd.Path), s)
		}
		return fmt.Errorf("%s: %w", filepath.Base(cmd.Path), err)
	}
	return readErr
}
