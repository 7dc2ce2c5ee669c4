// Package files writes files that appear whole or not at all, and reads texts of others in bounded memory.
package files

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Target returns the path of the file that Write replaces: path, or the file to which a link leads. It
// returns an error if that is no regular file or if its folder does not exist.
func Target(path string) (string, error) {
	file, replace, err := target(path)
	if err == nil && !replace {
		err = fmt.Errorf("%s is no regular file, and only a regular file is replaced", path)
	}
	return file, err
}

// target returns the file to which a path leads. Only a regular file, or one that does not exist, may be replaced by
// renaming another file to it. Package trace has the same rule once more, because recorded programs carry few packages.
func target(path string) (file string, replace bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		to, err := os.Readlink(path) // a link may lead to a file that does not exist yet
		if err != nil {
			_, err = os.Stat(filepath.Dir(path))
			return path, true, err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return target(to)
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return path, false, nil
	}
	file, err = filepath.EvalSymlinks(path)
	return file, true, err
}

// Writable returns an error if Write cannot create the file. Programs that work long before they write call it first.
func Writable(path string) error {
	file, replace, err := target(path)
	if err != nil || !replace {
		return err
	}
	return WritableFolder(filepath.Dir(file))
}

// WritableFolder creates a folder and returns an error if no file can be created in it.
func WritableFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := create(filepath.Join(dir, "file"))
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return err
}

// create creates a hidden file in the folder of a file.
func create(file string) (*os.File, error) {
	dir, name := filepath.Split(file)
	hidden := filepath.Join(dir, "."+name+"-"+rand.Text()[:8])
	f, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	return f, known(err, hidden, filepath.Clean(dir))
}

// Write replaces the file at path, or the one that a link there leads to, with what write
// writes. The content goes to a hidden file in the same folder, which is renamed once it is complete
// and on disk. After an error the hidden file is removed and the file is as it was. A device, a pipe or anything else
// that is no regular file is not replaced but opened and written.
func Write(path string, write func(io.Writer) error) error {
	file, replace, err := target(path)
	if err != nil {
		return err
	}
	if !replace {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := create(file)
	if err != nil {
		return err
	}
	if err = cmp.Or(write(f), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error tells more
	}
	return known(err, f.Name(), path)
}

// known gives an error of a hidden file the path that a caller knows. Errors of other files, which write may read, stay.
func known(err error, hidden, path string) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok && at.Path == hidden {
		at.Path = path
	}
	return err
}

// WriteBytes replaces the file at path with data, as Write does.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReadFile reads a text file of at most most bytes, without Mark. The error says that it wanted want.
func ReadFile(path, want string, most int) (data []byte, err error) {
	f, err := os.Open(path)
	if err == nil {
		data, err = ReadAll(f, most)
		_ = f.Close() // it is only read
	}
	if err == nil {
		data, err = Text(data)
	}
	if err != nil {
		return nil, Error(path, want, err)
	}
	return data, nil
}

// Mark is the byte order mark that editors for Windows put before a text.
const Mark = "\xef\xbb\xbf"

// MostTOML bounds files written by hand (chosen).
const MostTOML = 1 << 20

// ReadAll reads at most most bytes. More are an error.
func ReadAll(r io.Reader, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("it has more than %d MB, which is the limit", most>>20)
	}
	return data, err
}

// Text returns a text without Mark. A text in UTF-16 is an error.
func Text(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("it is in UTF-16, want UTF-8")
	}
	return bytes.TrimPrefix(data, []byte(Mark)), nil
}

// Error returns the error of a file for a person. It names path once, another file only if the cause is there, and no
// system call. want is what path should be, such as "a trace".
func Error(path, want string, err error) error {
	at, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	where := ""
	if filepath.Clean(at.Path) != filepath.Clean(path) {
		where, want = at.Path+": ", "a folder"
	}
	switch {
	case errors.Is(at.Err, syscall.EISDIR):
		return fmt.Errorf("%s: it is a folder, want %s", path, want)
	case errors.Is(at.Err, syscall.ENOTDIR): // it, or a folder above it
		file := at.Path
		for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
			file = filepath.Dir(file)
		}
		if where == "" && file == at.Path {
			file = "it"
		}
		return fmt.Errorf("%s: %s is a file, want a folder", path, file)
	case errors.Is(at.Err, fs.ErrNotExist):
		return fmt.Errorf("%s: %s%w, want %s", path, where, at.Err, want)
	}
	return fmt.Errorf("%s: %s%w", path, where, at.Err)
}
