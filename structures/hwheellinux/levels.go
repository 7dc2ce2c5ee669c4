package hwheellinux

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// The levels, as in Linux's kernel/time/timer.c: 64 lists each, and each level eight
// times as coarse as the one below.
//
//	level   ticks per list   for delays of
//	    0                1       0 ..      62
//	    1                8      63 ..     503
//	    2               64     504 ..   4,031
//	    3              512   4,032 ..  32,255
//	    4            4,096  32,256 .. 258,047
//	    …              8^l  63*8^(l-1) .. 63*8^l - 1
//	    8       16,777,216  up to 1,056,964,607: the last one in Linux, 12 days at 1 ms
//	   20            8^20   all there are
const (
	listBits = 6
	lists    = 1 << listBits // of a level
	stepBits = 3             // each level is 8 times as coarse
	levels   = 21
)

// reach returns the shortest delay that a level is too small for. Linux takes 63
// times the granularity, not 64: a deadline may be rounded up to the next list.
func reach(level int) uint64 { return (lists - 1) << (stepBits * level) }

// levelOf returns the level for a delay of at least 0.
func levelOf(delay structures.Tick) int {
	level := 0
	for level < levels-1 && uint64(delay) >= reach(level) {
		level++
	}
	return level
}

// listFor returns the number of the list for a deadline, seen from the cursor, which is
// before it, and the tick at which that list expires: the deadline rounded up to a
// multiple of the level's granularity, or the last tick if that is less.
func listFor(deadline, cursor structures.Tick) (list int, expiry structures.Tick) {
	level := levelOf(deadline - cursor)
	shift := stepBits * level
	unit := (uint64(deadline) + 1<<shift - 1) >> shift
	list = level<<listBits | int(unit&(lists-1))
	return list, structures.Tick(min(unit<<shift, math.MaxInt64))
}

// expiryOf returns the tick at which a list expires, seen from the cursor: the first
// one after the cursor for which listFor returns that list.
func expiryOf(list int, cursor structures.Tick) structures.Tick {
	shift := stepBits * (list >> listBits)
	next := uint64(cursor)>>shift + 1
	unit := next + (uint64(list)-next)&(lists-1)
	if unit > math.MaxInt64>>shift {
		return math.MaxInt64
	}
	return structures.Tick(unit << shift)
}

// MaxLate returns by how many ticks at most a timer of a delay fires late: one less
// than the granularity of its level. No smaller bound holds: for every delay there are
// deadlines that are rounded up by as much.
func MaxLate(delay structures.Tick) structures.Tick {
	return 1<<(stepBits*levelOf(max(delay, 0))) - 1
}
