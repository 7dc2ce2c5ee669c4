package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// Read reads a results file, or the one of a folder that Locate chooses, and returns its path.
func Read(path string) (r *results.Run, file string, err error) {
	if file, err = Locate(filepath.Clean(path)); err != nil {
		return nil, "", err
	}
	r, err = results.Read(file)
	return r, file, err
}

// Locate returns a results file. A path to a file is returned as it is. In a folder
// Locate looks at the results there and in each folder directly below, and chooses
// the last complete run, or else the last interrupted one.
func Locate(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: no such file or folder, want results of timerbench run", path)
	case err != nil:
		return "", err
	case !info.IsDir():
		return path, nil
	}
	found, err := In(path)
	switch {
	case len(found) > 0:
		return Last(found).Path, nil
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("%s: no %s in it or in a folder below, want results of timerbench run", path, Results)
}

// Found is a results file and its header.
type Found struct {
	results.Header
	Path string
}

// In returns the results in a folder and in each folder directly below. The error is of those
// that cannot be read.
func In(path string) (found []Found, err error) {
	candidates := []string{filepath.Join(path, Results)}
	below, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, d := range below {
		if d.IsDir() { // not the link to one of the others
			candidates = append(candidates, filepath.Join(path, d.Name(), Results))
		}
	}
	slices.Reverse(candidates) // the last of those of one second comes first
	for _, file := range candidates {
		head, e := results.ReadHeader(file)
		switch {
		case e == nil:
			found = append(found, Found{head, file})
		case !errors.Is(e, fs.ErrNotExist):
			err = errors.Join(err, e)
		}
	}
	return found, err
}

// Last returns the last complete run of some, or else the last interrupted one.
func Last(found []Found) Found {
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
