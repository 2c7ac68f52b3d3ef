package memory

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

// maxLine is the length of the longest line of a file, in bytes.
const maxLine = 64 << 20

// A lineReader reads lines, which end in LF or CRLF.
type lineReader struct {
	in   *bufio.Reader
	long []byte
	line int // the number of the line read last
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 128<<10)}
}

// next returns the next line without its end, valid until the next call. After
// the last line it returns io.EOF.
func (r *lineReader) next() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = r.long[:0]
		for err == bufio.ErrBufferFull && len(r.long) <= maxLine {
			r.long = append(r.long, text...)
			text, err = r.in.ReadSlice('\n')
		}
		text = append(r.long, text...)
		r.long = text
	}
	switch {
	case err == bufio.ErrBufferFull || len(text) > maxLine:
		return nil, errLongLine
	case err == io.EOF && len(text) > 0:
	case err != nil:
		return nil, err
	}
	if r.line == 0 {
		text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	}
	r.line++
	text = bytes.TrimSuffix(text, []byte("\n"))
	return bytes.TrimSuffix(text, []byte("\r")), nil
}

// errLongLine ends the reading of a file.
var errLongLine = fileFault("a line over 64 MiB")

// A fileFault says why a file cannot be read on.
type fileFault string

func (f fileFault) Error() string { return string(f) }

// A csvReader reads rows as RFC 4180 has them. Line breaks within quotes are
// read as LF. Empty lines are skipped where a row has several columns.
type csvReader struct {
	lines   *lineReader
	report  func(line int, fault string)
	columns []int // of the layout, by position
	size    int   // of the layout
	fields  [][]byte
	blank   bool // the row is an empty line
	// unquoted holds the fields of a row with quotes, which end at ends.
	unquoted []byte
	ends     []int
}

// header reads the first row and reports whether it names known columns, the
// required ones among them.
func (r *csvReader) header(l *layout, required []string) (bool, error) {
	r.size = len(l.names)
	line, ok, err := r.split()
	if err == io.EOF {
		r.report(0, "no header")
		return false, nil
	}
	if err != nil || !ok {
		return false, err
	}
	for _, f := range r.fields {
		at, fault := l.column(string(f))
		if fault == "" && slices.Contains(r.columns, at) {
			fault = "column " + quote(f) + " is there twice"
		}
		if fault != "" {
			r.report(line, fault)
			ok = false
		}
		r.columns = append(r.columns, at)
	}
	for _, name := range required {
		if !slices.Contains(r.columns, l.index[name]) {
			r.report(line, "column "+quote(name)+" is missing")
			ok = false
		}
	}
	return ok, nil
}

// next reads a row. It reports false for a row that is skipped, and io.EOF
// after the last one.
func (r *csvReader) next(rec *record) (bool, error) {
	line, ok, err := r.split()
	rec.line = line
	if err != nil || !ok {
		return false, err
	}
	if len(r.fields) != len(r.columns) {
		if r.blank {
			return false, nil
		}
		r.report(line, wrongFields(len(r.fields), len(r.columns)))
		return false, nil
	}
	rec.clear(r.size)
	for i, f := range r.fields {
		rec.fields[r.columns[i]] = field{state: asText, text: f}
	}
	return true, nil
}

// split reads a row into fields, and returns the line on which it starts.
func (r *csvReader) split() (line int, ok bool, err error) {
	text, err := r.lines.next()
	if err != nil {
		return r.lines.line + 1, false, err
	}
	line, r.blank = r.lines.line, len(text) == 0
	r.fields = r.fields[:0]
	if bytes.IndexByte(text, '"') >= 0 {
		ok, err = r.unquote(line, text)
		return line, ok, err
	}
	for {
		i := bytes.IndexByte(text, ',')
		if i < 0 {
			r.fields = append(r.fields, text)
			return line, true, nil
		}
		r.fields = append(r.fields, text[:i])
		text = text[i+1:]
	}
}

// unquote splits a row with quotes, which may go on over several lines.
func (r *csvReader) unquote(line int, text []byte) (bool, error) {
	r.unquoted, r.ends = r.unquoted[:0], r.ends[:0]
	for more := true; more; {
		if len(text) > 0 && text[0] == '"' {
			var fault string
			var err error
			if text, fault, err = r.quoted(text[1:]); err != nil {
				return false, err
			}
			if fault == "" && len(text) > 0 && text[0] != ',' {
				fault = "text after the closing quote of a field"
			}
			if fault != "" {
				r.report(line, fault)
				return false, nil
			}
		} else {
			end := bytes.IndexByte(text, ',')
			if end < 0 {
				end = len(text)
			}
			if bytes.IndexByte(text[:end], '"') >= 0 {
				r.report(line, "a quote inside a field that is not quoted")
				return false, nil
			}
			r.unquoted = append(r.unquoted, text[:end]...)
			text = text[end:]
		}
		r.ends = append(r.ends, len(r.unquoted))
		if more = len(text) > 0; more {
			text = text[1:]
		}
	}
	start := 0
	for _, end := range r.ends {
		r.fields = append(r.fields, r.unquoted[start:end])
		start = end
	}
	return true, nil
}

// quoted reads a field after its opening quote and returns what follows the
// closing one.
func (r *csvReader) quoted(text []byte) (rest []byte, fault string, err error) {
	for {
		i := bytes.IndexByte(text, '"')
		switch {
		case i < 0:
			r.unquoted = append(r.unquoted, text...)
			r.unquoted = append(r.unquoted, '\n')
			if len(r.unquoted) > maxLine {
				return nil, "", errLongLine
			}
			text, err = r.lines.next()
			if err == io.EOF {
				return nil, "a quoted field does not end", nil
			}
			if err != nil {
				return nil, "", err
			}
		case i+1 < len(text) && text[i+1] == '"':
			r.unquoted = append(r.unquoted, text[:i+1]...)
			text = text[i+2:]
		default:
			r.unquoted = append(r.unquoted, text[:i]...)
			return text[i+1:], "", nil
		}
	}
}
