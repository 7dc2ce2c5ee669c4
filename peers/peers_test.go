package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/live"
)

// check runs the check of package live on a peer, with the virtual clock of a bubble.
func check(t *testing.T, c live.Subject, timers int) (wrong live.Wrong) {
	t.Helper()
	c.Early = min(c.Early, goZeroEarly) // no tick is late on a virtual clock
	synctest.Test(t, func(t *testing.T) {
		load := live.Check{Goroutines: 3, Timers: timers, Steps: 4000, Delay: 20 * time.Millisecond, Seed: 1}
		counts, w, err := load.Run(t.Context(), c)
		if err != nil || counts.Started < 200 || counts.Fired < 50 {
			t.Errorf("%v, %+v", err, counts)
		}
		time.Sleep(time.Minute) // for timers that are still pending
		wrong = w
	})
	return wrong
}

// The peers pass the check, except for the faults that the other tests show.
func TestPeersPassTheCheck(t *testing.T) {
	for _, c := range peers() {
		if c.Name == goZero(goZeroSlots, true).Name {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if wrong := check(t, c, 100); wrong.Err() != nil {
				t.Error(wrong.Err())
			}
		})
	}
}

// The race detector reports a race here: the goroutine of the wheel changes a task that is moved to less than an
// interval while another goroutine runs the task.
func TestGoZeroFailsTheCheckWithMoves(t *testing.T) {
	if wrong := check(t, goZero(goZeroSlots, true), 500); wrong[live.Twice] == 0 {
		t.Errorf("a move of less than an interval is expected to fire twice: %+v", wrong)
	}
	if wrong := check(t, goZero(8, true), 20); wrong[live.Early] == 0 || wrong[live.Late] == 0 {
		t.Errorf("moves over several revolutions are expected to fire early and late: %+v", wrong)
	}
}
