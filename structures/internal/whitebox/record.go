package whitebox

import (
	"fmt"
	"runtime"
)

// recorder is a Reporter that keeps what it is told.
type recorder struct{ failures []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Record returns the failures that check reports, up to the first one of Fatalf:
// for tests that a check fails where it must.
func Record(check func(Reporter)) []string {
	r := new(recorder)
	done := make(chan struct{})
	go func() { // which Fatalf may end
		defer close(done)
		check(r)
	}()
	<-done
	return r.failures
}
