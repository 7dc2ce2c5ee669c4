// Package atomicfile writes files that appear whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Target returns the path of the file that Write writes: path, or the target if it is
// a link. It returns an error if that is no regular file or if its folder does not exist.
func Target(path string) (string, error) {
	const mostLinks = 40 // as Linux allows
	for range mostLinks {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			_, err := os.Stat(filepath.Dir(path))
			return path, err
		case err != nil:
			return "", err
		case info.Mode().IsRegular():
			return path, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return "", fmt.Errorf("%s is %s, and only a regular file is replaced", path, kind(info.Mode()))
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s is a link that leads back to itself", path)
}

func kind(m fs.FileMode) string {
	if m.IsDir() {
		return "a folder"
	}
	return "no regular file"
}

// Write replaces the file at path, or the one that a link there leads to, with what write
// writes. The content goes to a hidden file in the same folder, which is renamed once it is complete
// and on disk. After an error the hidden file is removed and the file is as it was.
func Write(path string, write func(io.Writer) error) (err error) {
	if path, err = Target(path); err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	f, err := os.OpenFile(filepath.Join(dir, "."+name+"-"+rand.Text()[:8]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteBytes replaces the file at path with data, as Write does.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
