package driver

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// alarm is the one timer of Go's runtime that a driver sleeps on. It starts a pass over
// the shards.
//
// No wake-up is lost. Who schedules an earlier timer stores the shard's next, and then
// loads at. Who sets the alarm stores at, and then loads the next of every shard. Either
// the first one sees that the alarm is set too late, or the second one does.
type alarm struct {
	clock   *clock
	next    func() structures.Tick // the first tick of all shards
	wake    func()                 // makes a pass
	ticking bool
	at      atomic.Int64 // the tick it is set to; changed under mu

	mu      sync.Mutex
	timer   *time.Timer
	armed   structures.Tick // that timer is set to, or never; at may be earlier
	running bool            // a pass is under way, and sets the alarm when it ends; at is 0
	closed  bool
	wakeups uint64        // passes
	idle    uint64        // of these, those in which nothing fired
	quiet   chan struct{} // closed once there will be no pass any more
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

// set sets the alarm to a tick, unless it is set to an earlier one. now is of soon.
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

// reset sets the alarm to a tick, or turns it off. now is not after now. The lock is held.
func (a *alarm) reset(tick structures.Tick, now int64) {
	a.at.Store(int64(tick))
	wait := a.clock.begin(tick) - now
	if a.clock.uptime != nil {
		wait = min(wait, int64(lookEvery)) // the timer of Go's runtime stands still in suspend
	}
	switch {
	case wait <= 0:
		go a.wake() // Go's runtime would take several µs to find out that it is due
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
		a.reset(next, a.clock.now()) // one has come meanwhile
		return
	}
	a.reset(never, 0)
}

// ring is called by timer, which may have been set anew since it went off.
func (a *alarm) ring() {
	a.mu.Lock()
	if a.clock.uptime != nil || a.clock.begin(a.armed) <= a.clock.now() {
		a.armed = never
	}
	a.mu.Unlock()
	a.wake()
}

// begin reports whether a pass is to be made: not while another one is under way, which
// will see what is due.
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

// end ends a pass that has served all that was due, unless there is more to do by now. It
// reports whether it did. fired is how many timers fired.
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
