package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A row is one row of an answer, as text by column: what is compared.
type row map[string]string

func (r row) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		parts = append(parts, name+"="+r[name])
	}
	return strings.Join(parts, " ")
}

// sqlRows reads rows that are a JSON array of objects.
func sqlRows(_ string, document []byte) ([]row, error) {
	var list []map[string]any
	if err := read(document, &list); err != nil {
		return nil, err
	}
	out := make([]row, len(list))
	for i, values := range list {
		out[i] = textOf(values)
	}
	return out, nil
}

type end struct {
	Label string `json:"label"`
	ID    string `json:"id"`
}

// toolRows reads a tool's answer as the rows that a statement for the same
// question gives: of q3 a friend, the date of the friendship and whose it is, of q6 nodes
// with their distances, of q7 the ids of the path.
func toolRows(question string, document []byte) ([]row, error) {
	var answer struct {
		Rows  []map[string]any `json:"rows"`
		Nodes []struct {
			end
			Distance   json.Number    `json:"distance"` // not of nodes between
			Properties map[string]any `json:"properties"`
		} `json:"nodes"`
		Relationships []struct {
			To         end            `json:"to"`
			Properties map[string]any `json:"properties"`
		} `json:"relationships"`
		Paths []struct {
			Nodes []end `json:"nodes"`
		} `json:"paths"`
	}
	if err := read(document, &answer); err != nil {
		return nil, err
	}
	var out []row
	for _, r := range answer.Rows {
		out = append(out, textOf(r))
	}
	for _, p := range answer.Paths {
		ids := make([]string, len(p.Nodes))
		for i, n := range p.Nodes {
			ids[i] = n.ID
		}
		out = append(out, row{"path": strings.Join(ids, " ")})
	}
	if answer.Paths != nil || question == "q7" {
		return out, nil
	}
	since := map[string]string{}
	for _, r := range answer.Relationships {
		since[r.To.ID] = fmt.Sprint(r.Properties["creationDate"])
	}
	start := row{}
	for _, n := range answer.Nodes {
		if n.Distance == "" {
			start = row{"of_id": n.ID}
			for name, v := range textOf(n.Properties) {
				start["of_"+name] = v
			}
		}
	}
	for _, n := range answer.Nodes {
		r := textOf(n.Properties)
		switch {
		case n.Distance == "" && (question == "q3" || question == "q6"):
			continue
		case question == "q6":
			r["label"], r["distance"] = n.Label, n.Distance.String()
		case question == "q3":
			r["since"] = since[n.ID]
			maps.Copy(r, start)
		}
		r["id"] = n.ID
		out = append(out, r)
	}
	return out, nil
}

func textOf(values map[string]any) row {
	out := row{}
	for name, v := range values {
		out[name] = fmt.Sprint(v)
	}
	return out
}

func read(document []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	return dec.Decode(into)
}

// differ says where two answers to a question differ, or nothing.
func differ(first, second string, a, b []row) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("row %d: %s has none, %s has %s", i+1, first, second, b[i])
		case i >= len(b):
			return fmt.Sprintf("row %d: %s has %s, %s has none", i+1, first, a[i], second)
		case !maps.Equal(a[i], b[i]):
			return fmt.Sprintf("row %d: %s has %s, %s has %s", i+1, first, a[i], second, b[i])
		}
	}
	return ""
}
