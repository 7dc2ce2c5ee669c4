package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/atomicfile"
)

// The files of a run, in its folder.
const (
	resultsFile  = "results.json"
	benchfmtFile = "bench.txt"
	lockFile     = ".lock"
)

// runsFolder holds the folders of all runs without --out. A link in it names the
// last complete one of them.
const (
	runsFolder = "out"
	latestLink = "latest"
)

// The help of flags that name files.
const (
	outHelp  = "`folder` of this run (default: a new one in " + runsFolder + "/, to which " + runsFolder + "/" + latestLink + " then points)"
	orStdout = "; - is the standard output"
)

// writeTo writes the file of a flag, or to the standard output if path is "-", or nothing if it
// is empty.
func writeTo(flag, path string, stdout io.Writer, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(stdout)
	}
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}

// writable returns an error if writeTo would not write there, for commands that take long.
func writable(flag, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if _, err := atomicfile.Target(path); err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}

// save writes both forms of the results, each whole or not at all.
func save(dir string, r *results.Run) error {
	return errors.Join(results.Write(filepath.Join(dir, resultsFile), r), saveBenchfmt(dir, r))
}

func saveBenchfmt(dir string, r *results.Run) error {
	err := atomicfile.Write(filepath.Join(dir, benchfmtFile), func(w io.Writer) error { return results.WriteBenchfmt(w, r) })
	if err != nil {
		return fmt.Errorf("writing benchmark lines: %w", err)
	}
	return nil
}

// runFolder is where one run writes its results. It is locked until it is closed.
// It held no complete run when it was opened.
type runFolder struct {
	path  string
	fresh bool // made for this run, in runsFolder
	made  bool // did not exist before
	saved bool // holds results of this run
	lock  *flock.Flock
}

// openRunFolder makes and locks the folder out. If out is empty, it makes a folder
// in runsFolder whose name is the time and what is run. It refuses a folder that
// holds a run, unless that was interrupted and is to be resumed, and one into which
// another run writes.
func openRunFolder(out, what string, now time.Time, resume bool) (*runFolder, error) {
	f := &runFolder{path: out}
	var err error
	if out == "" {
		if err := linkIsFree(); err != nil {
			return nil, err
		}
		f.path, err = newFolder(what, now)
		f.fresh, f.made = true, true
	} else {
		_, missing := os.Stat(out)
		f.made = errors.Is(missing, fs.ErrNotExist)
		err = os.MkdirAll(out, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", f.path, err)
	}
	if err := f.acquire(); err != nil {
		return nil, err
	}
	if err := errors.Join(f.refuseRun(resume), f.removeUnfinished()); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openRun locks the folder of a run, complete or not, to add to its results.
func openRun(path string) (*runFolder, error) {
	f := &runFolder{path: path}
	if _, err := os.Stat(f.results()); err != nil {
		return nil, fmt.Errorf("%s: want a folder that holds the results of a run: %w", path, err)
	}
	return f, f.acquire()
}

// newFolder makes a folder in runsFolder that did not exist. If the name is taken, it adds a
// number.
func newFolder(what string, now time.Time) (string, error) {
	if err := os.MkdirAll(runsFolder, 0o755); err != nil {
		return runsFolder, err
	}
	name := filepath.Join(runsFolder, now.Format("2006-01-02-150405-")+what)
	path := name
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
		path = fmt.Sprintf("%s-%d", name, n)
	}
}

// acquire locks the folder. It also fails where the folder cannot be written to,
// so that a long run does not end with that error.
func (f *runFolder) acquire() error {
	path := filepath.Join(f.path, lockFile)
	for {
		f.lock = flock.New(path)
		locked, err := f.lock.TryLock()
		switch {
		case err != nil:
			return fmt.Errorf("--out %s: %w", f.path, err)
		case !locked:
			return fmt.Errorf("--out %s: another run is writing into this folder: wait for it, or choose another one", f.path)
		}
		// The run before may have removed the file after it was opened here.
		mine, err1 := f.lock.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return nil
		}
		_ = f.lock.Close() // nobody else can see it
	}
}

// refuseRun returns an error if the folder holds a complete run, or a results file that
// cannot be read, or an interrupted run that is not to be resumed.
func (f *runFolder) refuseRun(resume bool) error {
	head, err := results.ReadHeader(f.results())
	_, noLayouts := os.Stat(filepath.Join(f.path, layoutsFolder))
	switch {
	case errors.Is(err, fs.ErrNotExist) && (resume || noLayouts != nil):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--out %s: it holds a file that is no run and is not replaced: %w", f.path, err)
	case head.Complete:
		return fmt.Errorf("--out %s: %s is a complete run of %s, which is not replaced: choose another folder",
			f.path, f.results(), minute(head.Created))
	case !resume:
		return fmt.Errorf("--out %s: it holds an interrupted run, which is not replaced: go on with it by run --resume, or choose another folder", f.path)
	}
	return nil
}

// interrupted returns the results of the interrupted run in the folder, nil if there are
// none. It returns an error if it was not a run of this configuration.
func (f *runFolder) interrupted(cfg bench.Config, stderr io.Writer) (*results.Run, error) {
	r, err := results.Read(f.results())
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(stderr, "timerbench: --resume: %s holds no results yet\n", f.path)
		return nil, nil
	}
	if err == nil {
		err = bench.CheckResume(cfg, r)
	}
	if err != nil {
		return nil, fmt.Errorf("--resume: %s: %w", f.results(), err)
	}
	f.saved = true
	fmt.Fprintf(stderr, "%d finished steps are kept\n", len(r.Done))
	return r, nil
}

// removeUnfinished removes the hidden files that a killed process was writing.
func (f *runFolder) removeUnfinished() error {
	var errs []error
	for _, name := range []string{resultsFile, benchfmtFile} {
		left, err := filepath.Glob(filepath.Join(f.path, "."+name+"-*"))
		errs = append(errs, err)
		for _, file := range left {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}

func (f *runFolder) results() string { return filepath.Join(f.path, resultsFile) }

// linkIsFree returns an error if there is something in the place of the link to the last run
// that is no link, and so not of this program.
func linkIsFree() error {
	link := filepath.Join(runsFolder, latestLink)
	if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is no link to a run and is not replaced: move it away, or name a folder with --out", link)
	}
	return nil
}

// announce points the link in runsFolder to this run, which is complete, and says where it is.
func (f *runFolder) announce(stderr io.Writer) {
	if err := f.markLatest(); err != nil {
		fmt.Fprintln(stderr, "timerbench:", err)
	}
	fmt.Fprintf(stderr, "results are in %s; draw them with: %s\n", f.results(), asTyped("report", f.path))
}

func (f *runFolder) markLatest() error {
	if !f.fresh {
		return nil
	}
	link := filepath.Join(runsFolder, latestLink)
	next := filepath.Join(f.path, "."+latestLink)
	err := linkIsFree()
	if err == nil {
		err = os.Symlink(filepath.Base(f.path), next)
	}
	if err == nil {
		err = os.Rename(next, link)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s does not point to this run: %w", link, err), os.RemoveAll(next))
	}
	return nil
}

// close unlocks the folder. It removes the folder if it was made for this run and
// the run wrote no results.
func (f *runFolder) close() error {
	removed := os.Remove(f.lock.Path())
	err := f.lock.Close()
	if removed != nil { // some systems remove no file that is open
		err = errors.Join(err, os.Remove(f.lock.Path()))
	}
	if f.made && !f.saved {
		err = errors.Join(err, os.Remove(f.path))
	}
	return err
}

// minute writes a time as the texts of runs have it.
func minute(t time.Time) string { return t.Format("2006-01-02 15:04 UTC") }
