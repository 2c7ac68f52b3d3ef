//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package repository

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks an open file for this opening of it alone, in all processes;
// false where somebody else has it. It is unlocked when the file is closed, or
// the process ends, however it does.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// full reports whether an error is for want of room.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
