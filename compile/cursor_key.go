package compile

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"slices"
	"sync"
	"time"
)

// A derivedKey is one of the keys of cursors, with what is derived of it: that is
// most of the work of a cursor, and the same for all.
type derivedKey struct {
	secret []byte
	block  cipher.Block // AES-256, with a key derived from the one that authenticates
	coders sync.Pool    // of *cursorCoder
}

func newDerivedKey(secret []byte) *derivedKey {
	k := &derivedKey{secret: slices.Clone(secret)}
	h := hmac.New(sha256.New, k.secret)
	h.Write([]byte(cursorDomain + "encryption"))
	k.block, _ = aes.NewCipher(h.Sum(nil)) // which takes every key of 32 bytes
	return k
}

// A cursorCoder is memory for one cursor after the other, of one key.
type cursorCoder struct {
	mac          hash.Hash // HMAC-SHA-256 with the key
	head, sum    []byte
	counter, pad [aes.BlockSize]byte
	plain, text  []byte // of Encode
}

func (k *derivedKey) coder() *cursorCoder {
	if c, ok := k.coders.Get().(*cursorCoder); ok {
		return c
	}
	return &cursorCoder{mac: hmac.New(sha256.New, k.secret), head: append([]byte(cursorDomain), cursorVersion)}
}

// giveBack takes a coder for the next cursor. It holds nothing of this one that
// was encrypted.
func (k *derivedKey) giveBack(c *cursorCoder) {
	c.mac.Reset()
	clear(c.pad[:])
	if clear(c.plain); cap(c.plain) > cursorMost { // made for a text that is too long
		c.plain = nil
	}
	k.coders.Put(c)
}

// code authenticates a cursor's epoch and values together with the lifetime
// that the epoch counts and the binding, whose length stands in front so that no
// other split of the same bytes has the same code. It is good until the coder
// makes another.
func (c *cursorCoder) code(lifetime time.Duration, binding, body []byte) []byte {
	c.head = binary.BigEndian.AppendUint64(c.head[:len(cursorDomain)+1], uint64(lifetime))
	c.head = binary.BigEndian.AppendUint64(c.head, uint64(len(binding)))
	c.mac.Reset()
	c.mac.Write(c.head)
	c.mac.Write(binding)
	c.mac.Write(body)
	c.sum = c.mac.Sum(c.sum[:0])
	return c.sum[:cursorMAC]
}

// crypt encrypts a body in its place, or decrypts it: AES in counter mode (NIST
// SP 800-38A, 6.5) from the code on. A cipher.Stream would do the same, and take
// more memory and time for itself than the few blocks of a cursor do.
func (k *derivedKey) crypt(c *cursorCoder, code, body []byte) {
	copy(c.counter[:], code)
	for len(body) > 0 {
		k.block.Encrypt(c.pad[:], c.counter[:])
		body = body[subtle.XORBytes(body, body, c.pad[:]):]
		for i := len(c.counter) - 1; i >= 0; i-- {
			if c.counter[i]++; c.counter[i] != 0 {
				break
			}
		}
	}
}
