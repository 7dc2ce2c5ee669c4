package driver

import (
	"fmt"
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

// There is one pass at a time: a wake-up during a pass does nothing.
func TestOnePassAtATime(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		n := 0
		d.Schedule(s, func() {
			d.Schedule(s, func() { n++ })
			time.Sleep(m)
			d.wake()
			if n > 0 || d.Stats().Wakeups != 1 {
				t.Errorf("%d timers have fired, %+v", n, d.Stats())
			}
		})
		Pass(h)
		if n != 1 || d.Stats().Wakeups != 1 {
			t.Errorf("%d timers have fired, %+v", n, d.Stats())
		}
		_ = d.Close()
	}, Inline())
}

// The timers of one goroutine are spread over the shards as they grow: few over those of a group, and many over all.
func TestOneGoroutineUsesAllShards(t *testing.T) {
	for _, c := range []struct{ shards, n, used int }{
		{4, 4 * timersPerVisit, 4}, {8, 4 * timersPerVisit, 4}, {8, 16 * timersPerGroup, 8}, {6, 16 * timersPerGroup, 6}, {1, 64, 1},
	} {
		timers := make([]Timer, c.n)
		for name, start := range map[string]func(d *Driver, i int){
			"Init": func(d *Driver, i int) {
				d.Init(&timers[i], func() {})
				timers[i].Reset(h)
			},
			"Schedule":  func(d *Driver, _ int) { d.Schedule(h, func() {}) },
			"AfterFunc": func(d *Driver, _ int) { d.AfterFunc(h, func() {}) },
		} {
			d, used := Made(t, Shards(c.shards)), 0
			for i := range c.n {
				start(d, i)
			}
			for i := range d.shards {
				if d.shards[i].pending >= c.n/c.used/2 {
					used++
				}
			}
			if used != c.used && (name != "Init" || c.n > initsPerVisit) { // it has longer visits
				t.Errorf("%s: %d timers are in %d of %d shards, want %d", name, c.n, used, c.shards, c.used)
			}
		}
	}
}
