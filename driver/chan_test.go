package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// received reports what is in a channel once everybody has come to rest.
func received(c <-chan time.Time) (at time.Time, ok bool) {
	synctest.Wait()
	select {
	case at = <-c:
		return at, true
	default:
		return at, false
	}
}

func mustReceive(t *testing.T, c <-chan time.Time, want time.Time) {
	t.Helper()
	if at, ok := received(c); !ok || !at.Equal(want) {
		t.Errorf("received %v, %t, want %v", at, ok, want)
	}
}

func mustBeEmpty(t *testing.T, c <-chan time.Time) {
	t.Helper()
	if at, ok := received(c); ok {
		t.Errorf("received %v", at)
	}
}

// What is sent is the time at which the timer fired, however late it is received.
func TestAfterSendsTheTime(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		start := time.Now()
		c, at := d.After(10*ms), d.After(1500*µs)
		if got := <-at; got.Sub(start) != 2*ms {
			t.Errorf("received %v", got.Sub(start))
		}
		time.Sleep(time.Second)
		mustReceive(t, c, start.Add(10*ms))
		mustBeEmpty(t, c)
	})
}

// After Stop and Reset there is no value of before, and both tell whether there would have
// been one.
func TestChanTimerLeavesNoStaleValue(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		c := d.NewTimer(10 * time.Second)
		if !c.Stop() || c.Stop() {
			t.Error("Stop of a pending timer, twice")
		}
		time.Sleep(20 * time.Second)
		mustBeEmpty(t, c.C)

		if c.Reset(ms) {
			t.Error("Reset of a stopped timer")
		}
		time.Sleep(10 * ms)
		if !c.Stop() { // it has fired; nobody has received the value
			t.Error("Stop of a timer whose value is not received")
		}
		mustBeEmpty(t, c.C)

		c.Reset(ms)
		time.Sleep(10 * ms)
		if !c.Reset(5 * ms) {
			t.Error("Reset of a timer whose value is not received")
		}
		mustBeEmpty(t, c.C)
		time.Sleep(5 * ms)
		mustReceive(t, c.C, time.Now())
		if c.Stop() || c.Reset(time.Second) {
			t.Error("Stop and Reset of a timer whose value is received")
		}
		if !c.Reset(2*time.Second) || !c.Reset(ms) {
			t.Error("Reset of a pending timer")
		}
		time.Sleep(ms)
		mustReceive(t, c.C, time.Now())
		time.Sleep(10 * time.Second)
		mustBeEmpty(t, c.C)
	})
}

// A receiver that waits follows the timer wherever it is moved.
func TestAReceiverWaitsForATimerThatIsMoved(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		start := time.Now()
		c := d.NewTimer(100 * time.Second)
		got := make(chan time.Duration, 2)
		for range 2 {
			go func() { got <- (<-c.C).Sub(start) }()
		}
		time.Sleep(time.Second)
		c.Reset(200 * time.Second)
		time.Sleep(time.Second)
		c.Reset(time.Second)
		if at := <-got; at != 3*time.Second {
			t.Errorf("received %v", at)
		}
		c.Reset(time.Second)
		if at := <-got; at != 4*time.Second {
			t.Errorf("received %v", at)
		}
	})
}

func TestTickerTicks(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		start := time.Now()
		k := d.NewTicker(20 * ms)
		for i := range 10 {
			if at := <-k.C; at.Sub(start) != time.Duration(i+1)*20*ms {
				t.Errorf("tick %d at %v", i, at.Sub(start))
			}
		}
		k.Reset(30 * ms)
		for i := range 10 {
			if at := <-k.C; at.Sub(start) != 200*ms+time.Duration(i+1)*30*ms {
				t.Errorf("tick %d after Reset at %v", i, at.Sub(start))
			}
		}
		time.Sleep(100 * ms) // a tick waits
		k.Reset(50 * ms)
		mustBeEmpty(t, k.C)
		time.Sleep(50 * ms)
		k.Stop()
		mustBeEmpty(t, k.C)
		time.Sleep(time.Second)
		mustBeEmpty(t, k.C)
		k.Reset(ms)
		time.Sleep(ms)
		mustReceive(t, k.C, time.Now())
		k.Stop()
	})
}

// A slow receiver finds one tick, the oldest one, and no backlog.
func TestASlowReceiverOfATickerFindsOneTick(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		start := time.Now()
		k := d.NewTicker(10 * ms)
		time.Sleep(105 * ms)
		mustReceive(t, k.C, start.Add(10*ms))
		mustBeEmpty(t, k.C)
		time.Sleep(5 * ms)
		mustReceive(t, k.C, start.Add(110*ms))
	})
}

// A period that is no multiple of the driver's tick does not drift: what is due comes at
// the driver's tick after a multiple of the period.
func TestTickerDoesNotDrift(t *testing.T) {
	for _, period := range []time.Duration{1, 1700 * µs, 999 * µs, 3333333, ms} {
		synctest.Test(t, func(t *testing.T) {
			d := newDriver(t)
			start := time.Now()
			k := d.NewTicker(period)
			n := 0
			for at := time.Duration(0); at < 10*time.Second; n++ {
				last := at
				at = (<-k.C).Sub(start)
				if at%ms != 0 || at-at/period*period >= ms || at <= last {
					t.Fatalf("period %v: a tick at %v, the one before at %v", period, at, last)
				}
			}
			if want := int((10*time.Second + ms - 1) / max(ms, period)); n != want {
				t.Errorf("period %v: %d ticks in 10 s, want %d", period, n, want)
			}
		})
	}
}

// After a stall the ticker goes on where it would have been.
func TestTickerAfterAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, driver.Inline())
		start := time.Now()
		k := d.NewTicker(10 * ms)
		d.Schedule(25*ms, func() { time.Sleep(100 * ms) })
		for _, want := range []time.Duration{10, 20, 125, 130, 140} {
			if at := (<-k.C).Sub(start); at != want*ms {
				t.Errorf("a tick at %v, want %v", at, want*ms)
			}
		}
	})
}

func TestTickersRefuseAPeriodThatIsNotPositive(t *testing.T) {
	d := newDriver(t)
	k := d.NewTicker(time.Hour)
	defer k.Stop()
	for _, period := range []time.Duration{0, -1, -1 << 63} {
		for name, call := range map[string]func(){
			"NewTicker": func() { d.NewTicker(period) },
			"Reset":     func() { k.Reset(period) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s(%d) does not panic", name, period)
					}
				}()
				call()
			}()
		}
	}
	d.NewTicker(1<<63 - 1).Stop()
}

// A panic while a ticker is pending leaves nothing locked.
func TestAPanicLeavesNothingLocked(t *testing.T) {
	d := newDriver(t)
	k := d.NewTicker(time.Hour)
	defer func() {
		k.Stop()
		if recover() == nil {
			t.Error("the nil Timer can be stopped")
		}
	}()
	var timer *driver.Timer
	timer.Stop()
}
