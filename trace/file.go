package trace

import "os"

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

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
