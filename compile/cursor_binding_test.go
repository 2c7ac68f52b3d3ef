package compile

import (
	"encoding/base64"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// T34: bytes that move from the cursor to the binding leave a cursor that reads
// well, and that is yet of another call.
func TestT34CursorsKnowTheLengthOfTheirBinding(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	raw, err := base64.RawURLEncoding.DecodeString(k.Encode([]byte("call"), []graph.Value{graph.Null(), graph.Null()}))
	require.NoError(t, err)
	head, body := raw[:1+cursorMAC], raw[1+cursorMAC:]
	testCrypt(k, head[1:], body)
	require.Equal(t, []byte{0, 0, 0}, body, "no epoch and two nulls")
	with := func(body ...byte) string {
		testCrypt(k, head[1:], body)
		return base64.RawURLEncoding.EncodeToString(append(head[:len(head):len(head)], body...))
	}
	_, err = k.Decode([]byte("call"), with(0, 0, 0))
	require.NoError(t, err, "the cursor as it was")
	got, err := k.Decode([]byte("call\x00"), with(0, 0))
	requireNoCursor(t, got, err)
	got, err = k.Decode([]byte("cal"), with('l', 0, 0, 0))
	requireNoCursor(t, got, err)
}

// What an answer is ordered by is not to be read from a cursor, and two cursors
// do not tell how their values differ.
func TestCursorsAreEncrypted(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	read := func(text string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(k.Encode([]byte("call"), []graph.Value{graph.String(text), graph.Int(953)}))
		require.NoError(t, err)
		return b
	}
	one, other := read("TOPSECRET-53-TOPSECRET"), read("TOPSECRET-54-TOPSECRET")
	require.NotContains(t, string(one), "SECRET")
	require.Len(t, other, len(one))
	same := 0
	for i := 1; i < len(one); i++ {
		if one[i] == other[i] {
			same++
		}
	}
	require.Less(t, same, 8, "of %d bytes", len(one))
	require.Equal(t, one, read("TOPSECRET-53-TOPSECRET"), "equal calls have equal cursors")
}

// T34: an authentic code over nothing is no cursor.
func TestT34CursorsHaveAnEpoch(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	b := append([]byte{cursorVersion}, testCode(k, nil, nil)...)
	got, err := k.Decode(nil, base64.RawURLEncoding.EncodeToString(b))
	requireNoCursor(t, got, err)
}

// T34: a lifetime is a part of the cursors that it bounds, even where the same
// number of them has passed.
func TestT34CursorsKnowTheirLifetime(t *testing.T) {
	const year = 365 * 24 * time.Hour
	synctest.Test(t, func(t *testing.T) { // time begins in 2000
		keys := cursorKeysOf(t, cursorKey(1))
		k, other := expiring(t, keys, 20*year), expiring(t, keys, 21*year)
		require.Equal(t, k.epoch(), other.epoch())
		cursor := k.Encode(nil, nil)
		_, err := k.Decode(nil, cursor)
		require.NoError(t, err)
		got, err := other.Decode(nil, cursor)
		requireNoCursor(t, got, err)

		time.Sleep(11 * year) // the first of the lifetimes after that of 1970 is over
		_, err = k.Decode(nil, cursor)
		require.NoError(t, err)
		expiring(t, keys, time.Second) // the least
	})
}

// TestAfterIsNotKept tells a plan of which further calls have the same root from
// the plan of its next page, which has a root of its own.
func TestAfterIsNotKept(t *testing.T) {
	c := New(Options{})
	s := afterSchema(t)
	var plan *Plan
	for range 3 {
		var err error
		plan, err = c.Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}})
		require.NoError(t, err)
	}
	require.True(t, plan.Kept())
	require.False(t, plan.After([]graph.Value{graph.Int(1)}, 3).Kept())
	require.True(t, plan.Kept())
}
