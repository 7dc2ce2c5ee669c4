package auto

import (
	"iter"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// chunksPerTick is how fast slots are emptied ahead of their start, unless they hold so
// much that this is too slow: up to 900 timers, which takes 10 to 20 us among ten
// million. A slot with less than that cascades when it starts.
const chunksPerTick = 64

// windowSlots is the number of slots of a level, after that of the cursor, that can be
// emptied: all their timers fit the level below, and no more come to them.
const windowSlots = ringLen/256 - 1

// windowStart returns the tick from which on a slot of a level that starts at start can
// be emptied. It is after the cursor when a timer is added to the slot.
func windowStart(level uint, start structures.Tick) structures.Tick {
	return start - windowSlots<<widthBits(level)
}

// window returns the numbers of the occupied slots of a level that can be emptied. It
// lowers aheadAt to the tick from which on the first slot after them can be emptied.
func (w *wheel) window(level uint) iter.Seq[uint64] {
	return func(yield func(number uint64) bool) {
		g, here := w.levels[level], uint64(w.cursor)>>widthBits(level)
		for number := here; !g.empty(); {
			number = g.next(number + 1)
			if number > here+ringLen {
				return // a revolution ahead: this one was seen before
			}
			if opens := windowStart(level, structures.Tick(number<<widthBits(level))); opens > w.cursor {
				w.aheadAt = min(w.aheadAt, opens)
				return
			}
			if !yield(number) {
				return
			}
		}
	}
}

// workAhead empties slots above level 0 before they start, a part at each tick, so that
// no call has to move many timers if the clock goes tick by tick. It starts as late as
// chunksPerTick allows, because timers that move early are spread over more slots.
func (t *Timers[T]) workAhead() {
	passed := t.clock - t.aheadAt + 1
	t.aheadAt = math.MaxInt64
	for level := uint(1); level < levelCount; level++ {
		if g := t.levels[level]; g != nil && !g.empty() {
			t.emptyAhead(level, t.planAhead(level, passed))
		}
	}
}

// planAhead returns how many chunks of a level are to be moved now, so that each slot is
// empty when it starts: the share that is due for so many ticks. It lowers aheadAt to the
// tick at which there is more to do.
func (w *wheel) planAhead(level uint, passed structures.Tick) (due int) {
	g, sum := w.levels[level], 0
	for number := range w.window(level) {
		start := structures.Tick(number << widthBits(level))
		sum += int(g.pushed[uint32(number)&ringMask])
		left := start - w.cursor
		if begin := left - structures.Tick(sum/chunksPerTick); begin > 0 {
			w.aheadAt = min(w.aheadAt, w.cursor+begin)
		} else {
			share := float64(passed) / (float64(left) + float64(passed) - 1)
			due = max(due, int(math.Ceil(float64(sum)*share)))
		}
	}
	if due > 0 {
		w.aheadAt = w.cursor + 1
	}
	return due
}

// emptyAhead moves the timers of so many chunks of a level, from the first slots on.
func (t *Timers[T]) emptyAhead(level uint, n int) {
	for number := range t.window(level) {
		if n <= 0 {
			return
		}
		n -= t.moveTimers(level, uint32(number)&ringMask, n)
	}
}
