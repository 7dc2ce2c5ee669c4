package hwheel

import (
	"iter"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// ChunksPerTick is how fast slots are emptied ahead of their start, unless they hold so
// much that this is too slow: up to 900 timers, which takes 10 to 20 us among ten
// million. A slot with less than that cascades when it starts.
const ChunksPerTick = 64

// windowSlots is the number of slots of a level, after that of the cursor, that can be
// emptied: all their timers fit the level below, and no more come to them.
const windowSlots = ringLen/256 - 1

// windowStart returns the tick from which on a slot of a level that starts at start can
// be emptied. It is after the cursor when a timer is added to the slot.
func windowStart(level uint, start structures.Tick) structures.Tick {
	return start - windowSlots<<widthBits(level)
}

// window returns the numbers of the occupied slots of a level that can be emptied. It
// lowers stepAt to the tick from which on the first slot after them can be emptied.
func (w *hierarchy) window(level uint) iter.Seq[uint64] {
	return func(yield func(number uint64) bool) {
		g, here := w.levels[level], uint64(w.cursor)>>widthBits(level)
		for number := here; !g.empty(); {
			number = g.next(number + 1)
			if number > here+ringLen {
				return // a revolution ahead: this one was seen before
			}
			if opens := windowStart(level, structures.Tick(number<<widthBits(level))); opens > w.cursor {
				w.stepAt = min(w.stepAt, opens)
				return
			}
			if !yield(number) {
				return
			}
		}
	}
}

// emptyAhead empties slots above level 0 before they start, a part at each tick, so that
// no call has to move many timers if the clock goes tick by tick. It starts as late as
// ChunksPerTick allows, because timers that move early are spread over more slots.
func (w *Wheel) emptyAhead(rs *records.Set) {
	passed := rs.Clock - w.stepAt + 1
	w.stepAt = math.MaxInt64
	for level := uint(1); level < Levels; level++ {
		if g := w.levels[level]; g != nil && !g.empty() {
			w.moveAhead(rs, level, w.planAhead(level, passed))
		}
	}
}

// planAhead returns how many chunks of a level are to be moved now, so that each slot is
// empty when it starts: the share that is due for so many ticks. It lowers stepAt to the
// tick at which there is more to do.
func (w *hierarchy) planAhead(level uint, passed structures.Tick) (due int) {
	g, sum := w.levels[level], 0
	for number := range w.window(level) {
		start := structures.Tick(number << widthBits(level))
		sum += int(g.added[uint32(number)&ringMask])
		left := start - w.cursor
		if begin := left - structures.Tick(sum/ChunksPerTick); begin > 0 {
			w.stepAt = min(w.stepAt, w.cursor+begin)
		} else {
			share := float64(passed) / (float64(left) + float64(passed) - 1)
			due = max(due, int(math.Ceil(float64(sum)*share)))
		}
	}
	if due > 0 {
		w.stepAt = w.cursor + 1
	}
	return due
}

// moveAhead moves the timers of so many chunks of a level, from the first slots on.
func (w *Wheel) moveAhead(rs *records.Set, level uint, n int) {
	for number := range w.window(level) {
		if n <= 0 {
			return
		}
		n -= w.moveTimers(rs, level, uint32(number)&ringMask, n)
	}
}
