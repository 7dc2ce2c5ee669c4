// Package checking has the interface to which the checks of schedtest and whitebox report.
package checking

import (
	"fmt"
	"runtime"
)

// T is the part of testing.T that the checks use. A test of a check passes one that records.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Panics checks that do panics with the message want.
func Panics(t T, want string, do func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	do()
}

// Sound checks the invariants of a structure.
func Sound(t T, structure any) {
	t.Helper()
	if err := structure.(interface{ CheckInvariants() error }).CheckInvariants(); err != nil {
		t.Fatalf("%v", err)
	}
}

// recorder is a T that keeps the failures.
type recorder struct{ failures []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Record returns the failures that check reports, up to the first one of Fatalf.
func Record(check func(T)) []string {
	r := new(recorder)
	done := make(chan struct{})
	go func() { // which Fatalf may end
		defer close(done)
		check(r)
	}()
	<-done
	return r.failures
}
