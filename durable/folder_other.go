//go:build !linux && !darwin && !freebsd && !windows

package durable

import (
	"errors"
	"os"
)

// lockFile refuses to go on without a lock.
func lockFile(*os.File) error { return errors.ErrUnsupported }

// room is not asked, as there is no server without a lock.
func room(string) (int64, error) { return 0, errors.ErrUnsupported }
