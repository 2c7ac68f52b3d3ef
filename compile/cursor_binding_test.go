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
	require.Equal(t, []byte{0, 0, 0}, body, "no epoch and two nulls")
	got, err := k.Decode([]byte("call\x00"), base64.RawURLEncoding.EncodeToString(append(head[:len(head):len(head)], body[1:]...)))
	requireNoCursor(t, got, err)
	got, err = k.Decode([]byte("cal"), base64.RawURLEncoding.EncodeToString(append(append(head[:len(head):len(head)], 'l'), body...)))
	requireNoCursor(t, got, err)
}

// T34: an authentic code over nothing is no cursor.
func TestT34CursorsHaveAnEpoch(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	b := append([]byte{cursorVersion}, k.code(k.keys[0], nil, nil)...)
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
