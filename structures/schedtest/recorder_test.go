package schedtest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// recorder is a reporter that keeps what it is told, so that a failure of the
// suite can be something to expect.
type recorder struct{ failures []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// record returns the failures that check reports.
func record(check func(reporter)) []string {
	r := new(recorder)
	done := make(chan struct{})
	go func() { // which Fatalf may end
		defer close(done)
		check(r)
	}()
	<-done
	return r.failures
}

// failures runs the checks whose names begin with prefix.
func failures(c *config, prefix string) (all []string) {
	for _, rule := range rules {
		if strings.HasPrefix(rule.name, prefix) && (rule.applies == nil || rule.applies(c)) {
			all = append(all, record(func(r reporter) { rule.check(r, c) })...)
		}
	}
	return all
}

func TestRecorderStopsAtFatalf(t *testing.T) {
	got := record(func(r reporter) {
		r.Errorf("one %d", 1)
		r.Fatalf("two")
		r.Errorf("three")
	})
	if fmt.Sprint(got) != "[one 1 two]" {
		t.Fatalf("recorded %q, want what came up to Fatalf", got)
	}
}
