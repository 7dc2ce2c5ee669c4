package driver

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Made returns a driver that is closed when the test ends.
func Made(t testing.TB, opts ...Option) *Driver {
	t.Helper()
	d, err := New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Bubble runs a test of a name in virtual time.
func Bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// Alone runs a test in virtual time, with a driver.
func Alone(t *testing.T, test func(t *testing.T, d *Driver), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, Made(t, opts...)) })
}

// Pass lets a time pass in a bubble, and waits until everything has come to rest.
func Pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Collect collects garbage until something has gone.
func Collect(t *testing.T, what string, gone func() bool) {
	t.Helper()
	for range 100 {
		if runtime.GC(); gone() {
			return
		}
		runtime.Gosched() // a function may be about to return
	}
	t.Errorf("%s is kept", what)
}

// Log records events and their times since it was made.
type Log struct {
	Start time.Time
	mu    sync.Mutex
	lines []string
}

// NewLog returns an empty Log.
func NewLog() *Log { return &Log{Start: time.Now()} }

// Note returns a function that writes a line.
func (l *Log) Note(what string) func() {
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, fmt.Sprintf("%v %s", time.Since(l.Start), what))
	}
}

// Want compares the events so far, in any order, and removes them.
func (l *Log) Want(t *testing.T, lines ...string) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.lines)
	slices.Sort(lines)
	if !slices.Equal(l.lines, lines) {
		t.Errorf("happened %q, want %q", l.lines, lines)
	}
	l.lines = nil
}

// Waiting returns the number of functions that wait to be run.
func (d *Driver) Waiting() int {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	return d.pool.waiting
}
