//go:build !linux && !darwin && !freebsd && !windows

package folder

import "errors"

// Room fails: there is no server without a limit of its store.
func Room(string) (int64, error) { return 0, errors.ErrUnsupported }
