package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A RecordKind is one of the shapes in which nodes of one label are answered as
// records.
type RecordKind uint8

// The kinds of answers of records.
const (
	// RecordItems is {"items": [record, …], "total": n}.
	RecordItems RecordKind = iota + 1
	// RecordIDs is {"ids": [id, …], "total": n}.
	RecordIDs
	// RecordSummaries is {"items": [{"id": id, property: value, …}, …], "total": n}.
	RecordSummaries
	// RecordOne is a record, or null.
	RecordOne
	// RecordsByID is {"entities": [record, …], "not_found": [id, …]}.
	RecordsByID
)

// A RecordForm says that an answer of find_nodes is shown as records: plain
// documents, without what says of a graph's answer where it comes from. Beside
// what its kind has, a document has "truncated_by" where bytes cut the answer,
// and "warnings" where there are any; of RecordsByID they name the ids that bytes
// left no room for.
//
// A record is {property: value, …} of what the answer shows of the node.
type RecordForm struct {
	Kind RecordKind
	// Whole says that a record is the value of the one property that is shown.
	Whole bool
	// Asked are, of RecordsByID, the query's IDs as texts, in their order, each
	// once; records stand in it, and "not_found" has those that a NOT_FOUND
	// warning at "/ids/<index>" names.
	Asked []string
}

// recordHeads begin the documents.
var recordHeads = [...]string{
	RecordItems: `{"items":[`, RecordIDs: `{"ids":[`, RecordSummaries: `{"items":[`, RecordOne: "", RecordsByID: `{"entities":[`,
}

// records are what a JSONWriter knows of an answer of records.
type records struct {
	form *RecordForm
	// begun is where the document begins, and places where its records are.
	begun  int
	places []recordPlace
	last   int // where the last record begins
	cut    int // records of which a text was shortened
}

type recordPlace struct {
	id string
	place
}

// ResetRecords begins an answer of records, which is appended to dst.
func (w *JSONWriter) ResetRecords(dst []byte, form *RecordForm) {
	w.Reset(dst, ToolFindNodes)
	w.records.form, w.records.begun, w.records.cut = form, len(dst), 0
	w.records.places = w.records.places[:0]
	w.buf = append(dst, recordHeads[form.Kind]...)
}

// Records is the form of an answer of records; nil of other answers.
func (w *JSONWriter) Records() *RecordForm { return w.records.form }

// BeginRecord is BeginNode for a record, which EndRecord ends.
func (w *JSONWriter) BeginRecord() []byte {
	if w.records.form.Kind != RecordOne {
		w.buf = comma(w.buf, w.items)
	}
	w.items++
	w.records.last = len(w.buf)
	return w.buf
}

// EndRecord ends the record of the node with an id, which RecordsByID alone asks
// for.
func (w *JSONWriter) EndRecord(b []byte, id string) {
	if r := &w.records; r.form.Kind == RecordsByID {
		r.places = append(r.places, recordPlace{id, place{r.last, len(b)}})
	}
	w.buf = b
}

// record appends a node as a record.
func (w *JSONWriter) record(n *Node) {
	form, b := w.records.form, w.BeginRecord()
	if len(n.Cut) > 0 {
		w.records.cut++
	}
	switch {
	case form.Kind == RecordIDs:
		b = AppendJSONString(b, n.ID)
	case form.Kind == RecordSummaries:
		b = AppendJSONString(append(b, `{"id":`...), n.ID)
		for i := range n.Properties {
			if n.Properties[i].Name != "id" { // it is the key, and stands there
				b = AppendJSONString(append(b, ','), n.Properties[i].Name)
				b = n.Properties[i].Value.AppendJSON(append(b, ':'))
			}
		}
		b = append(b, '}')
	case form.Whole && len(n.Properties) == 1:
		b = n.Properties[0].Value.AppendJSON(b)
	default:
		b = appendProperties(b, n.Properties)
	}
	w.EndRecord(b, n.ID)
}

// finishRecords ends an answer of records. The error is LIMIT_EXCEEDED where the
// one record asked for is shown in part only, which its document cannot say.
func (w *JSONWriter) finishRecords(s *Summary) ([]byte, error) {
	r := &w.records
	warnings := s.Warnings
	switch r.form.Kind {
	case RecordOne:
		if err := w.Fits(); err != nil {
			return nil, err
		}
		if w.items == 0 {
			w.buf = append(w.buf, "null"...)
		}
		return w.buf, nil
	case RecordsByID:
		w.inOrder()
		missing, others := r.form.missing(warnings)
		warnings = others
		w.buf = append(w.buf, `],"not_found":[`...)
		for i, id := range missing {
			w.buf = AppendJSONString(comma(w.buf, i), id)
		}
		w.buf = append(w.buf, ']')
		if left := r.left(missing); len(left) > 0 && s.TruncatedBy != Complete {
			warnings = append(warnings[:len(warnings):len(warnings)], leftOut(left))
		}
	default:
		total := int64(w.items)
		if s.Total != nil {
			total = *s.Total
		}
		w.buf = strconv.AppendInt(append(w.buf, `],"total":`...), total, 10)
	}
	if r.cut > 0 {
		warnings = append(warnings[:len(warnings):len(warnings)], Warning{Code: LimitExceeded,
			Message: fmt.Sprintf("long texts of %d records are shortened, so that the answer is not too large; ask for fewer records", r.cut)})
	}
	if s.TruncatedBy != Complete && s.TruncatedBy != TruncatedRows || r.cut > 0 {
		by := s.TruncatedBy
		if by == Complete || by == TruncatedRows {
			by = TruncatedBytes
		}
		w.buf = AppendJSONString(append(w.buf, `,"truncated_by":`...), string(by))
	}
	if len(warnings) > 0 {
		b, err := appendList(append(w.buf, `,"warnings":`...), warnings)
		if err != nil {
			return nil, err
		}
		w.buf = b
	}
	return append(w.buf, '}'), nil
}

// Fits tells before Finish whether it will return LIMIT_EXCEEDED.
func (w *JSONWriter) Fits() error { return w.records.form.fits(w.records.cut > 0) }

// Fits returns LIMIT_EXCEEDED where the one record asked for is shown in part
// only, and so the answer has no document.
func (r *Result) Fits() error {
	return r.Records.fits(slices.ContainsFunc(r.Nodes, func(n Node) bool { return len(n.Cut) > 0 }))
}

func (f *RecordForm) fits(cut bool) error {
	if f == nil || f.Kind != RecordOne || !cut {
		return nil
	}
	return &Error{Code: LimitExceeded, Message: "the record is larger than an answer may be", Hint: "ask find_nodes for some of its properties"}
}

// missing takes out of the warnings those of ids that name nothing.
func (f *RecordForm) missing(list []Warning) (ids []string, others []Warning) {
	for _, warning := range list {
		at, ok := strings.CutPrefix(warning.Path, "/ids/")
		i, err := strconv.Atoi(at)
		if warning.Code == NotFound && ok && err == nil && i >= 0 && i < len(f.Asked) {
			ids = append(ids, f.Asked[i])
			continue
		}
		others = append(others, warning)
	}
	return ids, others
}

// left are the ids that no record is of, though they name one, in the order in which
// they were asked for.
func (r *records) left(missing []string) []string {
	done := make(map[string]bool, len(r.form.Asked))
	for _, p := range r.places {
		done[p.id] = true
	}
	for _, id := range missing {
		done[id] = true
	}
	return slices.DeleteFunc(slices.Clone(r.form.Asked), func(id string) bool { return done[id] })
}

// leftOut says which records did not fit into an answer; its fix asks for these.
func leftOut(ids []string) Warning {
	const most = 20 // the fix has all
	told := ids[:min(len(ids), most)]
	text := make([]string, len(told))
	list := make([]Value, len(ids))
	for i, id := range told {
		text[i] = string(AppendJSONString(nil, id))
	}
	for i, id := range ids {
		list[i] = String(id)
	}
	more := ""
	if n := len(ids) - len(told); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return Warning{Code: LimitExceeded, Path: "/ids", Message: "the answer has no room for " + strings.Join(text, ", ") + more + "; ask for these by themselves",
		Fix: []Patch{{Op: "replace", Path: "/ids", Value: List(list...)}}}
}

// inOrder puts the records into the order in which they were asked for.
func (w *JSONWriter) inOrder() {
	r := &w.records
	sorted, next := true, 0
	for _, p := range r.places {
		for next < len(r.form.Asked) && r.form.Asked[next] != p.id {
			next++
		}
		sorted = sorted && next < len(r.form.Asked)
	}
	if sorted {
		return
	}
	at := make(map[string]place, len(r.places))
	for _, p := range r.places {
		at[p.id] = p.place
	}
	head := r.begun + len(recordHeads[RecordsByID])
	body := make([]byte, 0, len(w.buf)-head)
	for _, id := range r.form.Asked {
		if p, ok := at[id]; ok {
			if len(body) > 0 {
				body = append(body, ',')
			}
			body = append(body, w.buf[p.from:p.to]...)
		}
	}
	w.buf = append(w.buf[:head], body...)
}

// appendRecords appends the document of a result that is shown as records.
func (r *Result) appendRecords(b []byte) ([]byte, error) {
	var w JSONWriter
	w.ResetRecords(b, r.Records)
	for i := range r.Nodes {
		w.record(&r.Nodes[i])
	}
	return w.finishRecords(&r.Summary)
}
