package generate

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A writer writes entities as the canonical form of bundles has them: each
// member on a line, and what is no plain text in quotes.
type writer struct {
	out    *bufio.Writer
	random *rand.Rand
	margin string
}

// first writes the member that an entity begins with, its id.
func (w *writer) first(name, text string) {
	w.margin = "- "
	w.text(name, text)
	w.margin = "  "
}

func (w *writer) line(name, value string) {
	w.out.WriteString(w.margin)
	w.out.WriteString(name)
	w.out.WriteString(": ")
	w.out.WriteString(value)
	w.out.WriteByte('\n')
}

func (w *writer) text(name, value string)    { w.line(name, quoted(value)) }
func (w *writer) number(name string, v int)  { w.line(name, strconv.Itoa(v)) }
func (w *writer) flag(name string, v bool)   { w.line(name, strconv.FormatBool(v)) }
func (w *writer) money(name string, v int)   { w.line(name, strconv.Itoa(v/100)+"."+twoDigits(v%100)) }
func (w *writer) pick(from ...string) string { return from[w.random.IntN(len(from))] }

// list writes texts below a name.
func (w *writer) list(name string, texts []string) {
	if len(texts) == 0 {
		w.line(name, "[]")
		return
	}
	w.out.WriteString(w.margin + name + ":\n")
	for _, text := range texts {
		w.out.WriteString(w.margin + "  - " + quoted(text) + "\n")
	}
}

// some are up to most different ids of the first count of a kind, in the order
// in which they were drawn.
func (w *writer) some(least, most, count int, id func(int) string) []string {
	var out []string
	seen := map[int]bool{}
	for range least + w.random.IntN(most-least+1) {
		if i := w.random.IntN(count); !seen[i] {
			seen[i] = true
			out = append(out, id(i))
		}
	}
	return out
}

// one is the id of any of a kind.
func (w *writer) one(count int, id func(int) string) string { return id(w.random.IntN(count)) }

// date is any day of the years from 2008 to 2025.
func (w *writer) date() string {
	return strconv.Itoa(2008+w.random.IntN(18)) + "-" + twoDigits(1+w.random.IntN(12)) + "-" + twoDigits(1+w.random.IntN(28))
}

func twoDigits(n int) string { return strconv.Itoa(100 + n)[1:] }

// quoted is a text, in quotes unless every reader of YAML takes it for a text
// without them: if it begins with a letter and has nothing but letters, digits and
// what separates nothing. Words such as no, which are more than a text, are not
// written here.
func quoted(text string) string {
	plain := text != "" && letter(rune(text[0])) && len(text) <= 256 && text[len(text)-1] != ' ' && !strings.ContainsFunc(text, func(c rune) bool {
		return !letter(c) && (c < '0' || c > '9') && !strings.ContainsRune("_-./ ()+@;,", c)
	})
	if plain {
		return text
	}
	out, err := json.Marshal(text)
	if err != nil { // a string is always JSON
		panic(err)
	}
	return string(out)
}

func letter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
