package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/timerbench/timerbench/bench/results"
)

// locate returns the results file that a path stands for: the file itself, or the
// last complete run in a folder and in the folders of runs below it. Without a
// complete run it is the last interrupted one.
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

// better prefers complete runs, then later ones: a, of those that began in the
// same second, as its name comes later.
func better(a, b results.Header) bool {
	if a.Complete != b.Complete {
		return a.Complete
	}
	return !a.Created.Before(b.Created)
}
