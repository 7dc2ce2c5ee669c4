package driver

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
)

func TestDeadlinesAreRoundedUp(t *testing.T) {
	for _, c := range []struct {
		tick, now int64
		delay     time.Duration
		want      structures.Tick
	}{
		{1000, 0, 0, atOnce},
		{1000, 0, 1, 1},
		{1000, 0, 1000, 1},
		{1000, 0, 1001, 2},
		{1000, 1, 999, 1},
		{1000, 1, 1000, 2},
		{1000, 4999, 1, 5},
		{1000, 5000, 1, 6},
		{1000, 5001, -1, atOnce},
		{1000, 5001, math.MinInt64, atOnce},
		{1000, 5001, math.MaxInt64, math.MaxInt64/1000 + 1},
		{1, 5, 7, 12},
		{1, 5, math.MaxInt64, never - 1},
		{1, math.MaxInt64, math.MaxInt64, never - 1},
		{int64(maxTick), math.MaxInt64, math.MaxInt64, math.MaxInt64/structures.Tick(maxTick) + 1},
	} {
		var clock clock
		clock.setTick(c.tick)
		if got := clock.deadline(c.now, c.delay).tick; got != c.want {
			t.Errorf("tick %d ns: %d ns after %d ns is tick %d, want %d", c.tick, c.delay, c.now, got, c.want)
		}
	}
}

// The multiplication of ticks is the division, for any tick and time.
func TestTicksDivides(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 1))
	ticks := []int64{1, 2, 3, 7, 1000, 1 << 20, 1e5, 1e6, int64(maxTick) - 1, int64(maxTick)}
	for range 1000 {
		ticks = append(ticks, 1+rng.Int64N(int64(maxTick)))
	}
	for _, tick := range ticks {
		var c clock
		c.setTick(tick)
		for i := range 1000 {
			ns := rng.Int64() >> rng.IntN(63)
			if i%2 == 0 {
				ns = max(0, ns/tick*tick-int64(i)&1)
			}
			for _, ns := range []int64{ns, 0, math.MaxInt64, math.MaxInt64 / tick * tick, math.MaxInt64/tick*tick - 1} {
				if got := c.ticks(ns); int64(got) != ns/tick {
					t.Fatalf("%d ns are %d ticks of %d ns, want %d", ns, got, tick, ns/tick)
				}
			}
		}
	}
}

// A shared reading of the clock is never before the time, never long after it, and never goes back.
func TestSoonIsNeverBeforeNow(t *testing.T) {
	var c clock
	c.init(time.Millisecond, nil)
	if machine.Steady() != (c.window > 0) {
		t.Errorf("the counter of the processor is steady: %t, and the window is %d", machine.Steady(), c.window)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			last := int64(0)
			for range 100_000 {
				before := c.now()
				soon := c.soon()
				after := c.now()
				if soon < before || soon > after+c.ahead || soon < last {
					t.Errorf("between %d and %d the clock shows %d, %d before", before, after, soon, last)
					return
				}
				last = soon
			}
		})
	}
	wg.Wait()
}

// If ticks are short, or time is virtual, every call reads the clock.
func TestTheClockIsReadWhereItHasToBeExact(t *testing.T) {
	var c clock
	c.init(2*time.Microsecond, nil)
	if c.window != 0 || c.ahead != 0 {
		t.Errorf("window %d, ahead %d", c.window, c.ahead)
	}
	synctest.Test(t, func(t *testing.T) {
		var c clock
		c.init(time.Millisecond, nil)
		time.Sleep(12345)
		if c.window != 0 || c.soon() != 12345 {
			t.Errorf("window %d, %d ns", c.window, c.soon())
		}
	})
}

// suspended returns a driver whose clock runs during a suspend, and a function that suspends it.
func suspended(t *testing.T, opts ...Option) (d *Driver, suspend func(time.Duration)) {
	start := time.Now()
	var asleep atomic.Int64
	d, err := New(append(opts, func(c *config) error {
		c.uptime = func() int64 { return int64(42*h+time.Since(start)) + asleep.Load() }
		return nil
	})...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, func(duration time.Duration) { asleep.Add(int64(duration)) }
}

// After a resume the due timers fire within a second, and no others do.
func TestWhatIsDueFiresAfterAResume(t *testing.T) {
	for name, c := range map[string]struct {
		opts        []Option
		notices, at string // when the driver notices, and when the last one is due
	}{
		"default": {nil, "11s", "40.35s"}, "inline": {[]Option{Inline()}, "11s", "40.35s"},
		"ticking": {[]Option{Ticking(), Tick(100 * ms)}, "10.4s", "40.4s"},
	} {
		Bubble(t, name, func(t *testing.T) {
			d, suspend := suspended(t, append(c.opts, Shards(2))...)
			l := NewLog()
			d.AfterFunc(2*h, l.Note("2h"))
			d.Schedule(h, l.Note("1h"))
			later := d.AfterFunc(h, l.Note("3h"))
			later.Reset(3 * h)
			time.Sleep(10*s + 350*ms)
			suspend(2*h + 30*time.Minute)
			d.Schedule(30*s, l.Note("30s after the resume")) // before the driver has woken up
			Pass(35 * s)
			l.Want(t, c.notices+" 1h", c.notices+" 2h", c.at+" 30s after the resume")
			Pass(h)
			l.Want(t, "30m0s 3h")
		})
	}
}

// The driver wakes up once a second while a timer is pending, and otherwise never.
func TestBoottimeWakesUpOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := suspended(t)
		time.Sleep(h)
		d.Schedule(100*s, func() {})
		time.Sleep(h)
		timer := d.AfterFunc(h, func() {})
		time.Sleep(100*s + s/2)
		timer.Stop()
		time.Sleep(h)
		if got := d.Stats(); got.Wakeups < 199 || got.Wakeups > 201 || got.Fired != 1 {
			t.Errorf("%+v, want 200 wake-ups", got)
		}
	})
}

func TestBoottime(t *testing.T) {
	d, err := New(Boottime(), Tick(50*time.Microsecond))
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	begin, fired := time.Now(), make(chan time.Time)
	const delay = 5 * time.Millisecond
	d.AfterFunc(delay, func() { fired <- time.Now() })
	if after := (<-fired).Sub(begin); after < delay {
		t.Errorf("fired after %v, want %v", after, delay)
	}
	Alone(t, func(t *testing.T, d *Driver) {
		begin := time.Now()
		d.AfterFunc(h, func() {
			if after := time.Since(begin); after != h {
				t.Errorf("fired after %v of the bubble, want 1h", after)
			}
		})
		time.Sleep(2 * h)
		_ = d.Close()
	}, Boottime())
}
