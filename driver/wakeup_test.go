package driver_test

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// While no timer is pending there is no wake-up, except one for which the alarm was set before.
func TestNothingPendingMeansNoWakeUp(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		check := func(want uint64) {
			t.Helper()
			time.Sleep(24 * time.Hour)
			if s := d.Stats(); s.Wakeups != want {
				t.Errorf("%d wake-ups, want %d", s.Wakeups, want)
			}
		}
		check(0)
		a, h, c, k := d.AfterFunc(time.Second, explode), d.Schedule(time.Minute, explode), d.NewTimer(time.Hour), d.NewTicker(time.Hour)
		at, every := d.At(time.Now().Add(time.Hour), explode), d.Every(driver.Periodic(time.Now(), time.Hour), explode)
		k.Stop()
		if !a.Stop() || !h.Stop() || !c.Stop() || !at.Stop() || !every.Stop() {
			t.Error("not pending")
		}
		check(1)
		check(1)
		d.Schedule(time.Hour, func() {})
		check(2)
	})
}

func TestTickingWakesUpAtEveryTick(t *testing.T) {
	for name, tick := range map[string]time.Duration{"default": ms, "10ms": 10 * ms, "7s": 7 * time.Second} {
		driver.Bubble(t, name, func(t *testing.T) {
			opts := []driver.Option{driver.Tick(tick), driver.Ticking()}
			if name == "default" {
				opts = opts[1:]
			}
			d := newDriver(t, opts...)
			d.Schedule(10*tick, func() {})
			time.Sleep(1000*tick + tick/2)
			if s := d.Stats(); s.Wakeups != 1000 || s.IdleWakeups != 999 || s.Fired != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}
