package audit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine/audit"
)

func TestArgumentsShown(t *testing.T) {
	long := strings.Repeat("é", 600)
	for raw, want := range map[string]string{
		``:                              ``,
		`{"b": 1.0, "a": [true, null]}`: `{"a":[true,null],"b":1}`,
		` "x" `:                         `"x"`,
		`{"a":"` + long + `"}`:          `{"a":"` + long[:1024] + `…[1200 bytes]"}`,
		`{"` + long + `":{}}`:           `{"` + long[:128] + `…[1200 bytes]":{}}`,
		`[[],{},[{"a":[]}]]`:            `[[],{},[{"a":[]}]]`,
		`9007199254740993`:              `9007199254740993`,
		strings.Repeat("9", 2000):       `"` + strings.Repeat("9", 1024) + `…[2000 bytes]"`,
	} {
		require.Equal(t, want, audit.NewArguments(audit.Values{Show: true}).Text([]byte(raw), audit.Known{}), "%.50s", raw)
	}
}

// text returns arguments as a record with hashes of one key shows them.
func text(raw string) string {
	known := audit.Known{Word: func(text string) bool { return text == "person" }, Flag: func(member string) bool { return member == "exists" }}
	return audit.NewArguments(audit.Values{Key: []byte("k")}).Text([]byte(raw), known)
}

func TestT60SecretsAreHashed(t *testing.T) {
	got := text(`{"node_label": "person", "filters": {"password": "hunter2-hunter2", "pin": 123456789, "old": true, "no": null}, "exists": ["exists", true]}`)
	for _, secret := range []string{"hunter2", "123456789", "true"} {
		require.NotContains(t, got, secret)
	}
	require.Regexp(t, `^\{"exists":\["h:[0-9a-f]{32}","h:[0-9a-f]{32}"\],"filters":\{"no":null,"old":"h:[0-9a-f]{32}","password":"h:[0-9a-f]{32}","pin":"h:[0-9a-f]{32}"\},"node_label":"person"\}$`, got)

	require.Equal(t, `{"a":[{"exists":false}],"exists":true}`, text(`{"exists": true, "a": [{"exists": false}]}`), "flags are none")
	require.Equal(t, text(`{"a": "x", "b": 1}`), text(`{"b":1.0,"a":"\u0078"}`), "equal calls have equal texts")
	require.NotEqual(t, text(`7`), text(`"7"`), "types count")
	other := audit.NewArguments(audit.Values{Key: []byte("other")})
	require.NotEqual(t, text(`"x"`), other.Text([]byte(`"x"`), audit.Known{}), "the key counts")
	random := audit.NewArguments(audit.Values{})
	require.Equal(t, random.Text([]byte(`"x"`), audit.Known{}), random.Text([]byte(`"x"`), audit.Known{}))
	require.NotEqual(t, random.Text([]byte(`"x"`), audit.Known{}), audit.NewArguments(audit.Values{}).Text([]byte(`"x"`), audit.Known{}))
}

func TestT60UnreadableArgumentsAreHashed(t *testing.T) {
	for name, raw := range map[string]string{
		"no JSON":        `{"password": "hunter2"`,
		"two":            `{"password": "hunter2"} {}`,
		"long":           `{"password": "hunter2` + strings.Repeat("x", 1<<20) + `"}`,
		"many":           `["hunter2"` + strings.Repeat(",1", 30_000) + `]`, // short, but not its hashes
		"deep":           strings.Repeat("[", 20_000) + `"hunter2"` + strings.Repeat("]", 20_000),
		"invalid UTF-8":  "\"hunter2\xff",
		"nothing at all": " ",
	} {
		got := text(raw)
		require.Regexp(t, `^\{"unreadable":\{"bytes":\d+,"hash":"h:[0-9a-f]{32}"\}\}$`, got, name)
		require.NotContains(t, got, "hunter2")
		var back struct{ Unreadable struct{ Bytes int } }
		require.NoError(t, json.Unmarshal([]byte(got), &back))
		require.Equal(t, len(raw), back.Unreadable.Bytes, name)
	}
	large := audit.NewArguments(audit.Values{Show: true, Bytes: 2 << 20})
	require.Equal(t, `{"a":"`+strings.Repeat("x", 1024)+`…[1048576 bytes]"}`, large.Text([]byte(`{"a":"`+strings.Repeat("x", 1<<20)+`"}`), audit.Known{}))
}
