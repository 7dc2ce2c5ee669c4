package driver

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
)

// never is the tick of an event that will not happen. It is after every deadline.
const never structures.Tick = math.MaxInt64

// atOnce is the deadline of a timer without a delay. It is before every tick that is served.
const atOnce structures.Tick = 0

// years is more than a clock shows if it is used where it was made, in ns.
const years = 20 * 365 * 24 * int64(time.Hour)

const (
	errZero   = "driver: this Driver is the zero value: make one with New"
	errBubble = "driver: a Driver is used inside a testing/synctest bubble and was made outside, " +
		"or the other way round: make it where it is used"
)

// clock is the monotonic clock of a driver. Tick k begins tick*k ns after start.
//
// Reading the clock is most of the cost of a Reset: 25 of 35 ns, and more while memory is being
// waited for, because the processor starts nothing new before it has the time. So callers share a
// reading for a short time, the window. A counter of the processor shows whether the window has
// passed. soon adds ahead, which is twice the window, to a shared reading. The sum is not before
// now, so no timer is early, and it is hardly after now, so no timer is much too late.
type clock struct {
	start  time.Time
	real   bool   // start has a monotonic reading, as it has outside of a synctest bubble
	tick   int64  // ns
	factor uint64 // for a division by tick, as shift is
	shift  int
	haste  structures.Tick // the time haste, rounded up
	uptime func() int64    // clock of Boottime, ns; nil: the clock of package time
	booted int64           // uptime at start
	window uint64          // steps of the counter; 0: readings are not shared
	ahead  int64           // ns

	_     [64]byte // the fields below change often
	stamp atomic.Uint64
	seen  atomic.Int64 // reading of the clock when the counter was at stamp, or later
	_     [64]byte
}

const (
	// windowMax is the longest window, in ns. A shorter one would mean more readings, a longer one later timers.
	windowMax = 4000
	// windowMin is the shortest window that is worth its cost, in ns.
	windowMin = 100
	// windowsPerTick makes ahead less than a tenth of a tick.
	windowsPerTick = 25
	// calibration is the time over which the rate of the counter is measured, in ns.
	calibration = 10_000
)

func (c *clock) init(tick time.Duration, uptime func() int64) {
	c.start, c.uptime = time.Now(), uptime
	c.setTick(int64(tick))
	if uptime != nil {
		c.booted = uptime()
	}
	c.real = monotonic(c.start)
	window := min(windowMax, c.tick/windowsPerTick)
	if !c.real || window < windowMin || !machine.Steady() {
		return
	}
	// An interruption between two readings makes the measured rate, and so the window, smaller.
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

func (c *clock) setTick(tick int64) {
	c.tick, c.shift = tick, bits.Len64(uint64(tick)-1)
	factor, rest := bits.Div64(1<<c.shift>>1, 1<<63<<c.shift, uint64(tick))
	c.factor = factor + min(rest, 1)
	c.haste = c.reach(int64(haste)).tick
}

func init() {
	machine.PackageTime = func(d any) bool { c := &d.(*Driver).clock; return c.real && c.uptime == nil }
}

func monotonic(t time.Time) bool { return t != t.Round(0) }

// now returns the time since the start, in ns. Inside a testing/synctest bubble it is the time of the bubble.
// It panics if the clock was made on the other side of a bubble: the two times differ by decades.
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

// check panics if the clock cannot be used here.
func (c *clock) check() {
	if c.tick == 0 {
		panic(errZero)
	}
	if c.real != monotonic(time.Now()) {
		panic(errBubble)
	}
}

// soon returns a time since the start that is not before now, and at most ahead after now.
// Consecutive calls of a goroutine never go back.
func (c *clock) soon() int64 {
	// The order matters: seen is loaded after stamp, so it belongs to stamp or is newer.
	if begin := c.stamp.Load(); machine.Stamp()-begin < c.window {
		return c.seen.Load() + c.ahead
	}
	return c.look()
}

// look is soon with a new reading of the clock.
func (c *clock) look() int64 {
	begin := machine.Stamp()
	now := c.now()
	if c.window == 0 {
		return now
	}
	for {
		seen := c.seen.Load()
		if now < seen {
			now = seen // another goroutine was faster
			break
		}
		if c.seen.CompareAndSwap(seen, now) {
			c.stamp.Store(begin)
			break
		}
	}
	return now + c.ahead
}

// ticks returns the last tick that has begun by a time, which must not be negative. It multiplies by a factor instead of
// dividing, which takes half as long. The factor is 2^(63+shift) / tick, rounded up, where 2^shift is tick or more, so the
// result is exact for 63 bits (Granlund and Montgomery 1994).
func (c *clock) ticks(ns int64) structures.Tick {
	high, _ := bits.Mul64(2*uint64(ns), c.factor)
	return structures.Tick(high >> c.shift)
}

// moment is a deadline: the time that was asked for, in ns since the start, and the first tick
// that begins no earlier.
type moment struct {
	at   int64
	tick structures.Tick
}

// deadline returns the moment that is delay after now. A timer that fires when its tick has begun is never
// early, and it is late by less than a tick. The tick is from 1 to never-1, or atOnce if delay is not positive.
func (c *clock) deadline(now int64, delay time.Duration) moment {
	if delay <= 0 {
		return moment{now, atOnce}
	}
	return c.reach(after(now, int64(delay)))
}

// after returns ns + delay, or the largest time if that overflows.
func after(ns, delay int64) int64 {
	if ns > math.MaxInt64-delay {
		return math.MaxInt64
	}
	return ns + delay
}

// reach returns the moment of a time. Its tick is at least 1.
func (c *clock) reach(at int64) moment {
	return moment{at, min(c.ticks(max(at, 1)-1)+1, never-1)}
}

func (c *clock) beginOf(tick structures.Tick) moment { return moment{c.begin(tick), tick} }

// between returns the first and last tick of the window between two delays from now. If no tick
// begins in the window, both are the first tick after it, or atOnce.
func (c *clock) between(now int64, earliest, latest time.Duration) (first, last structures.Tick) {
	last = c.deadline(now, latest).tick
	if earliest <= 0 {
		return min(c.ticks(now)+1, last), last
	}
	return c.deadline(now, earliest).tick, last
}

// meet returns the tick of a window that the most other windows share: the multiple of the largest power of
// two. A window of n ticks contains a multiple of a power of two that is larger than n/2.
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
