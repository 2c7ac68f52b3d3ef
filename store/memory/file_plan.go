package memory

import (
	"errors"

	"github.com/trellisgraph/trellis/schema"
)

// A fileTask reads the sections [first, end), which are those of one label or
// of one pair.
type fileTask struct {
	first, end int
	name       string
	fill       func(*sections) error
}

func (t fileTask) run(r *fileReader) error {
	err := r.load(t.first, t.end)
	if err == nil {
		err = t.fill(&sections{reader: r, at: t.first, name: t.name})
	}
	var wrong *FileError
	if errors.As(err, &wrong) && wrong.Section == "" {
		wrong.Section = t.name
	}
	return err
}

// plan reads the counts, parts the sections among labels and pairs, and checks
// that each has the form and length that the schema and the counts ask for. So
// nothing is allocated that the file is not in proportion to.
func (r *fileReader) plan(g *Graph) ([]fileTask, error) {
	if err := r.load(1, 2); err != nil {
		return nil, err
	}
	p := &filePlan{fileReader: r, at: 2}
	if e := r.table[1]; e.form != formCounts || e.length%8 != 0 {
		return nil, damaged("damaged: it has no counts")
	}
	counts := numbersOf[uint64](r.section(1))
	next := func() int {
		if len(counts) == 0 || counts[0] > maxRows {
			p.fail("damaged: its counts are not those of its schema")
			return 0
		}
		n := int(counts[0])
		counts = counts[1:]
		return n
	}
	rows := map[*schema.Label]int{}
	for l := range r.schema.Labels() {
		rows[l] = next()
	}
	rels := map[*schema.Pair]int{}
	for t := range r.schema.Relationships() {
		for _, pair := range t.Pairs {
			rels[pair] = next()
		}
	}
	if len(counts) > 0 {
		p.fail("damaged: its counts are not those of its schema")
	}
	for l := range r.schema.Labels() {
		p.label(g, l, rows[l])
	}
	for t := range r.schema.Relationships() {
		for _, pair := range t.Pairs {
			p.pair(g, pair, rows, rels[pair])
		}
	}
	if p.err == nil && p.at != len(r.table) {
		p.fail("damaged: it has %d sections in place of %d", len(r.table), p.at)
	}
	return p.tasks, p.err
}

// A filePlan walks over the table.
type filePlan struct {
	*fileReader
	at    int
	tasks []fileTask
	err   error // the first
}

func (p *filePlan) fail(format string, args ...any) {
	if p.err == nil {
		p.err = damaged(format, args...)
	}
}

func (p *filePlan) label(g *Graph, l *schema.Label, rows int) {
	t := fileTask{first: p.at, name: l.Name}
	for _, prop := range l.Properties {
		p.column(l.Name+"."+prop.Name, prop.Type, rows)
		if prop.Index {
			p.atMost(l.Name+"."+prop.Name, formPostings, 4, rows)
		}
	}
	t.end = p.at
	t.fill = func(s *sections) error { return s.nodes(g.nodes[l], l, rows) }
	p.tasks = append(p.tasks, t)
}

func (p *filePlan) pair(g *Graph, pair *schema.Pair, rows map[*schema.Label]int, rels int) {
	name := pair.Type.Name + " from " + pair.From.Name + " to " + pair.To.Name
	t := fileTask{first: p.at, name: name}
	p.exactly(name, formFirst, 4, rows[pair.From]+1)
	p.exactly(name, formEnds, 4, rels)
	for _, prop := range pair.Properties {
		p.column(name+", "+prop.Name, prop.Type, rels)
	}
	t.end = p.at
	t.fill = func(s *sections) error { return s.links(g.links[pair], pair, rows[pair.From], rows[pair.To], rels) }
	p.tasks = append(p.tasks, t)
}

// column checks the sections of a column but for the contents.
func (p *filePlan) column(name string, t schema.Type, rows int) {
	p.atMost(name, formNulls, 8, (rows+63)/64)
	switch {
	case textual(t) && p.form() == formTextEnds:
		p.exactly(name, formTextEnds, 4, rows)
		p.atMost(name, formTexts, 1, len(p.data))
	case textual(t):
		p.exactly(name, formCodes, 4, rows)
		p.atMost(name, formWordEnds, 8, maxRows)
		p.atMost(name, formWords, 1, len(p.data))
	case t == schema.Int32 || t == schema.Date:
		p.exactly(name, formSmall, 4, rows)
	case t == schema.Bool:
		p.atMost(name, formBits, 8, (rows+63)/64)
	case t == schema.Enum:
		p.exactly(name, formCodes, 4, rows)
	case t == schema.UUID:
		p.exactly(name, formUUIDs, 16, rows)
	default:
		p.exactly(name, formLarge, 8, rows)
	}
}

// form is the form of the next section, 0 after the last.
func (p *filePlan) form() form {
	if p.at >= len(p.table) {
		return 0
	}
	return p.table[p.at].form
}

func (p *filePlan) exactly(name string, f form, size, count int) { p.next(name, f, size, count, count) }
func (p *filePlan) atMost(name string, f form, size, count int)  { p.next(name, f, size, 0, count) }

// next goes over a section, which has a form and a number of items of a size.
func (p *filePlan) next(name string, f form, size, least, most int) {
	if p.form() != f {
		p.fail("damaged: %s has %s in place of %s", name, p.form(), f)
	} else if n := p.table[p.at].length; n%size != 0 || n/size < least || n/size > most {
		p.fail("damaged: the %s of %s have %d bytes", f, name, n)
	}
	p.at++
}
