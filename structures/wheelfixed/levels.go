package wheelfixed

import "github.com/timerbench/timerbench/structures"

// The levels: 256 slots each, and each level eight times as coarse as the one below.
//
//	level   ticks per slot   for delays of            late by at most
//	    0                1          0 ..        251         3 ticks
//	    1                8        252 ..      2,015        31
//	    2               64      2,016 ..     16,127       255
//	    3              512     16,128 ..    129,023     2,047
//	    …              8^l  252*8^(l-1) .. 252*8^l - 1  4*8^l - 1
//	    7        2,097,152  up to 528,482,303: 6 days at ticks of a millisecond
//
// Longer delays have no level: they wait in the heap, and fire on their tick.
const (
	slotBits = 8
	slots    = 1 << slotBits // of a level
	stepBits = 3             // each level is 8 times as coarse
	levels   = 8
	probes   = 3 // slots that are tried after the first one
)

// reach returns the shortest delay that a level is too small for. A deadline is rounded up
// to a slot, and the last probe is three slots after that: it must not come round to the
// slot of the clock.
func reach(level int) structures.Tick { return (slots - 1 - probes) << (stepBits * level) }

// levelOf returns the level for a delay of at least 0; levels if there is none.
func levelOf(delay structures.Tick) int {
	level := 0
	for level < levels && delay >= reach(level) {
		level++
	}
	return level
}

// MaxLate returns by how many ticks at most a timer of a delay fires late: one less than
// four times the ticks of a slot of its level, as it is rounded up to a slot and may be put
// three slots further. No smaller bound holds where slots are full.
func MaxLate(delay structures.Tick) structures.Tick {
	level := levelOf(max(delay, 0))
	if level == levels {
		return 0
	}
	return (1+probes)<<(stepBits*level) - 1
}
