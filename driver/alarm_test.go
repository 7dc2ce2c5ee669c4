package driver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// between makes do run once, right after the alarm has asked for the next tick for the nth
// time from now on: what do starts is not in the answer.
func (a *alarm) between(n int, do func()) {
	next := a.next
	a.next = func() structures.Tick {
		tick := next()
		if n--; n == 0 {
			do()
		}
		return tick
	}
}

// withDriver runs a test in a bubble with a driver.
func withDriver(t *testing.T, test func(t *testing.T, d *Driver)) {
	synctest.Test(t, func(t *testing.T) {
		d := made(t)
		test(t, d)
	})
}

// mustWake makes sure that a timer that is due after a second fires then.
func mustWake(t *testing.T, fired *time.Time) {
	t.Helper()
	start := time.Now()
	time.Sleep(2 * s)
	synctest.Wait()
	if got := fired.Sub(start); got < 0 || got > s+ms {
		t.Errorf("the timer has fired %v after its start, want 1s", got)
	}
}

// A timer is started while a pass ends that has found nothing earlier than an hour.
func TestATimerThatComesWhileAPassEndsIsNotMissed(t *testing.T) {
	withDriver(t, func(t *testing.T, d *Driver) {
		var fired time.Time
		d.alarm.between(1, func() { d.Schedule(s, func() { fired = time.Now() }) })
		d.Schedule(h, func() {})
		d.Schedule(ms, func() {})
		time.Sleep(ms)
		mustWake(t, &fired)
	})
}

// A timer is started while the alarm is about to be turned off, as none was pending. The
// alarm is set to an earlier tick still, so that who starts the timer leaves it alone.
func TestATimerThatComesWhileTheAlarmIsTurnedOffIsNotMissed(t *testing.T) {
	withDriver(t, func(t *testing.T, d *Driver) {
		var fired time.Time
		last := d.Schedule(100*ms, func() {})
		d.alarm.between(1, func() { d.Schedule(s, func() { fired = time.Now() }) })
		if !last.Stop() {
			t.Error("not pending")
		}
		mustWake(t, &fired)
	})
}
