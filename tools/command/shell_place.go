package command

import (
	"strings"
)

// A frame is an object or a list of JSON that is still open.
type frame struct {
	list bool
	// key is the member that is being written; has are all that have begun, and
	// texts the values of those that are texts.
	key   string
	has   map[string]bool
	texts map[string]string
	// what comes next in it
	next want
}

type want uint8

const (
	wantKey want = iota
	wantColon
	wantValue
	wantComma
)

// A place is where somebody is writing in a JSON text that goes no further yet.
type place struct {
	frames []frame
	// token is what has been written of the member or value at the place, from
	// its first byte; empty between two of them.
	token string
	// text says that token is a text without its end.
	text bool
}

// placeOf reads the beginning of a JSON text, as far as it is one. It is for
// completion: what is wrong in the text is for the call to tell.
func placeOf(text string) place {
	p := place{frames: []frame{{list: true, next: wantValue}}}
	for i := 0; i < len(text); {
		top := &p.frames[len(p.frames)-1]
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '{', '[':
			p.frames = append(p.frames, frame{list: c == '[', next: wantKey, has: map[string]bool{}, texts: map[string]string{}})
			if c == '[' {
				p.frames[len(p.frames)-1].next = wantValue
			}
			i++
		case '}', ']':
			if len(p.frames) > 1 {
				p.frames = p.frames[:len(p.frames)-1]
			}
			p.frames[len(p.frames)-1].next = wantComma
			i++
		case ':':
			top.next = wantValue
			i++
		case ',':
			top.next = wantKey
			if top.list {
				top.next = wantValue
			}
			i++
		case '"':
			end := endOfText(text[i+1:])
			if end < 0 {
				p.token, p.text = text[i:], true
				return p
			}
			top.take(text[i+1:i+1+end], true)
			i += end + 2
		default:
			end := strings.IndexAny(text[i:], " \t\r\n{}[]:,\"")
			if end < 0 {
				p.token = text[i:]
				return p
			}
			top.take(text[i:i+end], false)
			i += end
		}
	}
	return p
}

// endOfText is the length of a JSON text until its quote; -1 if there is none.
func endOfText(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// take goes on after a member's name or a value.
func (f *frame) take(token string, text bool) {
	if f.next == wantKey {
		f.key, f.next, f.has[token] = token, wantColon, true
		return
	}
	if text && !f.list {
		f.texts[f.key] = token
	}
	f.next = wantComma
}

// open reports whether a text goes on: a bracket or a text in it has no end yet.
func (p place) open() bool { return len(p.frames) > 1 || p.text }
