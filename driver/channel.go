package driver

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// ChanTimer sends the time on a channel when it fires. Make it with NewTimer. It does
// what a Timer of package time does since Go 1.23: after Stop or Reset no value of before
// is received. Unlike there, C has room for one value, so that its length may be 1; and a
// timer that is pending is not garbage. The methods of the zero ChanTimer return false
// and do nothing.
type ChanTimer struct {
	C <-chan time.Time
	c chan time.Time
	internal
}

// NewTimer starts a timer that sends the time on its channel once delay has passed. After
// Close it sends nothing: who receives from C then waits for ever, and should for Done, too.
func (d *Driver) NewTimer(delay time.Duration) *ChanTimer {
	c := newChannel()
	t := &ChanTimer{C: c, c: c}
	t.owner = t
	d.start(&t.t, delay)
	return t
}

// After returns the channel of a new timer. It is NewTimer(delay).C.
func (d *Driver) After(delay time.Duration) <-chan time.Time { return d.NewTimer(delay).C }

func (t *ChanTimer) due() {
	t.t.sh.fired++
	t.c <- sent() // there is room: Stop and Reset have emptied the channel
}

// Stop keeps the timer from firing. It returns true if it does so, or if the value that
// was sent has not been received and is not going to be; false if the timer was stopped,
// or its value received, before.
func (t *ChanTimer) Stop() bool {
	return t.t.sh != nil && t.t.sh.stop(&t.t, t.c)
}

// Reset makes the timer fire once delay has passed from now. It returns what Stop would
// have returned.
func (t *ChanTimer) Reset(delay time.Duration) bool {
	return t.t.reset(delay, t.c) // the channel of a pending timer is empty
}

// newChannel returns a channel with room for one value, in one piece of memory that the
// collector does not look into: make(chan time.Time, 1) takes two that it does. A channel knows
// the type of its elements only by what it was made of. What a time points to is kept by sent.
func newChannel() chan time.Time {
	c := make(chan [unsafe.Sizeof(time.Time{}) / 4]uint32, 1)
	return *(*chan time.Time)(unsafe.Pointer(&c))
}

// locations are those of times that were sent: that of package time, and more where a program
// has set time.Local.
var locations struct {
	last atomic.Pointer[time.Location]
	sync.Mutex
	all []*time.Location
}

// sent returns the time, to be sent on a channel.
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

// drain takes a value out of a channel, if there is one and there is a channel. It
// reports whether it did.
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

// Ticker sends the time on a channel again and again. Make it with NewTicker. It does what
// a Ticker of package time does since Go 1.23: after Stop or Reset no value of before is
// received. A receiver that is slow finds one value and no backlog. Ticks are a period
// apart from the start on, however late each is sent. The methods of the zero Ticker do
// nothing.
type Ticker struct {
	C <-chan time.Time
	c chan time.Time
	internal

	// Guarded by the lock of the shard.
	period int64 // ns
	next   int64 // when the next tick is due, in ns since the start of the driver
}

var errPeriod = errors.New("driver: non-positive period of a Ticker")

// NewTicker starts a ticker that sends the time on its channel every period. It panics
// unless period is positive. A period shorter than the driver's tick counts, and what
// comes within one tick is one value.
func (d *Driver) NewTicker(period time.Duration) *Ticker {
	if period <= 0 {
		panic(errPeriod)
	}
	c := newChannel()
	t := &Ticker{C: c, c: c}
	t.owner = t
	now := d.clock.soon()
	t.t.sh = d.lock()
	t.start(now, period)
	return t
}

// start starts a ticker that is not in the structure, and unlocks the shard.
func (t *Ticker) start(now int64, period time.Duration) {
	sh := t.t.sh
	t.period = int64(period)
	t.next = after(now, t.period)
	sh.arm(&t.t, now, sh.clock.reach(t.next))
}

func (t *Ticker) due() {
	sh := t.t.sh
	sh.fired++
	select {
	case t.c <- sent():
	default: // the receiver is slow
	}
	now := sh.clock.now()
	t.next = after(t.next, t.period*((max(now, t.next)-t.next)/t.period+1))
	sh.armLocked(&t.t, now, sh.clock.reach(t.next))
}

// Stop turns the ticker off. It does not close the channel.
func (t *Ticker) Stop() {
	if t.t.sh != nil {
		t.t.sh.stop(&t.t, t.c)
	}
}

// Reset starts the ticker again, also one that was stopped: the next tick is a period
// from now. It panics unless period is positive.
func (t *Ticker) Reset(period time.Duration) {
	if period <= 0 {
		panic(errPeriod)
	}
	sh := t.t.sh
	if sh == nil {
		return
	}
	now := sh.clock.soon()
	sh.mu.Lock()
	sh.disarm(&t.t)
	drain(t.c)
	t.start(now, period)
}
