package compile

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func cursorKey(fill byte) []byte { return bytes.Repeat([]byte{fill}, 32) }

func cursorKeysOf(t testing.TB, keys ...[]byte) *CursorKeys {
	t.Helper()
	k, err := NewCursorKeys(keys...)
	require.NoError(t, err)
	return k
}

// cursorValues holds every kind that an order can have, at its edges.
func cursorValues() []graph.Value {
	return []graph.Value{
		graph.Null(),
		graph.Bool(false), graph.Bool(true),
		graph.Int(0), graph.Int(-1), graph.Int(math.MinInt64), graph.Int(math.MaxInt64),
		graph.Float(0), graph.Float(-1.5), graph.Float(math.MaxFloat64), graph.Float(math.SmallestNonzeroFloat64),
		graph.Decimal("12.50"), graph.Decimal("-0.001"),
		graph.String(""), graph.String("a\"é\U0001F600"), graph.String(strings.Repeat("x", 300)), graph.String("12"),
		graph.Date(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)), graph.Date(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)),
		graph.DateTime(time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC)),
		graph.DateTime(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
		graph.UUID("00000000-0000-4000-8000-0000000000ab"),
	}
}

func requireNoCursor(t testing.TB, values []graph.Value, err error, what ...any) {
	t.Helper()
	require.Nil(t, values, what...)
	require.Equal(t, error(errCursor()), err, what...)
}

func TestCursorHoldsEveryKind(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	check := func(values ...graph.Value) {
		c := k.Encode([]byte("call"), values)
		require.NotEmpty(t, c)
		require.Regexp(t, `^[A-Za-z0-9_-]+$`, c)
		require.Equal(t, c, k.Encode([]byte("call"), values), "equal values have equal cursors")
		got, err := k.Decode([]byte("call"), c)
		require.NoError(t, err)
		require.Len(t, got, len(values))
		for i := range values {
			require.True(t, values[i].Equal(got[i]), "%s %s came back as %s %s", values[i].Kind(), values[i], got[i].Kind(), got[i])
		}
	}
	check()
	for _, v := range cursorValues() {
		check(v)
	}
	check(cursorValues()...)
}

func TestCursorOfNothingOrderable(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	for _, v := range []graph.Value{graph.List(graph.Int(1)), graph.JSON(`{}`), graph.Number("1"), graph.Of(struct{}{})} {
		require.Empty(t, k.Encode(nil, []graph.Value{graph.Int(1), v}), v.Kind().String())
	}
	for _, none := range []*CursorKeys{nil, {}} {
		require.Empty(t, none.Encode(nil, []graph.Value{graph.Int(1)}))
		values, err := none.Decode(nil, k.Encode(nil, []graph.Value{graph.Int(1)}))
		requireNoCursor(t, values, err)
	}
}

// T34: a cursor that was tampered with, cut, or made for something else.
func TestCursorT34(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	binding := []byte("call of tenant a at schema 1")
	values := []graph.Value{graph.String("title"), graph.Null(), graph.Int(42)}
	cursor := k.Encode(binding, values)
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	require.NoError(t, err)

	t.Run("every bit flipped", func(t *testing.T) {
		for i := range len(raw) * 8 {
			b := bytes.Clone(raw)
			b[i/8] ^= 1 << (i % 8)
			got, err := k.Decode(binding, base64.RawURLEncoding.EncodeToString(b))
			requireNoCursor(t, got, err, "bit", i)
		}
		for i := range len(cursor) * 8 {
			b := []byte(cursor)
			b[i/8] ^= 1 << (i % 8)
			got, err := k.Decode(binding, string(b))
			requireNoCursor(t, got, err, "bit of the text", i)
		}
	})
	t.Run("every truncation", func(t *testing.T) {
		for i := range len(cursor) {
			got, err := k.Decode(binding, cursor[:i])
			requireNoCursor(t, got, err, "head", i)
			got, err = k.Decode(binding, cursor[len(cursor)-i:])
			requireNoCursor(t, got, err, "tail", i)
		}
		for i := range len(raw) {
			got, err := k.Decode(binding, base64.RawURLEncoding.EncodeToString(raw[:i]))
			requireNoCursor(t, got, err, "bytes", i)
		}
	})
	t.Run("every addition", func(t *testing.T) {
		for c := range 256 {
			for at := range len(cursor) + 1 {
				got, err := k.Decode(binding, cursor[:at]+string([]byte{byte(c)})+cursor[at:])
				requireNoCursor(t, got, err, "character", c, "at", at)
			}
		}
	})
	t.Run("another call", func(t *testing.T) {
		for _, other := range []string{"", "call of tenant b at schema 1", "call of tenant a at schema 2", string(binding) + "\x00", string(binding[1:])} {
			got, err := k.Decode([]byte(other), cursor)
			requireNoCursor(t, got, err, other)
		}
	})
	t.Run("a binding that runs into the values", func(t *testing.T) {
		body := raw[1+cursorMAC:]
		moved := append(bytes.Clone(binding), body[:9]...)
		b := append(bytes.Clone(raw[:1+cursorMAC]), body[9:]...)
		got, err := k.Decode(moved, base64.RawURLEncoding.EncodeToString(b))
		requireNoCursor(t, got, err)
	})
	t.Run("another key", func(t *testing.T) {
		got, err := cursorKeysOf(t, cursorKey(2)).Decode(binding, cursor)
		requireNoCursor(t, got, err)
		got, err = RandomCursorKeys().Decode(binding, cursor)
		requireNoCursor(t, got, err)
	})
	t.Run("other texts", func(t *testing.T) {
		for _, c := range []string{
			"", "a", "null", "eyJpZCI6MX0", cursor + "=", cursor + "\n", " " + cursor, cursor + cursor,
			strings.ReplaceAll(strings.ReplaceAll(cursor, "-", "+"), "_", "/") + "!", strings.Repeat("A", 1<<20), "1; DROP TABLE x", "\x00", "é",
		} {
			got, err := k.Decode(binding, c)
			requireNoCursor(t, got, err, len(c))
		}
	})
}

// A cursor that is authentic and yet no sequence of values can only come from
// another version of the program; it is refused all the same.
func TestCursorWithUnreadableValues(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	seal := func(body string) string {
		plain := []byte("\x00" + body) // no epoch
		code := testCode(k, nil, plain)
		testCrypt(k, code, plain)
		return base64.RawURLEncoding.EncodeToString(append(append([]byte{cursorVersion}, code...), plain...))
	}
	got, err := k.Decode(nil, seal("\x00"))
	require.NoError(t, err, "the seal itself is right")
	require.Len(t, got, 1)
	for _, body := range []string{
		"\x01", "\x01\x02", // bool
		"\x02", "\x02\x00\x00\x00\x00\x00\x00\x00", // int
		"\x03\x7f\xf8\x00\x00\x00\x00\x00\x00", "\x03\x7f\xf0\x00\x00\x00\x00\x00\x00", // NaN, infinity
		"\x06", "\x06\x02a", "\x06\x80", "\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", // text
		"\x06\x01\xff",                                                // not UTF-8
		"\x04\x011", "\x0a\x02{}", "\x0b\x00", "\x0c", "\x0d", "\xff", // kinds without an order
		"\x00\x01",
	} {
		got, err := k.Decode(nil, seal(body))
		requireNoCursor(t, got, err, fmt.Sprintf("%q", body))
	}
}

func TestCursorSize(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	text := func(n int) []graph.Value { return []graph.Value{graph.String(strings.Repeat("x", n))} }
	const most = cursorMost/4*3 - 1 - cursorMAC - 5 // without the epoch, the kind and three bytes of length
	c := k.Encode(nil, text(most))
	require.Len(t, c, cursorMost)
	got, err := k.Decode(nil, c)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Empty(t, k.Encode(nil, text(most+1)), "no cursor is given out that would not be taken back")
}

func TestCursorKeyRotation(t *testing.T) {
	older, newer := cursorKeysOf(t, cursorKey(1)), cursorKeysOf(t, cursorKey(2), cursorKey(1))
	newest := cursorKeysOf(t, cursorKey(3), cursorKey(2))
	values := []graph.Value{graph.Int(1)}
	old, fresh := older.Encode(nil, values), newer.Encode(nil, values)
	require.NotEqual(t, old, fresh, "the first key signs")
	for _, c := range []struct {
		keys   *CursorKeys
		cursor string
		ok     bool
	}{{older, old, true}, {older, fresh, false}, {newer, old, true}, {newer, fresh, true}, {newest, fresh, true}, {newest, old, false}} {
		got, err := c.keys.Decode(nil, c.cursor)
		if !c.ok {
			requireNoCursor(t, got, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, values, got)
	}
}

func TestCursorKeysAreCheckedCopiedAndNeverShown(t *testing.T) {
	_, err := NewCursorKeys()
	require.ErrorContains(t, err, "at least one key is required")
	_, err = NewCursorKeys(cursorKey(1), make([]byte, 15))
	require.ErrorContains(t, err, "key 2 has 15 bytes; at least 16 are required")

	key := []byte("sixteen bytes ok")
	k := cursorKeysOf(t, key)
	c := k.Encode(nil, []graph.Value{graph.Int(1)})
	key[0] = 'X'
	_, err = k.Decode(nil, c)
	require.NoError(t, err, "the caller may reuse its slice")

	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		require.Equal(t, "CursorKeys(1)", fmt.Sprintf(verb, k))
	}
	_, err = k.Expiring(time.Second - 1)
	require.ErrorContains(t, err, "at least 1s is required")
	require.NotEqual(t, RandomCursorKeys().keys, RandomCursorKeys().keys)
}

// FuzzCursor: no text is a cursor that was not made by Encode, and any text can
// be put into one.
func FuzzCursor(f *testing.F) {
	k := cursorKeysOf(f, cursorKey(1))
	f.Add("", "a", int64(1))
	f.Add(k.Encode([]byte("b"), cursorValues()), "b", int64(-1))
	f.Fuzz(func(t *testing.T, text, binding string, n int64) {
		if values, err := k.Decode([]byte(binding), text); err == nil && k.Encode([]byte(binding), values) != text {
			t.Fatalf("%q was never given out", text)
		}
		values := []graph.Value{graph.String(strings.ToValidUTF8(text, "")), graph.Int(n), graph.Null()}
		c := k.Encode([]byte(binding), values)
		if c == "" {
			return // too long
		}
		got, err := k.Decode([]byte(binding), c)
		if err != nil || len(got) != 3 || !got[0].Equal(values[0]) || !got[1].Equal(values[1]) || !got[2].IsNull() {
			t.Fatalf("%v came back as %v, %v", values, got, err)
		}
	})
}

func BenchmarkCursor(b *testing.B) {
	k := cursorKeysOf(b, cursorKey(1))
	values := []graph.Value{graph.String("a title"), graph.Int(42)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Decode(nil, k.Encode(nil, values)); err != nil {
			b.Fatal(err)
		}
	}
}
