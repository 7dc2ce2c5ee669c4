package hwheel

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// geometry is the arithmetic of levels and slots. It knows nothing of timers.
//
// Level 0 has 2^levelBits slots of one tick. Level l has 2^ringBits slots of
// 2^(levelBits*l) ticks. The default is 256 slots on level 0 and 4096 on the
// others:
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
// Each level is a ring. The level of a deadline depends on its distance from the
// cursor only, not on aligned spans of ticks. A level covers far more ticks than
// one slot of the next level has. So a timer that leaves a slot of level 2 always
// fits level 1, and most timers cascade once in their life.
//
// Slots have numbers: first those of level 0, then those of level 1, and so on.
type geometry struct {
	levelBits, ringBits uint
	levels              int
	mask0, ringMask     uint64 // 2^levelBits - 1, 2^ringBits - 1
	byDistance          [65]levelOffset
}

// levelOffset is what slotFor needs to know of a level. The table of them is
// indexed by the number of bits of a distance.
type levelOffset struct {
	widthBits uint
	firstSlot int
}

// maxLevels is the number of levels of the geometry that has most.
const maxLevels = 64

// newGeometry returns a geometry whose levels cover all ticks. levelBits must be at
// least 1. ringBits must be more than levelBits: otherwise the last deadline of a
// slot would be too far for the level below when the slot starts.
func newGeometry(levelBits, ringBits uint) geometry {
	g := geometry{
		levelBits: levelBits,
		ringBits:  ringBits,
		levels:    2,
		mask0:     1<<levelBits - 1,
		ringMask:  1<<ringBits - 1,
	}
	for g.widthBits(g.levels-1)+ringBits < 64 {
		g.levels++
	}
	for n := range g.byDistance {
		level := 1
		for level < g.levels-1 && uint(n) > g.widthBits(level)+ringBits {
			level++
		}
		g.byDistance[n] = levelOffset{g.widthBits(level), g.firstSlot(level)}
	}
	return g
}

// widthBits returns the binary logarithm of the ticks in a slot of a level.
func (g *geometry) widthBits(level int) uint { return g.levelBits * uint(level) }

// firstSlot returns the first slot of a level. The level is at least 1.
func (g *geometry) firstSlot(level int) int { return 1<<g.levelBits + (level-1)<<g.ringBits }

// levelOf returns the level of a slot.
func (g *geometry) levelOf(slot int) int {
	if slot < 1<<g.levelBits {
		return 0
	}
	return 1 + (slot-1<<g.levelBits)>>g.ringBits
}

// slotCount returns the number of slots of all levels.
func (g *geometry) slotCount() int { return g.firstSlot(g.levels) }

// slot0 returns the slot of level 0 for a tick.
func (g *geometry) slot0(tick structures.Tick) int { return int(uint64(tick) & g.mask0) }

// slotAt returns the slot of a level for a tick. The level is at least 1.
func (g *geometry) slotAt(level int, tick structures.Tick) int {
	return g.firstSlot(level) + int(uint64(tick)>>g.widthBits(level)&g.ringMask)
}

// slotStart returns the first tick of the slot of a level that tick is in.
func (g *geometry) slotStart(level int, tick structures.Tick) structures.Tick {
	return tick >> g.widthBits(level) << g.widthBits(level)
}

// slotFor returns the slot for a deadline, which must be after the cursor, and the
// tick at which the slot starts. It chooses the lowest level that reaches the
// deadline. The slot then starts after the cursor, because the distance is more
// than the width of the slot.
func (g *geometry) slotFor(deadline, cursor structures.Tick) (slot int, start structures.Tick) {
	distance := uint64(deadline - cursor)
	if distance <= g.mask0+1 {
		return g.slot0(deadline), deadline
	}
	l := &g.byDistance[bits.Len64(distance)]
	number := uint64(deadline) >> (l.widthBits & 63)
	return l.firstSlot + int(number&g.ringMask), structures.Tick(number << (l.widthBits & 63))
}
