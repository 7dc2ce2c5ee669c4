//go:build linux || darwin || freebsd

package folder

import (
	"os"

	"golang.org/x/sys/unix"
)

// Room returns how many bytes are free for files in dir.
func Room(dir string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil //nolint:unconvert // their types depend on the system
}
