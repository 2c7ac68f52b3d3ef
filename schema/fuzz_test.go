package schema

import (
	"errors"
	"testing"
)

// FuzzParse reads anything: it never panics, and it says something sensible
// about whatever it refuses.
func FuzzParse(f *testing.F) {
	f.Add(string(readForms(f)), false)
	_, cases := brokenCases(f)
	for _, c := range cases {
		f.Add(c.text, c.file == "s.json")
	}
	f.Fuzz(func(t *testing.T, text string, json bool) {
		file := "s.yaml"
		if json {
			file = "s.json"
		}
		s, err := Parse(file, []byte(text))
		if (s == nil) == (err == nil) {
			t.Fatal("neither or both of a schema and an error")
		}
		if err != nil {
			var problems Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			for _, p := range problems {
				if p.Line < 1 || p.Column < 1 || p.Message == "" || p.File != file {
					t.Fatalf("%#v", p)
				}
			}
			return
		}
		for l := range s.Labels() {
			if len(l.Key) == 0 {
				t.Fatalf("%s has no key", l.Name)
			}
		}
		for r := range s.Relationships() {
			for _, p := range r.Pairs {
				if len(p.FromColumns) != len(p.From.Key) || len(p.ToColumns) != len(p.To.Key) {
					t.Fatalf("%s: columns do not match keys", r.Name)
				}
			}
		}
		again, err := Parse(file, []byte(text))
		if err != nil || again.Hash() != s.Hash() || again.ViewHash() != s.ViewHash() {
			t.Fatal("read twice, it is another schema")
		}
	})
}
