package driver

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"
)

// ChanTimer sends the time on a channel when it fires. Make one with NewTimer. It behaves as a Timer of package time
// does since Go 1.23: after Stop or Reset, no earlier value is received. Unlike there, C has room for one value, so
// len(C) may be 1, and a pending timer is kept in memory until it fires. So stop a timer that is no longer needed.
type ChanTimer struct {
	C <-chan time.Time
	c chan time.Time
	internal
}

// NewTimer starts a timer that sends the time on its channel after delay. After Close, C never
// delivers; select on Done as well. A timer that is neither stopped nor referenced is kept in memory until it fires, as
// in package time before Go 1.23: a weak pointer and a cleanup would make NewTimer take three times as long or more.
func (d *Driver) NewTimer(delay time.Duration) *ChanTimer {
	c := newChannel()
	t := &ChanTimer{C: c, c: c}
	t.owner = t
	now := d.clock.soon()
	d.start(&t.t, now, d.clock.deadline(now, delay))
	return t
}

// After returns the channel of a new timer: NewTimer(delay).C. The timer cannot be stopped, so it is kept in memory for
// the whole delay, as in package time before Go 1.23. In a loop, use NewTimer with Stop or Reset, or package time.
func (d *Driver) After(delay time.Duration) <-chan time.Time { return d.NewTimer(delay).C }

func (t *ChanTimer) due() bool {
	t.t.sh.fired++
	t.c <- sent() // there is room: Stop and Reset have emptied the channel
	return true
}

// Stop prevents the timer from firing. It returns true if the timer was pending, or if it has
// sent a value that was not received; the value is then removed. It returns false if the timer
// was stopped before, or if its value was received.
func (t *ChanTimer) Stop() bool {
	return t.t.shard().stop(&t.t, t.c)
}

// Reset makes the timer fire after delay from now. It returns what Stop would have returned.
func (t *ChanTimer) Reset(delay time.Duration) bool {
	sh := t.t.shard()
	now := sh.clock.soon()
	deadline := sh.clock.deadline(now, delay)
	// The channel of a pending timer is empty.
	return !sh.marked.Load() && (t.t.postpone(deadline.tick) || sh.move(&t.t, deadline.tick)) || sh.moveLocked(&t.t, now, deadline, t.c)
}

// newChannel returns a channel with room for one value. The channel is a single allocation that
// the garbage collector does not scan; make(chan time.Time, 1) makes two, which it scans. A
// channel knows its element type only from make. sent keeps alive what a time points to.
func newChannel() chan time.Time {
	c := make(chan [unsafe.Sizeof(time.Time{}) / 4]uint32, 1)
	return *(*chan time.Time)(unsafe.Pointer(&c))
}

// locations holds the locations of all times that were sent: the one of package time, and more if
// the program has set time.Local.
var locations struct {
	last atomic.Pointer[time.Location]
	sync.Mutex
	all []*time.Location
}

// sent returns the current time, to be sent on a channel.
func sent() time.Time {
	now := time.Now()
	if at := now.Location(); at != locations.last.Load() {
		locations.Lock()
		defer locations.Unlock()
		if !slices.Contains(locations.all, at) {
			locations.all = append(locations.all, at)
		}
		locations.last.Store(at)
	}
	return now
}

// drain removes a value from a channel that may be nil, and reports whether there was one.
func drain(c chan time.Time) bool {
	if len(c) == 0 {
		return false
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Ticker sends the time on a channel again and again. Make one with NewTicker. It behaves as a
// Ticker of package time does since Go 1.23: after Stop or Reset, no earlier value is received, and a ticker that the
// program no longer refers to ends by itself, here after its next tick. A slow receiver finds one value and no backlog.
// Ticks are a period apart from the start on, even if some are sent late. Unlike in package time, len(C) may be 1.
type Ticker struct {
	C <-chan time.Time
	c chan time.Time
	k *ticking
}

// ticking is the timer of a Ticker. It does not keep the channel in memory.
type ticking struct {
	internal
	c weak.Pointer[channel]

	// Guarded by the lock of the shard.
	period int64 // ns
	next   int64 // time of the next tick, in ns since the start of the driver
}

// channel is what a chan points to.
type channel [unsafe.Sizeof(time.Time{})]byte

var errPeriod = errors.New("driver: non-positive period of a Ticker")

// NewTicker starts a ticker that sends the time on its channel every period. A period may be shorter than a tick of
// the driver; values that are due within one tick are one value. NewTicker panics if period is not positive.
func (d *Driver) NewTicker(period time.Duration) *Ticker {
	if period <= 0 {
		panic(errPeriod)
	}
	c := newChannel()
	k := &ticking{c: weak.Make(*(**channel)(unsafe.Pointer(&c)))}
	k.owner = k
	now := d.clock.soon()
	d.start(&k.t, now, k.first(&d.clock, now, period))
	return &Ticker{C: c, c: c, k: k}
}

// first sets the period, and returns the deadline of the first tick. The lock of a ticker that runs is held.
func (k *ticking) first(c *clock, now int64, period time.Duration) moment {
	k.period = int64(period)
	k.next = after(now, k.period)
	return c.reach(k.next)
}

func (k *ticking) due() bool {
	sh := k.t.sh
	to := k.c.Value()
	if to == nil {
		sh.stopped++ // nothing can receive
		return false
	}
	sh.fired++
	select {
	case *(*chan time.Time)(unsafe.Pointer(&to)) <- sent():
	default: // the receiver is slow
	}
	now := sh.clock.now()
	k.next = after(k.next, k.period*((max(now, k.next)-k.next)/k.period+1))
	sh.countStart(k.next - now)
	sh.place(&k.t, now, sh.clock.reach(k.next))
	return true
}

// Stop turns the ticker off. It does not close the channel. Stop of the zero Ticker does nothing, as in package time.
func (t *Ticker) Stop() {
	if t.k != nil {
		t.k.t.sh.stop(&t.k.t, t.c)
		drain(t.c) // a stop that waits leaves the value of the last tick
	}
}

// Reset restarts the ticker, whether it is running or was stopped. The next tick is a period from
// now. Reset panics if period is not positive.
func (t *Ticker) Reset(period time.Duration) {
	if period <= 0 {
		panic(errPeriod)
	}
	k := t.k
	if k == nil {
		panic(errNotMade)
	}
	sh := k.t.sh
	now := sh.clock.soon()
	sh.mu.Lock()
	pending := sh.disarm(&k.t)
	drain(t.c)
	deadline := k.first(sh.clock, now, period)
	if !pending {
		sh.admit(&k.t, now, deadline)
		return
	}
	if sh.watch != nil {
		sh.watch.countMoved()
	}
	sh.unlock(sh.place(&k.t, now, deadline), now)
}
