package store

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// textLengths are the lengths, in bytes, to which the texts of an answer are
// shortened. The first leaves them whole.
var textLengths = [...]int{math.MaxInt, 4096, 1024, 256}

const shortest = len(textLengths) - 1

// indexBytes is what one entry of a path's relationships counts: room for any
// number that it may turn out to be, and its comma.
const indexBytes = 8

// A Fitter makes an answer fit into graph.Limits.Bytes. It is offered the
// pieces of the answer in their order: the rows, each a node that was asked for,
// a row of an aggregate, or a path with those of its nodes and relationships
// that no earlier path had; then the relationships that connect them, each with
// the nodes at its ends that the answer does not have yet. The start of
// explore_neighbors comes before the rows, and always is in the answer; so is
// the first row.
//
// All texts (string properties of nodes and relationships; never ids, nor the
// rows of aggregates) are shortened to the same length: the first of whole,
// 4096, 1024 and 256 bytes with which everything fits. If not even the last is
// short enough, the answer has as many whole pieces as then fit, and ends there
// with TruncatedBytes. So what is shown is a function of the complete answer,
// whichever store gives it; the pages of an answer may shorten the same text
// differently.
//
// A piece counts as many bytes as its JSON has, a comma and, for every text of
// over 256 bytes, the note of its full length, whether it is needed or not. What
// the document says around its pieces does not count.
//
// A Fitter shortens texts while pieces still come, so that an answer never takes
// much more memory than Limits.Bytes. It is for one answer, and one goroutine.
type Fitter struct {
	most   int
	used   [len(textLengths)]int // by the length of texts
	length int                   // the index of the one chosen so far
	long   []texts
	buf    []byte
}

// A Piece is what stands in an answer whole or not at all.
type Piece struct {
	// Nodes and Relationships are what the piece shows, with whole texts. They
	// are the Fitter's to shorten until the last piece was offered.
	Nodes         []*graph.Node
	Relationships []*graph.Relationship
	// Bytes is the size of what else belongs to the piece.
	Bytes int
	// Always keeps the piece, whether it fits or not.
	Always bool
}

// texts are the properties of a node or relationship that has texts to
// shorten, and where it tells of that.
type texts struct {
	properties []graph.Property
	cut        *[]graph.CutText
}

// NewFitter returns a Fitter for an answer of at most so many bytes.
func NewFitter(bytes int) *Fitter { return &Fitter{most: bytes, buf: make([]byte, 0, 512)} }

// Fit reports whether a piece is in the answer. If it is not, none that comes
// after it in the same list is.
func (f *Fitter) Fit(p Piece) bool {
	var long []texts
	var size [len(textLengths)]int
	add := func(bytes int, t texts) {
		more, found := f.texts(t)
		for i := range size {
			size[i] += bytes + 1 + more[i]
		}
		if found {
			long = append(long, t)
		}
	}
	for _, n := range p.Nodes {
		f.buf = n.AppendJSON(f.buf[:0])
		add(len(f.buf), texts{n.Properties, &n.Cut})
	}
	for _, r := range p.Relationships {
		f.buf = r.AppendJSON(f.buf[:0])
		add(len(f.buf), texts{r.Properties, &r.Cut})
	}
	if !p.Always && f.used[shortest]+size[shortest]+p.Bytes > f.most {
		f.shorten(shortest)
		return false
	}
	for i := range size {
		f.used[i] += size[i] + p.Bytes
	}
	length := f.length
	for length < shortest && f.used[length] > f.most {
		length++
	}
	for _, t := range long {
		t.shorten(textLengths[f.length])
	}
	f.long = append(f.long, long...)
	f.shorten(length)
	return true
}

// texts returns what the shortening of texts adds to a size, by their length,
// and whether there are any long enough.
func (f *Fitter) texts(t texts) (more [len(textLengths)]int, found bool) {
	for _, p := range t.properties {
		text, ok := longText(p)
		if !ok {
			continue
		}
		note := len(graph.AppendJSONString(nil, p.Name)) + len(`:,`) + len(strconv.Itoa(len(text)))
		if !found {
			note += len(`,"cut":{}`) - 1 // one comma less than entries
		}
		found = true
		whole := f.encoded(text)
		for i, length := range textLengths {
			more[i] += note
			if len(text) > length {
				more[i] -= whole - f.encoded(text[:cutAt(text, length)])
			}
		}
	}
	return more, found
}

func (f *Fitter) encoded(text string) int {
	f.buf = graph.AppendJSONString(f.buf[:0], text)
	return len(f.buf)
}

// longText returns a property's text if some answer may have to shorten it.
func longText(p graph.Property) (string, bool) {
	if p.Value.Kind() != graph.KindString {
		return "", false
	}
	text := p.Value.Text()
	return text, len(text) > textLengths[shortest]
}

// shorten goes over to a shorter length, for all texts taken in so far.
func (f *Fitter) shorten(length int) {
	if length <= f.length {
		return
	}
	f.length = length
	for _, t := range f.long {
		t.shorten(textLengths[length])
	}
}

// shorten shortens texts to a length. The full lengths that are noted already
// stay.
func (t texts) shorten(length int) {
	for i, p := range t.properties {
		text, ok := longText(p)
		if !ok || len(text) <= length {
			continue
		}
		known := func(c graph.CutText) bool { return c.Name == p.Name }
		if !slices.ContainsFunc(*t.cut, known) {
			*t.cut = append(*t.cut, graph.CutText{Name: p.Name, Bytes: len(text)})
		}
		t.properties[i].Value = graph.String(strings.Clone(text[:cutAt(text, length)]))
	}
	slices.SortFunc(*t.cut, func(a, b graph.CutText) int { return t.place(a.Name) - t.place(b.Name) })
}

// place is where a property stands. Notes of a shorter length come later, and
// stand in the properties' order nevertheless.
func (t texts) place(name string) int {
	return slices.IndexFunc(t.properties, func(p graph.Property) bool { return p.Name == name })
}

// cutAt is where a text is cut that may have so many bytes: before the
// character that would go beyond.
func cutAt(text string, length int) int {
	at := length
	for at > length-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// RowBytes is the size of a row of an aggregate.
func RowBytes(columns []graph.Column, values []graph.Value) int {
	n := len(`{},`) - 1 // one comma less than values
	var room [256]byte  // of values that are longer, a copy is made
	for i, v := range values {
		buf := graph.AppendJSONString(room[:0], columns[i].Name)
		buf = v.AppendJSON(buf)
		n += len(buf) + len(`:,`)
	}
	return n
}

// PathBytes is the size of a path without its nodes and relationships. Each
// index of a relationship counts 8 bytes, whatever number it is.
func PathBytes(p *graph.Path) int {
	bare := *p
	bare.Relationships = nil
	return len(bare.AppendJSON(nil)) + indexBytes*len(p.Relationships) + 1
}
