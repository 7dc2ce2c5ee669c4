package driver_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
)

// counted counts the ticks that Next of a structure returns and at which nothing fires.
type counted struct {
	scheduler
	clock structures.Tick
	own   int
}

func (c *counted) Pop(now structures.Tick) (structures.Timer[driver.Task], bool) {
	t, ok := c.scheduler.Pop(now)
	if now > c.clock {
		c.clock = now
		if !ok {
			c.own++
		}
	}
	return t, ok
}

// With a thousand timers over an hour, the driver wakes up at the ticks at which timers fire, and
// at those at which the structure moves timers.
func TestAThousandTimersTakeAsManyWakeUpsAsThereAreTicks(t *testing.T) {
	for _, s := range exact {
		driver.Bubble(t, s.name, func(t *testing.T) {
			c := &counted{scheduler: s.new()}
			d := newDriver(t, driver.Shards(1), driver.StructureFunc(func() scheduler { return c }))
			rng := rand.New(rand.NewPCG(1, 2))
			ticks := make(map[time.Duration]bool)
			for i := range 1000 {
				at := 1 + time.Duration(rng.Int64N(int64(time.Hour)))
				if i%4 == 0 { // some at one tick
					at = max(ms, at.Truncate(10*time.Second))
				}
				ticks[(at + ms - 1).Truncate(ms)] = true
				if i%2 == 0 {
					d.AfterFunc(at, func() {})
				} else {
					d.Schedule(at, func() {})
				}
			}
			time.Sleep(2 * time.Hour)
			got := d.Stats()
			if got.Fired != 1000 || got.Wakeups != uint64(len(ticks)+c.own) || got.IdleWakeups != uint64(c.own) {
				t.Errorf("%d fired, %d wake-ups, %d of them idle, want %d and %d", got.Fired, got.Wakeups, got.IdleWakeups, len(ticks)+c.own, c.own)
			}
			t.Logf("%d ticks, %d wake-ups of the structure's own", len(ticks), c.own)
		})
	}
}

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
