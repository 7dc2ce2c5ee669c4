package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/minheap"
)

// begun begins a recording on demand. use schedules one timer.
func begun(h Header) (use func(), stop func() error, err error) {
	s, stop, err := FromEnv(hwheel.New[uint64](), h)
	return func() { s.Schedule(5, 0) }, stop, err
}

// setEnv sets the file to record to, as in a new process.
func setEnv(t *testing.T, path string) {
	t.Setenv(EnvFile, path)
	t.Setenv(envBegun, "")
	atStart = absoluteEnv()
}

// setEnviron sets the environment of a program that "trace record" starts.
func setEnviron(t *testing.T, path string) {
	for _, v := range Environ(path) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// mustRecord makes a whole recording of one timer.
func mustRecord(t *testing.T) {
	t.Helper()
	use, stop, err := begun(testHeader)
	fail.If(t, err)
	use()
	fail.If(t, stop())
}

// holds checks which files a directory holds.
func holds(t *testing.T, dir, want string) {
	t.Helper()
	fail.UnlessSame(t, "the folder", fail.Files(t, dir), want)
}

func TestNothingIsRecordedUnlessAsked(t *testing.T) {
	setEnv(t, "")
	bare := hwheel.New[uint64]()
	s, stop, err := FromEnv(bare, testHeader)
	if err != nil || s != structures.Scheduler[uint64](bare) || stop() != nil {
		t.Errorf("without %s: %T, error %v", EnvFile, s, err)
	}
}

// Each recording has a file of its own, which replaces an older one when the recording is complete, and not before.
func TestTheEnvironmentNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my.trace")
	fail.If(t, os.WriteFile(path, []byte("older"), 0o600))
	setEnv(t, path)
	for _, file := range []string{"my.trace", "my-2.trace"} {
		h := testHeader
		h.Started = time.Time{}
		before := fail.Files(t, dir)
		use, stop, err := begun(h)
		fail.If(t, err)
		use()
		data, err := os.ReadFile(path)
		if got := fail.Files(t, dir); err != nil || file == "my.trace" && string(data) != "older" || !strings.Contains(got, file+".") {
			t.Errorf("during the recording the directory holds %q, before %q, error %v", got, before, err)
		}
		fail.If(t, errors.Join(stop(), stop()), "stop, twice")
		if data, err = os.ReadFile(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		_, r, err := read(data)
		if err != nil || r.Totals().Ops[Schedule] != 1 || time.Since(r.Header().Started) > time.Hour {
			t.Errorf("%s: error %v", file, err)
		}
	}
	holds(t, dir, "my-2.trace my.trace")
}

func TestARelativeNameIsOfTheDirectoryAtTheStart(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	setEnv(t, "my.trace")
	t.Chdir(t.TempDir())
	_, stop, err := begun(testHeader)
	fail.If(t, err)
	t.Chdir(t.TempDir())
	fail.If(t, stop())
	holds(t, dir, "my.trace")
}

// If several programs record to one file at the same time, all traces are kept, and all programs but
// the first to end get an error.
func TestRecordersOfOneFileKeepAllTraces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my.trace")
	var stops []func() error
	for i := range 3 {
		setEnv(t, path)
		use, stop, err := begun(testHeader)
		fail.If(t, err)
		use()
		stops = append(stops, stop)
		// Another process has another ID.
		temp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
		fail.If(t, os.Rename(temp, temp+fmt.Sprint(i)))
	}
	for i, want := range []string{"", "my-2.trace", "my-3.trace"} {
		temp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
		fail.If(t, os.Rename(temp+fmt.Sprint(i), temp))
		if err := stops[i](); (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), "this recording is in "+filepath.Join(dir, want)) {
			t.Errorf("%d: %v, want %q", i, err, want)
		}
	}
	holds(t, dir, "my-2.trace my-3.trace my.trace")
	setEnv(t, path)
	mustRecord(t) // a later program replaces the trace of an earlier one
	holds(t, dir, "my-2.trace my-3.trace my.trace")
}

// Programs that one recording starts one after the other keep all traces.
func TestProgramsOfOneRecordingKeepAllTraces(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		setEnviron(t, filepath.Join(dir, "my.trace"))
		mustRecord(t)
		mustRecord(t) // of a second scheduler
	}
	holds(t, dir, "my-2-2.trace my-2-3.trace my-2.trace my-3.trace my-4.trace my.trace")
}

// Only a regular file is replaced. A link is followed.
func TestOnlyARegularFileIsReplaced(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.trace")
	if err := os.Symlink(filepath.Join(dir, "my.trace"), link); err != nil {
		t.Skip(err)
	}
	setEnv(t, link)
	mustRecord(t)
	holds(t, dir, "link.trace my.trace")
	for _, path := range []string{os.DevNull, dir} {
		setEnv(t, path)
		_, _, err := begun(testHeader)
		fail.UnlessError(t, err, path, "want a file")
	}
}

func TestAChildOfAProgramThatRecordsDoesNot(t *testing.T) {
	dir := t.TempDir()
	setEnv(t, filepath.Join(dir, "my.trace"))
	t.Setenv(envBegun, fmt.Sprint(os.Getppid(), 1, false))
	mustRecord(t)
	holds(t, dir, "")
}

func TestARecordingThatFailsLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	setEnv(t, filepath.Join(dir, "my.trace"))
	s, stop, err := FromEnv(lying{minheap.New[uint64](), "deadline"}, testHeader)
	fail.If(t, err)
	s.Schedule(5, 0)
	s.Pop(5)
	fail.UnlessError(t, stop(), "deadline 6, want 5")
	holds(t, dir, "")

	setEnv(t, filepath.Join(dir, "missing", "my.trace"))
	_, _, err = begun(testHeader)
	fail.UnlessError(t, err, "missing")
	setEnv(t, filepath.Join(dir, "bad.trace"))
	_, _, err = begun(Header{Name: "my server"})
	fail.UnlessError(t, err, `"my server"`)
	holds(t, dir, "")
}
