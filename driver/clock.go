package driver

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
)

// never is the tick of what is not going to happen. It is after every deadline.
const never structures.Tick = math.MaxInt64

// atOnce is the deadline of what is due at once. It is before every tick that is served.
const atOnce structures.Tick = 0

// years is more than a clock shows that is used where it was made.
const years = 20 * 365 * 24 * int64(time.Hour)

const (
	errZero   = "driver: this Driver is the zero value: make one with New"
	errBubble = "driver: a Driver is used inside a testing/synctest bubble and was made outside, " +
		"or the other way round: make it where it is used"
)

// clock is the monotonic clock of a driver. Tick k begins tick*k ns after start.
//
// Most of what a Reset costs is to read the clock: 25 of 35 ns, and more where memory is
// waited for, as the processor begins nothing new before it has the time. So callers share
// what one of them has read. A counter of the processor says whether that is still good.
// It is for a window, and ahead is twice the window: what was read plus ahead is not
// before now, so that no timer is early, and not long after, so that none is late by much.
type clock struct {
	start  time.Time
	real   bool         // start has a reading of the monotonic clock: it has none inside a bubble
	tick   int64        // ns
	uptime func() int64 // of Boottime, ns; nil: that of package time
	booted int64        // what it has shown at start
	window uint64       // steps of the counter; 0 if the clock is to be read each time
	ahead  int64        // ns

	_     [64]byte // what follows changes all the time
	stamp atomic.Uint64
	seen  atomic.Int64 // what the clock has shown when the counter was at stamp, or later
	_     [64]byte
}

const (
	// windowMax is the longest window, ns. A shorter one is read again often; a longer
	// one makes timers late.
	windowMax = 4000
	// windowMin is the shortest window that is worth it, ns.
	windowMin = 100
	// windowsPerTick makes ahead less than a hundredth of a tick.
	windowsPerTick = 256
	// calibration is how long the counter is looked at to know its rate, ns.
	calibration = 10_000
)

func (c *clock) init(tick time.Duration, uptime func() int64) {
	c.start, c.tick, c.uptime = time.Now(), int64(tick), uptime
	if uptime != nil {
		c.booted = uptime()
	}
	c.real = monotonic(c.start)
	window := min(windowMax, c.tick/windowsPerTick)
	if !c.real || window < windowMin || !machine.Steady() {
		return
	}
	// An interruption between two readings makes the rate, and the window, smaller.
	from, begin := c.now(), machine.Stamp()
	for {
		end, to := machine.Stamp(), c.now()
		if to-from >= calibration {
			c.window, c.ahead = (end-begin)*uint64(window)/uint64(to-from), 2*window
			break
		}
	}
	c.stamp.Store(machine.Stamp() - c.window)
}

// monotonic reports whether a time has a reading of the monotonic clock.
func monotonic(t time.Time) bool { return t != t.Round(0) }

// now returns the time since the start, in ns. Inside a testing/synctest bubble it is the
// bubble's. It panics if the clock was made elsewhere: the two differ by decades.
func (c *clock) now() int64 {
	if c.uptime != nil {
		return c.up()
	}
	now := int64(time.Since(c.start))
	if uint64(now) > uint64(years) {
		c.check()
	}
	return now
}

// up is now with Boottime.
//
//go:noinline
func (c *clock) up() int64 { return max(0, c.uptime()-c.booted) }

// check panics if the clock is used where it cannot be.
func (c *clock) check() {
	if c.tick == 0 {
		panic(errZero)
	}
	if c.real != monotonic(time.Now()) {
		panic(errBubble)
	}
}

// soon returns a time since the start that is not before now, and at most ahead after it.
// Of two calls one after the other the second one does not return less.
func (c *clock) soon() int64 {
	// The order matters: seen is at least what it was when stamp was stored.
	if begin := c.stamp.Load(); machine.Stamp()-begin < c.window {
		return c.seen.Load() + c.ahead
	}
	return c.look()
}

// look is soon for those who have to read the clock.
func (c *clock) look() int64 {
	begin := machine.Stamp()
	now := c.now()
	if c.window == 0 {
		return now
	}
	for {
		seen := c.seen.Load()
		if now < seen {
			now = seen // somebody else was faster
			break
		}
		if c.seen.CompareAndSwap(seen, now) {
			c.stamp.Store(begin)
			break
		}
	}
	return now + c.ahead
}

// ticks returns the last tick that has begun by a moment, which is not negative.
func (c *clock) ticks(ns int64) structures.Tick {
	return structures.Tick(uint64(ns) / uint64(c.tick))
}

// moment is a deadline: what was asked for, in ns since the start, and the first tick that
// begins no earlier.
type moment struct {
	at   int64
	tick structures.Tick
}

// deadline returns the moment in delay from now. A timer that fires when the tick has begun is
// never early, and late by less than a tick. The tick is between 1 and never-1, or atOnce if there
// is no delay.
func (c *clock) deadline(now int64, delay time.Duration) moment {
	if delay <= 0 {
		return moment{now, atOnce}
	}
	return c.reach(after(now, int64(delay)))
}

// after returns the moment so many ns after another one, or the last one there is.
func after(ns, delay int64) int64 {
	if ns > math.MaxInt64-delay {
		return math.MaxInt64
	}
	return ns + delay
}

// reach returns the moment at a time. Its tick is at least 1.
func (c *clock) reach(at int64) moment {
	ticks := (uint64(at) + uint64(c.tick) - 1) / uint64(c.tick)
	return moment{at, structures.Tick(min(max(ticks, 1), math.MaxInt64-1))}
}

// beginOf returns the moment at which a tick begins.
func (c *clock) beginOf(tick structures.Tick) moment { return moment{c.begin(tick), tick} }

// between returns the ticks at which a timer may fire that is due between two delays after a
// moment. They are one, and may be atOnce, if there is no tick in between.
func (c *clock) between(now int64, earliest, latest time.Duration) (first, last structures.Tick) {
	last = c.deadline(now, latest).tick
	if earliest <= 0 {
		return min(c.ticks(now)+1, last), last
	}
	return c.deadline(now, earliest).tick, last
}

// meet returns the tick of a window that most other windows have as well: the multiple of the
// largest power of two. Windows of n ticks have a multiple of more than n/2 in them.
func meet(first, last structures.Tick) structures.Tick {
	differ := bits.Len64(uint64(first-1) ^ uint64(last))
	return last >> (differ - 1) << (differ - 1)
}

// begin returns when a tick begins, in ns since the start.
func (c *clock) begin(tick structures.Tick) int64 {
	if int64(tick) > math.MaxInt64/c.tick {
		return math.MaxInt64
	}
	return int64(tick) * c.tick
}
