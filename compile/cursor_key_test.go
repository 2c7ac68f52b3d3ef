package compile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func testCode(k *CursorKeys, binding, body []byte) []byte {
	return bytes.Clone(k.keys[0].coder().code(k.lifetime, binding, body))
}

func testCrypt(k *CursorKeys, code, body []byte) { k.keys[0].crypt(k.keys[0].coder(), code, body) }

// Cursors given out stay good: these were made when every cursor derived its
// keys anew.
func TestCursorBytes(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	values := []graph.Value{graph.String("a title"), graph.Null(), graph.Int(42)}
	c := New(Options{Cursors: k})
	for range 4 { // new, new, and kept
		require.Equal(t, "AlTa-Vew3v1U0DA4E_SSoN2Qur5DpRXzLMroUVy6YbmVk_zGjg", k.Encode([]byte("call"), values))
		p, err := c.Check(afterSchema(t), nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}})
		require.NoError(t, err)
		require.Equal(t, "AvB0tt11DRY2Xm5V4JlK0PiHTgOuwsXBpno0", c.Cursor(p, []graph.Value{graph.Int(7)}))
	}
}

// Bodies are encrypted as the standard library's counter mode does, over the
// counter's end too.
func TestCursorsAreInCounterMode(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	h := hmac.New(sha256.New, cursorKey(1))
	h.Write([]byte(cursorDomain + "encryption"))
	block, err := aes.NewCipher(h.Sum(nil))
	require.NoError(t, err)
	for _, code := range [][]byte{make([]byte, 16), bytes.Repeat([]byte{0xff}, 16), append(make([]byte, 13), 0xff, 0xff, 0xfe), []byte("sixteen bytes ok")} {
		for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 65, 5000} {
			body := bytes.Repeat([]byte{'x'}, n)
			want := make([]byte, n)
			cipher.NewCTR(block, code).XORKeyStream(want, body)
			testCrypt(k, code, body)
			require.Equal(t, want, body, "%x, %d bytes", code, n)
		}
	}
}

// What one cursor left behind is in no other, whatever their lengths, and nothing
// plain is left behind.
func TestCursorsShareNothing(t *testing.T) {
	k := cursorKeysOf(t, cursorKey(1))
	one, other := []graph.Value{graph.String(strings.Repeat("SECRET", 50))}, []graph.Value{graph.Int(1)}
	want := cursorKeysOf(t, cursorKey(1)).Encode(nil, other)
	require.Empty(t, k.Encode(nil, append(one, graph.JSON("{}"))))
	for range 4 {
		k.Encode([]byte("binding"), one)
		c := k.keys[0].coder()
		require.NotContains(t, string(c.plain[:cap(c.plain)]), "SECRET")
		k.keys[0].giveBack(c)
		require.Equal(t, want, k.Encode(nil, other))
	}

	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			binding := []byte{byte(i)}
			for n := range 200 {
				values := []graph.Value{graph.Int(int64(i)), graph.String(strings.Repeat("x", n%40))}
				got, err := k.Decode(binding, k.Encode(binding, values))
				if err != nil || len(got) != 2 || !got[0].Equal(values[0]) || !got[1].Equal(values[1]) {
					t.Errorf("%v came back as %v, %v", values, got, err)
				}
			}
		})
	}
	callers.Wait()
}
