package driver

import (
	"fmt"
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

// Each timer is earlier than those before, and most are stopped. The others fire on time, whatever bells are set, and a
// bell that is not needed rings once.
func TestTheAlarmIsSetEarlierAndEarlier(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		const n = 100
		l, want := NewLog(), []string{}
		for i := n; i > 0; i-- {
			at := time.Duration(i) * m
			timer := d.AfterFunc(at, l.Note(""))
			if i%7 > 0 {
				timer.Stop()
			} else {
				want = append(want, fmt.Sprintf("%v ", at))
			}
		}
		Pass(24 * h)
		l.Want(t, want...)
		if s := d.Stats(); s.IdleWakeups > maxBells {
			t.Errorf("%d wake-ups are idle, want at most %d", s.IdleWakeups, maxBells)
		}
	})
}

// If the driver moved a timer of the runtime that is in its heap, the runtime would walk over the whole heap at each firing.
func TestManyTimersOfTheRuntimeMakeNoTimerLate(t *testing.T) {
	if testing.Short() {
		t.Skip("a million timers of package time")
	}
	timers := make([]*time.Timer, 1_000_000)
	for i := range timers {
		timers[i] = time.AfterFunc(h, func() {})
	}
	d := Made(t)
	d.Schedule(h, func() {})
	least := h
	for range 30 {
		start, late := time.Now(), make(chan time.Duration)
		d.Schedule(2*ms, func() { late <- time.Since(start) - 2*ms })
		least = min(least, <-late)
	}
	if least > 3*ms {
		t.Errorf("each timer is at least %v late", least)
	}
	for _, timer := range timers {
		timer.Stop()
	}
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

// A goroutine that was interrupted may start a timer for a tick that a pass has served meanwhile. The alarm rings for it.
func TestTheAlarmRingsForATickThatWasServed(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		d.AfterFunc(time.Millisecond, func() {})
		time.Sleep(time.Second)
		a := &d.alarm
		a.mu.Lock()
		before := a.wakeups
		a.reset(a.served, a.clock.begin(a.served)-1)
		a.mu.Unlock()
		time.Sleep(time.Second)
		if a.mu.Lock(); a.wakeups == before {
			t.Errorf("no pass; the alarm is set to tick %d, and tick %d was served", a.at.Load(), a.served)
		}
		a.mu.Unlock()
	})
}
