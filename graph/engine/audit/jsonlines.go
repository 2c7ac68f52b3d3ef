package audit

import (
	"context"
	"io"
	"strconv"
	"sync"
	"time"
)

const (
	fieldBytes     = 1 << 10  // a field of a record
	statementBytes = 64 << 10 // the text of a statement or of a guard
)

// JSONLines is a Sink that writes each record as one line of JSON:
//
//	{"time":"2026-11-21T13:45:45.123456Z","duration_us":812,"tenant":"acme",
//	 "principal":"ada","token_id":"t1","tool":"find_nodes","arguments":{…},
//	 "fingerprint":"…","schema_revision":"…","statements":["SELECT …"],
//	 "guards":["person: …"],"rows":3,"truncated_by":null,"outcome":"ok",
//	 "codes":[],"error_id":null}
//
// (without the line breaks), and "explained":true after the tool of a call that
// asked for no answer. A member of text without a value is null. Controls
// and invisible characters are escaped, invalid UTF-8 becomes U+FFFD; fields are
// cut at 1 KiB, statements and guards at 64 KiB, with their lengths.
type JSONLines struct {
	mu     sync.Mutex
	w      io.Writer
	broken bool // the last line may not have been written to its end
}

// NewJSONLines returns a sink that writes to w: one Write for each record, never
// two at a time, in the order in which records come. The writer stays the
// caller's to sync and to close.
func NewJSONLines(w io.Writer) *JSONLines { return &JSONLines{w: w} }

// Write writes a record. After a failure the next record begins a new line, so
// that what was left of the broken one spoils no other.
func (s *JSONLines) Write(_ context.Context, r *Record) error {
	line := append([]byte{'\n'}, appendRecord(nil, r)...)
	line = append(line, '\n')
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		line = line[1:]
	}
	n, err := s.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	s.broken = err != nil
	return err
}

func appendRecord(b []byte, r *Record) []byte {
	text := func(name, s string, most int) {
		b = append(b, ',', '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		if s == "" {
			b = append(b, "null"...)
		} else {
			b = appendString(b, capped(s, most))
		}
	}
	b = append(b, `{"time":"`...)
	b = r.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","duration_us":`...)
	b = strconv.AppendInt(b, r.Duration.Microseconds(), 10)
	text("tenant", r.Tenant, fieldBytes)
	if r.View != "" {
		text("view", r.View, fieldBytes)
	}
	text("principal", r.Principal, fieldBytes)
	text("token_id", r.TokenID, fieldBytes)
	text("tool", r.Tool, fieldBytes)
	if r.Explained {
		b = append(b, `,"explained":true`...)
	}
	b = append(b, `,"arguments":`...)
	switch {
	case r.Arguments == "":
		b = append(b, "null"...)
	case len(r.Arguments) > 2*textBytes:
		b = appendString(b, capped(r.Arguments, textBytes))
	default:
		b = appendJSON(b, r.Arguments)
	}
	text("fingerprint", r.Fingerprint, fieldBytes)
	text("schema_revision", r.SchemaRevision, fieldBytes)
	b = appendTexts(append(b, `,"statements":`...), r.Statements, statementBytes)
	b = appendTexts(append(b, `,"guards":`...), r.Guards, statementBytes)
	b = append(b, `,"rows":`...)
	b = strconv.AppendInt(b, int64(r.Rows), 10)
	text("truncated_by", string(r.TruncatedBy), fieldBytes)
	text("outcome", string(r.Outcome), fieldBytes)
	b = appendTexts(append(b, `,"codes":`...), r.Codes, fieldBytes)
	text("error_id", r.ErrorID, fieldBytes)
	return append(b, '}')
}

func appendTexts[T ~string](b []byte, list []T, most int) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, capped(string(s), most))
	}
	return append(b, ']')
}
