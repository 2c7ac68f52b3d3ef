package schema

import "time"

// Revision names a state of a schema as one caller sees it: the time of its
// last change in RFC 3339 and UTC, "#", and the first 12 digits of the hash of
// that caller's view.
func (s *Schema) Revision(viewHash string) string {
	return s.revised.Format(time.RFC3339) + "#" + viewHash[:min(12, len(viewHash))]
}

// ViewHash is a hash over what a caller can learn of the schema who may see
// everything but hidden properties: names, descriptions, types, masks and
// pairs, and nothing of the storage. Of the schema of a View, it is about what
// that caller can learn. It is 64 lower-case hexadecimal digits.
func (s *Schema) ViewHash() string {
	type property struct {
		Name, Description       string
		Type                    Type
		Nullable, NotFilterable bool
		Values                  []string
		Masked                  string `json:",omitempty"`
	}
	type label struct {
		Name, Description string
		Properties        []property
	}
	type pair struct {
		From, To   string
		Properties []property
	}
	type relationship struct {
		Name, Description string
		Pairs             []pair
	}
	properties := func(list []*Property) (out []property) {
		for _, p := range list {
			if !p.Hidden {
				out = append(out, property{p.Name, p.Description, p.Type, p.Nullable, p.NotFilterable, p.EnumNames(), p.Masked})
			}
		}
		return out
	}
	var view struct {
		Labels        []label
		Relationships []relationship
	}
	for _, l := range s.labels {
		view.Labels = append(view.Labels, label{l.Name, l.Description, properties(l.Properties)})
	}
	for _, t := range s.types {
		r := relationship{Name: t.Name, Description: t.Description}
		for _, p := range t.Pairs {
			r.Pairs = append(r.Pairs, pair{p.From.Name, p.To.Name, properties(p.Properties)})
		}
		view.Relationships = append(view.Relationships, r)
	}
	return hashOf(view)
}
