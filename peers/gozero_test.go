package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zeromicro/go-zero/core/collection"
)

// Each case shows a fault of the TimingWheel of go-zero v1.10.3 with as few calls as possible. A case that fails
// after an update of go-zero says that the fault is fixed.

// wheel runs f on a wheel with slots of a second, waits an hour, and returns the times at which timers fired.
func wheel(t *testing.T, slots int, f func(tw *collection.TimingWheel)) (fired []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		note := func(key, value any) {
			mu.Lock()
			defer mu.Unlock()
			fired = append(fired, fmt.Sprintf("%v=%v at %v", key, value, time.Since(start)))
		}
		tw, err := collection.NewTimingWheel(time.Second, slots, note)
		if err != nil {
			t.Fatal(err)
		}
		f(tw)
		time.Sleep(time.Hour)
		tw.Stop()
		synctest.Wait()
	})
	return fired
}

// do fails the test if err is not nil.
func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestGoZeroFiresAtOtherTimes(t *testing.T) {
	for name, c := range map[string]struct {
		slots int
		use   func(tw *collection.TimingWheel)
		fires []string
	}{
		// MoveTimer runs the task at once and leaves it in the wheel, so it runs again at its old time.
		"twice what is moved below an interval": {10, func(tw *collection.TimingWheel) {
			do(t, tw.SetTimer("k", 1, 5*time.Second))
			do(t, tw.MoveTimer("k", time.Millisecond))
		}, []string{"k=1 at 0s", "k=1 at 5s"}},
		// MoveTimer compares slots without regard to the position of the wheel. A task that is moved to later
		// fires a revolution early,
		"early what is moved to later": {2, func(tw *collection.TimingWheel) {
			do(t, tw.SetTimer("k", 1, 2*time.Second))
			time.Sleep(1001 * time.Millisecond)
			do(t, tw.MoveTimer("k", 4*time.Second)) // due at 5.001s
		}, []string{"k=1 at 3s"}},
		// and a task that is moved to earlier fires a revolution late.
		"late what is moved to earlier": {2, func(tw *collection.TimingWheel) {
			do(t, tw.SetTimer("k", 1, 3*time.Second))
			time.Sleep(1001 * time.Millisecond)
			do(t, tw.MoveTimer("k", time.Second)) // due at 2.001s
		}, []string{"k=1 at 4s"}},
		// The cache of go-zero has a wheel of 300 seconds and moves the timer of a key that is set again. A key
		// with an expiry of ten minutes then expires five minutes early.
		"five minutes early in its cache": {300, func(tw *collection.TimingWheel) {
			do(t, tw.SetTimer("k", 1, 10*time.Minute))
			time.Sleep(1001 * time.Millisecond)
			do(t, tw.SetTimer("k", 2, 10*time.Minute)) // due at 10m1.001s
		}, []string{"k=2 at 5m1s"}},
		// A delay is rounded down to whole intervals and starts at the last tick, so a timer may fire almost two
		// intervals before its deadline.
		"before its deadline": {10, func(tw *collection.TimingWheel) {
			time.Sleep(999 * time.Millisecond)
			do(t, tw.SetTimer("k", 1, 1999*time.Millisecond)) // due at 2.998s
		}, []string{"k=1 at 1s"}},
		// Drain empties the slots but not the table of keys. SetTimer for a drained key then changes a task that
		// is in no slot, and the task is lost.
		"never what is set after Drain": {10, func(tw *collection.TimingWheel) {
			do(t, tw.SetTimer("k", 1, 5*time.Second))
			do(t, tw.Drain(func(any, any) {}))
			do(t, tw.SetTimer("k", 2, 5*time.Second))
			do(t, tw.SetTimer("other", 3, 5*time.Second))
		}, []string{"other=3 at 5s"}},
	} {
		if fired := wheel(t, c.slots, c.use); !slices.Equal(fired, c.fires) {
			t.Errorf("%s: %q, want %q", name, fired, c.fires)
		}
	}
}

// The tasks of a tick run one after the other, so a task that blocks delays the others.
func TestGoZeroRunsTheTasksOfATickInARow(t *testing.T) {
	var fired []time.Duration
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		tw, err := collection.NewTimingWheel(time.Second, 10, func(any, any) {
			fired = append(fired, time.Since(start))
			time.Sleep(time.Minute)
		})
		if err != nil {
			t.Fatal(err)
		}
		do(t, tw.SetTimer("a", 1, time.Second))
		do(t, tw.SetTimer("b", 2, time.Second))
		time.Sleep(time.Hour)
		tw.Stop()
	})
	if !slices.Equal(fired, []time.Duration{time.Second, time.Second + time.Minute}) {
		t.Error(fired)
	}
}
