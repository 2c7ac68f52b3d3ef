package repository

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted writes a tenant's name, which may be any bytes, as a text without
// control characters that every database and JSON can hold. No two names give
// the same text.
func quoted(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == '%' || r == utf8.RuneError && size == 1 || unicode.IsControl(r) {
			for _, c := range []byte(name[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// unquoted is the name that was quoted so; false where none was.
func unquoted(text string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(text, "%")
		b.WriteString(before)
		if !more {
			name := b.String()
			return name, true
		}
		if len(rest) < 2 {
			return "", false
		}
		c, err := strconv.ParseUint(rest[:2], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		text = rest[2:]
	}
}

// shortKey is the most bytes of a name that stands for itself in a database's
// keys.
const shortKey = 250

// keyOf is what stands for a tenant in a database's keys: its quoted name, or for
// a long one the digest of it. A quoted name has hexadecimal digits after
// each %, and so none is another's digest.
func keyOf(tenant string) string {
	if q := quoted(tenant); len(q) <= shortKey {
		return q
	}
	return "%sha256-" + digest([]byte(tenant))
}

// folderOf is the name of a tenant's folder: what a person recognizes of it, and
// the digest, which no other has, on file systems without case either.
func folderOf(tenant string) string {
	const most = 32
	var b strings.Builder
	for _, r := range strings.ToLower(tenant) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
		if b.Len() == most {
			break
		}
	}
	return "t-" + b.String() + "-" + digest([]byte(tenant))
}
