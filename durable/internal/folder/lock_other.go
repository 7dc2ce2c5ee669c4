//go:build !linux && !darwin && !freebsd && !windows

package folder

import (
	"errors"
	"os"
)

// lockFile fails: there is no server without a lock.
func lockFile(*os.File) error { return errors.ErrUnsupported }

// Room is never called.
func Room(string) (int64, error) { return 0, errors.ErrUnsupported }
