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

// What the TimingWheel of go-zero v1.10.3 does wrong, each in the smallest case. A test that
// fails after an update says that it does so no more.

// wheel runs f on a wheel with slots of a second, and returns when what fired, an hour later.
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

func set(t *testing.T, tw *collection.TimingWheel, key string, value int, delay time.Duration) {
	t.Helper()
	if err := tw.SetTimer(key, value, delay); err != nil {
		t.Error(err)
	}
}

func move(t *testing.T, tw *collection.TimingWheel, key string, delay time.Duration) {
	t.Helper()
	if err := tw.MoveTimer(key, delay); err != nil {
		t.Error(err)
	}
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// MoveTimer to less than an interval runs the task at once and leaves it in the wheel: it
// runs again at its old time.
func TestGoZeroFiresTwiceWhatIsMovedBelowAnInterval(t *testing.T) {
	fired := wheel(t, 10, func(tw *collection.TimingWheel) {
		set(t, tw, "k", 1, 5*time.Second)
		move(t, tw, "k", time.Millisecond)
	})
	expect(t, fired, "k=1 at 0s", "k=1 at 5s")
}

// Drain empties the slots and not the table of keys. A SetTimer of a key that was drained
// then changes a task that is in no slot: it is lost.
func TestGoZeroLosesWhatIsSetAfterDrain(t *testing.T) {
	drained := make(chan string, 1)
	fired := wheel(t, 10, func(tw *collection.TimingWheel) {
		set(t, tw, "k", 1, 5*time.Second)
		if err := tw.Drain(func(key, value any) { drained <- fmt.Sprintf("%v=%v", key, value) }); err != nil {
			t.Error(err)
		}
		set(t, tw, "k", 2, 5*time.Second)
		set(t, tw, "other", 3, 5*time.Second)
	})
	if got := <-drained; got != "k=1" {
		t.Errorf("drained %s", got)
	}
	expect(t, fired, "other=3 at 5s")
}

// MoveTimer compares slots without regard to where the wheel stands. A task that is moved to
// later fires a revolution early,
func TestGoZeroFiresEarlyWhatIsMovedToLater(t *testing.T) {
	fired := wheel(t, 2, func(tw *collection.TimingWheel) {
		set(t, tw, "k", 1, 2*time.Second)
		time.Sleep(1001 * time.Millisecond)
		move(t, tw, "k", 4*time.Second) // due at 5.001s
	})
	expect(t, fired, "k=1 at 3s")
}

// and one that is moved to earlier fires a revolution late.
func TestGoZeroFiresLateWhatIsMovedToEarlier(t *testing.T) {
	fired := wheel(t, 2, func(tw *collection.TimingWheel) {
		set(t, tw, "k", 1, 3*time.Second)
		time.Sleep(1001 * time.Millisecond)
		move(t, tw, "k", time.Second) // due at 2.001s
	})
	expect(t, fired, "k=1 at 4s")
}

// The cache of go-zero has a wheel of 300 seconds, and moves the timer of a key that is set
// again: with an expiry of ten minutes it goes five minutes early.
func TestGoZeroFiresFiveMinutesEarlyInItsCache(t *testing.T) {
	fired := wheel(t, 300, func(tw *collection.TimingWheel) {
		set(t, tw, "k", 1, 10*time.Minute)
		time.Sleep(1001 * time.Millisecond)
		set(t, tw, "k", 2, 10*time.Minute) // due at 10m1.001s
	})
	expect(t, fired, "k=2 at 5m1s")
}

// A delay is cut to whole intervals, counted from the last tick on: a timer may fire almost
// two intervals before its deadline.
func TestGoZeroFiresBeforeItsDeadline(t *testing.T) {
	fired := wheel(t, 10, func(tw *collection.TimingWheel) {
		time.Sleep(999 * time.Millisecond)
		set(t, tw, "k", 1, 1999*time.Millisecond) // due at 2.998s
	})
	expect(t, fired, "k=1 at 1s")
}

// The tasks of a tick run one after the other: one that blocks holds up the others.
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
		set(t, tw, "a", 1, time.Second)
		set(t, tw, "b", 2, time.Second)
		time.Sleep(time.Hour)
		tw.Stop()
	})
	if !slices.Equal(fired, []time.Duration{time.Second, time.Second + time.Minute}) {
		t.Error(fired)
	}
}
