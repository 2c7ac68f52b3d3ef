package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Document is the schema's definition in a canonical form, as JSON: what Hash
// is the SHA-256 of, so schemas with the same hash have the same document. It
// is for programs that keep a schema beside its data; people write the file
// format, which Parse reads. Of a view it is the document of its Base.
func (s *Schema) Document() []byte {
	return []byte(s.Base().document)
}

// FromDocument makes the schema of a document. It takes nothing for granted: a
// document is checked as every definition is, and the error is a Problems where
// the definition is at fault. A document is 4 MiB at most.
func FromDocument(document []byte) (*Schema, error) {
	if len(document) > maxDocument {
		return nil, fmt.Errorf("schema: a document of %d bytes is over the limit of %d", len(document), maxDocument)
	}
	var def Definition
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(&def); err != nil {
		return nil, fmt.Errorf("schema: reading a document: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("schema: a document goes on after its end")
	}
	return New(def)
}

// maxDocument is over four times what a schema file may have, so that every
// schema that was read has a document.
const maxDocument = 4 << 20

// UnmarshalText reads what MarshalText writes.
func (t *Type) UnmarshalText(text []byte) error {
	of, ok := TypeOf(string(text))
	if !ok {
		return fmt.Errorf("there is no type %q", text)
	}
	*t = of
	return nil
}
