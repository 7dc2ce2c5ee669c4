package hwheel

import (
	"iter"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// ChunksPerTick is the rate at which slots are emptied ahead of their start: up to 900 timers a tick, which takes 10 to 20 us
// among ten million timers. A slot that is too full for this rate is emptied faster. A slot with fewer chunks than one tick moves
// cascades when it starts.
const ChunksPerTick = 64

// windowSlots is the number of slots after the cursor's that can be emptied in a level. Their timers fit the level below, and no
// timer is added to them.
const windowSlots = ringLen/256 - 1

// windowStart returns the first tick at which the slot that starts at start can be emptied. It is after the cursor whenever a
// timer is added to the slot.
func windowStart(level uint, start structures.Tick) structures.Tick {
	return start - windowSlots<<widthBits(level)
}

// window returns the numbers of the occupied slots of a level that can be emptied now. It lowers stepAt to the tick at which the
// next slot can be emptied.
func (w *hierarchy) window(level uint) iter.Seq[uint64] {
	return func(yield func(number uint64) bool) {
		g, here := w.levels[level], uint64(w.cursor)>>widthBits(level)
		for number := here; !g.empty(); {
			number = g.next(number + 1)
			if number > here+ringLen {
				return // a revolution ahead: this slot was seen before
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

// emptyAhead empties slots above level 0 before they start, a part at each tick. So no call moves many timers while the clock
// goes tick by tick. It starts as late as ChunksPerTick allows, because timers that move early are spread over more slots.
func (w *Wheel) emptyAhead(rs *records.Set) {
	passed := rs.Clock - w.stepAt + 1
	w.stepAt = math.MaxInt64
	for level := uint(1); level < Levels; level++ {
		if g := w.levels[level]; g != nil && !g.empty() {
			w.moveAhead(rs, level, w.planAhead(level, passed))
		}
	}
}

// planAhead returns the number of chunks of a level to move now, after the passed ticks, so that each slot is empty when it
// starts. It lowers stepAt to the tick of the next move.
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

// moveAhead moves the timers of n chunks of a level, earliest slots first.
func (w *Wheel) moveAhead(rs *records.Set, level uint, n int) {
	for number := range w.window(level) {
		if n <= 0 {
			return
		}
		n -= w.moveTimers(rs, level, uint32(number)&ringMask, n)
	}
}
