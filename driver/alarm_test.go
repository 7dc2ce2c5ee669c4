package driver

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// between makes do run once, immediately after the alarm has asked for the next tick for the nth time
// from now. Timers that do starts are not in the answer.
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

// mustWake checks that a timer with a delay of a second fires on time.
func mustWake(t *testing.T, fired *time.Time) {
	t.Helper()
	start := time.Now()
	Pass(2 * s)
	if got := fired.Sub(start); got < 0 || got > s+ms {
		t.Errorf("the timer has fired %v after its start, want 1s", got)
	}
}

// A timer is started while a pass ends whose next timer is due in an hour.
func TestATimerThatComesWhileAPassEndsIsNotMissed(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		var fired time.Time
		d.alarm.between(1, func() { d.Schedule(s, func() { fired = time.Now() }) })
		d.Schedule(h, func() {})
		d.Schedule(ms, func() {})
		time.Sleep(ms)
		mustWake(t, &fired)
	})
}

// A timer is started while the alarm is about to be turned off because no timer was pending. The
// alarm is still set to an earlier tick, so the goroutine that starts the timer does not set it.
func TestATimerThatComesWhileTheAlarmIsTurnedOffIsNotMissed(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		var fired time.Time
		last := d.Schedule(100*ms, func() {})
		d.alarm.between(1, func() { d.Schedule(s, func() { fired = time.Now() }) })
		if !last.Stop() {
			t.Error("not pending")
		}
		mustWake(t, &fired)
	})
}
