package repository

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stateFormat is the first thing in a state file.
const stateFormat = "trellis.tenant.v1"

// stateFile is the file of a tenant's state. Its first line is a head; each line
// after it is a Revision, the newest first.
const stateFile = "state.jsonl"

// A head is the state of a tenant, with its name.
type head struct {
	State
	tenant string
}

type headLine struct {
	Format  string     `json:"format"`
	Version int64      `json:"version"`
	Tenant  string     `json:"tenant"` // quoted
	Items   []Revision `json:"items"`
	Deleted time.Time  `json:"deleted,omitzero"`
}

// A log is all that a state file holds.
type log struct {
	head
	revisions []Revision
}

// of is the revisions of one item, the newest first.
func (l *log) of(item string) []Revision {
	list := []Revision{}
	for _, r := range l.revisions {
		if r.Item == item {
			list = append(list, r)
		}
	}
	return list
}

// readHead reads the state of the tenant in a directory; the zero head if there
// is none.
func readHead(dir string) (head, error) {
	f, err := os.Open(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return head{}, err
	}
	return parseHead(dir, line)
}

func parseHead(dir string, line []byte) (head, error) {
	var l headLine
	if err := json.Unmarshal(line, &l); err != nil {
		return head{}, damaged("a tenant's state file cannot be read")
	}
	name, ok := unquoted(l.Tenant)
	switch {
	case l.Format != stateFormat:
		return head{}, damaged("a tenant's state file is of the format %q; this program knows %s", short(l.Format), stateFormat)
	case !ok || folderOf(name) != filepath.Base(dir) || l.Version < 1:
		return head{}, damaged("a tenant's state file is not that of its folder")
	}
	return head{State{l.Version, l.Items, l.Deleted}, name}, nil
}

// readLog reads all of the state file in a directory.
func readLog(dir string) (*log, error) {
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &log{}, nil
	}
	if err != nil {
		return nil, err
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	h, err := parseHead(dir, first)
	if err != nil {
		return nil, err
	}
	l := &log{head: h}
	for line := range bytes.Lines(rest) {
		var r Revision
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, damaged("a tenant's state file cannot be read")
		}
		l.revisions = append(l.revisions, r)
	}
	return l, nil
}

// bytes is the file that holds the log.
func (l *log) bytes() ([]byte, error) {
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	if err := w.Encode(headLine{stateFormat, l.Version, quoted(l.tenant), l.Items, l.Deleted}); err != nil {
		return nil, err
	}
	for _, r := range l.revisions {
		if err := w.Encode(r); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// add makes a revision the current one of its item, and forgets those of the
// item that are no longer kept.
func (l *log) add(r Revision, keep int) {
	l.Version++
	l.Items = slices.DeleteFunc(slices.Clone(l.Items), func(old Revision) bool { return old.Item == r.Item })
	if r.Deleted && !strings.HasPrefix(r.Item, "@") && r.Applied.After(l.Deleted) {
		l.Deleted = r.Applied
	}
	if !r.Deleted {
		l.Items = append(l.Items, r)
		slices.SortFunc(l.Items, func(a, b Revision) int { return strings.Compare(a.Item, b.Item) })
	}
	l.revisions = slices.Insert(l.revisions, 0, r)
	of := 0
	l.revisions = slices.DeleteFunc(l.revisions, func(old Revision) bool {
		if old.Item == r.Item {
			of++
		}
		return old.Item == r.Item && of > keep
	})
}
