package driver_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

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
