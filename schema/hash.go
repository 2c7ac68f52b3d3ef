package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// revisedOf is when a definition was last changed.
func revisedOf(def Definition) time.Time {
	if def.Revised.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return def.Revised.UTC()
}

// hashOf is the SHA-256 of a value's JSON. A struct's members follow its
// fields, so no field can be forgotten.
func hashOf(v any) string {
	_, hash := written(v)
	return hash
}

// written is a value's JSON and the hash of it.
func written(v any) (text, hash string) {
	out, err := json.Marshal(v)
	if err != nil {
		// Of values that New has checked, none is without JSON.
		out = []byte(err.Error())
	}
	sum := sha256.Sum256(out)
	return string(out), hex.EncodeToString(sum[:])
}

// canonical returns a definition with defaults filled in and whatever has no
// order sorted, so that definitions of the same schema are the same.
func canonical(def Definition) Definition {
	out := Definition{Revised: revisedOf(def), Description: def.Description}
	for _, n := range def.Nodes {
		n.Table = tableOr(n.Table, n.Label)
		n.Match = sortedMatch(n.Match)
		n.Synonyms = orNil(n.Synonyms)
		n.Records = canonicalRecords(n.Records)
		n.Properties = canonicalProperties(n.Properties, n.Key)
		for i := range n.Properties { // a key is unique without saying so
			p := &n.Properties[i]
			p.Unique = p.Unique && !(len(n.Key) == 1 && n.Key[0] == p.Name)
		}
		if n.DefaultProperties == nil {
			for _, p := range n.Properties {
				if !p.Hidden {
					n.DefaultProperties = append(n.DefaultProperties, p.Name)
				}
			}
		}
		if n.DefaultProperties == nil {
			n.DefaultProperties = []string{} // nil would mean all that are visible
		}
		out.Nodes = append(out.Nodes, n)
	}
	for _, r := range def.Relationships {
		r.Synonyms = orNil(r.Synonyms)
		pairs := r.Pairs
		r.Pairs = nil
		for _, p := range pairs {
			r.Pairs = append(r.Pairs, canonicalPair(r.Type, p))
		}
		out.Relationships = append(out.Relationships, r)
	}
	slices.SortFunc(out.Nodes, func(a, b NodeDefinition) int { return strings.Compare(a.Label, b.Label) })
	slices.SortFunc(out.Relationships, func(a, b RelationshipDefinition) int { return strings.Compare(a.Type, b.Type) })
	return out
}

func canonicalPair(name string, p PairDefinition) PairDefinition {
	p.Match = sortedMatch(p.Match)
	var key []string
	if p.Key != "" {
		key = []string{p.Key}
	}
	p.Properties = canonicalProperties(p.Properties, key)
	if p.ForeignKey != nil || p.Polymorphic != nil {
		p.Unique = beside(p.Unique, p.ForeignKey != nil && p.ForeignKey.OnTo)
		return p
	}
	p.Table = tableOr(p.Table, name)
	if len(p.FromColumns) == 0 {
		p.FromColumns = []string{"from_id"}
	}
	if len(p.ToColumns) == 0 {
		p.ToColumns = []string{"to_id"}
	}
	return p
}

// beside is at which end a foreign key's pair is unique beside the one whose
// table has it.
func beside(unique string, onTo bool) string {
	held, other := "from", "to"
	if onTo {
		held, other = other, held
	}
	switch unique {
	case held:
		return ""
	case "both":
		return other
	}
	return unique
}

func canonicalProperties(defs []PropertyDefinition, key []string) []PropertyDefinition {
	var out []PropertyDefinition
	for _, p := range defs {
		if p.Column == "" {
			p.Column = p.Name
		}
		p.Required = p.Required || slices.Contains(key, p.Name)
		p.Synonyms, p.Values = orNil(p.Synonyms), orNil(p.Values)
		out = append(out, p)
	}
	return out
}

func tableOr(t Table, name string) Table {
	if t == (Table{}) {
		t.Name = name
	}
	return t
}

// sortedMatch is a copy by column; nil if there is none.
func sortedMatch(list []Match) []Match {
	out := slices.Clone(orNil(list))
	slices.SortStableFunc(out, func(a, b Match) int { return strings.Compare(a.Column, b.Column) })
	return out
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
