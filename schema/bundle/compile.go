package bundle

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// refusing is the loader of schemas: there is nothing to load. The fence lets no
// reference through that leads out of the file; this is the second lock.
type refusing struct{}

func (refusing) Load(url string) (any, error) { return nil, fmt.Errorf("%q is not loaded", short(url)) }

// compile compiles a schema that the fence has let through, nil with a mistake.
func (r *reader) compile(t *Type, root *node) (s *jsonschema.Schema) {
	fail := func(n *node, pointer, message string) {
		r.found.report(t.file, n, pointer, "no JSON Schema: %s", message)
		s = nil
	}
	// A schema is anyone's; a fault of the library must stay a refusal.
	defer func() {
		if v := recover(); v != nil {
			fail(root, "", "it cannot be compiled")
		}
	}()
	doc := root.plain().(map[string]any)
	delete(doc, "$id") // names the type, and is no address
	delete(doc, "$schema")
	c := jsonschema.NewCompiler()
	c.UseLoader(refusing{})
	c.DefaultDraft(jsonschema.Draft2020)
	const url = "bundle:///schema"
	if err := c.AddResource(url, doc); err != nil {
		fail(root, "", short(err.Error()))
		return nil
	}
	s, err := c.Compile(url)
	var invalid *jsonschema.SchemaValidationError
	var why *jsonschema.ValidationError
	switch {
	case err == nil:
		return s
	case errors.As(err, &invalid) && errors.As(invalid.Err, &why):
		for _, v := range violations(why, nil) {
			fail(v.place(root), v.pointer(""), v.subject()+v.text)
		}
	default:
		fail(root, "", short(err.Error()))
	}
	return nil
}
