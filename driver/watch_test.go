package driver_test

import (
	"bytes"
	"encoding/json"
	"expvar"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// pending returns the profile, as text.
func pending(t *testing.T) (count int, text string) {
	t.Helper()
	p := pprof.Lookup("timerbench/driver.pending")
	if p == nil {
		return 0, ""
	}
	var out bytes.Buffer
	if err := p.WriteTo(&out, 1); err != nil {
		t.Fatal(err)
	}
	return p.Count(), out.String()
}

// The profile shows the part of a program that holds the pending timers.
func ExampleProfiling() {
	d, err := driver.New(driver.Profiling(1)) // a server takes one in 1000
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	for range 3 {
		d.AfterFunc(time.Hour, func() {})
	}
	fmt.Println(pprof.Lookup("timerbench/driver.pending").Count(), "timers")
	// Output: 3 timers
}

// A driver is a variable of package expvar.
func ExampleDriver_String() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	expvar.Publish("timers", d)
	d.AfterFunc(time.Hour, func() {}).Stop()
	fmt.Println(expvar.Get("timers"))
	// Output: {"pending": 0, "started": 1, "fired": 0, "stopped": 1, "moved": 0, "wakeups": 0, "idle_wakeups": 0, "delays": {"count": 0, "p50": 0, "p99": 0, "p999": 0, "max": 0}, "lateness": {"count": 0, "p50": 0, "p99": 0, "p999": 0, "max": 0}}
}

//go:noinline
func sessions(d *driver.Driver, n int) (timers []*driver.Timer) {
	for range n {
		timers = append(timers, d.AfterFunc(time.Hour, nothing))
	}
	return timers
}

//go:noinline
func requests(d *driver.Driver, n int) (handles []driver.Handle) {
	for range n {
		handles = append(handles, d.Schedule(time.Minute, nothing))
	}
	return handles
}

// The profile has each timer at its site while the timer is pending.
func TestProfileOfPendingTimers(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		check := func(want int, sites ...string) {
			t.Helper()
			got, text := pending(t)
			if got != want || strings.Contains(text, "driver.(*shard)") || strings.Contains(text, "driver.(*Driver)") {
				t.Errorf("%d timers, want %d, and none of the driver's own functions:\n%s", got, want, text)
			}
			for _, site := range sites {
				if !strings.Contains(text, site) {
					t.Errorf("%s is not among the sites:\n%s", site, text)
				}
			}
		}
		check(0)
		timers, handles := sessions(d, 5), requests(d, 3)
		check(8, "driver_test.sessions", "driver_test.requests")
		timers[0].Stop()
		timers[1].Reset(2 * time.Hour)
		timers[2].Reset(time.Second)
		handles[0].Stop()
		handles[1].Reset(time.Hour)
		check(6)
		ticker := d.NewTicker(time.Second)
		every := d.Every(driver.Periodic(time.Now(), time.Second), nothing)
		at := d.At(time.Now().Add(time.Minute), nothing)
		c := d.NewTimer(time.Minute)
		check(10)
		time.Sleep(10*time.Second + ms)
		check(9)
		time.Sleep(2 * time.Minute)
		check(6)
		ticker.Stop()
		check(5)
		every.Stop()
		check(4)
		if at.Stop() || !c.Stop() {
			t.Error("At is pending, or the channel is empty")
		}
		check(4)
		time.Sleep(100 * time.Minute)
		check(1)
		_ = d.Close()
		check(0)
	}, driver.Profiling(1))
}

// About one timer in n is sampled.
func TestProfileIsSampled(t *testing.T) {
	const n, in = 20_000, 20
	d := newDriver(t, driver.Profiling(in))
	timers := sessions(d, n)
	if got, _ := pending(t); got < n/in*3/4 || got > n/in*5/4 {
		t.Errorf("%d of %d timers are in the profile, want about %d", got, n, n/in)
	}
	for _, timer := range timers {
		timer.Stop()
	}
	if got, text := pending(t); got != 0 {
		t.Errorf("%d timers are left:\n%s", got, text)
	}
}

// With Profiling, moves of pending timers and delays are counted, and String has all counters.
func TestMovesAndDelaysAreCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		timers, handles := sessions(d, 5), requests(d, 5)
		ticker, every := d.NewTicker(time.Minute), d.Every(driver.Periodic(time.Now(), time.Minute), nothing)
		timers[0].Stop()
		handles[0].Stop()
		timers[0].Reset(time.Second) // not pending
		handles[0].Reset(time.Second)
		for _, delay := range []time.Duration{2 * time.Hour, time.Second, 0} {
			timers[1].Reset(delay)
			handles[1].Reset(delay)
		}
		ticker.Reset(time.Minute)
		every.Reset(time.Minute)
		got, want := d.Stats(), uint64(8)
		if got.Moved != want || got.Delays.Count() != got.Started || got.Delays.Max() != time.Hour || got.Delays.Quantile(0.5) > 62*time.Second {
			t.Errorf("%+v, delays %v, want %d moved", got, got.Delays, want)
		}
		var parsed struct{ Started, Moved uint64 }
		if err := json.Unmarshal([]byte(d.String()), &parsed); err != nil || parsed.Started != got.Started || parsed.Moved != want {
			t.Errorf("%s: %v", d, err)
		}
		ticker.Stop()
	}, driver.Profiling(3))
}
