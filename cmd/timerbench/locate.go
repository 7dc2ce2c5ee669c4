package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/timerbench/timerbench/bench/results"
)

// locate returns a results file. A path to a file is returned as it is. In a folder
// locate looks at the results there and in each folder directly below, and chooses
// the last complete run, or else the last interrupted one.
func locate(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: no such file or folder, want results of %s", path, asTyped("run"))
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return path, nil
	}
	candidates := []string{filepath.Join(path, resultsFile)}
	below, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	for _, d := range below {
		if d.IsDir() { // not the link to one of the others
			candidates = append(candidates, filepath.Join(path, d.Name(), resultsFile))
		}
	}
	var (
		best   results.Header
		found  string
		unread error
	)
	for _, file := range candidates {
		head, err := results.ReadHeader(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			unread = errors.Join(unread, err)
		case found == "" || better(head, best):
			best, found = head, file
		}
	}
	switch {
	case found != "":
		return found, nil
	case unread != nil:
		return "", unread
	}
	return "", fmt.Errorf("%s: no %s in it or in a folder below, want results of %s", path, resultsFile, asTyped("run"))
}

// better reports whether a is preferred to b, whose name comes before that of a.
// Complete runs are preferred, then later ones. Times are in whole seconds.
func better(a, b results.Header) bool {
	if a.Complete != b.Complete {
		return a.Complete
	}
	return !a.Created.Before(b.Created)
}
