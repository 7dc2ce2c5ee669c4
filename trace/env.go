package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// EnvFile is the environment variable that names the file to record to. The command "timerbench trace record" sets it.
const EnvFile = "TIMERBENCH_TRACE"

// EnvBuffer is the environment variable that bounds the memory for operations that a program of "timerbench trace
// build" has made and the recorder has not written yet. It is a number of bytes, at least 1,000,000. Without it the bound is 64 MB.
const EnvBuffer = EnvFile + "_BUFFER"

// envBegun is the environment variable in which a program that records stores its process ID, the
// number of traces that it has begun, and whether it keeps all traces as Environ says. The recorder
// that "timerbench trace build" adds to a program, the program's own calls of FromEnv, and its child
// processes share it. The process ID is 0 before the first trace.
const envBegun = EnvFile + "_BEGUN"

// Environ returns the environment variables with which a program, and the programs that it starts, record to
// path. All traces are kept: each trace after the first has a number added to its name.
func Environ(path string) []string { return []string{EnvFile + "=" + path, envBegun + "=0 0 true"} }

var begin sync.Mutex // guards envBegun

// atStart is EnvFile at the start of the program, which may change its working directory later.
var atStart = absoluteEnv()

// absoluteEnv returns the value of EnvFile, and its absolute path.
func absoluteEnv() (start struct{ value, path string }) {
	start.value = os.Getenv(EnvFile)
	path, _ := filepath.Abs(start.value) // "": there is no working directory
	start.path = cmp.Or(path, start.value)
	return start
}

// FromEnv returns a Recorder of s if the environment variable [EnvFile] names a file, and
// otherwise s itself, which costs nothing. A relative name is relative to the working directory
// in which the program was started. A started time of zero becomes now.
//
// The program must call stop before it ends. stop completes the file and returns the first error
// of the recording. Without a recording it does nothing. Until stop, the trace is in a file with
// the same name followed by the process ID and ".tmp".
//
// A program with several schedulers calls FromEnv for each. The first trace goes to the file that the environment
// names, the second to a file with "-2" added to its name, and so on. In a program of "timerbench trace build", the
// first trace is that of Go's runtime. Child processes of a program that records do not record. If another program has
// completed a trace with the same name meanwhile, stop keeps both: it adds a number to the name, and returns an error
// that contains the new name.
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

// envFile is a trace in a temporary file, which is renamed when it is complete.
type envFile struct {
	path   string
	before os.FileInfo // the file at path when the recording began, which is replaced; nil: there was none
	keep   bool        // as Environ says
	temp   *os.File    // with the process ID in its name
	w      *Writer
}

// readBegun returns what envBegun says: zeros before the first trace.
func readBegun() (by, n int, keep bool) {
	_, _ = fmt.Sscan(os.Getenv(envBegun), &by, &n, &keep)
	return by, n, keep
}

// fileFromEnv begins a trace. It returns nil if the environment names no file, or if the program
// is a child of one that records.
func fileFromEnv(h Header) (*envFile, error) {
	begin.Lock()
	defer begin.Unlock()
	path := os.Getenv(EnvFile)
	if path == "" {
		return nil, nil
	}
	if path == atStart.value {
		path = atStart.path
	}
	by, n, keep := readBegun()
	if by > 0 && by != os.Getpid() {
		return nil, nil
	}
	if h.Started.IsZero() {
		h.Started = time.Now()
	}
	n++
	f, err := &envFile{keep: keep}, error(nil)
	if f.path, err = target(numbered(path, n)); err == nil {
		if !keep {
			f.before, _ = os.Stat(f.path)
		}
		f.temp, err = os.Create(fmt.Sprintf("%s.%d.tmp", f.path, os.Getpid()))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvFile, err)
	}
	if f.w, err = NewWriter(f.temp, h); err == nil {
		err = os.Setenv(envBegun, fmt.Sprint(os.Getpid(), n, keep))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", EnvFile, err), f.discard())
	}
	return f, nil
}

// target returns the file to which a path leads, which must be a regular one, or not there yet: it is replaced by renaming a file.
func target(path string) (file string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		to, err := os.Readlink(path) // a link may lead to a file that does not exist yet
		if err != nil {
			_, err = os.Stat(filepath.Dir(path))
			return path, err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return target(to)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a folder, a device or a pipe, want a file", path)
	}
	return filepath.EvalSymlinks(path)
}

// numbered returns the name of trace n.
func numbered(path string, n int) string {
	if n == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// completeAfter returns a function that ends the recording and renames the file, or removes it if
// the recording failed. Further calls of the function return the same error.
func (f *envFile) completeAfter(end func() error) func() error {
	return sync.OnceValue(func() error {
		if err := end(); err != nil {
			return errors.Join(err, f.discard())
		}
		if err := f.temp.Close(); err != nil {
			return err
		}
		_, err := f.giveName()
		return err
	})
}

// discard closes the file and removes it.
func (f *envFile) discard() error {
	return errors.Join(f.temp.Close(), os.Remove(f.temp.Name()))
}

// giveName renames the file and returns its new name. If another program has completed a trace with that name since the
// recording began, the file gets the next free number, and the error says so.
func (f *envFile) giveName() (string, error) {
	path := f.path
	if now, err := os.Stat(path); err != nil || f.before == nil || !os.SameFile(f.before, now) {
		var file *os.File
		err = os.ErrExist
		for n := 1; errors.Is(err, os.ErrExist); n++ {
			path = numbered(f.path, n)
			file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o666) // of two programs at once, one gets the name
		}
		if err != nil {
			return "", err
		}
		_ = file.Close() // it is empty
	}
	if err := os.Rename(f.temp.Name(), path); err != nil {
		return "", err
	}
	if path != f.path && !f.keep {
		return path, fmt.Errorf("%s: another program has recorded to %s meanwhile, so this recording is in %s", EnvFile, f.path, path)
	}
	return path, nil
}
