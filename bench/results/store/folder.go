package store

// A run has a folder. The folder is locked while a run writes to it, a
// complete run is never replaced, and commands find the results again later.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/files"
)

// The files in the folder of a run.
const (
	FileName   = "results.json"
	Benchmarks = "bench.txt" // for benchstat
	lockFile   = ".lock"
)

// Parent contains the folders of runs that name no folder. Latest is a link in Parent to the
// last complete run of timerbench run or trace replay.
const (
	Parent = "out"
	Latest = "latest"
)

// Save writes both files of a run into a folder. It writes each file completely or not at all.
func Save(dir string, r *results.Run) error {
	err := files.Write(filepath.Join(dir, Benchmarks), func(w io.Writer) error { return WriteBenchfmt(w, r) })
	if err != nil {
		err = fmt.Errorf("writing benchmark lines: %w", err)
	}
	return errors.Join(Write(filepath.Join(dir, FileName), r), err)
}

// Folder is the folder of one run. It is locked until Close.
type Folder struct {
	Path  string
	Saved bool     // the run has written results; the caller sets it
	fresh bool     // created for this run in Parent
	made  []string // the folders that did not exist before, the innermost first
	lock  *flock.Flock
}

// OpenFolder creates and locks the folder of a run. For an empty path it creates a folder in Parent,
// named by the time and by what. It returns an error if another run writes to the folder or if
// the folder contains a run. With resume set it must contain an interrupted run.
func OpenFolder(path, what string, now time.Time, resume bool) (*Folder, error) {
	f := &Folder{Path: cmp.Or(path, Parent), fresh: path == ""}
	if f.fresh {
		if err := linkIsFree(); err != nil {
			return nil, err
		}
	}
	at := f.Path
	for _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(at) {
		f.made, at = append(f.made, at), filepath.Dir(at)
	}
	if len(f.made) > 0 && resume {
		return nil, fmt.Errorf("%s: %w", path, errNoRun)
	}
	err := os.MkdirAll(f.Path, 0o755)
	if err == nil && f.fresh {
		f.Path, err = newFolder(what, now)
		f.made = slices.Insert(f.made, 0, f.Path)
	}
	if err == nil {
		err = f.acquire()
	}
	if err != nil {
		return nil, files.Error(f.Path, "a folder", err)
	}
	if err := errors.Join(f.refuseRun(resume), f.removeUnfinished()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.Path, err), f.Close())
	}
	return f, nil
}

// OpenRunFolder locks the folder of a run, complete or not, for adding to its results. It returns an
// error if the folder has no results or another run writes to it.
func OpenRunFolder(path string) (*Folder, error) {
	f := &Folder{Path: path}
	if _, err := os.Stat(f.Results()); err != nil {
		return nil, files.Error(f.Results(), wanted, err)
	}
	return f, f.acquire()
}

// newFolder creates a folder in Parent and returns its path. The name is the time and what, with a
// number if the name is taken.
func newFolder(what string, now time.Time) (string, error) {
	name := filepath.Join(Parent, now.Format("2006-01-02-150405-")+what)
	path := name
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
		path = fmt.Sprintf("%s-%d", name, n)
	}
}

// Results returns the path of the results file.
func (f *Folder) Results() string { return filepath.Join(f.Path, FileName) }

// acquire locks the folder. It fails if the folder is not writable, so that a long run fails at
// its start and not at its end.
func (f *Folder) acquire() error {
	path := filepath.Join(f.Path, lockFile)
	for {
		f.lock = flock.New(path)
		locked, err := f.lock.TryLock()
		switch {
		case err != nil:
			return err
		case !locked:
			return errors.New("another run is writing into this folder: wait for it, or choose another one")
		}
		// The previous run may have removed the file after TryLock opened it.
		mine, err1 := f.lock.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return nil
		}
		_ = f.lock.Close() // no other run can see the removed file
	}
}

var errNoRun = errors.New("there is no interrupted run to continue with --resume")

// refuseRun returns an error if the folder contains a complete run, an unreadable results file, an interrupted run
// without resume, or no run with resume.
func (f *Folder) refuseRun(resume bool) error {
	head, err := ReadHeader(f.Results())
	switch {
	case errors.Is(err, fs.ErrNotExist) && resume:
		return errNoRun
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("its results file is not replaced: %w", err)
	case head.Complete:
		return fmt.Errorf("%s is a complete run of %s, which is not replaced: choose another folder", f.Results(), Minute(head.Created))
	case !resume:
		return errors.New("it contains an interrupted run, which is not replaced: continue it with run --resume, or choose another folder")
	}
	return nil
}

func (f *Folder) removeUnfinished() error {
	var errs []error
	for _, name := range []string{FileName, Benchmarks} {
		left, err := filepath.Glob(filepath.Join(f.Path, "."+name+"-*"))
		errs = append(errs, err)
		for _, file := range left {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}

// linkIsFree returns an error if Latest exists and is not a link: this program did not create it.
func linkIsFree() error {
	link := filepath.Join(Parent, Latest)
	if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is no link to a run and is not replaced: move it away, or name a folder with --out", link)
	}
	return nil
}

// MarkLatest points Latest to this run if Open created its folder in Parent. Call it for complete runs only.
func (f *Folder) MarkLatest() error {
	if !f.fresh {
		return nil
	}
	link := filepath.Join(Parent, Latest)
	next := filepath.Join(f.Path, "."+Latest)
	err := linkIsFree()
	if err == nil {
		err = os.Symlink(filepath.Base(f.Path), next)
	}
	if err == nil {
		err = os.Rename(next, link)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s does not point to this run: %w", link, err), os.RemoveAll(next))
	}
	return nil
}

// Close unlocks the folder. If the run saved no results, it removes the folders that Open created, unless another run uses them.
func (f *Folder) Close() error {
	removed := os.Remove(f.lock.Path())
	err := f.lock.Close()
	if removed != nil { // some systems do not remove an open file
		err = errors.Join(err, os.Remove(f.lock.Path()))
	}
	for _, path := range f.made {
		if !f.Saved && os.Remove(path) != nil { // something is in it
			break
		}
	}
	return err
}

// Minute formats the time of a run to the minute. The time must be in UTC.
func Minute(t time.Time) string { return t.Format("2006-01-02 15:04 UTC") }
