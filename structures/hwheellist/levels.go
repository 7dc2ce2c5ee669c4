package hwheellist

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// geometry computes levels and slots from ticks. It depends on the numbers of slots and
// levels only, and not on the timers.
//
// A tick is a number of 63 bits, written with a digit of width bits per level.
// Level 0 is the lowest digit, and a slot of level l is as many ticks wide as
// all slots of the level below. By default, with 256 slots and 8 levels:
//
//	level   ticks per slot      ticks per level (span)
//	    0                1                         256
//	    1              256                      65,536
//	    2           65,536                  16,777,216
//	    3       16,777,216               4,294,967,296
//	    4   about 4.29e+09              about 1.10e+12
//	    5   about 1.10e+12              about 2.81e+14
//	    6   about 2.81e+14              about 7.21e+16
//	    7   about 7.21e+16        all ticks, 9.22e+18 and up
//
// The list of a timer depends on its deadline and on the cursor, the tick up to which all
// timers have fired: the level is the highest digit in which the two differ, and the slot
// is that digit of the deadline. As no deadline is before the cursor, this slot is ahead
// of the slot of the cursor. Two things follow:
//
//   - A timer of a lower level is due before any timer of a higher one, and on
//     one level the order of the slots is the order of time. So lists are
//     numbered level by level, and the first list that is not empty is the next
//     one to fire or to cascade.
//   - Moving the cursor up to the start of that list changes the list of no
//     timer outside of it.
//
// A deadline that differs above the highest level goes to the overflow list, whose number
// is the last.
type geometry struct {
	width  uint64 // bits per digit
	mask   uint64 // slots per level, less one
	levels uint64
	inv    uint64 // levelFactor / width, rounded up
}

// tickBits is the number of bits in which two ticks of a wheel may differ, as none is
// negative.
const tickBits = 63

// levelFactor turns the division of a bit's number by width into a product,
// exact for 0..63 and all widths up to 12.
const levelFactor = 1 << 10

// allLevels returns how many levels of so many slots cover every tick.
func allLevels(slots int) int {
	width := bits.TrailingZeros(uint(slots))
	return (tickBits + width - 1) / width
}

// newGeometry returns the geometry of levels times slots, a power of two.
func newGeometry(slots, levels int) geometry {
	width := uint64(bits.TrailingZeros(uint(slots)))
	return geometry{
		width:  width,
		mask:   uint64(slots) - 1,
		levels: uint64(levels),
		inv:    (levelFactor + width - 1) / width,
	}
}

// lists returns the number of lists, the overflow list included.
func (g *geometry) lists() int { return g.overflow() + 1 }

// overflow returns the number of the overflow list.
func (g *geometry) overflow() int { return int(g.levels << g.width) }

// list returns the number of the list for a deadline that is not before the
// cursor.
func (g *geometry) list(deadline, cursor structures.Tick) int {
	highest := uint64(bits.Len64(uint64(deadline^cursor)|1)) - 1
	level := highest * g.inv / levelFactor
	if level >= g.levels {
		return g.overflow()
	}
	digit := uint64(deadline) >> (level * g.width) & g.mask
	return int(level<<g.width | digit)
}

// start returns the first tick of a list that is not the overflow list, seen
// from the cursor.
func (g *geometry) start(list int, cursor structures.Tick) structures.Tick {
	level, digit := uint64(list)>>g.width, uint64(list)&g.mask
	shift := level * g.width
	above := shift + g.width // may be 64 and more, which shifts everything out
	return structures.Tick(uint64(cursor)>>above<<above | digit<<shift)
}

// spanStart returns the first tick of the top-level span that holds deadline.
func (g *geometry) spanStart(deadline structures.Tick) structures.Tick {
	span := g.levels * g.width
	return structures.Tick(uint64(deadline) >> span << span)
}
