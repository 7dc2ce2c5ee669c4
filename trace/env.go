package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// EnvFile is the environment variable that names the file to record to. The
// command "timerbench trace record" sets it.
const EnvFile = "TIMERBENCH_TRACE"

// recordings counts the recordings that this process has begun.
var recordings atomic.Int64

// FromEnv returns a Recorder of s if the environment names a file, and s itself
// otherwise, which costs nothing. A started time of zero becomes now.
//
// The program must call stop before it ends. stop completes the file and returns
// the first error of the recording. Without a recording it does nothing. Until
// stop, the trace is in a file beside the one that the environment names, with
// the process's number and ".tmp" after the name.
//
// A program that has several schedulers calls FromEnv for each. The first trace
// goes to the file that the environment names, the second to one with "-2" added
// to its name, and so on.
func FromEnv[T any](s structures.Scheduler[T], h Header) (recorded structures.Scheduler[T], stop func() error, err error) {
	f, err := fileFromEnv(h)
	switch {
	case err != nil:
		return nil, nil, err
	case f == nil:
		return s, func() error { return nil }, nil
	}
	r := NewRecorder(s, f.w)
	return r, f.completeAfter(r.Close), nil
}

// TimersFromEnv returns Timers that record if the environment names a file, and
// Timers that record nothing otherwise. The rest is as with [FromEnv].
func TimersFromEnv(h Header) (timers *Timers, stop func() error, err error) {
	f, err := fileFromEnv(h)
	switch {
	case err != nil:
		return nil, nil, err
	case f == nil:
		return new(Timers), func() error { return nil }, nil
	}
	t := NewTimers(f.w)
	return t, f.completeAfter(t.Close), nil
}

// envFile is a trace in a temporary file, which gets its name once it is complete.
type envFile struct {
	path string
	temp *os.File
	w    *Writer
}

// fileFromEnv begins a trace, or returns nil if the environment names no file.
func fileFromEnv(h Header) (*envFile, error) {
	path := os.Getenv(EnvFile)
	if path == "" {
		return nil, nil
	}
	if n := recordings.Add(1); n > 1 {
		ext := filepath.Ext(path)
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
	if h.Started.IsZero() {
		h.Started = time.Now()
	}
	temp, err := os.Create(fmt.Sprintf("%s.%d.tmp", path, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvFile, err)
	}
	w, err := NewWriter(temp, h)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", EnvFile, err), temp.Close(), os.Remove(temp.Name()))
	}
	return &envFile{path, temp, w}, nil
}

// completeAfter returns a function that ends the recording and gives the file its
// name, or removes it if the recording failed. Further calls return the same.
func (f *envFile) completeAfter(end func() error) func() error {
	return sync.OnceValue(func() error {
		if err := errors.Join(end(), f.temp.Close()); err != nil {
			return errors.Join(err, os.Remove(f.temp.Name()))
		}
		return os.Rename(f.temp.Name(), f.path)
	})
}
