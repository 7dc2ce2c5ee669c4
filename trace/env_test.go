package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/minheap"
)

// onDemand is each way to record on demand. use schedules one timer.
var onDemand = map[string]func(h Header) (use func(), stop func() error, err error){
	"FromEnv": func(h Header) (func(), func() error, error) {
		s, stop, err := FromEnv(hwheel.New[uint64](), h)
		return func() { s.Schedule(5, 0) }, stop, err
	},
	"TimersFromEnv": func(h Header) (func(), func() error, error) {
		timers, stop, err := TimersFromEnv(h)
		return func() { timers.AfterFunc(time.Hour, func() {}) }, stop, err
	},
}

// setEnv names a file to record to, as for a new process.
func setEnv(t *testing.T, path string) {
	t.Setenv(EnvFile, path)
	recordings.Store(0)
}

// names returns what is in a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestNothingIsRecordedUnlessAsked(t *testing.T) {
	setEnv(t, "")
	bare := hwheel.New[uint64]()
	s, stop, err := FromEnv(bare, testHeader)
	if err != nil || s != structures.Scheduler[uint64](bare) || stop() != nil {
		t.Errorf("without %s: %T, error %v", EnvFile, s, err)
	}
	timers, stop, err := TimersFromEnv(testHeader)
	if err != nil || timers.d.w != nil || stop() != nil || timers.Close() != nil || !timers.AfterFunc(time.Hour, func() {}).Stop() {
		t.Errorf("without %s: %+v, error %v", EnvFile, timers, err)
	}
}

func TestTheEnvironmentNamesTheFile(t *testing.T) {
	for name, begin := range onDemand {
		dir := t.TempDir()
		setEnv(t, filepath.Join(dir, "my.trace"))
		for range 2 {
			h := testHeader
			h.Started = time.Time{}
			use, stop, err := begin(h)
			if err != nil {
				t.Fatal(err)
			}
			use()
			if err := errors.Join(stop(), stop()); err != nil {
				t.Errorf("%s: stop, twice: %v", name, err)
			}
		}
		if got := names(t, dir); got != "my-2.trace my.trace" {
			t.Errorf("%s: the directory holds %q", name, got)
		}
		for _, file := range []string{"my.trace", "my-2.trace"} {
			data, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			_, r, err := read(data)
			if err != nil || r.Totals().Ops[Schedule] != 1 || time.Since(r.Header().Started) > time.Hour {
				t.Errorf("%s: %s: error %v", name, file, err)
			}
		}
	}
}

// A recording replaces an older one when it is complete, and not before.
func TestOnlyAWholeTraceGetsTheName(t *testing.T) {
	for name, begin := range onDemand {
		dir := t.TempDir()
		path := filepath.Join(dir, "my.trace")
		if err := os.WriteFile(path, []byte("older"), 0o600); err != nil {
			t.Fatal(err)
		}
		older := func() bool {
			data, err := os.ReadFile(path)
			return err == nil && string(data) == "older"
		}

		setEnv(t, path)
		use, stop, err := begin(testHeader)
		if err != nil {
			t.Fatal(err)
		}
		use()
		if got := names(t, dir); !older() || !strings.HasPrefix(got, "my.trace my.trace.") {
			t.Errorf("%s: during the recording the directory holds %q, and the older trace stands: %v", name, got, older())
		}
		if err := stop(); err != nil || older() || names(t, dir) != "my.trace" {
			t.Errorf("%s: after it %q, and the older trace stands: %v, error %v", name, names(t, dir), older(), err)
		}
	}
}

func TestARecordingThatFailsLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	setEnv(t, filepath.Join(dir, "my.trace"))
	s, stop, err := FromEnv(lying{minheap.New[uint64](), "deadline"}, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	s.Schedule(5, 0)
	s.Pop(5)
	if err := stop(); err == nil || !strings.Contains(err.Error(), "deadline 6, want 5") || names(t, dir) != "" {
		t.Errorf("the directory holds %q, error %v", names(t, dir), err)
	}

	for name, begin := range onDemand {
		setEnv(t, filepath.Join(dir, "missing", "my.trace"))
		if _, _, err := begin(testHeader); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Errorf("%s: a file that cannot be made: %v", name, err)
		}
		setEnv(t, filepath.Join(dir, "bad.trace"))
		if _, _, err := begin(Header{Name: "my server"}); err == nil || !strings.Contains(err.Error(), `"my server"`) || names(t, dir) != "" {
			t.Errorf("%s: a bad header: the directory holds %q, error %v", name, names(t, dir), err)
		}
	}
}
