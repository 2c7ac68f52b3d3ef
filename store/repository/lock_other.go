//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package repository

import (
	"errors"
	"fmt"
	"os"
)

// tryLock is for systems whose locks end with the process. Here none is known,
// so that a Folder can be read, and not changed.
func tryLock(*os.File) (bool, error) {
	return false, fmt.Errorf("locking a folder on this system: %w", errors.ErrUnsupported)
}

func full(error) bool { return false }
