package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// EnvFile is the environment variable that names the file to record to. The
// command "timerbench trace record" sets it.
const EnvFile = "TIMERBENCH_TRACE"

// recordings counts those that this process has begun.
var recordings atomic.Int64

// FromEnv returns a Recorder of s, if the environment says that a trace is to be
// recorded, and s itself otherwise, which costs nothing. A started time of zero
// becomes now.
//
// The program must call stop before it ends: it completes the file and returns
// the first error of the recording. Without a recording it does nothing.
//
// A program that has several schedulers calls FromEnv for each. The first one's
// trace goes to the file that the environment names, the second's to one with "-2"
// added to its name, and so on.
func FromEnv[T any](s structures.Scheduler[T], h Header) (recorded structures.Scheduler[T], stop func() error, err error) {
	path := os.Getenv(EnvFile)
	if path == "" {
		return s, func() error { return nil }, nil
	}
	if n := recordings.Add(1); n > 1 {
		ext := filepath.Ext(path)
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
	if h.Started.IsZero() {
		h.Started = time.Now()
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", EnvFile, err)
	}
	w, err := NewWriter(file, h)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", EnvFile, err), file.Close(), os.Remove(path))
	}
	r := NewRecorder(s, w)
	return r, func() error { return errors.Join(r.Close(), file.Close()) }, nil
}
