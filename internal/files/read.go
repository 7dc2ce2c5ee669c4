package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadFile reads a text file of at most most bytes, without Mark.
func ReadFile(path string, most int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := ReadAll(f, most)
	if err == nil {
		data, err = Text(data)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
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
