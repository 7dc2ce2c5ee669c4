package driver

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// alarm is the timer of Go's runtime that a driver sleeps on. It starts a pass over the shards.
//
// No wake-up is lost. A goroutine that schedules an earlier timer stores the next of its shard,
// and then loads at. A goroutine that sets the alarm stores at, and then loads the next of every
// shard. So one of the two notices if the alarm is set too late.
type alarm struct {
	clock   *clock
	next    func() structures.Tick // the first tick at which a shard has work to do
	wake    func()                 // runs a pass
	ticking bool
	at      atomic.Int64 // the tick it is set to; changed under mu

	mu      sync.Mutex
	timer   *time.Timer
	armed   structures.Tick // the tick to which timer is set, or never; at may be earlier
	running bool            // a pass is running, and will set the alarm when it ends; at is 0
	closed  bool
	wakeups uint64        // passes
	idle    uint64        // passes in which nothing fired
	quiet   chan struct{} // closed when the last pass has ended
}

func (a *alarm) init(d *Driver, ticking bool) {
	a.clock, a.next, a.wake = &d.clock, d.next, d.wake
	a.ticking, a.quiet = ticking, make(chan struct{})
	a.timer = time.AfterFunc(math.MaxInt64, a.ring)
	a.timer.Stop()
	a.armed = never
	a.at.Store(int64(never))
	if ticking {
		a.mu.Lock()
		a.reset(1, 0)
		a.mu.Unlock()
	}
}

// set sets the alarm to a tick, unless it is set to an earlier one. now comes from clock.soon.
func (a *alarm) set(tick structures.Tick, now int64) {
	if int64(tick) >= a.at.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.running && !a.closed && int64(tick) < a.at.Load() {
		a.reset(tick, now-a.clock.ahead)
	}
}

// reset sets the alarm to a tick, or turns it off if that is never. now must not be in the future. The lock is held.
func (a *alarm) reset(tick structures.Tick, now int64) {
	a.at.Store(int64(tick))
	wait := a.clock.begin(tick) - now
	if a.clock.uptime != nil {
		wait = min(wait, int64(lookEvery)) // the timer of Go's runtime stops during a suspend
	}
	switch {
	case wait <= 0:
		go a.wake() // a timer of Go's runtime would be several µs late
	case tick == a.armed:
	case tick == never:
		a.timer.Stop()
		a.armed = never
	default:
		a.timer.Reset(time.Duration(wait))
		a.armed = tick
	}
}

// relax turns the alarm off if no timer is pending.
func (a *alarm) relax() {
	if a.ticking || a.next() != never {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running || a.closed {
		return
	}
	a.at.Store(int64(never))
	if next := a.next(); next != never {
		a.reset(next, a.clock.now()) // a timer was started meanwhile
		return
	}
	a.reset(never, 0)
}

// ring is called by timer, which may have been set again after it went off.
func (a *alarm) ring() {
	a.mu.Lock()
	if a.clock.uptime != nil || a.clock.begin(a.armed) <= a.clock.now() {
		a.armed = never
	}
	a.mu.Unlock()
	a.wake()
}

// begin begins a pass and reports true. It reports false if a pass is running, which will serve what is due.
func (a *alarm) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running || a.closed {
		return false
	}
	a.running = true
	a.wakeups++
	a.at.Store(0)
	return true
}

// end ends a pass, unless more timers have come due meanwhile. It reports whether it did. fired
// is the number of timers that fired in the pass.
func (a *alarm) end(fired int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		a.running = false
		close(a.quiet)
		return true
	}
	now := a.clock.now()
	tick := a.clock.ticks(now)
	for next := a.next(); ; {
		if next <= tick {
			a.at.Store(0)
			return false
		}
		a.at.Store(int64(next))
		again := a.next()
		if again >= next {
			break
		}
		next = again
	}
	a.running = false
	if fired == 0 {
		a.idle++
	}
	next := structures.Tick(a.at.Load())
	if a.ticking {
		next = tick + 1
	}
	a.reset(next, now)
	return true
}

func (a *alarm) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.closed = true
	a.timer.Stop()
	if !a.running {
		close(a.quiet)
	}
}
