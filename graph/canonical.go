package graph

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// CanonicalJSON returns a JSON document in the one form that answers show,
// whatever store it was kept in: compact, the members of objects by name,
// integers of 64 bits with all digits, other numbers as floats in the shortest
// form that reads back: of longer integers and decimals the digits that a float has no
// room for are not shown. What lies beyond floats, as 1e400, is shown as the store has
// it, which for one of PostgreSQL's jsonb is all of its digits; a number that must be
// kept is better a text. It reports whether text is one JSON document.
func CanonicalJSON(text string) (string, bool) {
	c := canonicals.Get().(*canonical)
	defer canonicals.Put(c)
	c.out = append(c.out[:0], text...)
	if !json.Valid(c.out) {
		return "", false
	}
	c.text, c.at, c.members = text, 0, c.members[:0]
	c.scan()
	c.out, c.at, c.next = c.out[:0], 0, 0
	c.write()
	out := string(c.out)
	c.text = ""
	clear(c.members)
	if cap(c.out) > maxKept {
		c.out, c.members = nil, nil
	}
	return out, true
}

// canonicals have room for documents. One of more than maxKept bytes takes its own
// with it.
var canonicals = sync.Pool{New: func() any { return new(canonical) }}

const maxKept = 1 << 20

// A canonical writes one valid document. Objects are found first, and then written:
// each byte is so looked at a few times, however deep it is.
type canonical struct {
	text string
	at   int
	out  []byte
	// members are those of all objects, in the order of the text, below the one that
	// stands for the document.
	members []canonicalMember
	next    int // the first member that is not written yet, nor within one that is
	order   []int
}

// A canonicalMember is a member of an object: where its value begins, and how many
// members are within it.
type canonicalMember struct {
	name   string
	start  int
	within int
	// Of the first member of an object: how many there are, and where the object ends.
	size, end int
}

// space skips what means nothing.
func (c *canonical) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// scan goes over a value, and notes the members of its objects.
func (c *canonical) scan() {
	c.space()
	switch c.text[c.at] {
	case '{':
		c.at++
		first, size := len(c.members), 0
		for c.more('}') {
			i := len(c.members)
			c.members = append(c.members, canonicalMember{name: c.string()})
			c.space()
			c.at++ // the colon
			c.space()
			c.members[i].start = c.at
			c.scan()
			c.members[i].within = len(c.members) - i - 1
			size++
		}
		if size > 0 {
			c.members[first].size, c.members[first].end = size, c.at
		}
	case '[':
		c.at++
		for c.more(']') {
			c.scan()
		}
	default:
		c.scalar()
	}
}

// more goes to the next item of a list or object, or behind its end.
func (c *canonical) more(end byte) bool {
	c.space()
	if c.text[c.at] == ',' {
		c.at++
		c.space()
	}
	if c.text[c.at] == end {
		c.at++
		return false
	}
	return true
}

// scalar goes over a value that is neither list nor object, and returns it.
func (c *canonical) scalar() string {
	start := c.at
	if c.text[c.at] == '"' {
		for c.at++; c.text[c.at] != '"'; c.at++ {
			if c.text[c.at] == '\\' {
				c.at++
			}
		}
		c.at++
		return c.text[start:c.at]
	}
	for c.at < len(c.text) && !strings.ContainsRune(" \t\n\r,]}", rune(c.text[c.at])) {
		c.at++
	}
	return c.text[start:c.at]
}

// string goes over a text, and returns what it means.
func (c *canonical) string() string {
	quoted := c.scalar()
	if s := quoted[1 : len(quoted)-1]; plain(s) || strings.IndexByte(s, '\\') < 0 && utf8.ValidString(s) {
		return s
	}
	var s string
	if json.Unmarshal([]byte(quoted), &s) != nil {
		return quoted // cannot be, of what is valid
	}
	return s
}

// write writes a value.
func (c *canonical) write() {
	c.space()
	switch first := c.text[c.at]; first {
	case '{':
		c.object()
	case '[':
		c.at++
		c.out = append(c.out, '[')
		for i := 0; c.more(']'); i++ {
			c.out = comma(c.out, i)
			c.write()
		}
		c.out = append(c.out, ']')
	case '"':
		c.out = AppendJSONString(c.out, c.string())
	case 't', 'f', 'n':
		c.out = append(c.out, c.scalar()...)
	default:
		c.out = appendNumber(c.out, c.scalar())
	}
}

// object writes an object: of members of one name the last one.
func (c *canonical) object() {
	c.at++
	c.out = append(c.out, '{')
	c.space()
	if c.text[c.at] == '}' {
		c.at++
	} else {
		first, base, i := c.members[c.next], len(c.order), c.next
		for range first.size {
			c.order = append(c.order, i)
			i += 1 + c.members[i].within
		}
		list, after := c.order[base:], i
		slices.SortFunc(list, func(a, b int) int {
			if x := strings.Compare(c.members[a].name, c.members[b].name); x != 0 {
				return x
			}
			return a - b
		})
		written := 0
		for k, i := range list {
			m := &c.members[i]
			if k+1 < len(list) && c.members[list[k+1]].name == m.name {
				continue
			}
			c.out = append(AppendJSONString(comma(c.out, written), m.name), ':')
			written++
			c.at, c.next = m.start, i+1
			c.write()
		}
		c.order, c.at, c.next = c.order[:base], first.end, after
	}
	c.out = append(c.out, '}')
}

func appendNumber(b []byte, s string) []byte {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.AppendInt(b, n, 10)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return append(b, s...) // beyond a float: as it stands
	}
	if f == 0 {
		f = 0
	}
	return appendFloat(b, f)
}
