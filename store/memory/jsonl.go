package memory

// A jsonlReader reads rows from JSON lines: an object a line, whose members
// are the columns. Empty lines are skipped.
type jsonlReader struct {
	lines  *lineReader
	report func(line int, fault string)
	layout *layout
}

// header has nothing to read: each row names its columns.
func (r *jsonlReader) header(l *layout, _ []string) (bool, error) {
	r.layout = l
	return true, nil
}

// next reads a row. It reports false for a row that is skipped, and io.EOF
// after the last one.
func (r *jsonlReader) next(rec *record) (bool, error) {
	text, err := r.lines.next()
	rec.line = r.lines.line
	if err != nil {
		return false, err
	}
	s := jsonScanner{text: text}
	if s.skip() == 0 && s.at == len(text) {
		return false, nil
	}
	rec.clear(len(r.layout.names))
	return r.object(&s, rec), nil
}

func (r *jsonlReader) object(s *jsonScanner, rec *record) bool {
	if s.skip() != '{' {
		r.report(rec.line, "not a JSON object")
		return false
	}
	s.at++
	known := true
	for first := true; ; first = false {
		name, done, fault := s.member(first)
		if done {
			break
		}
		if fault == "" {
			s.skip()
			f := field{state: asValue, text: s.text[s.at:]}
			if f.value, fault = s.value(0); fault == "" {
				f.text = f.text[:len(f.text)-len(s.text)+s.at]
				known = r.set(rec, name, f) && known
			}
		}
		if fault != "" {
			r.report(rec.line, fault)
			return false
		}
	}
	if s.skip(); s.at < len(s.text) {
		r.report(rec.line, "text after the JSON object")
		return false
	}
	return known
}

func (r *jsonlReader) set(rec *record, name string, f field) bool {
	at, fault := r.layout.column(name)
	if fault == "" && rec.fields[at].state != absent {
		fault = "column " + quote(name) + " is there twice"
	}
	if fault != "" {
		r.report(rec.line, fault)
		return false
	}
	rec.fields[at] = f
	return true
}
