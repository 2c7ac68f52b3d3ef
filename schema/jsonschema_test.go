package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"
)

func TestPublishedSchemaIsDraft7(t *testing.T) {
	loader := gojsonschema.NewSchemaLoader()
	loader.Validate = true
	loader.Draft = gojsonschema.Draft7
	_, err := loader.Compile(gojsonschema.NewBytesLoader(JSONSchema()))
	require.NoError(t, err)
}

// The published schema and Go say the same of names, types and masks.
func TestPublishedSchemaAgreesWithGo(t *testing.T) {
	text := publishedSchema
	require.Contains(t, text, `"`+namePattern.String()+`"`)
	list := ""
	for i := Int32; i <= JSON; i++ {
		list += `"` + i.String() + `", `
		back, ok := TypeOf(i.String())
		require.True(t, ok)
		require.Equal(t, i, back)
	}
	require.Contains(t, text, `"type": {"enum": [`+list[:len(list)-2]+`]}`)
	require.Contains(t, text, `[null, `+quoted(masks, ", ")+`]`)
	_, ok := TypeOf("")
	require.False(t, ok)
	require.Empty(t, Type(200).String())
}

// A caller cannot change what others get.
func TestPublishedSchemaIsACopy(t *testing.T) {
	JSONSchema()[0] = 'x'
	require.Equal(t, byte('{'), JSONSchema()[0])
}
