package driver

import (
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/timerbench/timerbench/structures"
)

// alarm wakes a driver when its next timer is due. It starts a pass over the shards.
//
// It sleeps on timers of Go's runtime, its bells. If a time.Timer is moved while it is in the heap of the runtime, the
// runtime walks the whole heap when the timer is due: 5 ms among a million. So the alarm sets only bells that have rung,
// or new ones. A bell that is not needed any more rings all the same, once.
//
// No wake-up is lost. A goroutine that schedules an earlier timer stores the next of its shard,
// and then loads at. A goroutine that sets the alarm stores at, and then loads the next of every
// shard. So one of the two notices if the alarm is set too late.
type alarm struct {
	clock   *clock
	next    func() structures.Tick // the first tick at which a shard has work to do
	wake    func()                 // runs a pass
	ticking bool
	at      atomic.Int64 // a pass begins at this tick or before; never: not before set is called; changed under mu

	mu      sync.Mutex
	bells   []*bell
	client  *client         // nil if only bells ring
	fdAt    structures.Tick // the tick at which the timerfd rings, or never
	apart   int64           // least time from a pass until the timerfd rings, ns
	served  structures.Tick // the last tick of the last pass
	running bool            // a pass is running, and will set the alarm when it ends; at is 0
	closed  bool
	wakeups uint64        // passes
	idle    uint64        // passes in which nothing fired
	quiet   chan struct{} // closed when the last pass has ended
}

// maxBells is the number of bells that an alarm sets at most.
const maxBells = 8

// bell is a timer of Go's runtime.
type bell struct {
	alarm *alarm
	timer *time.Timer     // nil before it is used
	at    structures.Tick // the tick at which it rings, or never
}

func (a *alarm) init(d *Driver, ticking, precise bool) {
	a.clock, a.next, a.wake = &d.clock, d.next, d.wake
	a.ticking, a.quiet = ticking, make(chan struct{})
	a.at.Store(int64(never))
	a.fdAt = never
	if precise {
		a.client = newClient(d)
	}
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

// reset sets the alarm to a tick, or to an earlier one at which a bell rings anyway. now must not be in the future. The
// lock is held.
func (a *alarm) reset(tick structures.Tick, now int64) {
	a.at.Store(int64(tick))
	if tick == never {
		return
	}
	if a.clock.begin(tick) <= now {
		go a.wake() // a bell would be several µs late
		return
	}
	if a.client != nil {
		if at, bell, ok := a.setTimerfd(tick, now); ok {
			a.ringBy(bell, now)
			a.at.Store(int64(at))
			return
		}
		a.client = nil
	}
	if a.clock.uptime != nil { // bells stop during a suspend
		tick = min(tick, a.clock.reach(after(now, int64(lookEvery))).tick)
	}
	a.at.Store(int64(a.ringBy(tick, now)))
}

// ringBy makes a bell ring at a tick, unless one rings before. It returns the tick at which it rings. The lock is held.
func (a *alarm) ringBy(tick structures.Tick, now int64) structures.Tick {
	var free, first *bell
	armed := 0
	for _, b := range a.bells {
		switch {
		case b.at == never:
			free = b
		case b.at > a.served:
			if armed++; first == nil || b.at < first.at {
				first = b
			}
		}
	}
	switch {
	case first != nil && first.at <= tick:
		return first.at
	case free != nil:
	case armed < maxBells:
		free = &bell{alarm: a}
		a.bells = append(a.bells, free)
	case !first.timer.Stop(): // it rings now
		return first.at
	default:
		free = first
		free.timer = nil // the old one leaves the heap later
	}
	free.set(tick, time.Duration(a.clock.begin(tick)-now))
	return tick
}

// set sets a bell that is not in the heap.
func (b *bell) set(tick structures.Tick, wait time.Duration) {
	b.at = tick
	switch {
	case b.timer != nil:
		b.timer.Reset(wait)
	case b.alarm.ticking: // stays in memory without timers
		b.timer = time.AfterFunc(wait, b.ring)
	default:
		// A pending timer keeps the driver in memory, by the entry of its shard in refs. The bell does not.
		self := weak.Make(b)
		b.timer = time.AfterFunc(wait, func() {
			if b := self.Value(); b != nil {
				b.ring()
			}
		})
	}
}

func (b *bell) ring() {
	a := b.alarm
	a.mu.Lock()
	needed := int64(b.at) >= a.at.Load() // served may be the same tick, if its timer was started by an older reading of the clock
	b.at = never
	a.bellRang()
	a.mu.Unlock()
	if needed {
		a.wake()
	}
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
	a.running, a.served = false, tick
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
	for _, b := range a.bells {
		b.timer.Stop()
	}
	if a.client != nil {
		a.client.leave()
	}
	if !a.running {
		close(a.quiet)
	}
}
