package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

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
