// Package target finds the file that a path stands for, before a program writes to it.
package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Of returns the file to write for a path: the path, or where it leads if it is a link. Only a regular file, or one
// that does not exist, may be replaced by renaming another file to it. Anything else, such as a device or a pipe, must be
// opened and written as it is. Of returns an error for a folder, a missing folder, and a link that leads to itself.
func Of(path string) (file string, replace bool, err error) {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return "", false, fmt.Errorf("%s is a folder, want a file", path)
	case err == nil && !info.Mode().IsRegular():
		return path, false, nil
	}
	file = path
	for range 40 { // links, as Linux allows
		info, err := os.Lstat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			_, err := os.Stat(filepath.Dir(file))
			return file, true, err
		case err != nil:
			return "", false, err
		case info.Mode()&fs.ModeSymlink == 0:
			return file, true, nil
		}
		to, err := os.Readlink(file)
		if err != nil {
			return "", false, err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	return "", false, fmt.Errorf("%s is a link that leads back to itself", path)
}
