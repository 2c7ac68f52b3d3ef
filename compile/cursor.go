package compile

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// A cursor is the base64url text, without padding, of
//
//	version (1 byte) · authentication code (16 bytes) · epoch · values
//
// where the epoch is 0 or, of cursors that expire, one more than the number of
// whole lifetimes that had passed since 1970, as a varint, and every value is a
// byte for its kind and then its content: nothing for null, one byte for a bool,
// 8 bytes for an int, a float, a date or a datetime, a length and that many
// bytes for a text. The values are those of the last row's order keys, so the
// next page is found by comparison, however deep it lies.
//
// Epoch and values are authenticated, and encrypted besides: what an answer is
// ordered by need not be shown in it, and the last row looked at need not be one
// that the host lets the caller see. The code is the initial value of the
// encryption, as in a synthetic initialization vector (RFC 5297): equal calls
// have equal cursors, and different ones share no key stream.
const (
	cursorVersion  = 2
	cursorMAC      = 16       // bytes of the code: HMAC-SHA-256, cut
	cursorMost     = 32 << 10 // bytes of a cursor's text
	cursorKeyBytes = 16       // least length of a key
)

// cursorDomain separates these codes from all else that a host may sign with
// the same key.
const cursorDomain = "trellis cursor\x00"

// CursorKeys sign and encrypt the cursors of answers, so that a store is never asked to
// resume at a place that no answer gave out. They are immutable and safe for
// concurrent use. The zero value has no keys: it makes and accepts no cursors.
type CursorKeys struct {
	keys     []*derivedKey
	lifetime time.Duration // 0: cursors do not expire
}

// NewCursorKeys returns keys of which the first signs and all verify: to
// change a key without refusing cursors already given out, put the new one in
// front and drop the old one later. Processes that answer the same clients need
// the same keys. Every key must have 16 bytes or more, and there must be one.
func NewCursorKeys(keys ...[]byte) (*CursorKeys, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("cursor keys: at least one key is required")
	}
	k := &CursorKeys{}
	for i, key := range keys {
		if len(key) < cursorKeyBytes {
			return nil, fmt.Errorf("cursor keys: key %d has %d bytes; at least %d are required", i+1, len(key), cursorKeyBytes)
		}
		k.keys = append(k.keys, newDerivedKey(key))
	}
	return k, nil
}

// RandomCursorKeys returns a key that nobody else has, for a single process
// whose cursors need not outlive it.
func RandomCursorKeys() *CursorKeys {
	key := make([]byte, sha256.Size)
	rand.Read(key) // never fails: the runtime ends the process first
	return &CursorKeys{keys: []*derivedKey{newDerivedKey(key)}}
}

// Expiring returns the same keys for cursors that expire: each is accepted for
// at least the lifetime, and at most twice as long. Time is cut into lifetimes,
// and a cursor is good for the one in which it was made and the next: equal
// calls in the same one have equal cursors. Cursors of another lifetime, or of
// none, are refused. A lifetime under a second is an error.
func (k *CursorKeys) Expiring(lifetime time.Duration) (*CursorKeys, error) {
	if lifetime < time.Second {
		return nil, fmt.Errorf("cursor keys: a lifetime of %s; at least 1s is required", lifetime)
	}
	return &CursorKeys{k.keys, lifetime}, nil
}

// epoch is the number that a cursor made now has.
func (k *CursorKeys) epoch() uint64 {
	if k.lifetime == 0 {
		return 0
	}
	return uint64(max(0, time.Now().UnixNano()))/uint64(k.lifetime) + 1
}

// current reports whether cursors with an epoch are accepted now.
func (k *CursorKeys) current(epoch uint64) bool {
	now := k.epoch()
	return epoch == now || epoch != 0 && epoch+1 == now
}

// String tells how many keys there are and shows none.
func (k *CursorKeys) String() string { return fmt.Sprintf("CursorKeys(%d)", len(k.keys)) }

// GoString is String: no way of printing shows a key.
func (k *CursorKeys) GoString() string { return k.String() }

// Encode returns a cursor that holds the values of an order's keys. It can be
// read only with an equal binding, which enters the code and not the cursor.
//
// It returns "" where there can be no cursor: without a key, for a value of a
// kind that no order has (a number of unknown type, JSON, a list), and where
// the text would have over 32 KiB, which Decode refuses.
func (k *CursorKeys) Encode(binding []byte, values []graph.Value) string {
	if k == nil || len(k.keys) == 0 {
		return ""
	}
	key := k.keys[0]
	c := key.coder()
	defer key.giveBack(c)
	b := append(c.plain[:0], cursorVersion)
	b = append(b, make([]byte, cursorMAC)...)
	b = binary.AppendUvarint(b, k.epoch())
	for _, v := range values {
		var ok bool
		b, ok = appendCursorValue(b, v)
		if c.plain = b; !ok {
			return ""
		}
	}
	if c.plain = b; base64.RawURLEncoding.EncodedLen(len(b)) > cursorMost {
		return ""
	}
	body := b[1+cursorMAC:]
	code := c.code(k.lifetime, binding, body)
	copy(b[1:], code)
	key.crypt(c, code, body)
	c.text = base64.RawURLEncoding.AppendEncode(c.text[:0], b)
	return string(c.text)
}

// Decode returns the values that Encode was given. What has expired, and
// whatever Encode did not return for an equal binding and one of the keys, is
// refused, always with the same INVALID_CURSOR: an attempt learns nothing from
// the difference.
func (k *CursorKeys) Decode(binding []byte, cursor string) ([]graph.Value, error) {
	if k == nil || len(cursor) > cursorMost || strings.ContainsAny(cursor, "\r\n") { // which base64 would pass over
		return nil, errCursor()
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 1+cursorMAC || b[0] != cursorVersion {
		return nil, errCursor()
	}
	code := b[1 : 1+cursorMAC]
	var body []byte
	authentic := false
	for _, key := range k.keys {
		c := key.coder()
		plain := slices.Clone(b[1+cursorMAC:])
		key.crypt(c, code, plain)
		if hmac.Equal(code, c.code(k.lifetime, binding, plain)) {
			body, authentic = plain, true
		}
		key.giveBack(c)
	}
	epoch, size := binary.Uvarint(body)
	if !authentic || size <= 0 || !k.current(epoch) {
		return nil, errCursor()
	}
	body = body[size:]
	var values []graph.Value
	for len(body) > 0 {
		var v graph.Value
		var ok bool
		if v, body, ok = readCursorValue(body); !ok {
			return nil, errCursor()
		}
		values = append(values, v)
	}
	return values, nil
}

func appendCursorValue(b []byte, v graph.Value) ([]byte, bool) {
	b = append(b, byte(v.Kind()))
	switch v.Kind() {
	case graph.KindNull:
		return b, true
	case graph.KindBool:
		if v.Bool() {
			return append(b, 1), true
		}
		return append(b, 0), true
	case graph.KindInt:
		return binary.BigEndian.AppendUint64(b, uint64(v.Int())), true
	case graph.KindFloat:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v.Float())), true
	case graph.KindDate:
		return binary.BigEndian.AppendUint64(b, uint64(v.Days())), true
	case graph.KindDateTime:
		return binary.BigEndian.AppendUint64(b, uint64(v.Micros())), true
	case graph.KindDecimal, graph.KindString, graph.KindUUID:
		text := v.Text()
		return append(binary.AppendUvarint(b, uint64(len(text))), text...), true
	}
	return b, false
}

// readCursorValue reads one value and returns what follows it.
func readCursorValue(b []byte) (v graph.Value, rest []byte, ok bool) {
	kind, b := graph.Kind(b[0]), b[1:]
	switch kind {
	case graph.KindNull:
		return graph.Null(), b, true
	case graph.KindBool:
		if len(b) < 1 || b[0] > 1 {
			return v, nil, false
		}
		return graph.Bool(b[0] == 1), b[1:], true
	case graph.KindInt, graph.KindFloat, graph.KindDate, graph.KindDateTime:
		if len(b) < 8 {
			return v, nil, false
		}
		n := binary.BigEndian.Uint64(b)
		switch kind {
		case graph.KindInt:
			v = graph.Int(int64(n))
		case graph.KindFloat:
			v = graph.Float(math.Float64frombits(n))
		case graph.KindDate:
			v = graph.DateFromDays(int64(n))
		default:
			v = graph.DateTimeFromMicros(int64(n))
		}
		return v, b[8:], v.Kind() == kind
	case graph.KindDecimal, graph.KindString, graph.KindUUID:
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return v, nil, false
		}
		text := string(b[size : size+int(n)])
		switch {
		case !utf8.ValidString(text):
			return v, nil, false
		case kind == graph.KindDecimal:
			v = graph.Decimal(text)
		case kind == graph.KindString:
			v = graph.String(text)
		default:
			v = graph.UUID(text)
		}
		return v, b[size+int(n):], true
	}
	return v, nil, false
}
