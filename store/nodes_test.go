package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

func TestNotFoundShowsTheID(t *testing.T) {
	one, two := make([]*schema.Property, 1), make([]*schema.Property, 2)
	for _, tc := range []struct {
		key      []*schema.Property
		id, want string
	}{
		{one, `7`, `there is no seat "7"`},
		{one, `["a"]`, `there is no seat "["a"]"`},
		{two, `["a",7]`, `there is no seat ["a",7]`},
		{one, strings.Repeat("x", 79) + "é", `there is no seat "` + strings.Repeat("x", 79) + `…"`},
	} {
		w := NotFound("/ids/0", &schema.Label{Name: "seat", Key: tc.key}, tc.id)
		require.Equal(t, tc.want, w.Message)
		require.Equal(t, "/ids/0", w.Path)
	}
}
