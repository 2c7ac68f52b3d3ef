package compile

import (
	"encoding/base64"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func expiring(t testing.TB, k *CursorKeys, lifetime time.Duration) *CursorKeys {
	t.Helper()
	out, err := k.Expiring(lifetime)
	require.NoError(t, err)
	return out
}

// T34: a cursor is good in the lifetime in which it was made and the next.
func TestT34CursorsExpire(t *testing.T) {
	binding, values := []byte("call"), []graph.Value{graph.Int(1)}
	synctest.Test(t, func(t *testing.T) { // time begins with a whole hour
		k := expiring(t, cursorKeysOf(t, cursorKey(1)), time.Hour)
		first := k.Encode(binding, values)
		for _, c := range []struct {
			at   time.Duration
			ok   bool
			same bool // a cursor made now is equal
		}{
			{0, true, true},
			{time.Hour - 1, true, true},
			{time.Hour, true, false},
			{2*time.Hour - 1, true, false},
			{2 * time.Hour, false, false},
			{2*time.Hour + 1, false, false},
			{1000 * time.Hour, false, false},
		} {
			time.Sleep(c.at - time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)))
			require.Equal(t, c.same, k.Encode(binding, values) == first, c.at)
			got, err := k.Decode(binding, first)
			if !c.ok {
				requireNoCursor(t, got, err, c.at)
				continue
			}
			require.NoError(t, err, c.at)
			require.Equal(t, values, got)
		}
	})
}

// T34: a cursor made in the last moment of a lifetime has a whole one left.
func TestT34CursorsLastALifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := expiring(t, cursorKeysOf(t, cursorKey(1)), time.Minute)
		time.Sleep(time.Minute - 1)
		c := k.Encode(nil, nil)
		time.Sleep(time.Minute)
		_, err := k.Decode(nil, c)
		require.NoError(t, err)
		time.Sleep(time.Nanosecond)
		_, err = k.Decode(nil, c)
		require.Error(t, err)
	})
}

// T34: keys rotate under cursors that expire; lifetimes do not mix.
func TestT34ExpiringKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		values := []graph.Value{graph.String("x")}
		hour := expiring(t, cursorKeysOf(t, cursorKey(1)), time.Hour)
		c := hour.Encode(nil, values)
		for name, k := range map[string]struct {
			keys *CursorKeys
			ok   bool
		}{
			"the same":         {hour, true},
			"equal ones":       {expiring(t, cursorKeysOf(t, cursorKey(1)), time.Hour), true},
			"a new one before": {expiring(t, cursorKeysOf(t, cursorKey(2), cursorKey(1)), time.Hour), true},
			"a dropped one":    {expiring(t, cursorKeysOf(t, cursorKey(3), cursorKey(2)), time.Hour), false},
			"no lifetime":      {cursorKeysOf(t, cursorKey(1)), false},
			"another lifetime": {expiring(t, cursorKeysOf(t, cursorKey(1)), time.Hour+1), false},
		} {
			got, err := k.keys.Decode(nil, c)
			if !k.ok {
				requireNoCursor(t, got, err, name)
				continue
			}
			require.NoError(t, err, name)
			require.Equal(t, values, got, name)
		}
		got, err := hour.Decode(nil, cursorKeysOf(t, cursorKey(1)).Encode(nil, values))
		requireNoCursor(t, got, err, "a cursor without an end")

		// The epoch is authenticated: nobody prolongs a cursor.
		raw, err := base64.RawURLEncoding.DecodeString(c)
		require.NoError(t, err)
		for i := range len(raw) * 8 {
			b := append([]byte(nil), raw...)
			b[i/8] ^= 1 << (i % 8)
			got, err := hour.Decode(nil, base64.RawURLEncoding.EncodeToString(b))
			requireNoCursor(t, got, err, "bit", i)
		}
		for i := range raw {
			got, err := hour.Decode(nil, base64.RawURLEncoding.EncodeToString(raw[:i]))
			requireNoCursor(t, got, err, "bytes", i)
		}
	})
}
