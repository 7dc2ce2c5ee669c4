package driver_test

import (
	"fmt"
	"math/rand/v2"
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

// wakeupsOfIdle keeps restarting timers of 30 s, evenly over 30 s, and returns the number of wake-ups per second.
func wakeupsOfIdle(t *testing.T, n int, start func(d *driver.Driver, f func())) float64 {
	d := newDriver(t)
	for range n {
		var again func()
		again = func() { start(d, again) }
		start(d, again)
		time.Sleep(30 * time.Second / time.Duration(n))
	}
	before := d.Stats().Wakeups
	const measured = 2 * time.Minute
	time.Sleep(measured)
	return float64(d.Stats().Wakeups-before) / measured.Seconds()
}

// The driver wakes up at most twice as often as necessary, which is once per window.
func TestWindowsShareWakeUps(t *testing.T) {
	const delay, n = 30 * time.Second, 2000
	for name, c := range map[string]struct{ least, widths time.Duration }{ // widths of windows in percent of the delay
		"1 %": {1, 1}, "5 %": {5, 1}, "10 %": {10, 1}, "1 to 10 %, which share ticks": {1, 10},
	} {
		driver.Bubble(t, name, func(t *testing.T) {
			var i atomic.Int64
			got := wakeupsOfIdle(t, n, func(d *driver.Driver, f func()) {
				d.AfterWindow(delay-(c.least+time.Duration(i.Add(1))%c.widths)*delay/100, delay, f)
			})
			t.Logf("%.2f wake-ups a second", got)
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
