package memory

import (
	"github.com/trellisgraph/trellis/schema"
)

// sections hands out the sections of a label or pair one after the other. Their
// forms and lengths have been checked, their contents have not.
type sections struct {
	reader *fileReader
	at     int
	name   string
}

func (s *sections) next() []byte {
	s.at++
	return s.reader.section(s.at - 1)
}

func (s *sections) form() form { return s.reader.table[s.at].form }

// wrong is the error of a section.
func (s *sections) wrong(what, format string, args ...any) error {
	err := damaged(format, args...).(*FileError)
	err.Section = s.name
	if what != "" {
		err.Section += "." + what
	}
	err.Reason = "not as it was written: " + err.Reason
	return err
}

// nodes reads the nodes of a label.
func (s *sections) nodes(n *nodes, l *schema.Label, rows int) error {
	*n = nodes{count: rows, columns: make(map[*schema.Property]Column, len(l.Properties)), postings: map[*schema.Property][]uint32{}}
	for _, p := range l.Properties {
		c, err := s.column(p, rows)
		if err != nil {
			return err
		}
		n.columns[p] = c
		if p.Index {
			rows := numbersOf[uint32](s.next())
			if fault := checkPostings(c, rows); fault != "" {
				return s.wrong(p.Name, "%s", fault)
			}
			n.postings[p] = rows
		}
	}
	n.key = n.keyColumns(l)
	if !distinctInOrder(n.key, rows) {
		return s.wrong("", "its keys are not in order")
	}
	n.index = newKeyIndex(n.key, rows)
	return nil
}

// column reads a column.
func (s *sections) column(p *schema.Property, rows int) (Column, error) {
	c := Column{property: p, nulls: numbersOf[uint64](s.next())}
	if fault := checkBits(c.nulls, rows); fault != "" {
		return c, s.wrong(p.Name, "%s", fault)
	}
	if len(c.nulls) > 0 && !p.Nullable {
		return c, s.wrong(p.Name, "a null, but the property is not nullable")
	}
	fault := ""
	switch p.Type {
	case schema.Int32, schema.Date:
		small := numbersOf[int32](s.next())
		if p.Type == schema.Date {
			fault = checkDays(small)
		}
		c.values = numbers[int32](small)
	case schema.Bool:
		set := bitmap(numbersOf[uint64](s.next()))
		fault = checkBits(set, rows)
		c.values = flags{set: set, count: rows}
	case schema.Enum:
		list := numbersOf[uint32](s.next())
		fault = checkBelow(list, len(p.Values))
		c.values = codes(list)
	case schema.UUID:
		c.values = uuids(view(s.next()))
	case schema.String, schema.Decimal, schema.JSON:
		if s.form() == formTextEnds {
			c.values, fault = readTexts(numbersOf[uint32](s.next()), s.next())
		} else {
			c.values, fault = readWords(numbersOf[uint32](s.next()), numbersOf[uint64](s.next()), s.next(), p.Type)
		}
		if fault == "" {
			fault = checkTexts(c, rows)
		}
	default:
		large := numbersOf[int64](s.next())
		switch p.Type {
		case schema.DateTime:
			fault = checkMicros(large)
		case schema.Float:
			fault = checkFloats(large)
		}
		c.values = numbers[int64](large)
	}
	if fault != "" {
		return c, s.wrong(p.Name, "%s", fault)
	}
	return c, nil
}

// readTexts reads texts that stand in blocks.
func readTexts(ends []uint32, text []byte) (values, string) {
	if fault := checkString(text); fault != "" {
		return nil, fault
	}
	out := texts{blocks: make([]string, 0, (len(ends)+blockRows-1)/blockRows), ends: ends}
	for first := 0; first < len(ends); first += blockRows {
		at := uint32(0)
		block := ends[first:min(first+blockRows, len(ends))]
		for _, end := range block {
			switch {
			case end < at || int(end) > len(text):
				return nil, "a text ends where it cannot"
			case end-at > maxText:
				return nil, "a text is over 16 MiB"
			case int(end) < len(text) && text[end]&0xC0 == 0x80:
				return nil, "a text ends within a character"
			}
			at = end
		}
		out.blocks = append(out.blocks, view(text[:at]))
		text = text[at:]
	}
	if len(text) > 0 {
		return nil, "there is more text than rows have"
	}
	return out, ""
}

// readWords reads texts of a dictionary.
func readWords(list []uint32, ends []uint64, text []byte, t schema.Type) (values, string) {
	if fault := checkString(text); fault != "" {
		return nil, fault
	}
	out := words{codes: list, dict: make([]string, len(ends))}
	at := uint64(0)
	for i, end := range ends {
		switch {
		case end < at || end > uint64(len(text)):
			return nil, "a word ends where it cannot"
		case end-at > maxText:
			return nil, "a word is over 16 MiB"
		case end < uint64(len(text)) && text[end]&0xC0 == 0x80:
			return nil, "a word ends within a character"
		}
		out.dict[i] = view(text[at:end])
		if i > 0 && compareCells(t, cell{text: out.dict[i-1]}, cell{text: out.dict[i]}) >= 0 {
			return nil, "its words are not in order"
		}
		at = end
	}
	if at != uint64(len(text)) {
		return nil, "there is more text than words have"
	}
	return out, checkBelow(list, len(out.dict))
}
