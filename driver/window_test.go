package driver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Idle connections may be closed a little earlier than after 30 s, so that many are closed together.
func ExampleDriver_AfterWindow() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	const earliest, latest = 28 * time.Second, 30 * time.Second
	idle := d.AfterWindow(earliest, latest, func() { fmt.Println("the connection is idle") })
	fmt.Println(idle.ResetWindow(earliest, latest)) // a message has arrived
	fmt.Println(idle.Stop())
	// Output:
	// true
	// true
}

// No timer fires outside its window, even after a move to another window.
func TestWindowsAreKept(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		rng := rand.New(rand.NewPCG(3, 4))
		var fired atomic.Int64
		for i := range 1000 {
			start := time.Now()
			first := time.Duration(rng.Int64N(int64(time.Second))) - 10*ms
			last := first + time.Duration(rng.Int64N(1<<rng.IntN(32)))
			from, to := first, last
			if i%3 == 0 && last > 0 {
				from, to = from+time.Duration(rng.IntN(int(time.Second))), to+time.Second
			}
			timer := d.AfterWindow(first, last, func() {
				fired.Add(1)
				if after := time.Since(start); after < from || after > max(to, 0)+ms {
					t.Errorf("timer %d fired after %v, want %v to %v", i, after, from, to)
				}
			})
			if to != last && !timer.ResetWindow(from, to) {
				t.Errorf("timer %d is not pending", i)
			}
			time.Sleep(time.Duration(rng.IntN(int(ms))))
		}
		driver.Pass(10 * time.Second)
		if fired.Load() != 1000 {
			t.Errorf("%d of 1000 have fired", fired.Load())
		}
	})
}

// The driver wakes up at most twice as often as necessary, which is once per window.
func TestWindowsShareWakeUps(t *testing.T) {
	const delay, n, measured = 30 * time.Second, 2000, 2 * time.Minute
	for name, c := range map[string]struct{ least, widths time.Duration }{ // widths of windows in percent of the delay
		"1 %": {1, 1}, "5 %": {5, 1}, "10 %": {10, 1}, "1 to 10 %, which share ticks": {1, 10},
	} {
		driver.Bubble(t, name, func(t *testing.T) {
			d := newDriver(t)
			var i atomic.Int64
			var again func()
			again = func() {
				d.AfterWindow(delay-(c.least+time.Duration(i.Add(1))%c.widths)*delay/100, delay, again)
			}
			for range n {
				again()
				time.Sleep(delay / n)
			}
			before := d.Stats().Wakeups
			time.Sleep(measured)
			got := float64(d.Stats().Wakeups-before) / measured.Seconds()
			if most := 2/(c.least*delay/100).Seconds() + 0.2; got > most {
				t.Errorf("%.2f wake-ups a second, want at most %.2f", got, most)
			}
		})
	}
}

// With a message every second, a timer stays where it is while its deadline is in the window, and is
// moved otherwise. It can be started again.
func TestResetWindow(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		var fired atomic.Int64
		timer := d.AfterWindow(5*time.Second, 10*time.Second, func() { fired.Add(1) })
		for range 100 {
			time.Sleep(time.Second)
			if !timer.ResetWindow(5*time.Second, 10*time.Second) || fired.Load() > 0 {
				t.Fatal("not pending")
			}
		}
		time.Sleep(10*time.Second + ms)
		if fired.Load() != 1 || timer.ResetWindow(time.Second, time.Second) {
			t.Errorf("fired %d times, or still pending", fired.Load())
		}
		if !timer.ResetWindow(time.Hour, 2*time.Hour) || !timer.ResetWindow(time.Second, 2*time.Second) {
			t.Error("not pending")
		}
		time.Sleep(2*time.Second + ms)
		if fired.Load() != 2 || timer.ResetWindow(-1, 0) {
			t.Errorf("fired %d times, or still pending", fired.Load())
		}
		synctest.Wait()
		if fired.Load() != 3 {
			t.Errorf("fired %d times", fired.Load())
		}
	})
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

// A thousand clients report once an hour, at random times in the first minute.
func ExampleSpread() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	hourly := driver.Periodic(time.Now().Truncate(time.Hour), time.Hour)
	report := d.Every(driver.Spread(hourly, time.Minute), func() { fmt.Println("all is well") })
	retry := d.AfterFunc(d.Jitter(time.Second, time.Second), func() { fmt.Println("again") }) // 1 s to 2 s
	fmt.Println(report.Stop(), retry.Stop())
	// Output: true true
}

// Drivers with the same seed draw the same delays, within the bounds.
func TestJitter(t *testing.T) {
	draw := func(opts ...driver.Option) (all []time.Duration) {
		d := newDriver(t, opts...)
		for range 1000 {
			delay := d.Jitter(time.Minute, 10*time.Second)
			if delay < time.Minute || delay >= 70*time.Second {
				t.Errorf("delay %v, want 1m to 1m10s", delay)
			}
			all = append(all, delay)
		}
		if least, most := slices.Min(all), slices.Max(all); least > 61*time.Second || most < 69*time.Second {
			t.Errorf("delays from %v to %v, want them spread", least, most)
		}
		if got := d.Jitter(time.Second, 0); got != time.Second {
			t.Errorf("without jitter: %v", got)
		}
		if got := d.Jitter(1<<63-1, time.Hour); got != 1<<63-1 {
			t.Errorf("the longest delay: %v", got)
		}
		return all
	}
	if !slices.Equal(draw(driver.Seed(7)), draw(driver.Seed(7))) {
		t.Error("one seed, other delays")
	}
	if slices.Equal(draw(), draw()) {
		t.Error("no seed, the same delays")
	}
}

// Each run is within its bounds, none is left out, and they are spread, for each treatment of missed runs.
func TestSpread(t *testing.T) {
	for _, missed := range []driver.Missed{driver.Coalesce, driver.Skip, driver.CatchUp} {
		driver.Alone(t, func(t *testing.T, d *driver.Driver) {
			start := time.Now()
			const period, by = 5 * time.Minute, 4 * time.Minute
			var late []time.Duration
			r := driver.Spread(driver.OnMissed(driver.Periodic(start, period), missed), by)
			timer := d.Every(r, func() { late = append(late, time.Since(start)%period) })
			time.Sleep(51*period - ms)
			timer.Stop()
			if len(late) != 50 {
				t.Errorf("%d runs in 50 periods", len(late))
			}
			if least, most := slices.Min(late), slices.Max(late); most > by || least > by/10 || most < by*9/10 {
				t.Errorf("runs are late by %v to %v, want 0 to %v", least, most, by)
			}
		}, driver.Seed(1))
	}
}
