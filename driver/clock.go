package driver

import (
	"math"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// never is the tick of what is not going to happen. It is after every deadline.
const never structures.Tick = math.MaxInt64

// clock is the monotonic clock of a driver. Tick k begins tick*k ns after start.
type clock struct {
	start time.Time
	tick  int64 // ns
}

// now returns the time since the start, in ns. Inside a testing/synctest bubble
// it is the bubble's.
func (c *clock) now() int64 { return int64(time.Since(c.start)) }

// ticks returns the last tick that has begun by a moment, which is not negative.
func (c *clock) ticks(ns int64) structures.Tick {
	return structures.Tick(uint64(ns) / uint64(c.tick))
}

// deadline returns the first tick that begins no earlier than delay after a moment:
// a timer that fires when it has begun is never early, and late by less than a tick.
// It is between 1 and never-1.
func (c *clock) deadline(now int64, delay time.Duration) structures.Tick {
	return c.reach(after(now, int64(max(delay, 0))))
}

// after returns the moment so many ns after another one, or the last one there is.
func after(ns, delay int64) int64 {
	if ns > math.MaxInt64-delay {
		return math.MaxInt64
	}
	return ns + delay
}

// reach returns the first tick that begins at a moment or after it, at least 1.
func (c *clock) reach(at int64) structures.Tick {
	ticks := (uint64(at) + uint64(c.tick) - 1) / uint64(c.tick)
	return structures.Tick(min(max(ticks, 1), math.MaxInt64-1))
}

// begin returns when a tick begins, in ns since the start.
func (c *clock) begin(tick structures.Tick) int64 {
	if int64(tick) > math.MaxInt64/c.tick {
		return math.MaxInt64
	}
	return int64(tick) * c.tick
}
