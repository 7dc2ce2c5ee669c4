package driver

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

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
