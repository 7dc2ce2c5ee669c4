// Package clock is the virtual clock of every structure, with the rule of the contract
// for deadlines in the past.
package clock

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// Clock is the largest tick that Pop has been given. The zero Clock is at tick 0.
type Clock struct{ now structures.Tick }

// Now returns the clock's tick.
func (c *Clock) Now() structures.Tick { return c.now }

// Advance moves the clock to now, unless it is there or past it, and returns the clock's tick.
func (c *Clock) Advance(now structures.Tick) structures.Tick {
	c.now = max(c.now, now)
	return c.now
}

// Clamp returns deadline after the rule for the past: at least the tick after the clock, if any.
func (c *Clock) Clamp(deadline structures.Tick) structures.Tick {
	if deadline > c.now || c.now == math.MaxInt64 {
		return max(deadline, c.now)
	}
	return c.now + 1
}
