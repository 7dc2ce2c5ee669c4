package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
