// Package clock is the virtual clock of the structures, with the rule of the contract for past deadlines.
package clock

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// Clock is the largest tick that was passed to Pop. The zero Clock is at tick 0.
type Clock struct{ now structures.Tick }

// Now returns the tick of the clock.
func (c *Clock) Now() structures.Tick { return c.now }

// Advance moves the clock to now if now is later, and returns the tick of the clock.
func (c *Clock) Advance(now structures.Tick) structures.Tick {
	c.now = max(c.now, now)
	return c.now
}

// Clamp returns deadline after the rule for past deadlines: at least the tick after the clock, if there is one.
func (c *Clock) Clamp(deadline structures.Tick) structures.Tick {
	if deadline > c.now || c.now == math.MaxInt64 {
		return max(deadline, c.now)
	}
	return c.now + 1
}
