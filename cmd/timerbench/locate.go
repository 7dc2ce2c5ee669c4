package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
)

// readResults reads a results file, or the one of a folder that locate chooses, and returns its
// path.
func readResults(path string) (r *results.Run, file string, err error) {
	if file, err = locate(filepath.Clean(path)); err != nil {
		return nil, "", err
	}
	r, err = results.Read(file)
	return r, file, err
}

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
	found, err := runsIn(path)
	switch {
	case len(found) > 0:
		return slices.MaxFunc(found, order).path, nil
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("%s: no %s in it or in a folder below, want results of %s", path, resultsFile, asTyped("run"))
}

// foundRun is a results file and its header.
type foundRun struct {
	results.Header
	path string
}

// runsIn returns the results in a folder and in each folder directly below. The error is of those
// that cannot be read.
func runsIn(path string) (found []foundRun, err error) {
	candidates := []string{filepath.Join(path, resultsFile)}
	below, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, d := range below {
		if d.IsDir() { // not the link to one of the others
			candidates = append(candidates, filepath.Join(path, d.Name(), resultsFile))
		}
	}
	slices.Reverse(candidates) // the last of those of one second comes first
	for _, file := range candidates {
		head, e := results.ReadHeader(file)
		switch {
		case e == nil:
			found = append(found, foundRun{head, file})
		case !errors.Is(e, fs.ErrNotExist):
			err = errors.Join(err, e)
		}
	}
	return found, err
}

// order compares two runs: complete ones come after others, then later ones after earlier ones.
// Times are in whole seconds.
func order(a, b foundRun) int {
	switch {
	case a.Complete == b.Complete:
		return a.Created.Compare(b.Created)
	case a.Complete:
		return 1
	}
	return -1
}

// adviceResults reads the results that the user has named, or else those of answering.
func adviceResults(args []string) (r *results.Run, from, note string, err error) {
	if len(args) == 0 {
		return answering()
	}
	r, from, err = readResults(args[0])
	return r, from, "", err
}

// answering returns the results that answer a question for which none are named: the last whole
// run in runsFolder, or else the run that is part of this program. A later run of a part answers
// for its cells. note says what it does; empty: there is none.
func answering() (r *results.Run, from, note string, err error) {
	found, _ := runsIn(runsFolder)
	isPart := func(f foundRun) bool { return !f.Complete || !bench.Whole(f.Parameters) }
	found = slices.DeleteFunc(found, func(f foundRun) bool { return len(f.Parameters.Workloads) == 0 || f.Parameters.Lean })
	whole := slices.DeleteFunc(slices.Clone(found), isPart)
	if len(whole) > 0 {
		from = slices.MaxFunc(whole, order).path
		r, err = results.Read(from)
	} else {
		from = "the run that is part of this program (docs/results)"
		r, err = advice.Committed()
	}
	if err != nil || len(found) == 0 {
		return r, from, "", err
	}
	last := slices.MaxFunc(found, order)
	if !isPart(last) {
		return r, from, "", nil
	}
	part, err := results.Read(last.path)
	if err != nil {
		return nil, "", "", err
	}
	r, taken := r.WithCells(part)
	if len(taken) == 0 {
		return r, from, last.path + " is a part of a run and lacks structures, so it does not answer unless it is named.", nil
	}
	note = fmt.Sprintf("%s, n %d", taken[0].Workload, taken[0].N)
	if more := len(taken) - 1; more > 0 {
		note += fmt.Sprintf(" and %d more cells", more)
	}
	return r, from, fmt.Sprintf("%s: from %s, %s", note, last.path, aboutRun(part)), nil
}
