package command

import (
	"bytes"
	"flag"
	"os"

	"github.com/trellisgraph/trellis/compile"
)

// keys are the flags that name files with secret keys. A key may stand in the
// environment instead, and never on the command line, which others can read.
type keys struct{ cursor, mask, audit string }

func (k *keys) define(flags *flag.FlagSet) {
	flags.StringVar(&k.cursor, "cursor-key", "", "a `file` with the key that signs cursors; or TRELLIS_CURSOR_KEY")
	flags.StringVar(&k.mask, "mask-key", "", "a `file` with the key of hashed masks; or TRELLIS_MASK_KEY")
	flags.StringVar(&k.audit, "audit-key", "", "a `file` with the key of hashed values in --audit; or TRELLIS_AUDIT_KEY")
}

// A keyring holds the keys that were given; nil for those that were not.
type keyring struct {
	cursors     *compile.CursorKeys
	mask, audit []byte
}

func (k *keys) read() (ring keyring, err error) {
	cursor, err := readKey(k.cursor, "cursor-key", "TRELLIS_CURSOR_KEY")
	if err != nil {
		return ring, err
	}
	if ring.mask, err = readKey(k.mask, "mask-key", "TRELLIS_MASK_KEY"); err != nil {
		return ring, err
	}
	if ring.audit, err = readKey(k.audit, "audit-key", "TRELLIS_AUDIT_KEY"); err != nil {
		return ring, err
	}
	ring.cursors = cursorKeys()
	if cursor != nil {
		ring.cursors, err = compile.NewCursorKeys(cursor)
	}
	return ring, err
}

// minKey is the least length of a key in bytes.
const minKey = 16

// readKey returns a key without the line break at its end; nil if none is given.
func readKey(file, name, variable string) ([]byte, error) {
	key := []byte(os.Getenv(variable))
	if file != "" {
		var err error
		if key, err = os.ReadFile(file); err != nil {
			return nil, err
		}
		variable = "the file of --" + name
	}
	if key = bytes.TrimRight(key, "\r\n"); len(key) == 0 && file == "" {
		return nil, nil
	}
	if len(key) < minKey {
		return nil, usagef("the key in %s has %d bytes; at least %d are needed", variable, len(key), minKey)
	}
	return key, nil
}

// cursorKeys sign cursors where no key is given, always alike: the next page is
// asked for by another run of the program. Who runs it may read the whole graph,
// so that the key is no secret; it only tells a mangled cursor from a good one.
func cursorKeys() *compile.CursorKeys {
	keys, err := compile.NewCursorKeys([]byte("the trellis command line"))
	if err != nil {
		return nil // the key is long enough
	}
	return keys
}
