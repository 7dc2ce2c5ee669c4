package trace

import (
	"io"
	"os"
)

// File reads a trace from a file.
type File struct {
	*Reader
	file *os.File
}

// Open opens a file and reads the header of its trace.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file, path)
	if err != nil {
		_ = file.Close() // it is only read
		return nil, err
	}
	return &File{r, file}, nil
}

// Rewind starts again at the first operation.
func (f *File) Rewind() error {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return f.Reset(f.file, f.file.Name())
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
