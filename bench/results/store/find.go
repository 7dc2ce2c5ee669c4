package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/files"
)

// wanted is what errors ask for.
const wanted = "results of timerbench run"

// Read reads a results file, or the file that Locate chooses in a folder, and returns its path.
func Read(path string) (r *results.Run, file string, err error) {
	if file, err = Locate(filepath.Clean(path)); err != nil {
		return nil, "", err
	}
	r, err = ReadFile(file)
	return r, file, err
}

// Locate returns the path of a results file. It returns the path of a file unchanged. For a folder it chooses among
// the results in the folder and in its direct subfolders: the last complete run or, if there is none, the last
// interrupted run. It returns an error if the path does not exist or the folder has no results.
func Locate(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", files.Error(path, wanted, err)
	case !info.IsDir():
		return path, nil
	}
	found, err := FoundIn(path)
	switch {
	case len(found) > 0:
		return LastFound(found).Path, nil
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("%s: no %s in it or in a folder below, want %s", path, FileName, wanted)
}

// Found is the path and the header of a results file.
type Found struct {
	Header
	Path string
}

// FoundIn returns the results in a folder and in its direct subfolders. It reads only the headers.
// The error joins the errors of the files that In cannot read; the other files are returned.
func FoundIn(path string) (found []Found, err error) {
	candidates := []string{filepath.Join(path, FileName)}
	below, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, d := range below {
		if d.IsDir() { // not the link Latest
			candidates = append(candidates, filepath.Join(path, d.Name(), FileName))
		}
	}
	slices.Reverse(candidates) // of two runs in one second the later comes first
	for _, file := range candidates {
		head, e := ReadHeader(file)
		switch {
		case e == nil:
			found = append(found, Found{head, file})
		case !errors.Is(e, fs.ErrNotExist):
			err = errors.Join(err, e)
		}
	}
	return found, err
}

// LastFound returns the last complete run or, if there is none, the last interrupted run. It panics if found is empty.
func LastFound(found []Found) Found {
	return slices.MaxFunc(found, func(a, b Found) int {
		switch {
		case a.Complete == b.Complete:
			return a.Created.Compare(b.Created)
		case a.Complete:
			return 1
		}
		return -1
	})
}

// Header is the beginning of a results file.
type Header struct {
	Format     string             `json:"format"`
	Version    int                `json:"version"`
	Created    time.Time          `json:"created"`
	Complete   bool               `json:"complete"` // false: interrupted; the results so far are valid
	Parameters results.Parameters `json:"parameters"`
}

// ReadHeader reads only the header of a results file. The cost does not depend on the
// size of the file. ReadHeader does not notice damage in the rest of the file.
func ReadHeader(path string) (Header, error) {
	var h Header
	f, err := os.Open(path)
	if err != nil {
		return h, files.Error(path, wanted, err)
	}
	in := bufio.NewReader(io.LimitReader(f, mostText))
	if mark, _ := in.Peek(len(files.Mark)); string(mark) == files.Mark {
		_, _ = in.Discard(len(mark)) // they are there
	}
	err = errors.Join(h.Decode(json.NewDecoder(in)), f.Close())
	if err != nil {
		return h, fmt.Errorf("%s: line 1 is not JSON, want %s: %w", path, wanted, err)
	}
	if err := h.check(); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// Decode decodes the keys of an object up to the last key of the header.
func (h *Header) Decode(d *json.Decoder) error {
	fields := map[string]any{
		"format": &h.Format, "version": &h.Version, "created": &h.Created,
		"complete": &h.Complete, "parameters": &h.Parameters,
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	for len(fields) > 0 && d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		into, ok := fields[name]
		if !ok {
			into = new(json.RawMessage)
		}
		if err := d.Decode(into); err != nil {
			return err
		}
		delete(fields, name)
	}
	return nil
}

// check returns an error if this version cannot read the file.
func (h Header) check() error {
	switch {
	case h.Format != results.Format:
		return fmt.Errorf("not a results file of timerbench: format is %q, want %q", h.Format, results.Format)
	case h.Version > results.Version:
		return fmt.Errorf("written by a newer timerbench: results of version %d, this one reads version %d", h.Version, results.Version)
	case h.Version < results.Version:
		return fmt.Errorf("written by an older timerbench: results of version %d, want version %d: measure again", h.Version, results.Version)
	}
	return nil
}
