package hwheel

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// geometry is the arithmetic of levels and slots. It is pure: it knows nothing of
// the timers.
//
// Level 0 has a slot for each of the next 2^fine ticks. A slot of level l is
// 2^(fine*l) ticks wide, and there are 2^ring of them. By default, with 256 slots
// on level 0 and 4096 on the others:
//
//	level   ticks per slot      ticks per level
//	    0                1                  256
//	    1              256            1,048,576
//	    2           65,536          268,435,456
//	    3       16,777,216      about  6.9e+10
//	    4   about  4.3e+09      about  1.8e+13
//	    5   about  1.1e+12      about  4.5e+15
//	    6   about  2.8e+14      about  1.2e+18
//	    7   about  7.2e+16         all there is
//
// Every level is a ring that starts at the cursor: what matters is how far a
// deadline is, not whether it lies in the same aligned span of ticks. And each
// covers far more than a slot of the next one is wide, so that a timer that
// leaves a slot of level 2 has room on level 1, and most timers are moved once in
// their life where levels that only just fit would move them at every one.
//
// Slots are numbered level by level.
type geometry struct {
	fine, ring uint
	levels     int
	low, mask  uint64    // 2^fine - 1 and 2^ring - 1
	reach      [65]reach // by the number of bits of a distance above level 0
}

// reach is what link needs to know of the level that reaches a distance.
type reach struct {
	shift uint // the binary logarithm of the ticks in a slot
	base  int  // the number of the first slot
}

// maxLevels is the number of levels where there are most.
const maxLevels = 64

// newGeometry returns the geometry for slots of 2^(fine*l) ticks, 2^ring of them;
// ring must be
// more than fine, or the last deadline of a slot would be out of reach of the level
// below when the slot starts, and fine must not be 0.
func newGeometry(fine, ring uint) geometry {
	g := geometry{fine: fine, ring: ring, levels: 2, low: 1<<fine - 1, mask: 1<<ring - 1}
	for g.shift(g.levels-1)+ring < 64 {
		g.levels++
	}
	for n := range g.reach {
		level := 1
		for level < g.levels-1 && uint(n) > g.shift(level)+ring {
			level++
		}
		g.reach[n] = reach{g.shift(level), g.base(level)}
	}
	return g
}

// shift returns the binary logarithm of the ticks in a slot of a level.
func (g *geometry) shift(level int) uint { return g.fine * uint(level) }

// base returns the number of the first slot of a level from 1 on, or how many
// slots there are below it.
func (g *geometry) base(level int) int { return 1<<g.fine + (level-1)<<g.ring }

// levelIn returns the level of a slot.
func (g *geometry) levelIn(slot int) int {
	if slot < 1<<g.fine {
		return 0
	}
	return 1 + (slot-1<<g.fine)>>g.ring
}

// slots returns the number of slots of all levels.
func (g *geometry) slots() int { return g.base(g.levels) }

// near returns the slot of level 0 that holds the deadlines at tick.
func (g *geometry) near(tick structures.Tick) int { return int(uint64(tick) & g.low) }

// at returns the slot of a level from 1 on that holds the deadlines at tick.
func (g *geometry) at(level int, tick structures.Tick) int {
	return g.base(level) + int(uint64(tick)>>g.shift(level)&g.mask)
}

// start returns the first tick of the slot of a level that tick is in.
func (g *geometry) start(level int, tick structures.Tick) structures.Tick {
	return tick >> g.shift(level) << g.shift(level)
}

// place returns the slot for a deadline that is after the cursor, and the first
// tick at which there is something to do for it: the deadline itself on level 0,
// the start of the slot elsewhere.
//
// The level is the lowest one whose ring reaches the deadline. The slot starts
// after the cursor then: a deadline that is out of reach for the level below is
// further away than a slot of this one is wide.
func (g *geometry) place(deadline, cursor structures.Tick) (slot int, first structures.Tick) {
	distance := uint64(deadline - cursor)
	if distance <= g.low+1 {
		return g.near(deadline), deadline
	}
	r := &g.reach[bits.Len64(distance)]
	number := uint64(deadline) >> (r.shift & 63)
	return r.base + int(number&g.mask), structures.Tick(number << (r.shift & 63))
}
