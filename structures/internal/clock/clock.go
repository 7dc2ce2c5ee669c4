// Package clock has the rule of the contract for deadlines at or before the clock.
package clock

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// Clamp returns deadline if it is after now, the tick of the clock. Otherwise it returns the tick after now, or the last
// tick of all.
func Clamp(now, deadline structures.Tick) structures.Tick {
	if deadline <= now {
		return now + min(1, math.MaxInt64-now)
	}
	return deadline
}
